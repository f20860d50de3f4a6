"""What C# does not evaluate Java does not evaluate: the branch that is not taken neither asks nor fails."""

from __future__ import annotations

from tests.verify.reports import verified
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker

CODE = """
#nullable enable
public class Item { public int Id { get; set; } public string Name { get; set; } = ""; public string? Note { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Filter { public string Name { get; set; } = ""; }
public class Page { public int Total { get; set; } public int First { get; set; } }
public class Find(ShopContext db)
{
    public List<int> Returned(Filter? f)
    {
        if (f == null) return db.Items.OrderByDescending(i => i.Id).Select(i => i.Id).ToList();
        return db.Items.Where(i => i.Name == f.Name).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    }
    public int Throwing(int id)
    {
        if (id < 2) return db.Items.Count();
        if (id < 4) return db.Items.Where(i => i.Id > id).OrderBy(i => i.Id).Select(i => i.Id).First();
        return db.Items.Where(i => i.Id == id).Select(i => i.Id).Single();
    }
    public bool And(int id) => id > 2 && db.Items.Where(i => i.Id >= id).OrderBy(i => i.Id).Select(i => i.Id).First() > 3;
    public bool Or(int id) => id > 2 || db.Items.Any(i => i.Name == "a");
    public string Coalesced(int id) => db.Items.Where(i => i.Id == id).Select(i => i.Note).FirstOrDefault()
        ?? db.Items.Where(i => i.Id == id).Select(i => i.Name).First();
    public Page Inside(Filter? f) => new Page { Total = db.Items.Count(),
        First = f == null ? 0 : db.Items.Where(i => i.Name == f.Name).OrderBy(i => i.Id).Select(i => i.Id).First() };
    public List<int> Nothing(int least) { if (least < 2) return new List<int>(); return db.Items.Where(i => i.Id >= least).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public int Constant(int least) { if (least < 2) return -1; return db.Items.Count(i => i.Id >= least); }
}
"""
ROWS = [{"Id": i, "Name": "abc"[i % 3], "Note": "n" if i % 2 else None} for i in range(1, 7)]


def test_only_the_branch_that_is_taken_runs(dotnet: bool, target_java: JavaWorker, engine: TargetEngine) -> None:
    report, translation = verified(CODE, {"Items": ROWS}, dotnet, target_java, engine)
    assert len(report.queries) == 8
    assert not [f"{q.id} {q.level.value}: {q.reason}" for q in report.queries if q.level.value != "equivalent"]
    assert "if (f == null) {\n            return" in translation.java("Find.Returned")
