"""Parameters that are filter objects, records or tuples get values on both sides, so that their queries can be proven."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.record import ef_core
from uom.data.rows import DataFile, build_database
from uom.model.program import PROVIDER_SEMANTICS
from uom.read import load_sources
from uom.read.csharp.declarations import compile_sources
from uom.read.csharp.syntax import parse
from uom.reference.values import Value
from uom.run.dotnet.results import DotnetRunner
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import argument_sets
from uom.verify.csharp_calls import call_of
from uom.verify.csharp_literals import NotCallable
from uom.verify.dotnet_source import DotnetSource
from uom.verify.report import to_json
from uom.verify.session import Session
from uom.verify.source import ReferenceSource

QUERIES = Path(__file__).with_name("records") / "Queries.cs"
DATA = DataFile(
    "rows.json",
    {
        "Items": [
            {
                "Id": i,
                "Name": ("apple", "pear", "plum", "fig")[i % 4],
                "Code": ("x", "y", None)[i % 3],
                "Price": f"{i * 1.5:.2f}",
                "Grade": i % 3,
                "Sold": i % 2 == 0,
                "Added": f"2024-01-{i:02d}T10:00:00",
            }
            for i in range(1, 13)
        ]
    },
)
LIST_IN_A_RECORD = "Queries.Listed"
"""MongoDB's writer has no form for a list that is a field of a parameter."""

needs_dotnet = pytest.mark.skipif(shutil.which("dotnet") is None, reason="dotnet is not on PATH")


def _verified(engine: TargetEngine, session: Session) -> None:
    sources = load_sources((str(QUERIES),))
    options = TranslationOptions(semantics=PROVIDER_SEMANTICS["postgres"], target=engine.kind)
    report = session.verify(translate(sources, options))
    assert len(report.queries) == 8
    unproven = {q.id: f"{q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"}
    if engine.kind == "mongodb":
        assert unproven.pop(LIST_IN_A_RECORD).startswith("refused: ")
    assert not unproven
    calls = {q.id: q.calls for q in report.queries}
    assert [c.arguments["range"] for c in calls["Queries.Optional"]].count(None) == 1
    assert all(isinstance(c.arguments["filter"], dict) for c in calls["Queries.Search"])
    assert sum(c.rows > 0 for c in calls["Queries.Search"]) > len(calls["Queries.Search"]) / 2
    shown = to_json(report)["queries"]["Queries.Values"]["calls"][0]["arguments"]["days"]
    assert re.fullmatch(r"\{From: 2024-01-\d\dT10:00:00, Until: (null|2024-01-\d\dT10:00:00)\}", shown)


def test_records_are_arguments(target_java: JavaWorker, engine: TargetEngine) -> None:
    _verified(engine, Session(target_java, engine, DATA))


@pytest.fixture(scope="module")
def runner() -> Iterator[DotnetRunner]:
    with ef_core() as found:
        yield found


@needs_dotnet
def test_records_are_arguments_of_ef_core(target_java: JavaWorker, engine: TargetEngine, runner: DotnetRunner) -> None:
    sources = [(s.name, s.text) for s in load_sources((str(QUERIES),))]
    made: list[DotnetSource] = []

    def source_for(unit, database):  # type: ignore[no-untyped-def]
        reference = ReferenceSource(unit.schema, database, unit.semantics)
        made.append(DotnetSource(unit.schema, DATA, sources, reference, runner))
        return made[-1]

    _verified(engine, Session(target_java, engine, DATA, source_for))
    assert not made[0].problems


HEAD = """
public class Item { public int Id { get; set; } public string? Name { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Shop(ShopContext db)
{
    public List<int> Find(Filter f) => db.Items.Where(i => i.Id == f.Id).Select(i => i.Id).OrderBy(i => i).ToList();
}
"""
# how the class is declared: what a call passes for Id 7, or why there is none
CLASSES = {
    "public class Filter { public int Id { get; set; } }": "new Filter() { Id = (int)(7) }",
    "public class Filter { public int Id; }": "new Filter() { Id = (int)(7) }",
    "public record Filter(int Id);": "new Filter((int)(7))",
    "public readonly record struct Filter(int Id);": "new Filter((int)(7))",
    "public struct Filter { public int Id { get; init; } }": "new Filter() { Id = (int)(7) }",
    "public record Top(int Id); public record Filter(int Id) : Top(Id);": "new Filter((int)(7)) { Id = (int)(7) }",
    "public class Top { public int Id { get; set; } } public class Filter : Top { }": "new Filter() { Id = (int)(7) }",
    "public class Filter { public int Id { get; private set; } }": "Filter.Id cannot be set from outside",
    "public class Filter { public int Id { get; } }": "Filter.Id cannot be set from outside",
    "public class Filter(int id) { public int Id { get; set; } = id; }": "Filter has no constructor without arguments",
    "public class Filter { public Filter(int id) { } public int Id { get; set; } }": "Filter has no constructor without arguments",
    "public class Filter { private Filter() { } public int Id { get; set; } }": "Filter has no constructor without arguments",
    "public abstract class Filter { public int Id { get; set; } }": "Filter is abstract or static",
    "public record Filter(int Id) { public int Id { get; init; } = Id * 2; }": "Filter.Id is not what its constructor takes",
    "public record Filter(int Id) { public Filter(long id) : this((int)id) { } }": "Filter has two constructors with as many parameters",
}  # fmt: skip


