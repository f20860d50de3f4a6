"""Constant folding with C#'s arithmetic. What cannot be folded exactly stays an expression."""

from __future__ import annotations

import calendar
from datetime import date, datetime, timedelta
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, localcontext

from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Compare,
    Comparison,
    Const,
    Convert,
    Expr,
    IsNull,
    Logical,
    LogicalOp,
    Not,
)
from uom.model.types import (
    BOOL,
    FLOATS,
    INTEGER_RANGE,
    INTEGERS,
    EnumType,
    Kind,
    NullType,
    ScalarType,
    Type,
    as_nullable,
    same_ignoring_null,
)
from uom.read.csharp.constants import single

TRUE = Const(True, BOOL)
FALSE = Const(False, BOOL)
_DECIMAL = Context(prec=28)
_MAX_DECIMAL = Decimal(2**96 - 1)


def is_true(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is True


def is_false(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is False


def is_null_const(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is None


def convert(expr: Expr, target: Type) -> Expr:
    """The expression as `target`, keeping the nullability of the operand; constants are converted at once."""
    target = as_nullable(target, expr.type.nullable or target.nullable)
    if isinstance(expr, Const):
        folded = _convert_const(expr, target)
        if folded is not None:
            return folded
    if same_ignoring_null(expr.type, target):
        return expr
    if isinstance(expr, Convert) and same_ignoring_null(expr.operand.type, target) and _widening(expr):
        return expr.operand
    return Convert(expr, as_nullable(target, expr.type.nullable), expr.place)


def _widening(expr: Convert) -> bool:
    """Whether the conversion loses nothing, so that converting back gives the operand."""
    if isinstance(expr.type, EnumType) or isinstance(expr.operand.type, EnumType):
        return True
    source, target = expr.operand.type, expr.type
    if not (isinstance(source, ScalarType) and isinstance(target, ScalarType)):
        return False
    if source.kind in INTEGERS and target.kind in INTEGERS:
        (low, high), (least, most) = INTEGER_RANGE[source.kind], INTEGER_RANGE[target.kind]
        return least <= low and high <= most
    return source.kind in INTEGERS and target.kind is Kind.DECIMAL


def _convert_const(const: Const, target: Type) -> Const | None:
    value = const.value
    if value is None:
        return Const(None, as_nullable(target), const.place)
    target = as_nullable(target, False)
    if same_ignoring_null(const.type, target):
        return Const(value, target, const.place)
    if isinstance(target, EnumType) and isinstance(value, int):
        return Const(value, target, const.place)
    if not isinstance(target, ScalarType):
        return None
    number = _number_as(value, const.type, target.kind)
    return None if number is None else Const(number, target, const.place)


def _number_as(value: object, source: Type, kind: Kind) -> object:
    if isinstance(value, str) and isinstance(source, ScalarType) and source.kind is Kind.CHAR and kind in INTEGERS:
        value = ord(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if kind in INTEGERS:
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            return None
        number = int(value)
        low, high = INTEGER_RANGE[kind]
        return number if low <= number <= high else None
    if kind is Kind.DECIMAL:
        if isinstance(value, float):
            digits = 7 if isinstance(source, ScalarType) and source.kind is Kind.FLOAT else 15
            return Decimal(f"{value:.{digits}g}") if abs(value) < 7.9e28 else None
        return Decimal(value)
    if kind is Kind.FLOAT:
        return single(float(value))
    if kind is Kind.DOUBLE:
        return float(value)
    if kind is Kind.CHAR and isinstance(value, int) and 0 <= value < 0x10000:
        return chr(value)
    return None


def arithmetic(op: ArithmeticOp, left: Expr, right: Expr, result: Type, checked: bool = False) -> Expr:
    """Arithmetic over operands of one type, folded when both are constants and the result is exact."""
    if isinstance(left, Const) and isinstance(right, Const) and isinstance(result, ScalarType):
        value = _compute(op, left.value, right.value, result.kind)
        if value is not None:
            return Const(value, as_nullable(result, False), left.place)
    return Arithmetic(op, left, right, result, left.place, checked)


def _compute(op: ArithmeticOp, a: object, b: object, kind: Kind) -> object:
    if isinstance(a, datetime | timedelta) and isinstance(b, timedelta):
        return _shift(op, a, b)
    if isinstance(a, bool) or isinstance(b, bool):
        return None
    if kind in INTEGERS and isinstance(a, int) and isinstance(b, int):
        return _compute_int(op, a, b, kind)
    if kind is Kind.DECIMAL and isinstance(a, Decimal) and isinstance(b, Decimal):
        return _compute_decimal(op, a, b)
    if kind in FLOATS and isinstance(a, float) and isinstance(b, float):
        return _compute_float(op, a, b, kind)
    return None


def _shift(op: ArithmeticOp, a: datetime | timedelta, b: timedelta) -> object:
    try:
        if op is ArithmeticOp.ADD:
            return a + b
        return a - b if op is ArithmeticOp.SUB else None
    except OverflowError:
        return None


def _compute_int(op: ArithmeticOp, a: int, b: int, kind: Kind) -> int | None:
    match op:
        case ArithmeticOp.ADD:
            value = a + b
        case ArithmeticOp.SUB:
            value = a - b
        case ArithmeticOp.MUL:
            value = a * b
        case ArithmeticOp.DIV | ArithmeticOp.MOD:
            if b == 0:
                return None
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            value = quotient if op is ArithmeticOp.DIV else a - quotient * b
    low, high = INTEGER_RANGE[kind]
    return value if low <= value <= high else None


def _compute_decimal(op: ArithmeticOp, a: Decimal, b: Decimal) -> Decimal | None:
    with localcontext(_DECIMAL) as context:
        context.traps[Inexact] = context.traps[InvalidOperation] = context.traps[Overflow] = True
        try:
            match op:
                case ArithmeticOp.ADD:
                    value = a + b
                case ArithmeticOp.SUB:
                    value = a - b
                case ArithmeticOp.MUL:
                    value = a * b
                case ArithmeticOp.DIV:
                    value = a / b
                case ArithmeticOp.MOD:
                    value = a % b
        except ArithmeticError:
            return None
    return value if abs(value) <= _MAX_DECIMAL else None


def _compute_float(op: ArithmeticOp, a: float, b: float, kind: Kind) -> float | None:
    try:
        value = {
            ArithmeticOp.ADD: lambda: a + b,
            ArithmeticOp.SUB: lambda: a - b,
            ArithmeticOp.MUL: lambda: a * b,
            ArithmeticOp.DIV: lambda: a / b,
        }[op]()
    except (KeyError, ZeroDivisionError, OverflowError):
        return None
    return single(value) if kind is Kind.FLOAT else value


def compare_constants(op: Comparison, left: Const, right: Const) -> bool | None:
    """C#'s answer for two constants of one type; None when Python's order may differ (text)."""
    a, b = left.value, right.value
    if op is Comparison.EQ:
        return a == b
    if op is Comparison.NE:
        return a != b
    if a is None or b is None:
        return False
    ordered = (int, float, Decimal, datetime, date, timedelta)
    if not (isinstance(a, ordered) and isinstance(b, ordered)):
        return None
    try:
        return {
            Comparison.LT: lambda: a < b,  # type: ignore[operator]
            Comparison.LE: lambda: a <= b,  # type: ignore[operator]
            Comparison.GT: lambda: a > b,  # type: ignore[operator]
            Comparison.GE: lambda: a >= b,  # type: ignore[operator]
        }[op]()
    except TypeError:
        return None


def logical(op: LogicalOp, left: Expr, right: Expr) -> Expr:
    """`&&`, `||`, `^` with constant operands taken out."""
    for a, b in ((left, right), (right, left)):
        if op is LogicalOp.AND and (is_true(a) or is_false(a)):
            return b if is_true(a) else FALSE
        if op is LogicalOp.OR and (is_true(a) or is_false(a)):
            return TRUE if is_true(a) else b
        if op is LogicalOp.XOR and is_false(a):
            return b
        if op is LogicalOp.XOR and is_true(a):
            return negate(b)
    return Logical(op, left, right, left.place)


_OTHER = {Comparison.EQ: Comparison.NE, Comparison.NE: Comparison.EQ}
_OPPOSITE = {LogicalOp.AND: LogicalOp.OR, LogicalOp.OR: LogicalOp.AND}


def negate(expr: Expr) -> Expr:
    """`!expr` as the database answers it.

    A null bool column makes both `x` and `!x` false in a WHERE. Pushing the negation down to such columns keeps that:
    in negation normal form, "null counts as false" at the leaves is exactly the three-valued result.
    """
    if isinstance(expr, Const) and isinstance(expr.value, bool):
        return FALSE if expr.value else TRUE
    if isinstance(expr, Not):
        return expr.operand
    if isinstance(expr, Compare) and expr.op in _OTHER:
        return Compare(_OTHER[expr.op], expr.left, expr.right, expr.place)
    if isinstance(expr, Logical) and expr.op in _OPPOSITE and _has_nullable_bool(expr):
        return Logical(_OPPOSITE[expr.op], negate(expr.left), negate(expr.right), expr.place)
    if _is_nullable_bool(expr):
        return Compare(Comparison.EQ, expr, FALSE, expr.place)
    return Not(expr, expr.place)


def _is_nullable_bool(expr: Expr) -> bool:
    return expr.type.nullable and not isinstance(expr, Logical | Not | IsNull)


def _has_nullable_bool(expr: Expr) -> bool:
    if isinstance(expr, Logical):
        return _has_nullable_bool(expr.left) or _has_nullable_bool(expr.right)
    return _is_nullable_bool(expr)


def add_months(value: datetime | date, months: int) -> datetime | date | None:
    index = value.year * 12 + value.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        return None
    day = min(value.day, calendar.monthrange(year, month + 1)[1])
    return value.replace(year=year, month=month + 1, day=day)


def default_of(type_: Type) -> Expr:
    """`default(T)`: zero for value types, null for everything else."""
    if type_.nullable or isinstance(type_, NullType) or not isinstance(type_, ScalarType | EnumType):
        return Const(None, as_nullable(type_))
    if isinstance(type_, EnumType):
        return Const(0, type_)
    value = _ZERO.get(type_.kind, 0)
    if value is None:
        return Const(None, as_nullable(type_))
    return Const(value, type_)


def _zeroes() -> dict[Kind, object]:
    from datetime import UTC, time
    from uuid import UUID

    return {
        Kind.BOOL: False, Kind.DECIMAL: Decimal(0), Kind.FLOAT: 0.0, Kind.DOUBLE: 0.0, Kind.STRING: None,
        Kind.BYTES: None, Kind.CHAR: "\0", Kind.DATETIME: datetime(1, 1, 1), Kind.DATEONLY: date(1, 1, 1),
        Kind.DATETIMEOFFSET: datetime(1, 1, 1, tzinfo=UTC), Kind.TIMEONLY: time(), Kind.TIMESPAN: timedelta(),
        Kind.GUID: UUID(int=0),
    }  # fmt: skip


_ZERO = _zeroes()
