"""What the algebra knows about the order of rows, brought to rows that a real framework returned.

EF Core's rows say nothing about which of them tie. The interpreter's do: each list takes the ties of the list in its
place, which in lists of lists is that of the same row. Where rows have no such partner their order counts as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from uom.verify.canonical import Canonical, Concrete, Rows
from uom.verify.compare import Comparer, fingerprint
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, Shape

_SAME = Comparer(inexact=True)


def with_ties(value: Canonical, reference: Canonical, shape: Shape) -> Canonical:
    """`value` with the ties of `reference`; nothing else is taken from it."""
    match shape:
        case ListShape(element=element) if isinstance(value, Rows):
            known = reference if isinstance(reference, Rows) and len(reference) == len(value) else None
            ties = None if known is None else known.ties
            if not _has_lists(element):
                return Rows(value, ties)
            partners = [None] * len(value) if known is None else _partners(value, known, element)
            return Rows([with_ties(v, p, element) for v, p in zip(value, partners, strict=True)], ties)
        case ObjectShape(fields=fields) if isinstance(value, dict):
            return _object(value, reference, fields)
        case HierarchyShape(members=members) if isinstance(value, Concrete):
            member = dict(members).get(value.type_name)
            return value if member is None else _object(value, reference, member.fields)
    return value


def _object(value: Canonical, reference: Canonical, fields: Sequence[tuple[str, Shape]]) -> Canonical:
    known = reference if isinstance(reference, dict) else {}
    inner = {name: with_ties(value[name], known.get(name), shape) for name, shape in fields if name in value}
    return Concrete(inner, value.type_name) if isinstance(value, Concrete) else inner


def _partners(value: Rows, reference: Rows, shape: Shape) -> list[Canonical]:
    """For each row the reference's row that is equal to it, of those that it may have changed places with."""
    found: list[Canonical] = []
    start = 0
    for size in reference.ties if reference.ties is not None else [1] * len(reference):
        waiting: dict[str, list[Canonical]] = {}
        for row in reference[start : start + size]:
            waiting.setdefault(fingerprint(row, shape), []).append(row)
        for row in value[start : start + size]:
            candidates = waiting.get(fingerprint(row, shape), [])
            match = next((i for i, c in enumerate(candidates) if _SAME.compare(c, row, shape) is None), None)
            found.append(None if match is None else candidates.pop(match))
        start += size
    return found


def _has_lists(shape: Shape) -> bool:
    match shape:
        case ListShape():
            return True
        case ObjectShape(fields=fields):
            return any(_has_lists(inner) for _, inner in fields)
        case HierarchyShape(members=members):
            return any(_has_lists(member) for _, member in members)
    return False
