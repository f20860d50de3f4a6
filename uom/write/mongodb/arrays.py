"""Queries over a list that is already in the document: collected group elements, looked-up lists, owned collections.

The same operators as for pipelines, in expression form: `$filter`, `$map`, `$sortArray`, `$slice`, ...
"""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Any

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const
from uom.model.program import nulls_first
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Contains,
    Distinct,
    Elements,
    Exists,
    Filter,
    FlatMap,
    Forall,
    Map,
    OrderBy,
    Pick,
    PickKind,
    Query,
    Reverse,
    SetKind,
    SetOperation,
    Skip,
    Take,
)
from uom.model.types import BOOL, as_nullable
from uom.write.mongodb.aggregates import check_aggregate, empty_value, operator_of, selected
from uom.write.mongodb.expressions import evaluate, scalar, truth
from uom.write.mongodb.groups import group_aggregate
from uom.write.mongodb.operators import check_sortable, row_count
from uom.write.mongodb.render import as_item, collected, render
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.stored import default_of
from uom.write.mongodb.tree import Bson, is_field_path, is_path, or_null
from uom.write.mongodb.values import EntityValue, GroupingValue, ListValue, ScalarValue, Value, moved


def source_of(query: Query) -> Query:
    """The first source of a query."""
    current = query
    while not isinstance(current, Elements):
        below = getattr(current, "source", None) or getattr(current, "left", None)
        if below is None:
            return current
        current = below
    return current


def is_array_query(query: Query, scope: Scope) -> bool:
    return isinstance(source_of(query), Elements)


def array_value(query: Query, scope: Scope, hint: str) -> Value:
    """The value of a query over a list; over a group it becomes an accumulator where one can say it."""
    elements = source_of(query)
    assert isinstance(elements, Elements)
    source = evaluate(elements.source, scope)
    if isinstance(source, GroupingValue) and source.elements is None and source.home is scope.rows:
        found = group_aggregate(query, source, scope, hint)
        if found is not None:
            return found
    writer = _TERMINALS.get(type(query))
    return writer(query, scope, hint) if writer else array_of(query, scope)


@singledispatch
def array_of(query: Query, scope: Scope) -> ListValue:
    """The rows of a query as an array of the current document."""
    raise Refusal(type(query).__name__, "is not supported over a list inside a row", getattr(query, "place", None))


def _over(at: Bson, item: Value, scope: Scope) -> ListValue:
    return ListValue(at, item, scope.rows)


def _opened(items: ListValue, scope: Scope) -> tuple[str, Value, Scope]:
    """(variable, value of the item it stands for, scope inside)."""
    name, inner = scope.item_variable()
    return name, moved(items.item, f"$${name}", scope.rows), inner


@array_of.register
def _elements(query: Elements, scope: Scope) -> ListValue:
    value = evaluate(query.source, scope)
    if isinstance(value, GroupingValue):
        value = collected(value, scope)
    if not isinstance(value, ListValue):
        raise Refusal("list", "the value is not a list")
    return _over(scope.rows.bring(value.at, value.home, "items"), value.item, scope)


