"""Java that a model writes for a query: one class per query, with a name that we give."""

from __future__ import annotations

import re


def class_name_of(query: str) -> str:
    """`ShopQueries.Ranking` -> `ShopQueriesRankingQuery`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", query) if part) + "Query"
