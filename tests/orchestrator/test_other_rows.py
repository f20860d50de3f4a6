"""What a model's Java returned on other rows counts only where it was compared."""

from __future__ import annotations

import pytest

from uom.model.diagnostics import Place
from uom.orchestrator.validation.other_rows import _held_against
from uom.verify.report import CallEvidence, Level, QueryReport

PLACE = Place("q.cs", 1, 1)
OTHER = {
    "the same rows": (QueryReport("q", Level.EQUIVALENT, PLACE), True),
    "no rows on either side": (QueryReport("q", Level.EXECUTED, PLACE, calls=(CallEvidence({}, 0, 1, 1),)), True),
    "it could not be judged": (QueryReport("q", Level.EXECUTED, PLACE, "its rows were not compared"), False),
    "a call without an answer": (
        QueryReport("q", Level.EXECUTED, PLACE, calls=(CallEvidence({}, 0, 1, 1, problem="it never ran"),)),
        False,
    ),
    "other rows": (QueryReport("q", Level.DIFFERENT, PLACE), False),
    "nothing": (None, False),
}


@pytest.mark.parametrize("name", OTHER)
def test_only_what_was_compared_confirms(name: str) -> None:
    other, agrees = OTHER[name]
    held = _held_against(QueryReport("q", Level.EQUIVALENT, PLACE), other)
    assert held.level is (Level.EQUIVALENT if agrees else Level.DIFFERENT)
