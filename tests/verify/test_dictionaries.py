"""`ToDictionary` throws for a key that is null and for one that comes twice; so do the Java and the interpreter."""

from __future__ import annotations

import pytest

from tests.verify.reports import verified
from uom.read.csharp.syntax import parse
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, translate

MODEL = """
#nullable enable
public class Item { public int Id { get; set; } public string Name { get; set; } = ""; public string? Note { get; set; } public int? Rank { get; set; } public decimal Price { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); 
    protected override void OnModelCreating(ModelBuilder b) => b.Entity<Item>().Property(i => i.Price).HasPrecision(10, 2); }
public class Find(ShopContext db)
{
"""
CODE = (
    MODEL
    + """
    public Dictionary<string, int> ByName(int least) => db.Items.Where(i => i.Id >= least).ToDictionary(i => i.Name, i => i.Id);
    public Dictionary<string, int> ByNote(int most) => db.Items.Where(i => i.Id <= most).ToDictionary(i => i.Note!, i => i.Id);
    public Dictionary<int?, Item> ByRank(int least) => db.Items.Where(i => i.Id >= least).ToList().ToDictionary(i => i.Rank);
    public Dictionary<decimal, int> ByPrice(int least) => db.Items.Where(i => i.Id >= least).ToDictionary(i => i.Price, i => i.Id);
    public Dictionary<int, int> ByHalf(int least) => db.Items.Where(i => i.Id >= least).ToDictionary(i => i.Id / 4, i => i.Id);
    public Dictionary<int, string?> ById(int least) => db.Items.Where(i => i.Id >= least).ToDictionary(i => i.Id, i => i.Note);
    public Dictionary<string, int> Counts() => db.Items.GroupBy(i => i.Name).ToDictionary(g => g.Key, g => g.Count());
    public Dictionary<string, int> Selected() => db.Items.GroupBy(i => i.Name).Select(g => new { g.Key, N = g.Count() }).ToDictionary(x => x.Key, x => x.N);
}
"""
)
ROWS = [
    {"Id": 1, "Name": "a", "Note": "x", "Rank": 1, "Price": 1.5},
    {"Id": 2, "Name": "b", "Note": "y", "Rank": None, "Price": 2},
    {"Id": 3, "Name": "a", "Note": "z", "Rank": 2, "Price": 1.5},
    {"Id": 4, "Name": "A", "Note": None, "Rank": 3, "Price": 3},
]


def test_dictionaries_throw_as_in_csharp(dotnet: bool, target_java: JavaWorker, engine: TargetEngine) -> None:
    report, translation = verified(CODE, {"Items": ROWS}, dotnet, target_java, engine)
    assert not [f"{q.id} {q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"]
    checked = {q.id for q in report.queries if "Duplicate key" in translation.java(q.id)}
    assert checked == {f"Find.{name}" for name in ("ByName", "ByNote", "ByRank", "ByPrice", "ByHalf")}


@pytest.mark.parametrize(
    "body",
    [
        "return db.Items.ToDictionary(i => i.Name, i => i.Id).Count;",
        "return db.Items.ToDictionary(i => i.Name, i => i.Id).OrderBy(p => p.Value).Select(p => p.Value).ToList();",
        "return new { Names = db.Items.ToDictionary(i => i.Name, i => i.Id), N = 1 };",
        "return id > 1 ? db.Items.ToDictionary(i => i.Name, i => i.Id) : null;",
        "var all = db.Items.ToDictionary(i => i.Id, i => i.Name); return all[id];",
        "return db.Items.ToDictionary(i => new { i.Name, i.Price }, i => i.Id);",
    ],
)
@pytest.mark.parametrize("target", ["mongodb", "neo4j"])
def test_where_nothing_would_throw_they_are_refused(body: str, target: str) -> None:
    code = MODEL + "public object Q(int id) { " + body + " } }"
    (refused,) = translate([parse("code.cs", code)], TranslationOptions(target=target)).refused
    assert refused.reason.construct in ("ToDictionary", "[]")
    assert refused.reason.reason and refused.reason.place is not None and refused.reason.remedy
