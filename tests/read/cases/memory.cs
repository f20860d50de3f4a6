namespace Shop;

public static class Memory
{
    // LINQ to Objects sorts stably, and nulls come first.
    public static object Stable(ShopContext db) => db.Sales.OrderBy(s => s.Total).ToList().OrderBy(s => s.Tip).ThenBy(s => s.Id);

    public static object Replaced(ShopContext db) => db.Sales.OrderBy(s => s.Total).OrderBy(s => s.Tip);

    // A cast cuts the fraction off, also where the database would round.
    public static object Cut(ShopContext db) => db.Sales.ToList().Select(s => (int)s.Total);

    public static object CutOfOneRow(ShopContext db)
    {
        var sale = db.Sales.First(s => s.Id == 1);
        return new { Whole = (int)sale.Total, Down = (int)Math.Floor(sale.Total) };
    }

    public static object RoundedOfOneRow(ShopContext db)
    {
        var sale = db.Sales.First(s => s.Id == 1);
        return Math.Round(sale.Total);
    }

    // A navigation is there if an Include loaded it.
    public static object Loaded(ShopContext db)
    {
        var sale = db.Sales.Include(s => s.Client).First(s => s.Id == 1);
        return sale.Client?.Name;
    }

    public static object NotLoaded(ShopContext db)
    {
        var sale = db.Sales.First(s => s.Id == 1);
        return sale.Client?.Name;
    }

    public static object NotLoadedAtOnce(ShopContext db) => db.Sales.First(s => s.Id == 1).Client;

    public static object NotLoadedCollection(ShopContext db)
    {
        var client = db.Clients.Single(c => c.Id == 1);
        return client.Sales.Count;
    }

    public static object NotLoadedInQuery(ShopContext db)
    {
        var sale = db.Sales.First(s => s.Id == 1);
        return db.Clients.Where(c => c.Id == sale.Client!.Id);
    }

    public static object LoadedButMaybeNull(ShopContext db)
    {
        var sale = db.Sales.Include(s => s.Client).First(s => s.Id == 1);
        return sale.Client!.Name;
    }

    public static object NotLoadedBehindQuestionMark(ShopContext db) => db.Sales.ToList().Select(s => s?.Client?.Name);

    public static object OtherRowsInLambda(ShopContext db) =>
        db.Clients.Include(c => c.Sales).ToList().Select(c => c.Sales.Where(s => s.Id > c.Sales.Count).Count());

    public static object GreatestGuid(ShopContext db) => db.Sales.ToList().Max(s => s.Reference);
}
