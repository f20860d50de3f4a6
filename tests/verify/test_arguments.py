"""Arguments are chosen so that a translation which ignores a parameter, or a kind of its values, returns something else."""

from __future__ import annotations

from datetime import date

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
    public List<int> In(List<int> ids, bool all) => db.Cases.Where(c => all || ids.Contains(c.Id)).Select(c => c.Id).OrderBy(i => i).ToList();
}
"""
ROWS = [
    {"Id": i, "Owner": "abc"[i % 3] if i % 4 else None, "Open": i % 2 == 0, "Level": i % 3, "Cost": str(i * 10)}
    for i in range(1, 13)
]
# parameter: a value that a wrong translation may take for every other one
FIXED: dict[str, tuple[str, Value]] = {
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
    method = next(p.method for p in unit.planned if any(q.name == parameter for q in p.method.parameters))
    sets = argument_sets(method, unit.schema, database, unit.semantics)
    assert len(sets) <= MAX_SETS

    def answer(arguments: dict[str, Value]) -> object:
        return canonical(evaluate_method(method, unit.schema, database, unit.semantics, arguments), unit.semantics)

    assert any(answer(s) != answer({**s, parameter: value}) for s in sets), sets


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
