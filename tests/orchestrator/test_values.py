"""Argument values survive the state of the graph, whatever is in them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from uom.orchestrator.validation.values import dumps, loads
from uom.reference.values import Value


def test_records_come_back_as_they_were() -> None:
    page: Value = {"Size": 2, "From": Decimal("10.50"), "Share": 0.5, "Open": True}
    sets: dict[str, list[dict[str, Value]]] = {
        "Queries.Search": [
            {
                "filter": {
                    "Text": None,
                    "Page": page,
                    "Ids": [1, 2],
                    "Pairs": [{"a": UUID(int=1), "b": b"x"}],
                    "None": {},
                }
            },
            {"filter": None},
            {
                "range": {
                    "from": datetime(2024, 1, 1, tzinfo=UTC),
                    "day": date(2024, 1, 1),
                    "at": time(1, 2),
                    "for": timedelta(1),
                }
            },
        ]
    }
    found = loads(dumps(sets))
    assert found == sets
    assert repr(found) == repr(sets)
