"""The keys that a join matches on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Coalesce,
    Compare,
    Comparison,
    Const,
    Expr,
    IsNull,
    Logical,
    LogicalOp,
    New,
    Not,
)
from uom.model.types import INTEGERS, EnumType, Kind, RecordType, ScalarType, Type, as_nullable, describe
from uom.read.efcore.typing_rules import comparison_pair
from uom.read.efcore.values import Scalar, Struct, Value


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


def matching(left: Expr, right: Expr, place: Place) -> Expr:
    """Keys match as in SQL: null never does."""
    test: Expr = Compare(Comparison.EQ, left, right, place)
    if left.type.nullable and right.type.nullable:
        test = Logical(LogicalOp.AND, Not(IsNull(left, place), place), test, place)
    return test
