"""Where nothing says that a text is never null, a parameter is called with null, and both sides find what C# finds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.record import ef_core
from uom.data.rows import DataFile
from uom.model.program import PROVIDER_SEMANTICS
from uom.read.csharp.syntax import parse
from uom.run.dotnet.results import DotnetRunner
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify.dotnet_source import DotnetSource
from uom.verify.session import Session
from uom.verify.source import ReferenceSource

QUERIES = Path(__file__).with_name("unannotated") / "Queries.cs"
DATA = DataFile(
    "rows.json",
    {
        "People": [
            {"Id": 1, "Name": "Ann", "Email": "a@x", "Seal": "AQI=", "BossId": None},
            {"Id": 2, "Name": "Bob", "Email": None, "Seal": None, "BossId": 1},
            {"Id": 3, "Name": "Ann", "Email": "b@x", "Seal": "AQM=", "BossId": 2},
            {"Id": 4, "Name": "Cid", "Email": None, "Seal": "AQI=", "BossId": 3},
        ]
    },
)

pytestmark = pytest.mark.skipif(shutil.which("dotnet") is None, reason="dotnet is not on PATH")


@pytest.fixture(scope="module")
def runner() -> Iterator[DotnetRunner]:
    with ef_core() as found:
        yield found


@pytest.mark.parametrize("stated", [True, False], ids=["nullable is disabled", "nothing is said"])
def test_null_is_an_argument(target_java: JavaWorker, engine: TargetEngine, runner: DotnetRunner, stated: bool) -> None:
    text = QUERIES.read_text(encoding="utf-8")
    sources = [parse("Queries.cs", text if stated else text.removeprefix("#nullable disable\n"))]
    options = TranslationOptions(semantics=PROVIDER_SEMANTICS["postgres"], target=engine.kind)
    texts = [(s.name, s.text) for s in sources]
    made: list[DotnetSource] = []

    def source_for(unit, database):  # type: ignore[no-untyped-def]
        reference = ReferenceSource(unit.schema, database, unit.semantics)
        made.append(DotnetSource(unit.schema, DATA, texts, reference, runner))
        return made[-1]

    report = Session(target_java, engine, DATA, source_for).verify(translate(sources, options))
    assert not [f"{q.id} {q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"]
    assert len(report.queries) == 18
    assert not made[0].problems
    for query in report.queries:
        given = [v for c in query.calls for v in c.arguments.values()]
        parts = [p for v in given for p in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else [v])]
        assert None in parts, query.id
