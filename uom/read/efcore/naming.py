"""Nearest names, for messages about names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'Orders'?`, or nothing when no candidate is near."""
    by_lower = {c.lower(): c for c in candidates}
    found = get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.6)
    return f"; did you mean '{by_lower[found[0]]}'?" if found else ""
