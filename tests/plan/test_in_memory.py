"""What the plan refuses because C# in memory does not mean what the query would."""

from __future__ import annotations

import pytest

from uom.model.program import PROVIDER_SEMANTICS
from uom.read.csharp.syntax import parse
from uom.translation import Translation, TranslationOptions, translate

MODEL = """\
#nullable enable
using System.Collections.Generic; using System.Linq; using Microsoft.EntityFrameworkCore;
public class Employee { public int Id { get; set; } public string Name { get; set; } = ""; public int? ManagerId { get; set; }
    public Employee? Manager { get; set; } public List<Employee> Reports { get; set; } = new(); }
public class Peers { public int Id { get; set; } public List<int> All { get; set; } = new(); }
public class Db : DbContext {
    public DbSet<Employee> Employees { get; set; }
    protected override void OnModelCreating(ModelBuilder b) =>
        b.Entity<Employee>().HasOne(e => e.Manager).WithMany(e => e.Reports).HasForeignKey(e => e.ManagerId); }
"""


def translated(body: str, provider: str) -> Translation:
    text = MODEL + "public class S(Db db) { public object Q(int id) { " + body + " } }"
    return translate([parse("S.cs", text)], TranslationOptions(semantics=PROVIDER_SEMANTICS[provider]))


IN_MEMORY = {
    "==": 'return db.Employees.ToList().Where(e => e.Name == "ann").Select(e => e.Id);',
    "Contains": 'return db.Employees.AsEnumerable().Where(e => e.Name.Contains("a")).Select(e => e.Id);',
    "StartsWith": 'return db.Employees.ToArray().Count(e => e.Name.StartsWith("a"));',
    "Distinct": "return db.Employees.Select(e => e.Name).ToList().Distinct();",
    "GroupBy": "return db.Employees.ToList().GroupBy(e => e.Name).Select(g => new { g.Key, N = g.Count() });",
    "ToHashSet": "return db.Employees.Select(e => e.Name).ToHashSet();",
    "Union": "return db.Employees.Select(e => e.Name).ToList().Union(db.Employees.Select(e => e.Name).ToList());",
    "Length": "return db.Employees.ToList().Where(e => e.Name.Length == 3).Select(e => e.Id);",
    "Trim": "return db.Employees.ToList().Select(e => e.Name.Trim());",
    "== of one row": 'var e = db.Employees.First(x => x.Id == id); return e.Name == "ann";',
}


@pytest.mark.parametrize("construct", IN_MEMORY)
def test_text_in_memory_is_not_compared_as_sql_server_does(construct: str) -> None:
    (refused,) = translated(IN_MEMORY[construct], "sqlserver").refused
    assert refused.reason.construct == construct.split(" ")[0]
    assert "runs as C# on fetched rows" in refused.reason.reason
    assert refused.reason.place is not None and refused.reason.remedy


@pytest.mark.parametrize("construct", sorted(set(IN_MEMORY) - {"Trim"}))
def test_where_the_database_compares_like_csharp_it_moves_into_the_query(construct: str) -> None:
    assert not translated(IN_MEMORY[construct], "postgres").refused


def test_an_order_without_keys_is_not_kept() -> None:
    body = "return db.Employees.OrderBy(e => e.Id).SelectMany(e => e.Reports).ToList().OrderBy(r => r.ManagerId).Select(r => r.Name);"
    (refused,) = translated(body, "postgres").refused
    assert refused.reason.construct == "OrderBy" and "rows that tie" in refused.reason.reason
