"""What goes wrong in one method, of its values or of ours, does not take the others down."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from uom.data.rows import DataFile, build_database
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.read.csharp.syntax import parse
from uom.reference.values import Database
from uom.run.engines.target import TargetEngine
from uom.run.failures import EnvironmentFailure
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify import session
from uom.verify.arguments import Arguments, argument_sets
from uom.verify.defects import Defect, attempt
from uom.verify.report import Level
from uom.verify.source import ReferenceSource, SourceResult

CODE = """
public class Policy { public int Id { get; set; } public DateTimeOffset StartsAt { get; set; } public DateOnly? Born { get; set; } public DateTime CreatedAt { get; set; } }
public class Db : DbContext { public Db(DbContextOptions<Db> o) : base(o) { } public DbSet<Policy> Policies => Set<Policy>(); }
public class S(Db db) {
  public List<int> Expiring(DateTimeOffset now, int days) => db.Policies.Where(p => p.StartsAt <= now.AddDays(days)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
  public List<int> Since(DateTime from, int days) => db.Policies.Where(p => p.CreatedAt >= from.AddDays(days)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
  public List<int> Unrelated() => db.Policies.OrderBy(p => p.Id).Select(p => p.Id).ToList();
}
"""
DATA = DataFile(
    "rows.json",
    {
        "Policies": [
            {
                "Id": 1,
                "Born": "1980-02-29",
                "StartsAt": "2024-01-01T00:00:00+00:00",
                "CreatedAt": "2024-02-29T00:00:00",
            },
            {"Id": 2, "Born": None, "StartsAt": "2024-03-01T00:00:00+01:00", "CreatedAt": "2023-12-31T00:00:00"},
        ]
    },
)


@pytest.mark.parametrize(("name", "zone"), [("Expiring", UTC), ("Since", None)])
def test_instants_of_every_kind_become_arguments(name: str, zone: object) -> None:
    """Rows have instants with and without an offset; a parameter takes those of its own kind."""
    (unit,) = translate([parse("S.cs", CODE)], TranslationOptions()).units
    method = next(p.method for p in unit.planned if p.method.name == name)
    sets = argument_sets(method, unit.schema, build_database(DATA, unit.schema), unit.semantics)
    moments = [v for s in sets for v in s.values() if isinstance(v, datetime)]
    assert moments
    assert all((m.tzinfo is None) == (zone is None) for m in moments)


def test_a_defect_loses_one_method_only(
    target_java: JavaWorker, engine: TargetEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(method: QueryMethod, schema: Schema, database: Database, semantics: Semantics) -> list[Arguments]:
        if method.name == "Expiring":
            raise TypeError("can't compare these")
        return argument_sets(method, schema, database, semantics)

    monkeypatch.setattr(session, "argument_sets", choose)
    translation = translate([parse("S.cs", CODE)], TranslationOptions(target=engine.kind))
    verified = session.Session(target_java, engine, DATA, lambda unit, rows: Broken(unit.schema, rows, unit.semantics))
    found = {q.id: q for q in verified.verify(translation).queries}
    assert {name: q.level for name, q in found.items()} == {
        "S.Expiring": Level.TRANSLATED,
        "S.Since": Level.EXECUTED,
        "S.Unrelated": Level.EQUIVALENT,
    }
    assert "TypeError: can't compare these" in found["S.Expiring"].reason
    assert "a defect of ours (RuntimeError: no answer)" in found["S.Since"].reason


class Broken(ReferenceSource):
    """A source that fails at one method."""

    def call(self, *given: Any) -> SourceResult:
        if isinstance(given[1], QueryMethod) and given[1].name == "Since":
            raise RuntimeError("no answer")
        return super().call(*given)


def test_failures_of_input_and_surroundings_are_not_ours() -> None:
    def fail() -> None:
        raise EnvironmentFailure("java", "it is not there", "")

    assert isinstance(attempt(lambda: 1 // 0), Defect)
    with pytest.raises(EnvironmentFailure):
        attempt(fail)
