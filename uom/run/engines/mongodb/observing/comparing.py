"""Observations about comparisons: what decides an equality or an order, and which engines get that wrong."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from uom.run.engines.mongodb.observing import letters
from uom.run.engines.mongodb.observing.scope import Scope
from uom.run.engines.mongodb.observing.shapes import NUMBERS, Shape, deep, join

_RANK_OF_MISSING, _RANK_OF_NULL, _RANK_OF_VALUES = 0, 1, 2
_OUTCOMES: dict[str, Callable[[int, int], bool | int]] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
    "$cmp": lambda a, b: (a > b) - (a < b),
}
EQUALITIES = frozenset({"$eq", "$ne"})


def observe_comparison(operator: str, left: Shape, right: Shape, what: Any, scope: Scope) -> None:
    """`$eq`, `$lt` and their kin in an expression."""
    if _null_matters(operator, left, right):
        scope.note("null_for_missing", what)
    if operator in EQUALITIES and _composites_differ(left, right):
        scope.note("composite_equality", what)
    _observe_sums(left, right, what, scope)
    observe_text("collation_in_expressions", operator in EQUALITIES, left, right, what, scope)
    if left.may_be("object", "array") and right.may_be("object", "array") and operator not in EQUALITIES:
        observe_numbers(left, right, what, scope)


def _null_matters(operator: str, left: Shape, right: Shape) -> bool:
    """Whether a null in place of a missing value changes the outcome."""
    outcome = _OUTCOMES[operator]
    for claimed, real in _pairs(left):
        for other_claimed, other_real in _pairs(right):
            if outcome(claimed, other_claimed) != outcome(real, other_real):
                return True
    return False


def _pairs(shape: Shape) -> list[tuple[int, int]]:
    """(rank that the engine sees, rank that MongoDB sees) for each way in which the value may be absent, or present."""
    pairs = []
    if shape.kinds - {"missing", "null"}:
        pairs.append((_RANK_OF_VALUES, _RANK_OF_VALUES))
    if "null" in shape.kinds:
        pairs.append((_RANK_OF_NULL, _RANK_OF_NULL))
    if shape.blurred and "missing" in shape.kinds:
        pairs.append((_RANK_OF_NULL, _RANK_OF_MISSING))
    elif "missing" in shape.kinds:
        pairs.append((_RANK_OF_MISSING, _RANK_OF_MISSING))
    return pairs


def _composites_differ(left: Shape, right: Shape) -> bool:
    """Documents and arrays that an engine might compare by other rules than their parts."""
    if left.may_be("object") and right.may_be("object"):
        return True
    if not (left.may_be("array") and right.may_be("array")):
        return False
    items = left.items, right.items
    if not (items[0].kinds and items[1].kinds):
        # with the empty array nothing is compared
        return False
    both = items[0].kinds | items[1].kinds
    nested = "object" in both or "array" in both
    return nested or "decimal" in both or "double" in both or ("bool" in both and bool(both & NUMBERS))


def _observe_sums(left: Shape, right: Shape, what: Any, scope: Scope) -> None:
    for one, other in ((left, right), (right, left)):
        if one.inexact and one.may_be("double") and other.may_be(*NUMBERS):
            scope.note("inexact_sum_compared", what)


def observe_text(name: str, equality: bool, left: Shape, right: Shape, what: Any, scope: Scope) -> None:
    """Texts compared byte by byte although the command has a collation."""
    if not scope.ignores_case:
        return
    texts = join(left, left.items), join(right, right.items)
    if all(deep(one, lambda s: s.may_be("string")) for one in texts):
        found = _letters(left) | _letters(right)
        if not (letters.has_one_case(found) if equality else letters.bytes_are_in_order(found)):
            scope.note(name, what)


def _letters(shape: Shape, depth: int = 8) -> frozenset[str]:
    found = shape.letters
    if depth:
        for inner in [*shape.fields.values(), *([shape.element] if shape.element else [])]:
            found |= _letters(inner, depth - 1)
    return found


def observe_numbers(left: Shape, right: Shape, what: Any, scope: Scope) -> None:
    """Doubles and decimals compared with each other: 0.1 as a double is more than the decimal 0.1."""
    kinds: set[str] = set()

    def gather(shape: Shape) -> bool:
        kinds.update(shape.kinds)
        return False

    deep(left, gather)
    deep(right, gather)
    if {"double", "decimal"} <= kinds:
        scope.note("double_against_decimal", what)


def is_short_binary(value: float) -> bool:
    """The double is the very number that its shortest decimal form says, such as 0.5 or 3.0."""
    return value == value and Decimal(repr(value)) == Decimal(value)


ORDERING = frozenset({"$min", "$max", "$minN", "$maxN", "$sortArray", "$top", "$bottom", "$topN", "$bottomN"})


def observe_elements(operator: str, values: Shape, what: Any, scope: Scope, grouped: bool = False) -> None:
    """Values that are compared among themselves: sets, smallest and largest, distinct ones."""
    observe_numbers(values, values, what, scope)
    if deep(values, lambda s: s.blurred and s.may_be("missing") and s is not values):
        scope.note("null_for_missing", what)
    if deep(values, lambda s: s.inexact and s.may_be("double")):
        scope.note("inexact_sum_compared", what)
    name = "collation_in:accumulators" if grouped else "collation_in_expressions"
    observe_text(name, operator not in ORDERING, values, values, what, scope)
