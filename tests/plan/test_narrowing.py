"""Parameters that a condition shows to be there are not null where it holds."""

from __future__ import annotations

import pytest

from uom.model.expressions import Parameter
from uom.model.program import PROVIDER_SEMANTICS, QueryMethod
from uom.model.queries import Filter
from uom.model.walk import walk
from uom.plan.planner import plan
from uom.read import read_program
from uom.read.csharp.syntax import parse

MODEL = """
public class Item { public int Id { get; set; } public string Name { get; set; } = ""; public int Size { get; set; } }
public class Shop : DbContext { public DbSet<Item> Items { get; set; } }
public class Items(Shop db)
{
    public object Find(string? term, int? size)
    {
        var query = db.Items.AsQueryable();
        BODY
        return query.ToList();
    }
}
"""

CASES = [
    ("if (term != null) query = query.Where(i => i.Name == term);", {"term": False}),
    ("if (!string.IsNullOrEmpty(term)) query = query.Where(i => i.Name.Contains(term));", {"term": False}),
    ("if (term != null && size > 3) query = query.Where(i => i.Name == term && i.Size == size);",
     {"term": False, "size": False}),
    ("if (term != null || size != null) query = query.Where(i => i.Name == term);", {"term": True}),
    ("query = query.Where(i => term == null || i.Name == term);", {"term": False}),
    ("query = query.Where(i => term != null && i.Name == term);", {"term": False}),
    ("query = query.Where(i => term != null || i.Name == term);", {"term": True}),
    ("query = query.Where(i => i.Name == term);", {"term": True}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "nullable"), CASES)
def test_what_a_condition_shows(body: str, nullable: dict[str, bool]) -> None:
    program = read_program([parse("items.cs", MODEL.replace("BODY", body))])
    (method,) = program.methods
    assert isinstance(method, QueryMethod)
    planned = plan(method, program.schemas[0], PROVIDER_SEMANTICS[""])
    (found,) = (n for n in walk(planned.method.body) if isinstance(n, Filter))
    used = [n for n in walk(found.predicate.body) if isinstance(n, Parameter)]
    assert {n.name: n.type.nullable for n in used} == nullable
