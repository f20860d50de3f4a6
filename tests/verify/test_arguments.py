"""Arguments are chosen so that a translation which ignores a parameter, or a kind of its values, returns something else."""

from __future__ import annotations

import pytest

from uom.data.rows import DataFile, build_database
from uom.read.csharp.syntax import parse
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Value, canonical
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import MAX_SETS, argument_sets

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
