"""Parameters that may be null or hold anything: Java computes what it passes before the database sees a condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from uom.data.rows import read_data_file
from uom.model.program import PROVIDER_SEMANTICS
from uom.read import load_sources
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify.session import Session

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "keywords"
REFUSED = {"Optional.ILike", "Optional.Like", "Optional.LikeInside"}
"""By MongoDB, which knows no such pattern."""
QUERIES = Path(__file__).with_name("parameters")


@pytest.mark.parametrize("name", ["Queries.cs", "Lists.cs", "Captured.cs"])
def test_parameters(name: str, target_java: JavaWorker, engine: TargetEngine) -> None:
    sources = load_sources((str(CORPUS / "Model.cs"), str(QUERIES / name)))
    options = TranslationOptions(semantics=PROVIDER_SEMANTICS["postgres"], target=engine.kind)
    report = Session(target_java, engine, read_data_file(CORPUS / "data.json")).verify(translate(sources, options))
    assert len(report.queries) >= 10
    found = {q.id: f"{q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"}
    refused = {query for query, said in found.items() if said.startswith("refused")}
    assert refused == (REFUSED if (name, engine.kind) == ("Queries.cs", "mongodb") else set())
    assert not set(found) - refused, found
