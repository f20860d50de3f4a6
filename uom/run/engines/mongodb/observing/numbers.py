"""Bounds of computed numbers: their types, and how many digits they can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from uom.run.engines.mongodb.observing.shapes import ABSENT, MANY, NULL, NUMBERS, Shape, join

Digits = tuple[int, int]
_MOST_ROWS = 10
"""Digits of the number of rows that a sum may have."""


def _sum(operands: Sequence[Shape]) -> Digits:
    return (max(s.digits[0] for s in operands) + len(operands) - 1, max(s.digits[1] for s in operands))


def _product(operands: Sequence[Shape]) -> Digits:
    return (sum(s.digits[0] for s in operands), sum(s.digits[1] for s in operands))


def _first(operands: Sequence[Shape]) -> Digits:
    return operands[0].digits


def _whole(operands: Sequence[Shape]) -> Digits:
    return (operands[0].digits[0] + 1, operands[0].digits[1])


def _quotient(operands: Sequence[Shape]) -> Digits:
    """The divisor is not smaller than its last digit."""
    return (operands[0].digits[0] + operands[-1].digits[1] + 1, MANY)


def _unlimited(_: Sequence[Shape]) -> Digits:
    return (MANY, MANY)


_DIGITS: dict[str, Callable[[Sequence[Shape]], Digits]] = {
    "$add": _sum, "$subtract": _sum, "$multiply": _product, "$mod": _first, "$abs": _first, "$trunc": _whole,
    "$round": _whole, "$floor": _whole, "$ceil": _whole, "$toInt": lambda _: (10, 0), "$toLong": lambda _: (19, 0),
    "$toDecimal": _first, "$toDouble": _first, "$divide": _quotient, "$sqrt": lambda s: (s[0].digits[0], MANY),
}  # fmt: skip
_KINDS: dict[str, frozenset[str]] = {
    "$toInt": frozenset({"int"}),
    "$toLong": frozenset({"long"}),
    "$toDouble": frozenset({"double"}),
    "$toDecimal": frozenset({"decimal"}),
}
_FRACTIONS = frozenset(
    {"$divide", "$sqrt", "$pow", "$exp", "$ln", "$log", "$log10", "$avg", "$stdDevPop", "$stdDevSamp"}
)
CUTTING = frozenset({"$floor", "$ceil", "$trunc", "$round", "$toInt", "$toLong", "$mod"})
"""Operators that make a large difference of a small one."""
ARITHMETIC = frozenset(_DIGITS) | frozenset(_KINDS) | _FRACTIONS
LONG_DIFFERENCE = 28
LONGEST_DECIMAL = 34
_DIGITS_OF_DOUBLES = 15


def computed(operator: str, operands: Sequence[Shape]) -> Shape:
    """The bound of arithmetic over the operands; null when one may be absent."""
    kinds = _KINDS.get(operator) or _number_kinds(operator, operands)
    digits = _DIGITS.get(operator, _unlimited)(operands) if operands else (MANY, MANY)
    if operator == "$toDecimal" and operands[0].kinds - NUMBERS:
        digits = (MANY, MANY)
    digits = (min(digits[0], MANY), min(digits[1], MANY))
    if "long" in kinds and digits[0] >= 19 and operator not in _KINDS:
        kinds |= {"double"}
    # three doubles may be added in more than one way
    many = operator == "$add" and len(operands) > 2 and "double" in kinds
    inexact = many or (any(s.inexact for s in operands) and "double" in kinds)
    result = Shape(kinds, digits=digits, inexact=inexact)
    return join(result, NULL) if any(s.may_be(*ABSENT) for s in operands) else result


def _number_kinds(operator: str, operands: Sequence[Shape]) -> frozenset[str]:
    if any(s.kinds & NUMBERS == {"decimal"} for s in operands):
        return frozenset({"decimal"})
    kinds = frozenset().union(*(s.kinds for s in operands)) & NUMBERS
    if "int" in kinds:
        kinds |= {"long"}
    if operator in _FRACTIONS and kinds - {"decimal"}:
        kinds |= {"double"}
    return kinds


def total(operand: Shape, average: bool) -> Shape:
    """`$sum` or `$avg` over many values; doubles are added in some order, so their last digits are open."""
    values = replace(operand, kinds=operand.kinds & NUMBERS)
    result = computed("$avg" if average else "$add", [values])
    whole = min(values.digits[0] + _MOST_ROWS, MANY)
    digits = (values.digits[0], MANY) if average else (whole, values.digits[1])
    inexact = values.may_be("double") or values.inexact or (average and whole > _DIGITS_OF_DOUBLES)
    kinds = result.kinds | ({"null"} if average else {"int"})
    return replace(result, kinds=kinds, digits=digits, inexact=inexact)


def is_long_difference(operands: Sequence[Shape]) -> bool:
    """A difference of decimals that needs more digits than some engines keep."""
    if not any(s.may_be("decimal") for s in operands):
        return False
    whole, fraction = _sum(operands)
    return whole + fraction > LONG_DIFFERENCE
