"""Parameters that may be null or hold anything: Java computes what it passes before the database sees a condition."""

from __future__ import annotations

from pathlib import Path

from uom.data.rows import read_data_file
from uom.model.program import PROVIDER_SEMANTICS
from uom.read import load_sources
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify.session import Session

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "keywords"
QUERIES = Path(__file__).with_name("parameters") / "Queries.cs"


def test_parameters_in_neo4j(neo4j_java: JavaWorker, neo4j: Neo4jEngine) -> None:
    sources = load_sources((str(CORPUS / "Model.cs"), str(QUERIES)))
    options = TranslationOptions(semantics=PROVIDER_SEMANTICS["postgres"], target="neo4j")
    report = Session(neo4j_java, neo4j, read_data_file(CORPUS / "data.json")).verify(translate(sources, options))
    assert len(report.queries) == 11
    assert not [f"{q.id} {q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"]
