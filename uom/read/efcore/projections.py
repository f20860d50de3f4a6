"""`Select` and `SelectMany`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import Const, Expr, Lambda, New, Var
from uom.model.queries import DefaultIfEmpty, FlatMap, Include, Join, JoinKind, Map, Query
from uom.model.types import EntityType, RecordType, SequenceType, Type, as_nullable
from uom.model.walk import substitute
from uom.read.efcore.inlining import apply
from uom.read.efcore.join_keys import join_keys
from uom.read.efcore.lowering import as_rows, finished, to_scalar
from uom.read.efcore.memory import runs_in_memory
from uom.read.efcore.rows import (
    Arguments,
    keep_order_in_memory,
    lambda_of,
    on_server,
    over_row,
    parameter_name,
    row_value,
    without_groups,
)
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, Session
from uom.read.efcore.values import ClientOnly, Rows, Scalar, Value, changed


def select(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    if len(arguments) != 1:
        raise Refusal("Select()", "one lambda is expected", place, "Pass one lambda.")
    on_server(rows, "Select", place)
    function = lambda_of(session, arguments[0], rows, 1, place, "Select")
    marks, session.client_marks = session.client_marks, []
    includes, session.row_includes = session.row_includes, rows.includes
    try:
        var, value = over_row(session, rows, function, Position.PROJECTION, place)
        found = session.client_marks
    finally:
        session.client_marks, session.row_includes = marks, includes
    if found and session.position is Position.PROJECTION:
        session.client_marks.extend(found)
    result = projected(session, rows, var, to_scalar(value, place, "Select"), place)
    if found and not rows.client:
        return replace(result, client_only=ClientOnly(*found[0]))
    return result


def projected(session: Session, rows: Rows, var: Var, body: Scalar, place: Place) -> Rows:
    """The rows after a projection, with what it means for Includes asked for before."""
    if isinstance(body.expr, Var) and body.expr.name == var.name:
        return changed(rows, rows.query, shape=None)
    if _carries(body.expr, var):
        without_groups(rows, "Select", place)
    source = rows.query
    includes = rows.includes
    if includes:
        if holds_entity(body.expr.type) and isinstance(source.element, EntityType):
            source = Include(source, includes, source.element, place)
        elif not rows.client:
            session.note(
                Severity.LOSS,
                "Include",
                "a projection decides itself what is read, so the Include has no effect",
                place,
            )
    query = Map(source, Lambda(var, body.expr), body.expr.type, place)
    return changed(rows, query, static=body.static, shape=None, includes=())


def _carries(expr: Expr, var: Var) -> bool:
    """Whether a new object takes the row over as it is."""
    return isinstance(expr, New) and any(arg == var or _carries(arg, var) for arg in expr.args)


def holds_entity(type_: Type) -> bool:
    match type_:
        case EntityType():
            return True
        case RecordType(fields=fields):
            return any(holds_entity(f.type) for f in fields)
        case SequenceType(element=element):
            return holds_entity(element)
    return False


def select_many(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`SelectMany(c => c.Orders)`, `SelectMany(c => c.Orders, (c, o) => ..)`."""
    place = session.place(node, scope)
    if len(arguments) not in (1, 2):
        raise Refusal("SelectMany()", "one or two lambdas are expected", place, "Pass lambdas.")
    on_server(rows, "SelectMany", place)
    without_groups(rows, "SelectMany", place)
    collection = lambda_of(session, arguments[0], rows, 1, place, "SelectMany")
    var, value = over_row(session, rows, collection, Position.SERVER, place)
    inner = as_rows(value, place, "SelectMany")
    if len(arguments) == 1:
        return flatten(session, rows, var, inner, None, None, place)
    selector = lambda_of(session, arguments[1], rows, 2, place, "result")
    outer = row_value(rows, var)
    return flatten(
        session,
        rows,
        var,
        inner,
        lambda item: apply(session, selector, [outer, item], place),
        parameter_name(selector, 1),
        place,
    )


def flatten(
    session: Session,
    rows: Rows,
    outer: Var,
    inner: Rows,
    result: Callable[[Value], Value] | None,
    name: str | None,
    place: Place,
) -> Rows:
    """For each row all rows of `inner`, which may use `outer`; a plain Join where that says the same."""
    keep_unless_plain(rows, place)
    joined = inner.joined
    if joined is not None and joined.outer_var.name == outer.name and inner.shape is None:
        return _join_of(session, rows, outer, inner, result, name, place)
    inner_query = _outer_join_form(finished(inner))
    inner_name = name or _name_for(inner_query.element)
    inner_var = session.fresh(inner_name, inner_query.element, place)
    item = Scalar(inner_var, inner.static)
    body = _result(session, rows, result, item, place)
    query = FlatMap(rows.query, outer, inner_query, inner_var, body.expr, body.expr.type, place)
    return changed(rows, query, static=body.static, shape=None, includes=())


def _outer_join_form(query: Query) -> Query:
    """A flattened DefaultIfEmpty is an outer join: the missing row is null, also of a value type."""
    if isinstance(query, DefaultIfEmpty) and isinstance(query.default, Const):
        return DefaultIfEmpty(query.source, as_nullable(query.element), None, query.place)
    return query


def keep_unless_plain(rows: Rows, place: Place) -> None:
    if rows.local:
        keep_order_in_memory(rows, "SelectMany", place)


def _result(
    session: Session, rows: Rows, result: Callable[[Value], Value] | None, item: Scalar, place: Place
) -> Scalar:
    if result is None:
        return item
    fetched = Fetched("", rows.includes) if rows.client else None
    position = Position.SERVER if session.position is Position.SERVER else Position.PROJECTION
    marks, session.client_marks = session.client_marks, []
    try:
        with session.at(position, fetched):
            value = to_scalar(result(item), place, "SelectMany")
        if fetched is not None:
            runs_in_memory(session, value, place)
        if session.client_marks and not rows.client:
            construct, where = session.client_marks[0]
            raise Refusal(construct, "it is not supported in a join's result", where, "Use a Select after the join.")
    finally:
        session.client_marks = marks
    return value


def _join_of(
    session: Session,
    rows: Rows,
    outer: Var,
    inner: Rows,
    result: Callable[[Value], Value] | None,
    name: str | None,
    place: Place,
) -> Rows:
    """`join .. into g from x in g[.DefaultIfEmpty()]`."""
    joined = inner.joined
    assert joined is not None
    right = finished(joined.inner)
    element = as_nullable(right.element) if joined.left else right.element
    var = session.fresh(name or joined.inner_var.name, element, place)
    pairs = [(o, substitute(i, {joined.inner_var.name: var})) for o, i in joined.keys]
    keys = join_keys(pairs, joined.composite)
    body = _result(session, rows, result, Scalar(var, joined.inner.static), place)
    kind = JoinKind.LEFT if joined.left else JoinKind.INNER
    query = Join(kind, rows.query, right, outer, var, keys, body.expr, body.expr.type, place)
    return changed(rows, query, static=body.static, shape=None, includes=())


def _name_for(type_: Type) -> str:
    name = getattr(type_, "name", None)
    return name[0].lower() if isinstance(name, str) and name else "item"


OPERATORS = {"Select": select, "SelectMany": select_many}
