"""Which methods are queries: where the context may come from, and what is only a helper."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import schema_of
from uom.model.program import QueryMethod, RefusedMethod
from uom.read import read_program
from uom.read.csharp.syntax import parse

SHOP = (Path(__file__).parent / "cases" / "shop.cs").read_text(encoding="utf-8")
ENTITY = "class Order { public int Id { get; set; } public decimal Total { get; set; } }"


def methods(code: str, model: str = SHOP) -> list[QueryMethod | RefusedMethod]:
    """What is found in the code, without what the model asks itself."""
    found = read_program([parse("model.cs", model), parse("x.cs", code)]).methods
    return [m for m in found if m.place.file == "x.cs"]


def names(code: str, model: str = SHOP) -> list[str]:
    return [m.name for m in methods(code, model) if isinstance(m, QueryMethod)]


@pytest.mark.parametrize(
    "code",
    [
        "class R { ShopContext _db; public object M() => _db.Sales.ToList(); }",
        "class R(ShopContext db) { public object M() => db.Sales.ToList(); }",
        "class R { ShopContext Db { get; } public object M() => this.Db.Sales.ToList(); }",
        "class R { DbSet<Sale> _sales; public object M() => _sales.ToList(); }",
        "class R { public static object M(ShopContext db) => db.Set<Sale>().ToList(); }",
        "class R { public object M() { using var db = new ShopContext(); return db.Sales.ToList(); } }",
        "class R(IDbContextFactory<ShopContext> f) { public object M() { using var db = f.CreateDbContext(); return db.Sales.ToList(); } }",
        "interface IShop { DbSet<Sale> Sales { get; } } class R(IShop db) { public object M() => db.Sales.ToList(); }",
        "static class E { public static object M(this ShopContext db) => db.Sales.ToList(); }",
        "class R { public object M() => _context.Sales.ToList(); }",
        "public object M() => context.Sales.ToList();",
        "class B { protected ShopContext Db; } class R : B { public object M() => Db.Sales.ToList(); }",
        "class S { ShopContext db; public IQueryable<Sale> All() => db.Sales; } class R(S s) { public object M() => s.All().ToList(); }",
    ],
)
def test_contexts_are_found_wherever_they_come_from(code: str) -> None:
    assert "M" in names("namespace Shop; " + code if not code.startswith("public") else code)


def test_a_fragment_from_nowhere() -> None:
    assert names("public List<Order> Large() => _db.Orders.Where(o => o.Total > 5).ToList();", ENTITY) == ["Large"]
    assert names("var large = _db.Orders.Where(o => o.Total > 5).ToList();", ENTITY) == ["large"]


def test_helpers_are_not_reported() -> None:
    code = """namespace Shop; public class R(ShopContext db) {
        public IQueryable<Sale> Open() => db.Sales.Where(s => s.Status == Status.Open);
        private List<Sale> Load() => Open().ToList();
        public object M() => Load();
        private object Unused() => db.Sales.ToList(); }"""
    assert names(code) == ["M", "Unused"]


def test_unrelated_code_is_skipped() -> None:
    code = """namespace Shop; public class R(ShopContext db, ILogger<R> log) {
        public string Hello(string name) { log.LogInformation(name); return "Hello " + name; }
        public bool Create() => db.Database.EnsureCreated();
        public void Dispose() => db.Dispose();
        public Task Save() => db.SaveChangesAsync();
        public int Add(List<int> xs) { xs.Add(1); return xs.Count; } }"""
    assert methods(code) == []


NO_QUERIES = {
    "sets that are kept and passed on": """class Repo<T>(DbSet<T> set) where T : class { private readonly DbSet<T> _set = set; }
        class Work { private readonly ShopContext _db; private readonly DbSet<Sale> _sales; private readonly IQueryable<Sale> _open;
            public Repo<Sale> Sales { get; } public DbSet<Sale> Raw => _db.Sales; public ShopContext Db => _db;
            public Work(ShopContext db) { _db = db ?? throw new ArgumentNullException(); _sales = db.Set<Sale>();
                _open = db.Sales.Where(s => s.Id > 1); Sales = new Repo<Sale>(db.Sales); } }""",
    "what is about the context only": """class Work(ShopContext db) { public void Dispose() => db.Dispose();
            public async Task CommitAsync() { await db.SaveChangesAsync(); } public void Migrate() { db.Database.Migrate(); }
            public void Check() { if (db.Sales == null) throw new Exception(); Console.WriteLine(nameof(db.Sales)); } }""",
    "members of rows that are called like sets": """class Dto { public List<Line> Lines { get; set; } public int Sum => Lines.Sum(l => l.Quantity);
            public string Open => "open"; public Dto(Sale s) { Lines = s.Lines.ToList(); } public static Func<Client, int> Key = c => c.Sales.Count; }
        class Work { public void Show(Client c) { foreach (var s in c.Sales) Console.WriteLine(s.Status == Status.Open); }
            public void All(List<Client> cs) { cs.ForEach(c => Console.WriteLine(c.Sales.Count)); foreach (var c in cs) Console.WriteLine(c.Tags.Count()); } }""",
    "doubles in tests": """class Tests { public void Setup(Mock<ShopContext> mock) { mock.Setup(c => c.Sales).Returns(new List<Sale>()); } }""",
}


@pytest.mark.parametrize("case", NO_QUERIES)
def test_what_asks_nothing_has_no_finding(case: str) -> None:
    assert methods("namespace Shop; " + NO_QUERIES[case]) == []


def test_code_that_only_uses_queries_has_no_finding_of_its_own() -> None:
    code = """namespace Shop; class Q { public static List<Sale> All(ShopContext db) => db.Sales.ToList();
            private static List<Sale> Hidden(ShopContext db) => db.Sales.ToList(); }
        class Program { public static void Main() { var db = new ShopContext(null!); Console.WriteLine(Q.All(db).Count); } }"""
    assert names(code) == ["All", "Hidden"]


def test_a_name_that_means_something_else_hides_no_query() -> None:
    code = """namespace Shop; class R(ShopContext db) { public IQueryable<Sale> Open() => db.Sales;
        public object M() => db.Sales.Where(s => s.Status == Status.Open).ToList(); }"""
    assert names(code) == ["Open", "M"]


def test_helpers_of_code_without_a_finding_are_read_for_themselves() -> None:
    code = """namespace Shop; class R(ShopContext db) { private List<Sale> Load() => db.Sales.ToList();
        public void Print() => Console.WriteLine(Load().Count);
        private List<Sale> A() => db.Sales.Where(s => s.Id > 1 || B().Count > 1).ToList();
        private List<Sale> B() => db.Sales.Where(s => s.Id > 1 || A().Count > 1).ToList(); }"""
    assert [m.name for m in methods(code)] == ["Load", "A", "B"]


def test_writes_are_refused_by_name() -> None:
    (method,) = methods("namespace Shop; class R(ShopContext db) { public void M(Sale s) { db.Sales.Remove(s); } }")
    assert isinstance(method, RefusedMethod)
    assert method.diagnostics[0].construct == "Remove()"


def test_adding_to_a_list_is_no_write() -> None:
    code = """namespace Shop; class R(ShopContext db) { public object M() {
        var ids = new List<int>(); ids.Add(1); ids.AddRange(new[] { 2, 3 });
        return db.Sales.Where(s => ids.Contains(s.Id)).ToList(); } }"""
    assert names(code) == ["M"]


def test_one_broken_method_does_not_spoil_the_others() -> None:
    code = """namespace Shop; public class R(ShopContext db) {
        public object A() => db.Sales.Where(s => s.Id > ).ToList();
        public object B() => db.Sales.ToList(); }"""
    found = methods(code)
    assert [(m.name, isinstance(m, QueryMethod)) for m in found] == [("A", False), ("B", True)]


def test_a_query_filter_that_is_not_understood_is_not_left_out() -> None:
    model = SHOP.replace(
        "public IQueryable<Sale> OpenSales",
        "protected override void OnModelCreating(ModelBuilder b) => b.Entity<Sale>().HasQueryFilter(s => Secret(s));"
        " public IQueryable<Sale> OpenSales",
    )
    (method,) = methods("namespace Shop; class R(ShopContext db) { public object M() => db.Sales.ToList(); }", model)
    assert isinstance(method, RefusedMethod)
    assert "HasQueryFilter" in method.diagnostics[0].construct


def test_what_a_base_owns_is_owned_in_all_that_derives_from_it() -> None:
    text = (
        "public class Animal { public int Id { get; set; } public Tag Tag { get; set; } }"
        " public class Dog : Animal { public int Age { get; set; } }"
        " public class Tag { public string Code { get; set; } }"
        " public class ZooContext : DbContext { public DbSet<Animal> Animals { get; set; } public DbSet<Dog> Dogs { get; set; }"
        " protected override void OnModelCreating(ModelBuilder b) { b.Entity<Animal>().OwnsOne(a => a.Tag); } }"
    )
    schema = schema_of(text)
    assert {e.name for e in schema.entities} == {"Animal", "Dog"}
    dog = schema.entity("Dog")
    assert [c.name for c in dog.complexes] == ["Tag"] and not dog.navigations


ZOO = """
public class Animal { public int Id { get; set; } public string Name { get; set; } public decimal Weight { get; set; }
    public int? CageId { get; set; } public Cage Cage { get; set; } public List<Visit> Visits { get; set; } }
