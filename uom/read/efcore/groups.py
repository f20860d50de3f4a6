"""`GroupBy` in all its overloads."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Lambda, Property, Var
from uom.model.queries import Elements, GroupBy, Map, OrderBy
from uom.model.types import EntityType, GroupingType, SequenceType, describe
from uom.model.walk import substitute
from uom.read.efcore.inlining import apply
from uom.read.efcore.lowering import to_scalar
from uom.read.efcore.memory import tells_apart
from uom.read.efcore.rows import (
    Arguments,
    keep_order_in_memory,
    lambda_of,
    on_server,
    over_row,
    parameter_name,
    row_value,
)
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.values import Closure, Rows, Scalar, Value, changed


def group_by(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`GroupBy(key[, element][, result])`."""
    place = session.place(node, scope)
    if not 1 <= len(arguments) <= 3:
        raise Refusal("GroupBy()", "this overload is not supported", place, "Leave the comparer out.")
    on_server(rows, "GroupBy", place)
    keep_order_in_memory(rows, "GroupBy", place)
    functions = [lambda_of(session, a, rows, 0, place, "GroupBy") for a in arguments]
    for function in functions:
        if not hasattr(function, "parameters") and not hasattr(function, "methods"):
            raise Refusal("GroupBy()", "this overload is not supported", place, "Leave the comparer out.")
    result = None
    if isinstance(functions[-1], Closure) and len(functions[-1].parameters) == 2:
        result = functions.pop()
    var, key = over_row(session, rows, functions[0], Position.SERVER, place)
    value: Value = row_value(rows, var)
    if len(functions) > 1:
        value_var, chosen = over_row(session, rows, functions[1], Position.SERVER, place)
        chosen_scalar = to_scalar(chosen, place, "GroupBy")
        value = Scalar(substitute(chosen_scalar.expr, {value_var.name: var}), chosen_scalar.static)
    groups = grouped(session, rows, var, to_scalar(key, place, "GroupBy"), to_scalar(value, place, "GroupBy"), place)
    return groups if result is None else _results(session, groups, result, place)


def grouped(session: Session, rows: Rows, var: Var, key: Scalar, value: Scalar, place: Place) -> Rows:
    """Groups; the order of the source is gone."""
    if isinstance(key.static, EntityType | SequenceType):
        raise Refusal("GroupBy", f"a {describe(key.static)} cannot be a key", place, "Group by its key column.")
    tells_apart(session, rows, key.expr.type, "GroupBy", place)
    element = GroupingType(key.expr.type, value.expr.type)
    value_var = session.fresh(var.name, var.type, place)
    source = rows.query.source if isinstance(rows.query, OrderBy) else rows.query
    query = GroupBy(
        source,
        Lambda(var, key.expr),
        Lambda(value_var, substitute(value.expr, {var.name: value_var})),
        element,
        place,
    )
    return replace(changed(rows, query, static=GroupingType(key.static, value.static), shape=None), includes=())


def _results(session: Session, groups: Rows, result: Value, place: Place) -> Rows:
    """`GroupBy(key, (key, items) => ..)`: a projection of each group."""
    element = groups.query.element
    assert isinstance(element, GroupingType) and isinstance(groups.static, GroupingType)
    var = session.fresh(parameter_name(result, 1), element, place)
    key = Scalar(Property(var, "Key", element.key, place), groups.static.key)
    items = Rows(Elements(var, element.element, place), groups.static.element, client=groups.client)
    position = Position.SERVER if session.position is Position.SERVER else Position.PROJECTION
    with session.at(position, None):
        body = to_scalar(apply(session, result, [key, items], place), place, "GroupBy")
    query = Map(groups.query, Lambda(var, body.expr), body.expr.type, place)
    return changed(groups, query, static=body.static)


OPERATORS = {"GroupBy": group_by}
