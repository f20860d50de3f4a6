"""Methods of one name: each is called with its own arguments on both sides."""

from __future__ import annotations

import shutil

import pytest

from tests.golden.record import ef_core
from uom.data.rows import DataFile
from uom.read.csharp.syntax import parse
from uom.reference.values import Database
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, Unit, translate
from uom.verify.dotnet_source import DotnetSource
from uom.verify.session import Session
from uom.verify.source import ReferenceSource, SourceEngine

CODE = """
public class Item { public int Id { get; set; } public string? Name { get; set; } public DateTime At { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Find(ShopContext db)
{
    public List<int> By(int? least) => db.Items.Where(i => least == null || i.Id >= least).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> By(string? name) => db.Items.Where(i => i.Name == name).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> By(int? least, string? name) => db.Items.Where(i => i.Id >= least || i.Name == name).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> By(List<int> ids) => db.Items.Where(i => ids.Contains(i.Id)).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<string?> By(List<string> names) => db.Items.Where(i => names.Contains(i.Name!)).Select(i => i.Name).OrderBy(n => n).ToList();
}
"""
ROWS = [{"Id": i, "Name": "abc"[i % 3] if i % 4 else None, "At": "2024-01-01T00:00:00"} for i in range(1, 9)]


@pytest.mark.parametrize("source", ["reference", "dotnet"])
def test_each_overload_is_proven(source: str, java: JavaWorker, mongodb: MongoEngine) -> None:
    translation = translate([parse("find.cs", CODE)], TranslationOptions())
    session = Session(java, mongodb, DataFile("rows.json", {"Items": ROWS}))
    if source == "reference":
        report = session.verify(translation)
    else:
        if shutil.which("dotnet") is None:
            pytest.skip("dotnet is not on PATH")
        with ef_core() as runner:

            def make(unit: Unit, database: Database) -> SourceEngine:
                reference = ReferenceSource(unit.schema, database, unit.semantics)
                return DotnetSource(unit.schema, session.data, translation.program.sources, reference, runner)

            session.source_for = make
            report = session.verify(translation)
        assert not [c.source_problem for q in report.queries for c in q.calls if "C#" in c.source_problem]
    assert [q.id for q in report.queries] == ["Find.By", *(f"Find.By#{n}" for n in range(2, 6))]
    assert not [f"{q.id} {q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"]
