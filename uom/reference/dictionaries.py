"""`ToDictionary` in C#: every row needs a key, and a key of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from uom.reference.functions import CSHARP
from uom.reference.values import QueryError, Value, canonical


def check_keys(keys: Sequence[Value]) -> None:
    """Raises QueryError where C# does, at the first key that is missing or known."""
    known: set[Hashable] = set()
    for key in keys:
        if key is None:
            raise QueryError("ArgumentNullException", "a key is null")
        found = canonical(key, CSHARP)
        if found in known:
            raise QueryError("ArgumentException", f"the key {key} comes twice")
        known.add(found)
