"""Verifying a text against both kinds of source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.golden.record import ef_core
from uom.data.rows import DataFile
from uom.model.program import PROVIDER_SEMANTICS
from uom.read.csharp.syntax import parse
from uom.reference.values import Database
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import Translation, TranslationOptions, Unit, translate
from uom.verify.dotnet_source import DotnetSource
from uom.verify.report import Report
from uom.verify.session import Session
from uom.verify.source import ReferenceSource, SourceEngine


def verified(
    code: str, tables: Mapping[str, Sequence[Mapping[str, Any]]], dotnet: bool, worker: JavaWorker, engine: TargetEngine
) -> tuple[Report, Translation]:
    """The verdicts on C# that was written for PostgreSQL: by real EF Core, or by the reference interpreter."""
    options = TranslationOptions(semantics=PROVIDER_SEMANTICS["postgres"], target=engine.kind)
    translation = translate([parse("code.cs", code)], options)
    session = Session(worker, engine, DataFile("rows.json", {name: list(rows) for name, rows in tables.items()}))
    if not dotnet:
        return session.verify(translation), translation
    with ef_core() as runner:

        def make(unit: Unit, database: Database) -> SourceEngine:
            reference = ReferenceSource(unit.schema, database, unit.semantics)
            return DotnetSource(unit.schema, session.data, translation.program.sources, reference, runner)

        session.source_for = make
        report = session.verify(translation)
    assert not [c.source_problem for q in report.queries for c in q.calls if c.source_problem]
    return report, translation
