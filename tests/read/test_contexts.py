"""Several contexts: each method is read against its own, and none is guessed."""

from __future__ import annotations

import pytest

from uom.model.program import QueryMethod, RefusedMethod
from uom.read import read_program
from uom.read.csharp.syntax import parse

MODEL = """
public class Item { public int Id { get; set; } public bool Active { get; set; } }
public class Thing { public int Id { get; set; } }
public class AdminContext : DbContext { public DbSet<Item> Items { get; set; } }
public class ShopContext : DbContext
{
    public DbSet<Item> Items { get; set; }
    public DbSet<Thing> Things { get; set; }
    protected override void OnModelCreating(ModelBuilder b) => b.Entity<Item>().HasQueryFilter(i => i.Active);
}
"""
OWN, OTHER, SEVERAL = "ShopContext", "the method reads from AdminContext too", "several could be meant"
# C#: the context that its method Ask is read against, or why it is refused
CASES = {
    "primary constructor": ("class Q(ShopContext db) { public int Ask() => db.Items.Count(); }", OWN),
    "field": (
        "class Q { readonly ShopContext _db; public Q(ShopContext db) { _db = db; } public int Ask() => _db.Items.Count(); }",
        OWN,
    ),
    "parameter": ("class Q { public int Ask(ShopContext db) => db.Items.Count(); }", OWN),
    "created": ("class Q { public int Ask() { using var db = new ShopContext(); return db.Items.Count(); } }", OWN),
    "factory": (
        "class Q(IDbContextFactory<ShopContext> f) { public int Ask() { using var db = f.CreateDbContext(); return db.Items.Count(); } }",
        OWN,
    ),
    "only one has the set": ("class Q(IShop db) { public int Ask() => db.Things.Count(); }", OWN),
    "only one has the entity": ("class Q(DbSet<Thing> things) { public int Ask() => things.Count(); }", OWN),
    "both have the set": ("class Q(IShop db) { public int Ask() => db.Items.Count(); }", SEVERAL),
    "both have the entity": ("class Q(DbSet<Item> items) { public int Ask() => items.Count(); }", SEVERAL),
    "a type parameter": ("class Q<T>(T db) where T : ShopContext { public int Ask() => db.Items.Count(); }", SEVERAL),
    "any context": ("class Q(DbContext db) { public int Ask() => db.Set<Item>().Count(); }", SEVERAL),
    "two at once": (
        "class Q(AdminContext a, ShopContext s) { public int Ask() => a.Items.Count() - s.Items.Count(); }", OTHER,
    ),
    "a helper of its own class": (
        "class Other(AdminContext db) { IQueryable<Item> All() => db.Items; public int First() => All().Count(); }\n"
        "class Q(ShopContext db) { IQueryable<Item> All() => db.Items; public int Ask() => All().Count(); }",
        OWN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_which_context_is_read(name: str) -> None:
    code, wanted = CASES[name]
    program = read_program([parse("input.cs", MODEL + "public " + code.replace("\nclass", "\npublic class"))])
    method = next(m for m in program.methods if m.name == "Ask")
    if isinstance(method, QueryMethod):
        assert method.context == wanted
    else:
        assert wanted in str(method.diagnostics[0])


def test_overloads_have_numbers_and_twins_are_refused() -> None:
    code = """public class Q(ShopContext db) {
        public int Ask(int id) => db.Items.Count(i => i.Id == id);
        public int Ask(bool active) => db.Items.Count(i => i.Active == active);
        public int Ask(bool active, int id) => db.Items.Count(i => i.Active == active && i.Id == id);
    }
    public class P(ShopContext db) { public int Ask() => db.Items.Count(); }
    public class P(ShopContext db) { public int Ask() => db.Items.Count(i => i.Active); }"""
    methods = read_program([parse("input.cs", MODEL + code)]).methods
    assert [m.id for m in methods] == ["Q.Ask", "Q.Ask#2", "Q.Ask#3", "P.Ask", "P.Ask#2"]
    assert [isinstance(m, RefusedMethod) for m in methods] == [False] * 3 + [True] * 2
