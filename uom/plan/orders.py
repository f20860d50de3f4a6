"""Sorts in memory, said with keys: C# keeps rows that tie in the order that they came in, and databases do not.

`OrderByDescending(a).ToList().OrderBy(b)` is ordered by b and then by a, descending.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from uom.model.diagnostics import Refusal
from uom.model.expressions import Expr, Lambda, New, Property, Var
from uom.model.orders import comes_in_order
from uom.model.queries import (
    Filter,
    Include,
    Map,
    OfType,
    OrderBy,
    Query,
    Reverse,
    Skip,
    SortKey,
    Take,
)
from uom.model.schema import Schema
from uom.model.types import EntityType, RecordType
from uom.model.walk import substitute, transform

_SAME_ROWS = (Filter, Include, OfType)
"""What keeps rows and their order, so that a sort may as well come before it."""
_PAGES = (Skip, Take, Reverse)


def keep_orders(body: Expr, schema: Schema) -> Expr:
    """Each sort in memory gets the keys of the order below it. Raises Refusal where that order has no keys."""

    def change(node: Any) -> Any:
        return _settled(node, schema) if isinstance(node, OrderBy) and node.keeps_order else node

    return transform(body, change)


def _settled(order: OrderBy, schema: Schema) -> Query:
    plain = replace(order, keeps_order=False)
    if not comes_in_order(order.source) or _is_total(order, schema):
        return plain
    source = _with_map_on_top(order.source)
    if isinstance(source, Map):
        return replace(source, source=_settled(_below(order, source), schema))
    known = {key.expr for key in order.keys}
    earlier = [key for key in _keys(source, order) if key.expr not in known]
    return replace(plain, source=_without_order(source), keys=(*order.keys, *earlier))


def _is_total(order: OrderBy, schema: Schema) -> bool:
    """No two rows tie where the whole key of an entity is sorted by."""
    if not isinstance(order.var.type, EntityType):
        return False
    key = schema.entity(order.var.type.name).key
    sorted_by = {k.expr.name for k in order.keys if isinstance(k.expr, Property) and k.expr.target == order.var}
    return bool(key) and set(key) <= sorted_by


def _with_map_on_top(query: Query) -> Query:
    """The same rows, with a projection that stands below filters and pages moved over them."""
    if not isinstance(query, (Filter, *_PAGES)):
        return query
    below = _with_map_on_top(query.source)
    if not isinstance(below, Map):
        return query
    element = below.source.element
    if isinstance(query, Filter):
        var = Var(query.predicate.var.name, element)
        test = _over(query.predicate.body, query.predicate.var, below.selector, var)
        moved: Query = replace(query, source=below.source, predicate=Lambda(var, test), element=element)
    else:
        moved = replace(query, source=below.source, element=element)
    return replace(below, source=moved)


def _below(order: OrderBy, projection: Map) -> OrderBy:
    """The sort with its keys over the rows that the projection is made of."""
    var = Var(order.var.name, projection.source.element)
    keys = tuple(replace(k, expr=_over(k.expr, order.var, projection.selector, var)) for k in order.keys)
    return replace(order, source=projection.source, var=var, keys=keys, element=projection.source.element)


def _over(expr: Expr, row: Var, selector: Lambda, var: Var) -> Expr:
    """An expression over a projected row, over the row `var` that it was projected from."""
    made = substitute(selector.body, {selector.var.name: var})

    def change(node: Any) -> Any:
        if isinstance(node, Var) and node.name == row.name:
            return made
        if isinstance(node, Property) and isinstance(node.target, New) and isinstance(node.target.type, RecordType):
            names = [field.name for field in node.target.type.fields]
            return node.target.args[names.index(node.name)]
        return node

    return transform(expr, change)


def _keys(query: Query, order: OrderBy) -> tuple[SortKey, ...]:
    """What the rows are ordered by, over the variable of the sort above them."""
    match query:
        case OrderBy():
            return tuple(replace(k, expr=substitute(k.expr, {query.var.name: order.var})) for k in query.keys)
        case Reverse():
            return tuple(replace(k, descending=not k.descending) for k in _keys(query.source, order))
        case Filter() | Include() | OfType() | Skip() | Take():
            return _keys(query.source, order)
    raise Refusal(
        "OrderBy",
        "in memory C# leaves rows that tie in the order that they came in, which has no key here",
        order.place,
        "Add ThenBy with something unique.",
    )


def _without_order(query: Query) -> Query:
    """The rows without the order that the sort above has taken over; what pages cut through keeps it."""
    if isinstance(query, OrderBy):
        return query.source
    return replace(query, source=_without_order(query.source)) if isinstance(query, _SAME_ROWS) else query