public class Dog : Animal { public int Age { get; set; } }
public class Puppy : Dog { public string Toy { get; set; } }
public class Cage { public int Id { get; set; } public List<Animal> Animals { get; set; } public List<Keeper> Keepers { get; set; } }
public class Visit { public int Id { get; set; } public int AnimalId { get; set; } public Animal Animal { get; set; } }
public class Keeper { public int Id { get; set; } public List<Cage> Cages { get; set; } }
public class ZooContext : DbContext { public DbSet<Animal> Animals { get; set; } public DbSet<Dog> Dogs { get; set; }
    public DbSet<Puppy> Puppies { get; set; } public DbSet<Cage> Cages { get; set; }
    protected override void OnModelCreating(ModelBuilder b) {
        b.Entity<Animal>().Property(a => a.Name).HasColumnName("animal_name");
        b.Entity<Dog>().Property(d => d.Weight).HasPrecision(9, 3);
        b.Entity<Puppy>().HasOne(p => p.Cage).WithMany(c => c.Animals).HasForeignKey(p => p.CageId);
        b.Entity<Cage>().HasMany(c => c.Keepers).WithMany(k => k.Cages).UsingEntity("Duty",
            l => l.HasOne(typeof(Keeper)).WithMany().HasForeignKey("KeeperNo"),
            r => r.HasOne(typeof(Cage)).WithMany().HasForeignKey("CageNo")); } }
