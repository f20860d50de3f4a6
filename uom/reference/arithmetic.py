"""Arithmetic and casts of values that are not null: as databases do them, and as C# does what it computes itself."""

from __future__ import annotations

import math
import struct
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

from uom.model import expressions as e
from uom.model.expressions import ArithmeticOp
from uom.model.types import INTEGER_RANGE, INTEGERS, Kind, ScalarType, Type
from uom.reference import csharp_numbers
from uom.reference.values import Complex, Group, QueryError, Row, Value

DECIMAL_DIGITS = 34
"""Precision of decimal arithmetic: that of Decimal128, wider than C#'s 28 and any column."""


# in the database ----------------------------------------------------------------------------------------------------


def arithmetic(op: ArithmeticOp, left: Any, right: Any, type_: Type) -> Value:
    """One operation on two values of one type, checked against the type's range."""
    kind = type_.kind if isinstance(type_, ScalarType) else None
    try:
        with localcontext() as context:
            context.prec = DECIMAL_DIGITS
            return fitted(_operate(op, left, right, kind), type_)
    except (ZeroDivisionError, InvalidOperation) as error:
        if kind in (Kind.FLOAT, Kind.DOUBLE):
            return _float_division_by_zero(op, left)
        raise QueryError("DivideByZeroException", "division by zero") from error


def _operate(op: ArithmeticOp, left: Any, right: Any, kind: Kind | None) -> Any:
    match op:
        case ArithmeticOp.ADD:
            return left + right
        case ArithmeticOp.SUB:
            return left - right
        case ArithmeticOp.MUL:
            return left * right
        case ArithmeticOp.DIV:
            if kind in INTEGERS:
                quotient = abs(left) // abs(right)
                return quotient if (left < 0) == (right < 0) else -quotient
            return left / right
        case _:
            remainder = abs(left) % abs(right)
            return -remainder if left < 0 else remainder


def _float_division_by_zero(op: ArithmeticOp, left: Any) -> float:
    if op is ArithmeticOp.MOD or left == 0 or left != left:
        return float("nan")
    return float("inf") if left > 0 else float("-inf")


def fitted(value: Any, type_: Type) -> Any:
    """The value as the type holds it; integers outside its range are an error."""
    if not isinstance(type_, ScalarType):
        return value
    if type_.kind in INTEGER_RANGE and isinstance(value, int):
        low, high = INTEGER_RANGE[type_.kind]
        if not low <= value <= high:
            raise QueryError("OverflowException", f"{value} does not fit into {type_.kind.value}")
    if type_.kind is Kind.FLOAT and isinstance(value, float):
        return single(value)
    return value


def single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def convert(value: Any, source: Type, target: Type) -> Value:
    """A cast of a value that is not null."""
    if not isinstance(target, ScalarType) or isinstance(value, Row | Complex | Group | dict | list):
        return value
    if isinstance(source, ScalarType) and source.kind is target.kind:
        return value
    if target.kind in INTEGERS:
        if isinstance(value, str) and len(value) == 1:
            return ord(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise QueryError("OverflowException", f"{value} does not fit into {target.kind.value}")
        return fitted(int(value), target)
    if target.kind is Kind.DECIMAL:
        if isinstance(value, float):
            digits = 7 if isinstance(source, ScalarType) and source.kind is Kind.FLOAT else 15
            return Decimal(format(value, f".{digits}g"))
        return Decimal(value)
    if target.kind in (Kind.DOUBLE, Kind.FLOAT):
        return fitted(float(value), target)
    if target.kind is Kind.CHAR and isinstance(value, int):
        return chr(value)
    return value


def negated(value: Any, type_: Type) -> Value:
    return fitted(_minus(value), type_)


def _minus(value: Any) -> Any:
    """Python's own operator would round a decimal."""
    return value.copy_negate() if isinstance(value, Decimal) else -value


# in C# --------------------------------------------------------------------------------------------------------------


def _computed_kind(type_: Type) -> Kind | None:
    """The kind of numbers whose operators C# and databases have in different ways."""
    exact = isinstance(type_, ScalarType) and (type_.kind in INTEGERS or type_.kind is Kind.DECIMAL)
    return type_.kind if exact and isinstance(type_, ScalarType) else None


def csharp_arithmetic(node: e.Arithmetic, left: Any, right: Any) -> Value:
    """The operation as C# does it, on two values that are not null."""
    kind = _computed_kind(node.type)
    if kind is None:
        return arithmetic(node.op, left, right, node.type)
    return csharp_numbers.arithmetic(node.op, left, right, kind, node.checked)


def csharp_negated(node: e.Negate, value: Any) -> Value:
    """`-x` as C# does it."""
    kind = _computed_kind(node.type)
    if kind not in INTEGERS:
        return fitted(_minus(value), node.type)
    return csharp_numbers.integer(-value, kind, node.checked)


def csharp_converted(node: e.Convert, value: Any) -> Value:
    """A cast as C# does it, of a value that is not null."""
    source, target = node.operand.type, node.type
    kind = _computed_kind(target)
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if kind is None or not number or (isinstance(source, ScalarType) and source.kind is kind):
        return convert(value, source, target)
    if kind is not Kind.DECIMAL:
        return csharp_numbers.integer(value, kind, node.checked)
    if isinstance(value, float):
        digits = 7 if isinstance(source, ScalarType) and source.kind is Kind.FLOAT else 15
        return csharp_numbers.decimal_of(value, digits)
    return Decimal(value)
