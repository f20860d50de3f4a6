"""Numbers as C# computes them itself, outside the database.

Integers wrap around unless the code says `checked`, decimals have 96 bits and at most 28 decimal places, a double is
rounded by way of a power of ten. Compared with .NET 10 by `tests/reference`.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from uom.model.expressions import ArithmeticOp
from uom.model.types import INTEGER_RANGE, Kind
from uom.reference.values import QueryError

_PLACES = 28
_LARGEST = 2**96 - 1
_UNLIMITED = Context(prec=120)
"""No digit of a decimal is lost in it."""
_ROUNDED_DIGITS = 15
_TOO_LARGE_TO_ROUND = 1e16


def arithmetic(op: ArithmeticOp, left: Any, right: Any, kind: Kind, checked: bool) -> Any:
    """One operation on two integers or two decimals. Raises QueryError where C# throws."""
    if op in (ArithmeticOp.DIV, ArithmeticOp.MOD) and right == 0:
        raise QueryError("DivideByZeroException", "division by zero")
    if kind is Kind.DECIMAL:
        return _decimal(op, left, right)
    if op in (ArithmeticOp.DIV, ArithmeticOp.MOD):
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        in_range(quotient, kind)  # the smallest integer by -1 throws whatever the context, and so does its remainder
        return quotient if op is ArithmeticOp.DIV else left - quotient * right
    exact = {ArithmeticOp.ADD: left + right, ArithmeticOp.SUB: left - right, ArithmeticOp.MUL: left * right}[op]
    return in_range(exact, kind) if checked else wrapped(exact, kind)


def wrapped(value: int, kind: Kind) -> int:
    """The lowest bits, as the type has them."""
    low, high = INTEGER_RANGE[kind]
    return (value - low) % (high - low + 1) + low


def in_range(value: int, kind: Kind) -> int:
    low, high = INTEGER_RANGE[kind]
    if not low <= value <= high:
        raise QueryError("OverflowException", f"{value} does not fit into {kind.value}")
    return value


def _decimal(op: ArithmeticOp, left: Decimal, right: Decimal) -> Decimal:
    a, b = Fraction(left), Fraction(right)
    first, second = _places(left), _places(right)
    match op:
        case ArithmeticOp.ADD:
            return fitted(a + b, max(first, second))
        case ArithmeticOp.SUB:
            return fitted(a - b, max(first, second))
        case ArithmeticOp.MUL:
            return fitted(a * b, first + second)
        case ArithmeticOp.DIV:
            return _without_zeros(fitted(a / b, _PLACES), first - second)
        case _:
            return fitted(a - b * math.trunc(a / b), max(first, second))


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def fitted(exact: Fraction, places: int) -> Decimal:
    """With as many of these decimal places as 96 bits have room for; half to even."""
    for scale in range(min(places, _PLACES), -1, -1):
        mantissa = round(exact * 10**scale)
        if abs(mantissa) <= _LARGEST:
            return Decimal((int(mantissa < 0), tuple(int(d) for d in str(abs(mantissa))), -scale))
    raise QueryError("OverflowException", "the number is too large for a decimal")


def _without_zeros(value: Decimal, places: int) -> Decimal:
    """Without zeros at the end beyond so many places."""
    while _places(value) > max(places, 0) and value.as_tuple().digits[-1] == 0:
        value = value.quantize(Decimal(1).scaleb(1 - _places(value)), context=_UNLIMITED)
    return value


def rounded(value: Any, digits: int) -> Any:
    """Math.Round, half to even."""
    if not 0 <= digits <= (_PLACES if isinstance(value, Decimal) else _ROUNDED_DIGITS):
        raise QueryError("ArgumentOutOfRangeException", f"a number cannot be rounded to {digits} digits")
    if isinstance(value, Decimal):
        return round(value, digits) if _places(value) > digits else value
    if not abs(value) < _TOO_LARGE_TO_ROUND:
        return value
    power = _power(digits)
    return math.copysign(float(round(value * power)), value) / power


def integer(value: Any, kind: Kind, checked: bool) -> int:
    """A cast. Doubles beyond the type's range become its limits, decimals beyond it always throw."""
    if isinstance(value, Decimal):
        return in_range(int(value), kind)
    if isinstance(value, float):
        return _of_double(value, kind, checked)
    return in_range(value, kind) if checked else wrapped(value, kind)


def _of_double(value: float, kind: Kind, checked: bool) -> int:
    """Types of less than 32 bits get the lowest bits of an int."""
    if checked:
        if not math.isfinite(value):
            raise QueryError("OverflowException", f"{value} does not fit into {kind.value}")
        return in_range(int(value), kind)
    if math.isnan(value):
        return 0
    low, high = INTEGER_RANGE[kind if kind in (Kind.UINT, Kind.LONG, Kind.ULONG) else Kind.INT]
    limited = min(max(value, low), high)
    return wrapped(int(limited), kind)


def decimal_of(value: float, digits: int) -> Decimal:
    """A cast of a double, of which 15 significant digits are kept, or of a float, of which 7 are.

    .NET scales the double itself and rounds what comes of that, which is not always the nearest such decimal.
    """
    _, exponent = math.frexp(value)
    if not math.isfinite(value) or exponent > 96:
        raise QueryError("OverflowException", f"{value} is too large for a decimal")
    if exponent < -94:
        return Decimal(0)
    scaled, power = abs(value), min(digits - 1 - (exponent * 19728 >> 16), _PLACES)
    if power >= 0:
        scaled *= _power(power)
    elif power != -1 or scaled >= _power(digits):
        scaled /= _power(-power)
    else:
        power = 0
    if scaled < _power(digits - 1) and power < _PLACES:
        scaled, power = scaled * 10, power + 1
    mantissa = Fraction(round(scaled)) * (-1 if value < 0 else 1)
    return _without_zeros(fitted(mantissa / Fraction(10) ** power, max(power, 0)), 0)


def _power(digits: int) -> float:
    """The double nearest to that power of ten."""
    return float(f"1e{digits}")
