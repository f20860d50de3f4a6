"""GroupBy: a `$group` stage whose accumulators are added when later operators ask for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Distinct,
    Elements,
    Exists,
    Filter,
    Forall,
    GroupBy,
    Map,
    Query,
)
from uom.model.types import BOOL, as_nullable
from uom.write.mongodb.aggregates import check_aggregate, empty_value, operator_of, selected, zero_of
from uom.write.mongodb.expressions import evaluate, truth
from uom.write.mongodb.grouped import accumulated
from uom.write.mongodb.pipelines import compile_rows, compiles, group_key, steady
from uom.write.mongodb.render import render, stored_at
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson
from uom.write.mongodb.values import GroupingValue, ScalarValue, Value


@compiles(GroupBy)
def _group_by(query: GroupBy, scope: Scope) -> Rows:
    before = compile_rows(query.source, scope)
    row = steady(before, scope)
    inner = scope.on(before)
    key = evaluate(query.key.body, inner.bind(query.key.var, row), "key")
    item = evaluate(query.value.body, inner.bind(query.value.var, row))
    rows = Rows(before.collection, before.parent, before.lets, before=before)
    rows.group = {"_id": group_key(key, inner)}
    rows.fields = {"_id"}
    rows.row = GroupingValue(query.element, stored_at(key, "$_id", rows), item, rows)
    return rows


def group_aggregate(query: Query, group: GroupingValue, scope: Scope, hint: str) -> Value | None:
    """The query over a group's elements as an accumulator; None when no accumulator can say it."""
    writer = _ACCUMULATORS.get(type(query))
    return writer(query, group, scope, hint) if writer else None


class _Chain:
    """Elements that were filtered and mapped: each element's value before the group, and what it must meet."""

    def __init__(self, value: Value, conditions: list[Bson], scope: Scope) -> None:
        self.value, self.conditions, self.scope = value, conditions, scope

    def when(self, then: Bson, otherwise: Bson) -> Bson:
        """`then` for elements that count, else `otherwise`."""
        if not self.conditions:
            return then
        test = self.conditions[0] if len(self.conditions) == 1 else {"$and": self.conditions}
        return {"$cond": [test, then, otherwise]}


def _chain(query: Query, group: GroupingValue, scope: Scope) -> _Chain | None:
    before = group.home.before
    assert before is not None
    inner = scope.on(before)
    if isinstance(query, Elements):
        return _Chain(group.item, [], inner)
    if not isinstance(query, Filter | Map):
        return None
    below = _chain(query.source, group, scope)
    if below is None:
        return None
    if isinstance(query, Map):
        below.value = evaluate(query.selector.body, inner.bind(query.selector.var, below.value))
        return below
    if query.when is not None:
        return None
    below.conditions.append(truth(query.predicate.body, inner.bind(query.predicate.var, below.value)))
    return below


def _aggregate(query: Aggregate, group: GroupingValue, scope: Scope, hint: str) -> Value | None:
    if isinstance(query.source, Distinct):
        return _distinct_aggregate(query, query.source, group, scope, hint)
    chain = _chain(query.source, group, scope)
    if chain is None:
        return None
    rows = group.home
    if query.kind is AggregateKind.COUNT:
        path = accumulated(rows, _named(hint, "count"), {"$sum": chain.when(1, 0)})
        return ScalarValue(path, query.element, rows, hint)
    value = selected(query.selector, chain.value, chain.scope)
    check_aggregate(query.kind, value)
    neutral = zero_of(query.element) if query.kind is AggregateKind.SUM else None
    accumulator = {operator_of(query.kind): chain.when(render(value, chain.scope), neutral)}
    path = accumulated(rows, _named(hint, query.kind.value.lower()), accumulator)
    assert isinstance(value, ScalarValue)
    nullable = query.kind is not AggregateKind.SUM and (value.type.nullable or bool(chain.conditions))
    return ScalarValue(path, as_nullable(query.element, nullable), rows, hint)


def _distinct_aggregate(
    query: Aggregate, distinct: Distinct, group: GroupingValue, scope: Scope, hint: str
) -> Value | None:
    chain = _chain(distinct.source, group, scope)
    if chain is None or chain.conditions or query.selector is not None:
        return None
    rows = group.home
    path = accumulated(rows, _named(hint, "distinct"), {"$addToSet": group_key(chain.value, chain.scope)})
    if query.kind is AggregateKind.COUNT:
        return ScalarValue({"$size": path}, query.element, rows, hint)
    check_aggregate(query.kind, chain.value)
    nullable = empty_value(query) is None
    return ScalarValue({operator_of(query.kind): path}, as_nullable(query.element, nullable), rows, hint)


def _exists(query: Exists, group: GroupingValue, scope: Scope, hint: str) -> Value | None:
    chain = _chain(query.source, group, scope)
    if chain is None:
        return None
    if not chain.conditions:
        return ScalarValue(True, BOOL, group.home, hint)
    path = accumulated(group.home, _named(hint, "any"), {"$max": chain.when(True, False)})
    return ScalarValue(path, BOOL, group.home, hint)


def _forall(query: Forall, group: GroupingValue, scope: Scope, hint: str) -> Value | None:
    chain = _chain(query.source, group, scope)
    if chain is None:
        return None
    test = truth(query.predicate.body, chain.scope.bind(query.predicate.var, chain.value))
    path = accumulated(group.home, _named(hint, "all"), {"$min": chain.when({"$cond": [test, True, False]}, True)})
    return ScalarValue(path, BOOL, group.home, hint)


def _named(hint: str, otherwise: str) -> str:
    return otherwise if hint in ("value", "sortKey") else hint


_ACCUMULATORS: dict[type, Callable[[Any, GroupingValue, Scope, str], Value | None]] = {
    Aggregate: _aggregate,
    Exists: _exists,
    Forall: _forall,
}
