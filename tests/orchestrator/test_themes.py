"""The compiler path over whole folders: every theme of the golden cases and of our own corpora."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.golden.test_golden import CORPUS, SHARED
from tests.orchestrator.test_run import run
from uom.commands.run import read_input
from uom.orchestrator.context import Context
from uom.orchestrator.state import State
from uom.orchestrator.verdicts import judge

NOTHING_FOUND = "no call returned a row, so that nothing could differ"
"""Of queries without parameters that are about finding nothing, or throw."""
GOLDEN = SHARED / "golden" / "efcore"


def findings(folder: Path, data: Path) -> dict[str, tuple[str, str]]:
    """How far each query of a folder came, and why no further."""
    text = f"EF Core to MongoDB, please.\n\n{read_input((str(folder),))}"
    outcome, visited = run(text, Context(data_file=str(data)))
    assert visited.count("generate_translation_node") == 1
    verdict = judge(State(**{n: v for n, v in outcome.values.items() if n in State.__dataclass_fields__}))
    assert (outcome.status == "accepted") == (verdict.decision == "ACCEPT")
    return {f.query: (f.level, f.reason) for f in verdict.findings}


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the golden folder is not there")
def test_golden_themes() -> None:
    found = findings(GOLDEN, SHARED / "data" / "northwind.json")
    counts = Counter(level for level, _ in found.values())
    assert counts["equivalent"] >= 125 and not {"different", "compiled", "translated"} & set(counts), counts
    assert all(reason for level, reason in found.values() if level != "equivalent")
    assert {reason for level, reason in found.values() if level == "executed"} == {NOTHING_FOUND}


@pytest.mark.parametrize("folder", CORPUS, ids=lambda p: p.name)
def test_corpora(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the interpreter stands for the C#: `tests/verify` runs these corpora with dotnet."""
    monkeypatch.setenv("PATH", os.defpath)
    counts = Counter(level for level, _ in findings(folder, folder / "data.json").values())
    assert counts["equivalent"] > 0 and not {"different", "compiled", "translated"} & set(counts), counts
