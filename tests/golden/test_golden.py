"""The golden EF Core cases, where that folder is there, and our own corpus in the same format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.golden.cases import load_cases
from tests.golden.runner import run_folder
from uom.data.rows import read_data_file
from uom.model.program import PROVIDER_SEMANTICS
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
CORPUS = sorted(p.parent for p in (ROOT / "tests" / "corpus").glob("*/expected"))


@pytest.mark.skipif(not (SHARED / "golden" / "efcore").is_dir(), reason="the golden folder is not there")
def test_golden_efcore(target_java: JavaWorker, engine: TargetEngine) -> None:
    folder = SHARED / "golden" / "efcore"
    data = read_data_file(SHARED / "data" / "northwind.json")
    verdicts = list(run_folder(folder, load_cases(folder), data, PROVIDER_SEMANTICS["postgres"], target_java, engine))
    counts = Counter(v.status for v in verdicts)
    wrong = [f"{v.case.id}: {v.reason}" for v in verdicts if v.status in ("different", "failed")]
    assert not wrong
    assert counts["equivalent"] >= 140, counts
    assert all(v.reason and v.place for v in verdicts if v.status == "refused")


@pytest.mark.parametrize("folder", CORPUS, ids=lambda p: p.name)
def test_corpus(folder: Path, target_java: JavaWorker, engine: TargetEngine) -> None:
    """`data.json` is the folder's own; `provider.txt` names the source's database, PostgreSQL without it.

    `only.txt` names the target that can hold the rows, where one cannot (a decimal of more than 64 bits).
    """
    only = folder / "only.txt"
    if only.exists() and only.read_text().strip() != engine.kind:
        pytest.skip(f"{engine.kind} cannot hold these rows")
    provider = folder / "provider.txt"
    semantics = PROVIDER_SEMANTICS[provider.read_text().strip() if provider.exists() else "postgres"]
    data = read_data_file(folder / "data.json")
    verdicts = list(run_folder(folder, load_cases(folder), data, semantics, target_java, engine))
    wrong = [f"{v.case.id} {v.status}: {v.reason}" for v in verdicts if v.status not in ("equivalent", "withheld")]
    assert not wrong
    assert sum(v.status == "withheld" for v in verdicts) <= len(verdicts) // 20
