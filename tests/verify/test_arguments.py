"""Arguments are chosen so that a translation which ignores a parameter, or a kind of its values, returns something else."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from uom.data.rows import DataFile, build_database
from uom.read.csharp.syntax import parse
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Value, canonical
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import MAX_SETS, argument_sets
from uom.write.java.calls import java_call

CODE = """
public enum Level { Low, Middle, High }
public class Case
{
    public int Id { get; set; }
    public string? Owner { get; set; }
    public bool Open { get; set; }
    public Level Level { get; set; }
    public decimal Cost { get; set; }
}
public class DeskContext(DbContextOptions<DeskContext> o) : DbContext(o) { public DbSet<Case> Cases => Set<Case>(); }
public record Range(decimal? From, decimal? To);
public class Filter
{
    public string Name { get; set; } = "";
    public Range Cost { get; set; } = new(null, null);
    public bool OnlyOpen { get; set; }
    public Level? Level { get; set; }
    public (int number, int size) Page { get; set; }
    public string? NeverRead { get; set; }
}
public class Desk(DeskContext db)
{
    public List<Case> Search(string? owner = null, decimal? least = null, decimal? most = null, bool onlyOpen = false,
        Level level = Level.Low, bool? wanted = null)
    {
        var query = db.Cases.Where(c => c.Level >= level);
        if (owner != null) query = query.Where(c => c.Owner == owner);
        if (least != null) query = query.Where(c => c.Cost >= least);
        if (most != null) query = query.Where(c => c.Cost <= most);
        if (onlyOpen) query = query.Where(c => c.Open);
        if (wanted == false) query = query.Where(c => c.Id > 3);
        return query.OrderBy(c => c.Id).ToList();
    }
    public List<int> Filtered(Filter f)
    {
        var query = db.Cases.AsQueryable();
        if (!string.IsNullOrEmpty(f.Name)) query = query.Where(c => c.Owner == f.Name);
        if (f.Cost.From != null) query = query.Where(c => c.Cost >= f.Cost.From);
        if (f.Cost.To != null) query = query.Where(c => c.Cost <= f.Cost.To);
        if (f.OnlyOpen) query = query.Where(c => c.Open);
        if (f.Level != null) query = query.Where(c => c.Level == f.Level);
        return query.OrderBy(c => c.Id).Select(c => c.Id).Take(f.Page.size).ToList();
    }
    public List<int> Between(Range? range) =>
        db.Cases.Where(c => range == null || c.Cost >= range.From && c.Cost < range.To).Select(c => c.Id).OrderBy(i => i).ToList();
    public List<int> In(List<int> ids, bool all) => db.Cases.Where(c => all || ids.Contains(c.Id)).Select(c => c.Id).OrderBy(i => i).ToList();
}
"""
ROWS = [
    {"Id": i, "Owner": "abc"[i % 3] if i % 4 else None, "Open": i % 2 == 0, "Level": i % 3, "Cost": str(i * 10)}
    for i in range(1, 13)
]
# parameter: a value that a wrong translation may take for every other one
FIXED: dict[str, tuple[str, Value]] = {
    "a field is never given": ("f.Name", ""),
    "no lower bound in a nested record": ("f.Cost.From", None),
    "no upper bound in a nested record": ("f.Cost.To", None),
    "a field is false": ("f.OnlyOpen", False),
    "a field is true": ("f.OnlyOpen", True),
    "a field's enum is never given": ("f.Level", None),
    "a field's enum is the highest": ("f.Level", 2),
    "the size of a page is fixed": ("f.Page.size", 2),
    "the range is never given": ("range", None),
    "the range has no end": ("range.To", Decimal(1000)),
    "owner is never given": ("owner", None),
    "least is never given": ("least", None),
    "most is never given": ("most", None),
    "all cases are open": ("onlyOpen", False),
    "only open ones": ("onlyOpen", True),
    "every level": ("level", 0),
    "never the highest": ("level", 1),
    "it is not wanted": ("wanted", None),
    "no ids": ("ids", []),
    "not all": ("all", False),
}


@pytest.mark.parametrize("name", FIXED)
def test_a_parameter_that_is_ignored_is_noticed(name: str) -> None:
    parameter, value = FIXED[name]
    translation = translate([parse("desk.cs", CODE)], TranslationOptions())
    (unit,) = translation.units
    database = build_database(DataFile("rows.json", {"Cases": ROWS}), unit.schema)
    path = parameter.split(".")
    method = next(p.method for p in unit.planned if any(q.name == path[0] for q in p.method.parameters))
    sets = argument_sets(method, unit.schema, database, unit.semantics)
    assert len(sets) <= MAX_SETS

    def answer(arguments: dict[str, Value]) -> object:
        return canonical(evaluate_method(method, unit.schema, database, unit.semantics, arguments), unit.semantics)

    assert any(answer(s) != answer(_put(s, path, value)) for s in sets), sets


def _put(record: Value, path: list[str], value: Value) -> dict[str, Value]:
    """The record with another value at the end of the path, where there is a record to hold it."""
    if not path or not isinstance(record, dict):
        return value if not path else record  # type: ignore[return-value]
    return {**record, path[0]: _put(record[path[0]], path[1:], value)}


def test_a_field_that_is_not_read_takes_no_sets() -> None:
    (unit,) = translate([parse("desk.cs", CODE)], TranslationOptions()).units
    database = build_database(DataFile("rows.json", {"Cases": ROWS}), unit.schema)
    method = next(p.method for p in unit.planned if p.method.name == "Filtered")
    sets = argument_sets(method, unit.schema, database, unit.semantics)
    filters = [s["f"] for s in sets]
    assert len({repr(f["NeverRead"]) for f in filters if isinstance(f, dict)}) == 1
    assert len(filters) < MAX_SETS


TYPES = """
public class Item
{
    public int Id { get; set; }
    public decimal Price { get; set; }
    public double Weight { get; set; }
    public DateTime At { get; set; }
    public string? Code { get; set; }
}
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Shop(ShopContext db)
{
    public List<int> WholePrice(int n) => db.Items.Where(i => (int)i.Price == n).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> WholeWeights(List<long> n) => db.Items.Where(i => n.Contains((long)i.Weight)).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> Day(DateOnly d) => db.Items.Where(i => DateOnly.FromDateTime(i.At) == d).Select(i => i.Id).OrderBy(i => i).ToList();
    public List<int> Initial(char c) => db.Items.Where(i => i.Code!.StartsWith(c)).Select(i => i.Id).OrderBy(i => i).ToList();
}
"""
ITEMS = [
    {"Id": i, "Price": f"{i}.5", "Weight": i + 0.25, "At": f"2024-01-{i:02d}T10:00:00", "Code": "xyz"[i % 3] * 2}
    for i in range(1, 7)
]


def test_values_are_of_the_parameters_type() -> None:
    (unit,) = translate([parse("shop.cs", TYPES)], TranslationOptions()).units
    database = build_database(DataFile("rows.json", {"Items": ITEMS}), unit.schema)
    wanted = {"WholePrice": int, "Day": date, "Initial": str}
    for planned in unit.planned:
        method = planned.method
        for arguments in argument_sets(method, unit.schema, database, unit.semantics):
            (value,) = arguments.values()
            values = value if isinstance(value, list) else [value]
            assert all(type(v) is wanted.get(method.name, int) for v in values), (method.name, value)
            java_call(unit.java_method(method.id), (value,))  # type: ignore[arg-type]
