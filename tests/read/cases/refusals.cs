namespace Shop;

public class Refusals(ShopContext db, IClock clock)
{
    public void Write(Sale sale) { db.Sales.Add(sale); db.SaveChanges(); }

    public Task<int> Update(int id) => db.Sales.Where(s => s.Id == id).ExecuteUpdateAsync(x => x.SetProperty(s => s.Status, Status.Paid));

    public object UnknownSet() => db.Sale.ToList();

    public object UnknownColumn() => db.Sales.Where(s => s.Totall > 5).ToList();

    public object UnknownClass() => db.Sales.Select(s => new Missing(s.Id)).ToList();

    public object ClientMemberInWhere() => db.Clients.Where(c => c.Label == "x").ToList();

    public object MethodInWhere() => db.Sales.Where(s => IsLarge(s.Total)).ToList();

    public object NotLoaded() => db.Clients.Select(c => c.Sum).ToList();

    public object FetchedWithoutInclude() => db.Sales.ToList().Where(s => s.Client!.City == "Brno");

    public object OrderedInMemory() => db.Clients.ToList().OrderBy(c => c.Name).ToList();

    public object RoundedInMemory() => db.Sales.AsEnumerable().Select(s => Math.Round(s.Total, 1)).ToList();

    public object AfterClientCode() => db.Sales.Select(s => Twice(s.Id)).Where(x => x > 5).ToList();

    public object AfterConstructor() => db.Sales.Select(s => new Pair(s.Id, s.Total)).Where(p => p.Total > 5).ToList();

    public object Injected() => db.Sales.Where(s => s.CreatedAt < clock.Now).ToList();

    public object Comparison() => db.Clients.Where(c => c.Name.Equals("x", StringComparison.OrdinalIgnoreCase)).ToList();

    public object Delegate(Func<Sale, bool> filter) => db.Sales.Where(filter).ToList();

    public object Numbered() => db.Sales.Select((s, i) => new { s.Id, i }).ToList();

    public object Loop(int[] tags)
    {
        var query = db.Clients.AsQueryable();
        foreach (var tag in tags) query = query.Where(c => c.Tags.Any(t => t.Id == tag));
        return query.ToList();
    }

    public object Recursive(int depth) => depth == 0 ? db.Sales.ToList() : Recursive(depth - 1);

    public object ChangedAfterCapture()
    {
        var limit = 5;
        var query = db.Sales.Where(s => s.Total > limit);
        limit = 10;
        return query.ToList();
    }

    public object LastWithoutOrder() => db.Sales.Last();

    public object TextOfDecimal() => db.Sales.Select(s => "" + s.Total).ToList();

    public object CastDown() => db.Animals.Select(a => ((Dog)a).Breed).ToList();

    public object UnknownFormat() => db.Sales.Select(s => s.CreatedAt.ToString("d")).ToList();

    public object ChangedArgument(List<int> ids)
    {
        ids.Add(5);
        return db.Sales.Where(s => ids.Contains(s.Id)).ToList();
    }

    public object InvariantInFilter() => db.Clients.Where(c => c.Name.ToUpperInvariant() == "ADA").ToList();

    public object IndexedInFilter() => db.Clients.Where(c => c.Name[0] == 'A').ToList();

    public object InterpolatedInFilter() => db.Clients.Where(c => $"{c.Name}, {c.City}" == "Ada, Bern").ToList();

    public object InvariantOfNull() => db.Clients.Select(c => c.City!.ToUpperInvariant()).ToList();

    public object Broken() => db.Sales.Where(s => s.Id > ).ToList();

    private static bool IsLarge(decimal total) => total > 100;

    private static int Twice(int x) => x * 2;
}

public record Pair(int Id, decimal Total);
