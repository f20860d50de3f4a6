namespace Shop;

public static class Joins
{
    public static object Inner(ShopContext db) =>
        from s in db.Sales join c in db.Clients on s.ClientId equals c.Id where c.City == "Brno" orderby s.Total descending, c.Name select new { s.Id, c.Name };

    public static object Left(ShopContext db) =>
        from c in db.Clients
        join s in db.Sales.Where(x => x.Total > 5) on c.Id equals s.ClientId into group1
        from s in group1.DefaultIfEmpty()
        where s == null || s.Total > 6
        select new { c.Name, Total = (decimal?)s.Total };

    // The group is filtered by the inner row alone, so the filter moves into the join.
    public static object LeftFiltered(ShopContext db) =>
        from c in db.Clients join s in db.Sales on c.Id equals s.ClientId into g from s in g.Where(x => x.Total > 5).DefaultIfEmpty() select new { c.Name, s.Id };

    public static object GroupCounts(ShopContext db) =>
        from c in db.Clients join s in db.Sales on c.Id equals s.ClientId into g orderby c.Id select new { c.Name, N = g.Count(), Sum = g.Sum(x => x.Tip) };

    public static object Composite(ShopContext db) =>
        from s in db.Sales join l in db.Lines on new { A = s.Id, B = s.Count } equals new { A = l.SaleId, B = (short)l.Quantity } select new { s.Id, l.Sku };

    public static object Cross(ShopContext db) => from a in db.Clients from b in db.Clients where a.City == b.City && a.Id < b.Id select new { A = a.Name, B = b.Name };

    public static object Correlated(ShopContext db) =>
        from c in db.Clients from s in c.Sales.Where(x => x.Total > c.Id).DefaultIfEmpty() let twice = s.Total * 2 where twice > 5 select new { c.Name, twice };

    public static object ThreeLevels(ShopContext db) => from c in db.Clients from s in c.Sales from l in s.Lines select new { c.Name, s.Id, l.Sku };

    public static object Method(ShopContext db) =>
        db.Sales.Join(db.Clients, s => s.ClientId, c => c.Id, (s, c) => new { s, c }).Where(x => x.c.Active).OrderBy(x => x.s.Id).Select(x => new { x.s.Id, x.c.Name });

    public static object MethodLeft(ShopContext db) =>
        db.Clients.GroupJoin(db.Sales, c => c.Id, s => s.ClientId, (c, ss) => new { c, ss })
            .SelectMany(x => x.ss.DefaultIfEmpty(), (x, s) => new { x.c.Name, Id = (int?)s!.Id });

    public static object NewLeft(ShopContext db) => db.Clients.LeftJoin(db.Sales, c => c.Id, s => s.ClientId, (c, s) => new { c.Name, s!.Total });

    public static object NewRight(ShopContext db) => db.Sales.RightJoin(db.Clients, s => s.ClientId, c => c.Id, (s, c) => new { c.Name, Has = s != null });

    public static object Continuation(ShopContext db) =>
        from s in db.Sales group s by s.Status into g select new { g.Key, N = g.Count() } into x where x.N > 1 orderby x.N select x.Key;

    public static object Groups(ShopContext db) =>
        from s in db.Sales group new { s.Total, s.Count } by new { s.ClientId, s.CreatedAt.Month } into g
        where g.Count() > 2 select new { g.Key.ClientId, g.Key.Month, n = g.Count(), Turnover = g.Sum(x => x.Total * x.Count) };

    public static object GroupWithLet(ShopContext db) =>
        from s in db.Sales group s by s.ClientId into g let n = g.Count() where n > 2 select new { g.Key, n };

    public static object GroupJoinedOn(ShopContext db) =>
        from s in db.Sales group s by s.ClientId into g join c in db.Clients on g.Key equals c.Id select new { c.Name, N = g.Count() };

    public static object GroupInRow(ShopContext db) => db.Sales.GroupBy(s => s.Status).Select(g => new { g, N = g.Count() });

    public static object GroupWithResult(ShopContext db) => db.Sales.GroupBy(s => s.ClientId, s => s.Total, (key, totals) => new { key, Sum = totals.Sum(), Top = totals.Max() });

    public static object Sets(ShopContext db) => db.Clients.Select(c => c.City).Union(db.Clients.Select(c => (string?)c.Name)).OrderBy(x => x);

    public static object ManyToMany(ShopContext db, string tag) => db.Clients.Where(c => c.Tags.Any(t => t.Text == tag)).SelectMany(c => c.Tags).Select(t => t.Text).Distinct();

    public static object Hierarchy(ShopContext db) => db.Animals.OfType<Dog>().Where(d => d.Breed == "Lab");
}
