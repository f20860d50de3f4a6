"""C#'s typing rules for operands: numeric promotion, lifted nullables, the common type of two branches."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const, Expr, Parameter
from uom.model.types import (
    INTEGER_RANGE,
    INTEGERS,
    NUMBERS,
    EntityType,
    EnumType,
    Field,
    Kind,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    describe,
    same_ignoring_null,
)
from uom.read.efcore.folding import convert
from uom.read.efcore.values import Scalar

_SMALL = frozenset({Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT, Kind.CHAR})

_WIDENS: dict[Kind, frozenset[Kind]] = {
    Kind.SBYTE: frozenset({Kind.SHORT, Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.BYTE: frozenset({Kind.SHORT, Kind.USHORT, Kind.INT, Kind.UINT, Kind.LONG, Kind.ULONG, Kind.FLOAT, Kind.DOUBLE,
                          Kind.DECIMAL}),
    Kind.SHORT: frozenset({Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.USHORT: frozenset({Kind.INT, Kind.UINT, Kind.LONG, Kind.ULONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.INT: frozenset({Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.UINT: frozenset({Kind.LONG, Kind.ULONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.LONG: frozenset({Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.ULONG: frozenset({Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}),
    Kind.CHAR: frozenset({Kind.USHORT, Kind.INT, Kind.UINT, Kind.LONG, Kind.ULONG, Kind.FLOAT, Kind.DOUBLE,
                          Kind.DECIMAL}),
    Kind.FLOAT: frozenset({Kind.DOUBLE}),
    Kind.DATETIME: frozenset({Kind.DATETIMEOFFSET}),
}  # fmt: skip
"""Implicit numeric conversions (C# 10.2.3)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operands brought to one type; `static` is that type for C#, lifted when either is."""

    left: Expr
    right: Expr
    static: Type


def widens(source: Kind, target: Kind) -> bool:
    return source is target or target in _WIDENS.get(source, frozenset())


def literal_fits(expr: Expr, kind: Kind) -> bool:
    """A constant int converts implicitly to a smaller integer type that holds its value."""
    return (
        isinstance(expr, Const)
        and isinstance(expr.value, int)
        and not isinstance(expr.value, bool)
        and isinstance(expr.type, ScalarType)
        and expr.type.kind is Kind.INT
        and kind in INTEGERS
        and INTEGER_RANGE[kind][0] <= expr.value <= INTEGER_RANGE[kind][1]
    )


def promoted(left: Scalar, right: Scalar) -> Kind | None:
    """Binary numeric promotion: the kind both operands of an arithmetic or comparison operator are converted to."""
    a, b = _kind(left), _kind(right)
    if a is None or b is None:
        return None
    for wide in (Kind.DECIMAL, Kind.DOUBLE, Kind.FLOAT):
        if wide in (a, b):
            other = b if a is wide else a
            return wide if widens(other, wide) else None
    for unsigned in (Kind.ULONG, Kind.UINT):
        if unsigned in (a, b):
            other_kind, value = (b, right) if a is unsigned else (a, left)
            if other_kind is unsigned or widens(other_kind, unsigned) or literal_fits(value.expr, unsigned):
                return unsigned
            return None if unsigned is Kind.ULONG else Kind.LONG
    if Kind.LONG in (a, b):
        return Kind.LONG
    return Kind.INT


def _kind(value: Scalar) -> Kind | None:
    type_ = value.static
    if isinstance(type_, ScalarType) and (type_.kind in NUMBERS or type_.kind is Kind.CHAR):
        return type_.kind
    return None


def unary_promoted(kind: Kind, negated: bool) -> Kind:
    if kind in _SMALL:
        return Kind.INT
    return Kind.LONG if negated and kind is Kind.UINT else kind


def is_lifted(left: Scalar, right: Scalar) -> bool:
    return left.static.nullable or right.static.nullable


def numeric_pair(left: Scalar, right: Scalar, place: Place | None, operator: str) -> Pair:
    kind = promoted(left, right)
    if kind is None:
        raise no_operator(left, right, place, operator)
    target = ScalarType(kind)
    return Pair(convert(left.expr, target), convert(right.expr, target), as_nullable(target, is_lifted(left, right)))


def no_operator(left: Scalar, right: Scalar, place: Place | None, operator: str) -> Refusal:
    return Refusal(
        operator,
        f"there is no operator for {describe(left.static)} and {describe(right.static)}",
        place,
        "Check the types of both sides.",
    )


def comparison_pair(left: Scalar, right: Scalar, place: Place | None, operator: str) -> Pair:
    """Operands of `==`, `<` and their kin as one type."""
    a, b = left.static, right.static
    if isinstance(a, EnumType) or isinstance(b, EnumType):
        return _enum_pair(left, right, place, operator)
    if isinstance(a, NullType) or isinstance(b, NullType):
        target = b if isinstance(a, NullType) else a
        return Pair(convert(left.expr, target), convert(right.expr, target), as_nullable(target))
    if isinstance(a, ScalarType) and isinstance(b, ScalarType):
        if a.kind is b.kind and (a.kind not in _SMALL or a.kind is Kind.CHAR):
            return Pair(left.expr, right.expr, as_nullable(a, is_lifted(left, right)))
        if (
            a.kind is not b.kind
            and (widens(a.kind, b.kind) or widens(b.kind, a.kind))
            and promoted(left, right) is None
        ):
            wide = b if widens(a.kind, b.kind) else a
            return Pair(convert(left.expr, wide), convert(right.expr, wide), as_nullable(wide, is_lifted(left, right)))
        return numeric_pair(left, right, place, operator)
    if same_ignoring_null(a, b):
        return Pair(left.expr, right.expr, as_nullable(a, is_lifted(left, right)))
    raise no_operator(left, right, place, operator)


def _enum_pair(left: Scalar, right: Scalar, place: Place | None, operator: str) -> Pair:
    """Enums of one kind; a constant takes the type of the column it meets, since that says how it is stored."""
    a, b = left.expr, right.expr
    kinds = [t for t in (a.type, b.type) if isinstance(t, EnumType)]
    names = {t.name for t in (left.static, right.static) if isinstance(t, EnumType)}
    others = [t for t in (left.static, right.static) if not isinstance(t, EnumType | NullType)]
    if len(names) != 1 or not kinds:
        raise no_operator(left, right, place, operator)
    if others and not any(literal_fits(e, Kind.INT) for e in (a, b)):
        raise no_operator(left, right, place, operator)
    columns = [t for e, t in ((a, a.type), (b, b.type)) if isinstance(t, EnumType) and not _adapts(e)]
    target = columns[0] if columns else next((t for t in kinds if t.stored), kinds[0])
    if any(c.stored != target.stored for c in columns):
        raise Refusal(
            operator,
            f"the two {target.name} columns are stored in different ways, so the database compares unlike values",
            place,
            "Give both properties the same conversion.",
        )
    if target.stored and operator in ("<", "<=", ">", ">="):
        raise Refusal(
            operator,
            f"{target.name} is stored as text here, so the database would compare the texts",
            place,
            "Compare with == or list the members.",
        )
    static = as_nullable(target, is_lifted(left, right))
    return Pair(convert(a, target), convert(b, target), static)


def _adapts(expr: Expr) -> bool:
    return isinstance(expr, Const | Parameter)


def common_type(left: Scalar, right: Scalar, place: Place | None, construct: str, static_only: bool = False) -> Type:
    """The C# type of `test ? left : right` (also of `left ?? right` once null is out of left)."""
    a, b = left.static, right.static
    if isinstance(a, NullType):
        return as_nullable(b)
    if isinstance(b, NullType):
        return as_nullable(a)
    lifted = a.nullable or b.nullable
    if isinstance(a, ScalarType) and isinstance(b, ScalarType) and a.kind is not b.kind:
        if widens(a.kind, b.kind):
            return as_nullable(b, lifted)
        if widens(b.kind, a.kind):
            return as_nullable(a, lifted)
        if literal_fits(left.expr, b.kind):
            return as_nullable(b, lifted)
        if literal_fits(right.expr, a.kind):
            return as_nullable(a, lifted)
        raise no_operator(left, right, place, construct)
    if isinstance(a, EnumType) and isinstance(b, EnumType) and a.name == b.name:
        return as_nullable(a if a.stored or not b.stored else b, lifted)
    if isinstance(a, RecordType) and isinstance(b, RecordType):
        return merged_record(a, b)
    if isinstance(a, SequenceType) and isinstance(b, SequenceType) and not static_only:
        return SequenceType(common_type(Scalar(left.expr, a.element), Scalar(right.expr, b.element), place, construct))
    if same_ignoring_null(a, b):
        return as_nullable(a, lifted)
    if isinstance(a, EntityType) and isinstance(b, EntityType):
        return as_nullable(a, lifted)
    raise no_operator(left, right, place, construct)


def merged_record(a: RecordType, b: RecordType) -> RecordType:
    """Records of one shape whose fields differ in nullability only."""
    if a.name != b.name or [f.name for f in a.fields] != [f.name for f in b.fields]:
        return a
    fields = tuple(
        Field(f.name, as_nullable(f.type, f.type.nullable or g.type.nullable))
        for f, g in zip(a.fields, b.fields, strict=True)
    )
    return RecordType(a.name, fields, a.nullable or b.nullable)
