"""`Join`, `LeftJoin`, `RightJoin`, `GroupJoin` and the keys they match on."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Expr,
    Lambda,
    LogicalOp,
    Var,
)
from uom.model.queries import Filter, Join, JoinKind
from uom.model.types import Type, as_nullable
from uom.model.walk import substitute
from uom.read.efcore.binding import evaluated
from uom.read.efcore.folding import TRUE, logical
from uom.read.efcore.inlining import apply
from uom.read.efcore.join_keys import (
    is_composite,
    join_keys,
    key_pairs,
    matching,
)
from uom.read.efcore.lowering import as_rows, finished, shaped, to_scalar
from uom.read.efcore.memory import tells_apart
from uom.read.efcore.projections import _result, projected
from uom.read.efcore.rows import Arguments, lambda_of, on_server, over_row, row_value, without_groups
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, QueryOperator, Session
from uom.read.efcore.values import GroupJoined, Rows, Scalar, Shape, Struct, Value, changed


def join(kind: JoinKind, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        if len(arguments) != 4:
            raise Refusal(f"{name}()", "this overload is not supported", place, "Leave the comparer out.")
        on_server(rows, name, place)
        without_groups(rows, name, place)
        rows = shaped(rows, place)
        inner = shaped(as_rows(evaluated(session, arguments[0]), place, name), place)
        _same_side(rows, inner, name, place)
        left_key, right_key, selector = (
            lambda_of(session, a, rows, n, place, name) for a, n in zip(arguments[1:], (1, 1, 2), strict=True)
        )
        left_var, left = over_row(session, rows, left_key, Position.SERVER, place)
        right_var, right = over_row(session, inner, right_key, Position.SERVER, place)
        pairs = key_pairs(to_scalar(left, place, name), to_scalar(right, place, name), place)
        for pair in pairs:
            tells_apart(session, rows, pair[0].type, name, place)
        keys = join_keys(pairs, is_composite(left))
        return joined(session, kind, rows, inner, (left_var, right_var), keys, selector, place)

    return operator


def _same_side(rows: Rows, inner: Rows, name: str, place: Place) -> None:
    """A list in memory joined with a table needs both in memory."""
    if rows.local != inner.local and not (rows.client or inner.client):
        raise Refusal(name, "a list in memory cannot be joined with a table", place, "Filter with Contains instead.")


def joined(
    session: Session,
    kind: JoinKind,
    rows: Rows,
    inner: Rows,
    variables: tuple[Var, Var],
    keys: tuple[tuple[Expr, Expr], ...],
    selector: Value,
    place: Place,
) -> Rows:
    """The join; in an outer one the variable of the side that may be missing is nullable."""
    missing_left = kind in (JoinKind.RIGHT, JoinKind.FULL)
    missing_right = kind in (JoinKind.LEFT, JoinKind.FULL)
    right_query = finished(inner)
    left_var = Var(variables[0].name, _maybe(rows.query.element, missing_left), place)
    right_var = Var(variables[1].name, _maybe(right_query.element, missing_right), place)
    body = _result(
        session,
        rows,
        lambda item: apply(session, selector, [Scalar(left_var, rows.static), item], place),
        Scalar(right_var, inner.static),
        place,
    )
    query = Join(kind, rows.query, right_query, left_var, right_var, keys, body.expr, body.expr.type, place)
    return changed(rows, query, static=body.static, shape=None, includes=())


def _maybe(type_: Type, missing: bool) -> Type:
    return as_nullable(type_) if missing else type_


def group_join(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`GroupJoin`: the group is the inner rows whose key matches; what becomes of it shows in the next operator."""
    place = session.place(node, scope)
    if len(arguments) != 4:
        raise Refusal("GroupJoin()", "this overload is not supported", place, "Leave the comparer out.")
    on_server(rows, "GroupJoin", place)
    without_groups(rows, "GroupJoin", place)
    inner = shaped(as_rows(evaluated(session, arguments[0]), place, "GroupJoin"), place)
    _same_side(rows, inner, "GroupJoin", place)
    left_key = lambda_of(session, arguments[1], rows, 1, place, "GroupJoin")
    right_key = lambda_of(session, arguments[2], inner, 1, place, "GroupJoin")
    selector = lambda_of(session, arguments[3], rows, 2, place, "GroupJoin")
    outer, left = over_row(session, rows, left_key, Position.SERVER, place)
    group = group_of(session, inner, right_key, outer, to_scalar(left, place, "GroupJoin"), place)
    with session.at(Position.PROJECTION if session.position is not Position.SERVER else Position.SERVER, None):
        value = apply(session, selector, [row_value(rows, outer), group], place)
    if isinstance(value, Struct):
        return changed(rows, rows.query, shape=Shape(outer, value))
    return projected(session, rows, outer, to_scalar(value, place, "GroupJoin"), place)


def group_of(session: Session, inner: Rows, right_key: Value, outer: Var, left: Scalar, place: Place) -> Rows:
    """The inner rows whose key equals the outer row's."""
    var, right = over_row(session, inner, right_key, Position.SERVER, place)
    keys = key_pairs(left, to_scalar(right, place, "join"), place)
    predicate: Expr = TRUE
    for outer_key, inner_key in keys:
        tells_apart(session, inner, inner_key.type, "join", place)
        predicate = logical(LogicalOp.AND, predicate, matching(outer_key, inner_key, place))
    group_var = session.fresh(var.name, var.type, place)
    query = Filter(
        inner.query, Lambda(group_var, substitute(predicate, {var.name: group_var})), inner.query.element, None, place
    )
    hint = GroupJoined(inner, var, outer, keys, composite=is_composite(left))
    return replace(changed(inner, query), joined=hint)


OPERATORS = {
    "Join": join(JoinKind.INNER, "Join"),
    "LeftJoin": join(JoinKind.LEFT, "LeftJoin"),
    "RightJoin": join(JoinKind.RIGHT, "RightJoin"),
    "GroupJoin": group_join,
}