"""


def test_what_a_class_inherits_is_configured_once_for_the_whole_hierarchy() -> None:
    schema = schema_of(ZOO)
    for name in ("Animal", "Dog", "Puppy"):
        columns = {p.name: (p.column, p.precision, p.scale) for p in schema.entity(name).properties}
        assert columns["Name"] == ("animal_name", None, None)
        assert columns["Weight"] == ("Weight", 9, 3)
        cage = schema.entity(name).navigation("Cage")
        assert cage is not None and cage.foreign_key is not None and cage.inverse == "Animals"
        assert cage.foreign_key.dependent == "Animal"
    assert [p.name for p in schema.entity("Visit").properties] == ["Id", "AnimalId"]


def test_a_type_may_be_named_by_typeof() -> None:
    keepers = schema_of(ZOO).entity("Cage").navigation("Keepers")
    assert keepers is not None and keepers.join_table is not None
    assert keepers.join_table.table == "Duty"
    assert [c for c, _ in (*keepers.join_table.source_columns, *keepers.join_table.target_columns)] == [
        "CageNo",
        "KeeperNo",
    ]


STORE_TYPES = {
    "decimal(18, 2)": (18, 2),
    "NUMERIC(9,3)": (9, 3),
    "decimal(7)": (7, 0),
    "money": (19, 4),
    "smallmoney": (10, 4),
    "decimal": (None, None),
    "nvarchar(20)": (None, None),
    "decimal(18,2) NOT NULL": (None, None),
}


@pytest.mark.parametrize("store_type", STORE_TYPES)
@pytest.mark.parametrize("by", ["attribute", "call"])
def test_the_type_of_a_column_says_how_many_digits_it_has(store_type: str, by: str) -> None:
    attribute = f'[Column(TypeName = "{store_type}")]' if by == "attribute" else ""
    call = f'b.Entity<Item>().Property(i => i.Price).HasColumnType("{store_type}");' if by == "call" else ""
    text = (
        f"public class Item {{ public int Id {{ get; set; }} {attribute} public decimal Price {{ get; set; }} }}"
        " public class ShopContext : DbContext { public DbSet<Item> Items { get; set; }"
        f" protected override void OnModelCreating(ModelBuilder b) {{ {call} }} }}"
    )
    price = next(p for p in schema_of(text).entity("Item").properties if p.name == "Price")
    assert (price.precision, price.scale) == STORE_TYPES[store_type]
