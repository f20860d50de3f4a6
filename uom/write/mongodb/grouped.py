"""Accumulators of a `$group` stage that is still open."""

from __future__ import annotations

from uom.write.mongodb.rows import Rows, freeze
from uom.write.mongodb.tree import Bson


def accumulated(rows: Rows, hint: str, accumulator: Bson) -> str:
    """The path of the accumulator's result; equal accumulators share one field."""
    assert rows.group is not None
    wanted = freeze(accumulator)
    for name, known in rows.group.items():
        if name != "_id" and freeze(known) == wanted:
            return f"${name}"
    name = rows.fresh(hint)
    rows.group[name] = accumulator
    return f"${name}"