@array_of.register
def _filter(query: Filter, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    name, item, inner = _opened(items, scope)
    if query.when is not None:
        raise Refusal("if", "a filter inside a list of a row cannot be conditional")
    condition = truth(query.predicate.body, inner.bind(query.predicate.var, item))
    return replace(items, at={"$filter": {"input": items.at, "as": name, "cond": condition}})


@array_of.register
def _map(query: Map, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    name, item, inner = _opened(items, scope)
    value = evaluate(query.selector.body, inner.bind(query.selector.var, item))
    prefix = f"$${name}."
    if isinstance(value, ScalarValue) and is_path(value.expr) and value.expr.startswith(prefix):
        return replace(items, item=replace(value, expr="$" + value.expr.removeprefix(prefix)))
    if isinstance(value, ScalarValue) and value.expr == f"$${name}":
        return items
    return _over({"$map": {"input": items.at, "as": name, "in": render(value, inner)}}, as_item(value), scope)


@array_of.register
def _order_by(query: OrderBy, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    inner = scope.bind(query.var, items.item)
    sort: dict[str, int] = {}
    whole: int | None = None
    for key in query.keys:
        check_sortable(key, scope.translation.semantics)
        value = evaluate(key.expr, inner)
        direction = -1 if key.descending else 1
        if not isinstance(value, ScalarValue) or not is_path(value.expr):
            raise Refusal("OrderBy", "a list inside a row can be sorted by stored fields only", key.expr.place)
        if value.type.nullable and not nulls_first(key, scope.translation.semantics) and len(query.keys) > 1:
            raise Refusal("OrderBy", "nulls sort last in the source, but first in MongoDB's lists", key.expr.place)
        if value.expr == "$$ROOT":
            whole = direction
        else:
            sort[value.expr[1:]] = direction
    at: Bson = {"$sortArray": {"input": items.at, "sortBy": whole if whole is not None else sort}}
    first = evaluate(query.keys[0].expr, inner)
    if (
        isinstance(first, ScalarValue)
        and first.type.nullable
        and not nulls_first(query.keys[0], scope.translation.semantics)
    ):
        at = _nulls_last(items, first, at, query.keys[0].descending, scope)
    return replace(items, at=at)


def _nulls_last(items: ListValue, key: ScalarValue, ordered: Bson, descending: bool, scope: Scope) -> Bson:
    """MongoDB sorts nulls first ascending; the source has them last: two halves of one list."""
    name, _ = scope.item_variable()
    own = moved(key, f"$${name}", scope.rows)
    assert isinstance(own, ScalarValue)
    present = {"$filter": {"input": ordered, "as": name, "cond": {"$gt": [own.expr, None]}}}
    absent = {"$filter": {"input": items.at, "as": name, "cond": {"$eq": [or_null(own.expr), None]}}}
    return {"$concatArrays": [absent, present] if descending else [present, absent]}


@array_of.register
def _reverse(query: Reverse, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    return replace(items, at={"$reverseArray": items.at})


@array_of.register
def _take(query: Take, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    count = row_count(query.count, 0)
    if isinstance(query.count, Const):
        return replace(items, at={"$slice": [items.at, count]} if count else [])
    sliced = {"$slice": [items.at, row_count(query.count, 1)]}
    return replace(items, at={"$cond": [{"$gt": [count, 0]}, sliced, []]})


@array_of.register
def _skip(query: Skip, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    count = row_count(query.count, 0)
    return replace(items, at={"$slice": [items.at, count, 2**31 - 1]}) if count != 0 else items


@array_of.register
def _distinct(query: Distinct, scope: Scope) -> ListValue:
    items = array_of(query.source, scope)
    if isinstance(items.item, EntityValue):
        return items
    return _over({"$setUnion": [render(items, scope)]}, _plain(items.item), scope)


def _plain(item: Value) -> Value:
    """The item after the list was rendered."""
    return replace(item, expr="$$ROOT") if isinstance(item, ScalarValue) else item


@array_of.register
def _set_operation(query: SetOperation, scope: Scope) -> ListValue:
    left, right = array_of(query.left, scope), array_of(query.right, scope)
    operator = {
        SetKind.CONCAT: "$concatArrays",
        SetKind.UNION: "$setUnion",
        SetKind.EXCEPT: "$setDifference",
        SetKind.INTERSECT: "$setIntersection",
    }[query.kind]
    return _over({operator: [render(left, scope), render(right, scope)]}, _plain(left.item), scope)


@array_of.register
def _flat_map(query: FlatMap, scope: Scope) -> ListValue:
    outer = array_of(query.source, scope)
    name, item, inner = _opened(outer, scope)
    inner = inner.bind(query.outer, item)
    if not is_array_query(query.inner, inner):
        raise Refusal("SelectMany", "only lists of the same row can be flattened inside a row")
    lists = array_of(query.inner, inner)
    inner_name, inner_item, innermost = _opened(lists, inner)
    result = evaluate(query.result, innermost.bind(query.inner_var, inner_item))
    mapped = {"$map": {"input": lists.at, "as": inner_name, "in": render(result, innermost)}}
    all_lists = {"$map": {"input": outer.at, "as": name, "in": mapped}}
    flat = {"$reduce": {"input": all_lists, "initialValue": [], "in": {"$concatArrays": ["$$value", "$$this"]}}}
    return _over(flat, as_item(result), scope)


# -- terminals -------------------------------------------------------------------------------------------------------


def _aggregate(query: Aggregate, scope: Scope, hint: str) -> Value:
    items = array_of(query.source, scope)
    if query.kind is AggregateKind.COUNT:
        return ScalarValue({"$size": items.at}, query.element, scope.rows, hint)
    name, item, inner = _opened(items, scope)
    value = selected(query.selector, item, inner)
    check_aggregate(query.kind, value)
    numbers = (
        items.at
        if render(value, inner) == f"$${name}"
        else {"$map": {"input": items.at, "as": name, "in": render(value, inner)}}
    )
    nullable = empty_value(query) is None
    return ScalarValue({operator_of(query.kind): numbers}, as_nullable(query.element, nullable), scope.rows, hint)


def _pick(query: Pick, scope: Scope, hint: str) -> Value:
    items = array_of(query.source, scope)
    picked: Bson
    if isinstance(items.item, ScalarValue):
        picked = _picked(query, render(items, scope))
        default = default_of(query.element)
        tree = picked if default is None else {"$ifNull": [picked, default]}
        return ScalarValue(tree, as_nullable(query.element, default is None), scope.rows, hint)
    if scope.depth:
        raise Refusal(query.kind.value, "objects cannot be picked from a list inside a list")
    name = scope.rows.helper(hint)
    scope.rows.add("$set", {name: _picked(query, items.at)})
    return moved(items.item, f"${name}", scope.rows, nullable=True)


def _picked(query: Pick, array: Bson) -> Bson:
    if query.kind is PickKind.ELEMENT_AT:
        assert query.index is not None
        return {"$arrayElemAt": [array, row_count(query.index, 0)]}
    return {"$last" if query.kind is PickKind.LAST else "$first": array}


def _exists(query: Exists, scope: Scope, hint: str) -> Value:
    return ScalarValue({"$ne": [array_of(query.source, scope).at, []]}, BOOL, scope.rows, hint)


def _forall(query: Forall, scope: Scope, hint: str) -> Value:
    items = array_of(query.source, scope)
    name, item, inner = _opened(items, scope)
    test = truth(query.predicate.body, inner.bind(query.predicate.var, item))
    tests = {"$map": {"input": items.at, "as": name, "in": test}}
    return ScalarValue({"$allElementsTrue": [tests]}, BOOL, scope.rows, hint)


def _contains(query: Contains, scope: Scope, hint: str) -> Value:
    items = array_of(query.source, scope)
    item, nullable = scalar(query.item, scope)
    return ScalarValue({"$in": [or_null(item) if nullable else item, render(items, scope)]}, BOOL, scope.rows, hint)


_TERMINALS: dict[type, Callable[[Any, Scope, str], Value]] = {
    Aggregate: _aggregate,
    Pick: _pick,
    Exists: _exists,
    Forall: _forall,
    Contains: _contains,
}


def unwindable(value: ListValue) -> bool:
    """True when the array is a stored field, which `$unwind` can take as it is."""
    return is_field_path(value.at)
