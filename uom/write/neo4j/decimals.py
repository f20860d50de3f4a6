"""Decimals without a decimal type: an integer times a power of ten, computed exactly or not at all.

Columns have the scale of the mapping, constants that of their digits, parameters the scale of what they meet. A
quotient keeps its divisor (`Scalar.over`), which Java divides by; an average is such a quotient. Neo4j's integers do
not wrap around: a result that does not fit into 64 bits is an error there, not a wrong number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from uom.model.diagnostics import Refusal
from uom.model.expressions import Arithmetic, ArithmeticOp
from uom.model.types import Kind, ScalarType, Type
from uom.plan.mapping.graphs import MOST_DIGITS
from uom.write.neo4j.text import Level, Text, binary, call, case, integer, is_null
from uom.write.neo4j.values import Scalar

PARAMETER_SCALE = 6
"""Of a parameter that meets no column; a value with more digits is an error in Java."""


def is_decimal(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind in (Kind.DECIMAL, Kind.ULONG)


def constant(value: Decimal | int, type_: Type) -> Scalar:
    """With as many digits as it has."""
    number = Decimal(value).normalize()
    exponent = number.as_tuple().exponent
    scale = max(0, -exponent) if isinstance(exponent, int) else 0
    return Scalar(integer(int(number.scaleb(scale))), type_, scale)


def scaled(value: Scalar, scale: int) -> Text:
    """The integer at a larger scale."""
    assert value.scale is not None and value.over is None
    return times_ten(value.text, scale - value.scale)


def times_ten(text: Text, digits: int) -> Text:
    """`text * 10**digits`, computed here when it is a number."""
    if digits == 0 or text.cypher == "null":
        return text
    if text.cypher.lstrip("-").isdigit():
        return integer(int(text.cypher) * 10**digits)
    return binary(text, "*", integer(10**digits), Level.MULTIPLY)


def aligned(left: Scalar, right: Scalar) -> tuple[Text, Text, int]:
    """Both at one scale. Quotients have none."""
    if left.over is not None or right.over is not None:
        raise Refusal("/", "a quotient of decimals can be returned or rounded, not computed with")
    assert left.scale is not None and right.scale is not None
    scale = max(left.scale, right.scale)
    return scaled(left, scale), scaled(right, scale), scale


def compared(left: Scalar, right: Scalar) -> tuple[Text, Text]:
    """Integers that compare as the decimals do: divisors, made positive, go to the other side."""
    left, right = with_positive_divisor(left), with_positive_divisor(right)
    assert left.scale is not None and right.scale is not None
    scale = max(left.scale, right.scale)
    a, b = times_ten(left.text, scale - left.scale), times_ten(right.text, scale - right.scale)
    if right.over is not None:
        a = binary(a, "*", right.over, Level.MULTIPLY)
    if left.over is not None:
        b = binary(b, "*", left.over, Level.MULTIPLY)
    return a, b


def with_positive_divisor(value: Scalar) -> Scalar:
    """The same quotient; numbers of rows and positive literals are what they should be already."""
    if value.over is None or value.counted or value.over.cypher.isdigit():
        return value
    dividend = binary(value.text, "*", call("sign", value.over), Level.MULTIPLY)
    return replace(value, text=dividend, over=call("abs", value.over))


def arithmetic(node: Arithmetic, left: Scalar, right: Scalar) -> Scalar:
    return _OPERATIONS[node.op](left, right, node.type)


def _sum(operator: str) -> Callable[[Scalar, Scalar, Type], Scalar]:
    def write(left: Scalar, right: Scalar, type_: Type) -> Scalar:
        a, b, scale = aligned(left, right)
        return Scalar(binary(a, operator, b, Level.ADD), type_, scale)

    return write


def _product(left: Scalar, right: Scalar, type_: Type) -> Scalar:
    if left.over is not None and right.over is not None:
        raise Refusal("*", "a product of two quotients does not fit into 64 bits")
    assert left.scale is not None and right.scale is not None
    scale = left.scale + right.scale
    if scale > MOST_DIGITS:
        raise Refusal(
            "*", f"the product has {scale} digits after the point, Neo4j's integers hold {MOST_DIGITS} at most"
        )
    counted = left.counted or right.counted
    return Scalar(binary(left.text, "*", right.text, Level.MULTIPLY), type_, scale, left.over or right.over, counted)


def _quotient(left: Scalar, right: Scalar, type_: Type) -> Scalar:
    a, b, _ = aligned(left, right)
    return Scalar(a, type_, 0, b)


def _remainder(left: Scalar, right: Scalar, type_: Type) -> Scalar:
    a, b, scale = aligned(left, right)
    return Scalar(binary(a, "%", b, Level.MULTIPLY), type_, scale)


_OPERATIONS: dict[ArithmeticOp, Callable[[Scalar, Scalar, Type], Scalar]] = {
    ArithmeticOp.ADD: _sum("+"),
    ArithmeticOp.SUB: _sum("-"),
    ArithmeticOp.MUL: _product,
    ArithmeticOp.DIV: _quotient,
    ArithmeticOp.MOD: _remainder,
}


def rounded(value: Scalar, digits: int, type_: Type) -> Scalar:
    """To `digits` after the point, midpoints away from zero: integer division cuts, so half is added first."""
    assert value.scale is not None
    if value.over is not None:
        return _rounded_quotient(value, digits, type_)
    cut = value.scale - digits
    if cut <= 0:
        return replace(value, type=type_)
    half = binary(call("sign", value.text), "*", integer(5 * 10 ** (cut - 1)), Level.MULTIPLY)
    return Scalar(_cut(binary(value.text, "+", half, Level.ADD), cut), type_, digits)


def _rounded_quotient(value: Scalar, digits: int, type_: Type) -> Scalar:
    """(2n + sign(n) d) / 2d for a positive divisor d."""
    value = with_positive_divisor(value)
    assert value.scale is not None and value.over is not None
    numerator = times_ten(value.text, max(0, digits - value.scale))
    divisor = times_ten(value.over, max(0, value.scale - digits))
    doubled = binary(numerator, "*", integer(2), Level.MULTIPLY)
    half = binary(call("sign", value.text), "*", divisor, Level.MULTIPLY)
    whole = Text(f"({binary(doubled, '+', half, Level.ADD)})")
    quotient = binary(whole, "/", binary(divisor, "*", integer(2), Level.MULTIPLY), Level.MULTIPLY)
    return Scalar(_of_rows(value, quotient), type_, digits)


def _of_rows(value: Scalar, quotient: Text) -> Text:
    """An average of no rows is null, where any other division by zero is an error."""
    if not value.counted or value.over is None:
        return quotient
    return case([(binary(value.over, "<>", integer(0), Level.COMPARE), quotient)], None)


def truncated(value: Scalar, type_: Type) -> Scalar:
    return Scalar(whole_part(value), type_, 0)


def whole_part(value: Scalar) -> Text:
    """The integer part, toward zero."""
    assert value.scale is not None
    if value.over is not None:
        divided = binary(value.text, "/", times_ten(value.over, value.scale), Level.MULTIPLY)
        return _of_rows(value, divided)
    return _cut(value.text, value.scale)


def floored(value: Scalar, type_: Type) -> Scalar:
    """Toward minus infinity: one less than the integer part where something negative was cut off."""
    value = with_positive_divisor(value)
    assert value.scale is not None
    if value.scale == 0 and value.over is None:
        return replace(value, type=type_)
    divisor = times_ten(value.over if value.over is not None else integer(1), value.scale)
    rest = binary(value.text, "%", divisor, Level.MULTIPLY)
    cut = call("sign", rest)
    whole = binary(value.text, "/", divisor, Level.MULTIPLY)
    less = case([(binary(cut, "<", integer(0), Level.COMPARE), integer(1))], integer(0))
    return Scalar(_of_rows(value, binary(whole, "-", less, Level.ADD)), type_, 0)


def ceiled(value: Scalar, type_: Type) -> Scalar:
    opposite = replace(value, text=negative(value.text))
    return Scalar(negative(floored(opposite, type_).text), type_, 0)


def negative(text: Text) -> Text:
    return Text(f"-{text.at(Level.ATOM)}", Level.UNARY)


def _cut(text: Text, digits: int) -> Text:
    return text if digits == 0 else binary(text, "/", integer(10**digits), Level.MULTIPLY)


def to_double(value: Scalar) -> Text:
    """The nearest double: one division, so it is rounded once."""
    assert value.scale is not None
    number = call("toFloat", value.text)
    if value.over is not None:
        quotient = binary(number, "/", times_ten(value.over, value.scale), Level.MULTIPLY)
        return _of_rows(value, quotient)
    return number if value.scale == 0 else binary(number, "/", integer(10**value.scale), Level.MULTIPLY)


def of_integer(text: Text, type_: Type) -> Scalar:
    return Scalar(text, type_, 0)


def absolute(value: Scalar, type_: Type) -> Scalar:
    positive = with_positive_divisor(value)
    return replace(positive, text=call("abs", positive.text), type=type_)


def or_null(value: Scalar) -> Text:
    """A test for a value that is null: a quotient's divisor says whether there were rows."""
    if value.over is None or not value.counted:
        return is_null(value.text)
    return binary(value.over, "=", integer(0), Level.COMPARE)
