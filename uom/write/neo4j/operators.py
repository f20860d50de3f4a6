"""Sources and operators: each adds clauses to the statement and says what the row is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Any

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function, Navigate, Not
from uom.model.program import nulls_first
from uom.model.queries import (
    Distinct,
    Elements,
    Filter,
    Include,
    Map,
    OfType,
    OrderBy,
    Query,
    Related,
    Reverse,
    Scan,
    Skip,
    SortKey,
    Take,
    Values,
)
from uom.model.schema import Navigation, NavigationKind
from uom.model.types import INT, EntityType, describe, is_string
from uom.model.walk import free_variables
from uom.write.java.binding import is_bindable
from uom.write.neo4j import decimals
from uom.write.neo4j.clauses import Call, Match, Return, Unwind
from uom.write.neo4j.expressions import evaluate, register, scalar, truth
from uom.write.neo4j.logic import check_order, folded
from uom.write.neo4j.packing import columns, unpack
from uom.write.neo4j.rows import Rows, SortItem
from uom.write.neo4j.scope import Scope, first_parameter
from uom.write.neo4j.text import Text, either, integer, is_not_null, quoted
from uom.write.neo4j.values import Group, Items, Node, Record, Scalar, Value


def compile_rows(query: Query, scope: Scope) -> Value:
    """Adds the clauses of a query to `scope.rows` and returns its row, which is `scope.rows.row` as well."""
    try:
        row = _operator(query, scope)
    except Refusal as refusal:
        raise refusal.at(query.place) from None
    scope.rows.row = row
    return row


@singledispatch
def _operator(query: Query, scope: Scope) -> Value:  # noqa: ARG001
    raise Refusal(type(query).__name__, "has no Cypher translation")


def operator(cls: type) -> Callable[[Callable[[Any, Scope], Value]], Callable[[Any, Scope], Value]]:
    """Registers the writer of an operator."""
    return _operator.register(cls)


# sources ------------------------------------------------------------------------------------------------------------


@operator(Scan)
def _scan(query: Scan, scope: Scope) -> Value:
    variable = scope.rows.names.fresh(scope.graph.hint(query.entity))
    scope.rows.add(Match(scope.graph.scan(query.entity, variable), (variable,)))
    return Node(variable, query.entity)


@operator(Related)
def _related(query: Related, scope: Scope) -> Value:
    owner = evaluate(query.target, scope)
    if not isinstance(owner, Node):
        raise Refusal(query.navigation, f"of {describe(query.target.type)}")
    start = named(owner, scope)
    navigation = scope.graph.navigation(owner.entity, query.navigation)
    variable = scope.rows.names.fresh(scope.graph.hint(navigation.target))
    pattern = scope.graph.step(start, owner.entity, navigation, variable)
    scope.rows.add(Match(pattern, (variable,)))
    return Node(variable, navigation.target)


def named(node: Node, scope: Scope) -> str:
    """A variable that holds the node: patterns take no expressions."""
    if node.variable in scope.rows.visible():
        return node.variable
    return scope.rows.let(node.text, scope.graph.hint(node.entity)).cypher.strip("`")


@operator(Elements)
def _elements(query: Elements, scope: Scope) -> Value:
    source = evaluate(query.source, scope)
    if isinstance(source, Group):
        source = source.group.items()
    if not isinstance(source, Items):
        raise Refusal("list", f"of {describe(query.source.type)}")
    return _unwound(source, scope)


def _unwound(source: Items, scope: Scope) -> Value:
    variable = scope.rows.names.fresh("item")
    scope.rows.add(Unwind(source.text, variable))
    return unpack(source.layout, Text(quoted(variable)))


@operator(Values)
def _values(query: Values, scope: Scope) -> Value:
    items = [scalar(item, scope) for item in query.items]
    scale = max((i.scale for i in items if i.scale is not None), default=None)
    texts = [decimals.scaled(i, scale) if scale is not None else i.text for i in items]
    variable = scope.rows.names.fresh("item")
    scope.rows.add(Unwind(Text("[" + ", ".join(str(t) for t in texts) + "]"), variable))
    return Scalar(Text(quoted(variable)), query.element, scale)


# one row to one row -------------------------------------------------------------------------------------------------


@operator(Filter)
def _filter(query: Filter, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    add_filter(query, row, scope)
    return row


def add_filter(query: Filter, row: Value, scope: Scope) -> None:
    inner = scope.bind(query.predicate.var, row)
    if query.when is None:
        scope.rows.filter(truth(query.predicate.body, inner))
        return
    writing = scope.writing
    skipped = writing.bind(Not(query.when), "without" + _suffix(query.predicate.body))
    saved, writing.condition = writing.condition, query.when
    try:
        test = truth(query.predicate.body, inner)
    finally:
        writing.condition = saved
    scope.rows.filter(either(skipped, test))


def _suffix(predicate: Expr) -> str:
    """Which filter it is: the first parameter that it uses."""
    name = first_parameter(predicate, "Filter")
    return name[:1].upper() + name[1:]


@operator(Map)
def _map(query: Map, scope: Scope) -> Value:
    row = named_where_long(compile_rows(query.source, scope), scope)
    return evaluate(query.selector.body, scope.bind(query.selector.var, row))


_LONG = 400
"""Characters of an expression that is written once and then called by its name."""


def named_where_long(row: Value, scope: Scope) -> Value:
    """The row with names for what would make the statement grow without end if it were written wherever it is used."""
    match row:
        case Scalar() if len(row.text.cypher) > _LONG:
            return replace(row, text=scope.rows.let(row.text, "value"))
        case Record():
            return replace(row, fields=tuple((n, named_where_long(v, scope)) for n, v in row.fields))
    return row


@operator(OfType)
def _of_type(query: OfType, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    if not isinstance(row, Node):
        raise Refusal("OfType", f"of {describe(query.source.element)}")
    if query.entity != row.entity:
        scope.rows.filter(Text(f"{row.text}:{scope.graph.label(query.entity)}"))
    return replace(row, entity=query.entity)


@operator(Include)
def _include(query: Include, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    if not isinstance(row, Node):
        raise Refusal("Include", f"of {describe(query.element)}")
    return replace(row, includes=(*row.includes, *query.tree))


@register(Navigate)
def _navigate(node: Navigate, scope: Scope, hint: str) -> Value:
    """A reference: an OPTIONAL MATCH before the clause that needs it, which neither adds nor drops a row."""
    owner = evaluate(node.target, scope, hint)
    if not isinstance(owner, Node):
        raise Refusal(node.navigation, f"of {describe(node.target.type)}")
    navigation = scope.graph.navigation(owner.entity, node.navigation)
    if navigation.kind is not NavigationKind.REFERENCE:
        raise Refusal(node.navigation, "a collection is used as one row")
    if scope.graph.link(owner.entity) is not None:
        end = scope.graph.end_of_link(owner.entity, navigation)
        partner = Node(f"{end}({owner.text})", navigation.target, owner.nullable)
        return partner if node.predicate is None else _seen_through(partner, node, scope)
    rows = scope.rows
    key = (owner.variable, node.navigation, node.predicate)
    known = rows.known(key)
    if known is None:
        known = rows.bound[key] = _step(owner, node, navigation, scope)
    return Node(known, navigation.target, node.type.nullable or owner.nullable or node.predicate is not None)


def _step(owner: Node, node: Navigate, navigation: Navigation, scope: Scope) -> str:
    """Adds the MATCH for a reference; returns the variable."""
    rows = scope.rows
    start = named(owner, scope)
    hint = scope.graph.hint(navigation.target) if navigation.name == navigation.target else _lower(node.navigation)
    variable = rows.names.fresh(hint)
    required = not node.type.nullable and node.predicate is None and not owner.nullable
    match = Match(scope.graph.step(start, owner.entity, navigation, variable), (variable,), optional=not required)
    if node.predicate is None:
        rows.add(match)
        return variable
    rows.settle_page()
    inner = Rows(rows.names, rows, [replace(match, optional=False)])
    found = Node(variable, navigation.target)
    test = truth(node.predicate.body, scope.on(inner).bind(node.predicate.var, found))
    if len(inner.clauses) == 1:
        rows.add(replace(match, where=[test]))
        return variable
    inner.filter(test)
    target = rows.names.fresh(hint)
    inner.clauses.append(Return([(found.text, target)]))
    rows.add(Call((start,), (tuple(inner.clauses),), (target,), optional=True))
    return target


def _seen_through(partner: Node, node: Navigate, scope: Scope) -> Value:
    assert node.predicate is not None
    variable = scope.rows.let(partner.text, scope.graph.hint(partner.entity)).cypher
    found = replace(partner, variable=variable.strip("`"))
    test = truth(node.predicate.body, scope.bind(node.predicate.var, found))
    kept = scope.rows.let(Text(f"CASE WHEN {test} THEN {variable} END"), scope.graph.hint(partner.entity))
    return replace(found, variable=kept.cypher.strip("`"), nullable=True)


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


# order and pages ----------------------------------------------------------------------------------------------------


@operator(OrderBy)
def _order_by(query: OrderBy, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    inner = scope.bind(query.var, row)
    items = [item for key in query.keys for item in _sort_items(key, inner)]
    rows = scope.rows
    if rows.skip is not None or rows.limit is not None:
        rows.settle_page()
    rows.sort = tuple(items)
    return row


def _sort_items(key: SortKey, scope: Scope) -> list[SortItem]:
    value = evaluate(key.expr, scope)
    if isinstance(value, Node):
        raise Refusal("OrderBy", "entities have no order")
    if not isinstance(value, Scalar):
        raise Refusal("OrderBy", f"by {describe(key.expr.type)}")
    if not key.tie_breaker:
        check_order(value, scope)
    text = decimals.to_double(value) if value.over is not None else folded(value, scope)
    items = [SortItem(text, key.descending)]
    if value.nullable and nulls_first(key, scope.semantics):
        items.insert(0, SortItem(is_not_null(text), key.descending))
    return items


@operator(Reverse)
def _reverse(query: Reverse, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    rows = scope.rows
    if not rows.sort:
        raise Refusal("Reverse", "the rows have no order to turn round")
    rows.settle_page()
    rows.sort = tuple(replace(item, descending=not item.descending) for item in rows.sort)
    return row


@operator(Skip)
def _skip(query: Skip, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    if scope.rows.skip is not None or scope.rows.limit is not None:
        scope.rows.settle_page()
    scope.rows.close_group()
    scope.rows.skip = count(query.count, scope)
    return row


@operator(Take)
def _take(query: Take, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    if scope.rows.limit is not None:
        scope.rows.settle_page()
    scope.rows.close_group()
    scope.rows.limit = count(query.count, scope)
    return row


def count(expr: Expr, scope: Scope) -> Text:
    """A number of rows; C# takes a negative one for 0."""
    if isinstance(expr, Const) and isinstance(expr.value, int):
        return integer(max(expr.value, 0))
    if free_variables(expr) or not is_bindable(expr):
        raise Refusal("Take", "the number of rows depends on a row")
    hint = first_parameter(expr, "count")
    return scope.writing.bind(Function(Fn.GREATEST, (expr, Const(0, INT)), expr.type), hint)


@operator(Distinct)
def _distinct(query: Distinct, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    check_equality(query.element, "Distinct", scope)
    items, settled = columns(row, scope, "value")
    scope.rows.carry(items, distinct=True)
    return settled


def check_equality(type_: Any, construct: str, scope: Scope) -> None:
    """Rows that are compared as a whole: where case does not count, which spelling stays is anyone's guess."""
    if not scope.semantics.case_sensitive and _has_text(type_):
        raise Refusal(construct, "of text, where the source's database ignores case")


def _has_text(type_: Any) -> bool:
    if isinstance(type_, EntityType):
        return False
    return is_string(type_) or any(_has_text(f.type) for f in getattr(type_, "fields", ()))
