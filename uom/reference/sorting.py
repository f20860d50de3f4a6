"""Stable sorts as the source's database has them: where nulls go, what text and enums sort by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import Any

from uom.model.program import Semantics, nulls_first
from uom.model.queries import SortKey
from uom.model.types import Type
from uom.reference.scalars import sort_value
from uom.reference.values import Value

Rows = list[Value]


def order(rows: Rows, columns: Sequence[tuple[list[Value], SortKey]], semantics: Semantics) -> Rows:
    """Stable sort of rows by columns: each a value per row, and the key that says how it sorts."""
    positions = list(range(len(rows)))

    def compare(a: int, b: int) -> int:
        for values, key in columns:
            verdict = _order_of(values[a], values[b], key.expr.type, nulls_first(key, semantics), semantics)
            if verdict:
                return -verdict if key.descending else verdict
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
