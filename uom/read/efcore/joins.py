"""`Join`, `LeftJoin`, `RightJoin`, `GroupJoin` and the keys they match on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Coalesce,
    Compare,
    Comparison,
    Const,
    Expr,
    IsNull,
    Lambda,
    Logical,
    LogicalOp,
    New,
    Not,
    Var,
)
from uom.model.queries import Filter, Join, JoinKind
from uom.model.types import INTEGERS, EnumType, Kind, RecordType, ScalarType, Type, as_nullable, describe
from uom.model.walk import substitute
from uom.read.efcore.binding import evaluated
from uom.read.efcore.calls import apply
from uom.read.efcore.folding import TRUE, logical
from uom.read.efcore.lowering import as_rows, finished, shaped, to_scalar
from uom.read.efcore.projections import _result, projected
from uom.read.efcore.rows import Arguments, lambda_of, on_server, over_row, row_value
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.typing_rules import comparison_pair
from uom.read.efcore.values import GroupJoined, Rows, Scalar, Shape, Struct, Value, changed


def key_pairs(left: Scalar, right: Scalar, place: Place) -> tuple[tuple[Expr, Expr], ...]:
    """Pairs of key parts of one type: of `a equals b`, or of two anonymous objects field by field."""
    if isinstance(left.expr, New) and isinstance(right.expr, New):
        names = [[f.name for f in side.expr.type.fields] for side in (left, right)]  # type: ignore[union-attr]
        if names[0] != names[1] or not isinstance(left.static, RecordType) or not isinstance(right.static, RecordType):
            raise Refusal("join", "the two keys have different members", place, "Give the members the same names.")
        pairs: list[tuple[Expr, Expr]] = []
        for a, b, f, g in zip(left.expr.args, right.expr.args, left.static.fields, right.static.fields, strict=True):
            pairs.extend(key_pairs(Scalar(a, f.type), Scalar(b, g.type), place))
        return tuple(pairs)
    pair = comparison_pair(left, right, place, "join")
    return ((pair.left, pair.right),)


def is_composite(key: Value) -> bool:
    """Whether a key is an anonymous object, also one with a single member."""
    return isinstance(key, Struct) or (isinstance(key, Scalar) and isinstance(key.expr, New))


def join_keys(keys: Sequence[tuple[Expr, Expr]], composite: bool) -> tuple[tuple[Expr, Expr], ...]:
    """Keys as a Join compares them, where null never matches.

    EF Core lets null match null between the members of anonymous keys (but not between plain keys, and not where the
    group of a `join .. into` is counted or summed): such a pair becomes two that are never null.
    """
    if not composite:
        return tuple(keys)
    pairs: list[tuple[Expr, Expr]] = []
    for left, right in keys:
        if not (left.type.nullable and right.type.nullable):
            pairs.append((left, right))
            continue
        pairs.append((IsNull(left, left.place), IsNull(right, right.place)))
        pairs.append((_without_null(left), _without_null(right)))
    return tuple(pairs)


def _without_null(key: Expr) -> Expr:
    type_ = as_nullable(key.type, False)
    default = default_value(type_)
    if default is None:
        raise Refusal(
            "join",
            f"a key of type {describe(type_)} that may be null is not supported",
            key.place,
            "Join on other columns.",
        )
    return Coalesce(key, Const(default, type_), type_, key.place)


def default_value(type_: Type) -> object:
    """Some value of a type that can stand in for null beside a test for null."""
    if isinstance(type_, EnumType):
        return type_.members[0][1] if type_.members else None
    return _DEFAULTS.get(type_.kind, 0 if type_.kind in INTEGERS else None) if isinstance(type_, ScalarType) else None


_DEFAULTS: dict[Kind, object] = {
    Kind.STRING: "",
    Kind.BOOL: False,
    Kind.DECIMAL: Decimal(0),
    Kind.DOUBLE: 0.0,
    Kind.DATETIME: datetime(1, 1, 1),
    Kind.DATEONLY: date(1, 1, 1),
    Kind.GUID: UUID(int=0),
}


def join(kind: JoinKind, name: str):  # type: ignore[no-untyped-def]
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        if len(arguments) != 4:
            raise Refusal(f"{name}()", "this overload is not supported", place, "Leave the comparer out.")
        on_server(rows, name, place)
        rows = shaped(rows, place)
        inner = shaped(as_rows(evaluated(session, arguments[0]), place, name), place)
        _same_side(rows, inner, name, place)
        left_key, right_key, selector = (
            lambda_of(session, a, rows, n, place, name) for a, n in zip(arguments[1:], (1, 1, 2), strict=True)
        )
        left_var, left = over_row(session, rows, left_key, Position.SERVER, place)
        right_var, right = over_row(session, inner, right_key, Position.SERVER, place)
        pairs = key_pairs(to_scalar(left, place, name), to_scalar(right, place, name), place)
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
        predicate = logical(LogicalOp.AND, predicate, matching(outer_key, inner_key, place))
    group_var = session.fresh(var.name, var.type, place)
    query = Filter(
        inner.query, Lambda(group_var, substitute(predicate, {var.name: group_var})), inner.query.element, None, place
    )
    hint = GroupJoined(inner, var, outer, keys, composite=is_composite(left))
    return replace(changed(inner, query), joined=hint)


def matching(left: Expr, right: Expr, place: Place) -> Expr:
    """Keys match as in SQL: null never does."""
    test: Expr = Compare(Comparison.EQ, left, right, place)
    if left.type.nullable and right.type.nullable:
        test = Logical(LogicalOp.AND, Not(IsNull(left, place), place), test, place)
    return test


OPERATORS = {
    "Join": join(JoinKind.INNER, "Join"),
    "LeftJoin": join(JoinKind.LEFT, "LeftJoin"),
    "RightJoin": join(JoinKind.RIGHT, "RightJoin"),
    "GroupJoin": group_join,
}

__all__ = ["OPERATORS", "group_of", "is_composite", "join_keys", "joined", "key_pairs"]
