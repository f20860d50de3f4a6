"""What C# computes around its queries: the interpreter and the generated Java agree, also on how they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.cases import load_cases, load_code
from tests.golden.runner import run_folder
from uom.data.rows import read_data_file
from uom.model.program import PROVIDER_SEMANTICS
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify.report import Level
from uom.verify.session import Session

FOLDER = Path(__file__).resolve().parents[1] / "corpus" / "till"


IN_DATABASE = {"Rounding.Each"}
"""What another database than PostgreSQL computes itself."""


ALIKE = {"no call returned a row, so that nothing could differ"}
"""Both sides give null, or fail alike."""
NULLS = {"ValueOfNull", "ValueOfNullAround", "FirstValueNull"}
"""There is a row, and C# has no place for what it holds."""


@pytest.mark.parametrize("provider", ["postgres", "sqlite"])
def test_both_sides_compute_alike(provider: str, target_java: JavaWorker, engine: TargetEngine) -> None:
    options = TranslationOptions(
        semantics=PROVIDER_SEMANTICS[provider],
        target=engine.kind,
        only=lambda name: provider == "postgres" or name not in IN_DATABASE,
    )
    session = Session(target_java, engine, read_data_file(FOLDER / "data.json"))
    report = session.verify(translate(load_code(FOLDER), options))
    assert {q.level for q in report.queries} <= {Level.EQUIVALENT, Level.EXECUTED}, [
        str(q.reason) for q in report.queries
    ]
    unproven = [q.reason for q in report.queries if q.level is Level.EXECUTED and q.reason not in ALIKE]
    assert len(unproven) <= len(report.queries) // 20, unproven


def test_the_java_of_each_way_to_pick_fails_alike(target_java: JavaWorker, engine: TargetEngine) -> None:
    """On either target, whether a document, a node, a record or a single value is picked."""
    cases = [c for c in load_cases(FOLDER) if c.theme == "Picked" and c.throws and c.method not in NULLS]
    data = read_data_file(FOLDER / "data.json")
    for verdict in run_folder(FOLDER, cases, data, PROVIDER_SEMANTICS["postgres"], target_java, engine):
        several = verdict.case.method.startswith("Single") and verdict.case.method != "SingleNone"
        wanted = "IncorrectResultSizeDataAccessException" if several else "NoSuchElementException"
        assert verdict.reason.partition(":")[0].rpartition(".")[2] == wanted, verdict.case.id