@pytest.mark.parametrize("declaration", CLASSES)
def test_how_csharp_makes_a_record(declaration: str) -> None:
    """What could mean something else than the value that Java is given is not made."""
    wanted = CLASSES[declaration]
    sources = [parse("shop.cs", HEAD + declaration)]
    (unit,) = translate(sources, TranslationOptions()).units
    method = unit.planned[0].method
    compilation = compile_sources(sources)
    context = compilation.find_type("ShopContext")
    assert context is not None
    try:
        found = call_of(compilation, context, method, {"f": {"Id": 7}}).text
    except NotCallable as problem:
        assert str(problem) == wanted
    else:
        assert found == f"new Shop(db).Find({wanted})"


TUPLES = """
public enum Size { Small = -1, Large = 1 }
public class Item { public int Id { get; set; } public Size Size { get; set; } public string? Name { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Shop(ShopContext db)
{
    public class Part { public enum Side { Left, Right } public Side At { get; set; } public List<(int a, string? b)> Pairs { get; set; } = []; }
    public List<int> Find((Size size, string? name, Part part) of) =>
        db.Items.Where(i => i.Size == of.size && i.Name == of.name).Select(i => i.Id).OrderBy(i => i).ToList();
}
"""


def test_tuples_and_nested_types_in_csharp() -> None:
    sources = [parse("shop.cs", TUPLES)]
    (unit,) = translate(sources, TranslationOptions()).units
    compilation = compile_sources(sources)
    context = compilation.find_type("ShopContext")
    assert context is not None
    value: Value = {"size": -1, "name": None, "part": {"At": 1, "Pairs": [{"a": 2, "b": None}]}}
    assert call_of(compilation, context, unit.planned[0].method, {"of": value}).text == (
        "new Shop(db).Find(((Size)(-1), null, new Shop.Part() { At = (Shop.Part.Side)(1), Pairs = [((int)(2), null)] }))"
    )


OPTIONAL = """
#nullable disable
public class Item { public int Id { get; set; } public string Name { get; set; } }
public class Inner { public int? Least { get; set; } }
public class Filter { public string Name { get; set; } public Inner Inner { get; set; } public Inner Other { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Shop(ShopContext db)
{
    public List<int> Tested(Filter f)
    {
        var q = db.Items.AsQueryable();
        if (f != null && f.Name != null) q = q.Where(i => i.Name == f.Name);
        if (f != null && f.Inner != null && f.Inner.Least != null) q = q.Where(i => i.Id >= f.Inner.Least);
        return q.Select(i => i.Id).OrderBy(i => i).ToList();
    }
    public List<int> Taken(Filter f) => db.Items.Where(i => i.Name == f.Name).Select(i => i.Id).OrderBy(i => i).ToList();
}
"""


def test_a_record_is_null_where_the_method_asks_for_it() -> None:
    (unit,) = translate([parse("shop.cs", OPTIONAL)], TranslationOptions()).units
    rows = [{"Id": i, "Name": "abc"[i % 3]} for i in range(1, 7)]
    database = build_database(DataFile("rows.json", {"Items": rows}), unit.schema)
    found = {
        p.method.name: [s["f"] for s in argument_sets(p.method, unit.schema, database, unit.semantics)]
        for p in unit.planned
    }
    assert None in found["Tested"]
    inner = [f["Inner"] for f in found["Tested"] if isinstance(f, dict)]
    assert None in inner
    assert any(isinstance(i, dict) and i["Least"] is not None for i in inner)
    assert all(
        isinstance(f, dict) and f["Other"] == {"Least": 1} for f in (*found["Taken"], *filter(None, found["Tested"]))
    )
