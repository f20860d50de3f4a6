"""Stable sorts as the source's database has them: where nulls go, what text and enums sort by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import Any

from uom.model.program import NullOrder, Semantics
from uom.model.types import Type
from uom.reference.scalars import sort_value
from uom.reference.values import Value

Rows = list[Value]


def order(rows: Rows, keys: Sequence[tuple[list[Value], Type, bool]], semantics: Semantics) -> Rows:
    """Stable sort of rows by (values per row, type, descending) columns."""
    positions = list(range(len(rows)))
    nulls_low = semantics.null_order is NullOrder.FIRST

    def compare(a: int, b: int) -> int:
        for values, type_, descending in keys:
            verdict = _order_of(values[a], values[b], type_, nulls_low, semantics)
            if verdict:
                return -verdict if descending else verdict
        return 0

    return [rows[i] for i in sorted(positions, key=cmp_to_key(compare))]


def _order_of(left: Value, right: Value, type_: Type, nulls_low: bool, semantics: Semantics) -> int:
    if left is None or right is None:
        if left is None and right is None:
            return 0
        return -1 if (left is None) == nulls_low else 1
    a: Any = sort_value(left, type_, semantics)
    b: Any = sort_value(right, type_, semantics)
    return int(a > b) - int(a < b)
