"""All rows against all rows: order exactly as far as the query orders, values by value, one difference shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from uom.model.types import Kind, ScalarType, describe
from uom.verify.canonical import Canonical, Rows
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, ScalarShape, Shape

DOUBLE_TOLERANCE = 1e-9
FLOAT_TOLERANCE = 1e-6
INEXACT_DECIMAL_TOLERANCE = Decimal("1e-15")
"""Relative; only for decimals that a division or an average made, whose last digits are the database's choice."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The smallest thing that differs. `path` leads to it ("[3].Freight"); the values are canonical, None is null.

    `row` is the source's row around it (or the target's, when the source has none).
    """

    path: str
    what: str
    expected: Canonical
    actual: Canonical
    type: str = ""
    row: Canonical = None

    def __str__(self) -> str:
        kind = f" ({self.type})" if self.type else ""
        return f"{self.path or 'result'}: {self.what}: source {show(self.expected)}, target {show(self.actual)}{kind}"


class Missing:
    """Marks the side on which a row is not there."""

    def __repr__(self) -> str:
        return "no such row"


MISSING = Missing()


def show(value: Canonical) -> str:
    """A value as people read it."""
    match value:
        case None:
            return "null"
        case Missing():
            return "no such row"
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace('"', '\\"') + '"'
        case Decimal():
            return format(value, "f")
        case datetime() | date() | time():
            return value.isoformat()
        case UUID() | timedelta():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{k}: {show(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(show(v) for v in value[:5]) + (", ..." if len(value) > 5 else "") + "]"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Comparer:
    """`inexact`: decimals may differ in the digits beyond the 15th (see INEXACT_DECIMAL_TOLERANCE)."""

    inexact: bool = False

    def compare(self, expected: Canonical, actual: Canonical, shape: Shape, path: str = "") -> Difference | None:
        """The first difference, or None when the values are equal."""
        if expected is None or actual is None:
            if expected is None and actual is None:
                return None
            return Difference(path, "one side is null", expected, actual, _name(shape))
        match shape:
            case ScalarShape(type=type_):
                if self.same_scalar(expected, actual, type_):
                    return None
                return Difference(path, "values differ", expected, actual, describe(type_))
            case ListShape(element=element):
                return self.compare_rows(expected, actual, element, path)
            case HierarchyShape(members=members):
                left, right = (getattr(side, "type_name", "") for side in (expected, actual))
                if left and right and left != right:
                    return Difference(path, "classes differ", left, right)
                for _, member in members:
                    if set(expected) == {n for n, _ in member.fields}:
                        return self.compare(expected, actual, member, path)
                return Difference(path, "types differ", expected, actual)
            case ObjectShape(fields=fields):
                if set(actual) != set(expected):
                    return Difference(path, "members differ", expected, actual)
                for name, inner in fields:
                    found = self.compare(expected[name], actual[name], inner, f"{path}.{name}")
                    if found is not None:
                        return found
        return None

    def same_scalar(self, expected: Any, actual: Any, type_: Any) -> bool:
        kind = type_.kind if isinstance(type_, ScalarType) else None
        if kind in (Kind.DOUBLE, Kind.FLOAT):
            return close(float(expected), float(actual), FLOAT_TOLERANCE if kind is Kind.FLOAT else DOUBLE_TOLERANCE)
        if kind is Kind.DECIMAL and expected != actual:
            scale = max(abs(expected), abs(actual))
            return self.inexact and abs(expected - actual) <= scale * INEXACT_DECIMAL_TOLERANCE
        return type(expected) is type(actual) and bool(expected == actual)

    def compare_rows(
        self, expected: Sequence[Any], actual: Sequence[Any], shape: Shape, path: str
    ) -> Difference | None:
        """Runs of ties are compared as sets; everything else in sequence."""
        ties = expected.ties if isinstance(expected, Rows) and expected.ties is not None else [1] * len(expected)
        position = 0
        for size in ties:
            left = list(expected[position : position + size])
            right = list(actual[position : position + size])
            found = self.compare_run(left, right, shape, path, position)
            if found is not None:
                return found
            position += size
        if len(actual) > position:
            return Difference(
                f"{path}[{position}]", "the target has more rows", MISSING, actual[position], row=actual[position]
            )
        return None

    def compare_run(
        self, expected: list[Any], actual: list[Any], shape: Shape, path: str, start: int
    ) -> Difference | None:
        """One run, as a multiset."""
        rest = list(actual)
        unmatched: list[tuple[int, Any]] = []
        buckets: dict[str, list[int]] = {}
        for i, row in enumerate(rest):
            buckets.setdefault(fingerprint(row, shape), []).append(i)
        used: set[int] = set()
        for i, row in enumerate(expected):
            same = buckets.get(fingerprint(row, shape), [])
            match = next((j for j in same if j not in used and self.compare(row, rest[j], shape) is None), None)
            if match is None:
                unmatched.append((i, row))
            else:
                used.add(match)
        left_over = [(j, rest[j]) for j in range(len(rest)) if j not in used]
        unmatched = self.match_slowly(unmatched, left_over, shape)
        if not unmatched and not left_over:
            return None
        return self.closest(unmatched, left_over, shape, path, start)

    def match_slowly(
        self, unmatched: list[tuple[int, Any]], left_over: list[tuple[int, Any]], shape: Shape
    ) -> list[tuple[int, Any]]:
        """Rows whose fingerprints differ only by the rounding of a float."""
        if len(unmatched) * len(left_over) > 250_000:
            return unmatched
        still = []
        for i, row in unmatched:
            match = next((k for k, (_, other) in enumerate(left_over) if self.compare(row, other, shape) is None), None)
            if match is None:
                still.append((i, row))
            else:
                left_over.pop(match)
        return still

    def closest(
        self,
        unmatched: list[tuple[int, Any]],
        left_over: list[tuple[int, Any]],
        shape: Shape,
        path: str,
        start: int,
    ) -> Difference:
        """Of the rows without a partner the pair with the fewest differing members: the smallest counterexample."""
        if not unmatched:
            j, row = left_over[0]
            return Difference(f"{path}[{start + j}]", "the target has a row more", MISSING, row, row=row)
        i, row = unmatched[0]
        if not left_over:
            return Difference(f"{path}[{start + i}]", "the target lacks a row", row, MISSING, row=row)
        best = min(left_over[:50], key=lambda other: _distance(row, other[1]))
        found = self.compare(row, best[1], shape, f"{path}[{start + i}]")
        assert found is not None
        return Difference(found.path, found.what, found.expected, found.actual, found.type, row)


def close(a: float, b: float, tolerance: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * 1e-3)


def _distance(left: Any, right: Any) -> int:
    if isinstance(left, dict) and isinstance(right, dict):
        return sum(_distance(left[k], right.get(k)) for k in left)
    return 0 if left == right else 1


def fingerprint(value: Canonical, shape: Shape) -> str:
    """Equal rows have equal fingerprints, but for floats at a rounding boundary."""
    match shape:
        case ScalarShape():
            return _scalar_text(value)
        case ListShape(element=element):
            return "null" if value is None else "[" + ",".join(sorted(fingerprint(v, element) for v in value)) + "]"
        case ObjectShape(fields=fields):
            if not isinstance(value, dict):
                return _scalar_text(value)
            return "{" + ",".join(fingerprint(value.get(n), s) for n, s in fields) + "}"
    return repr(sorted(value.items(), key=lambda kv: kv[0])) if isinstance(value, dict) else _scalar_text(value)


def _scalar_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, Decimal):
        return format(value.normalize(), ".12g")
    return repr(value)


def _name(shape: Shape) -> str:
    return describe(shape.type) if isinstance(shape, ScalarShape) else ""


Compare = Callable[[Canonical, Canonical, Shape], Difference | None]
