namespace Shop;

public static class Operators
{
    // Small integers become int, a constant takes the column's type where it fits.
    public static object Promotion(ShopContext db) => db.Sales.Select(s => new
    {
        A = s.Count + s.Boxes, B = s.Count * 1.5m, C = s.Route + 1, D = s.Big + s.Id, E = s.Weight / 2, F = s.Discount * 2,
        G = -s.Boxes, H = s.Count / 2, I = s.Id % 3, J = s.Route * s.Id
    });

    public static object Comparisons(ShopContext db) => db.Sales.Where(s =>
        s.Boxes == 5 && s.Route == 7 && s.Route != s.Id && s.Discount > 0.5f && s.Total >= 3 && s.Status == Status.Sent && s.Big < s.Count);

    public static object NullTests(ShopContext db) => db.Sales.Where(s =>
        s.Tip == null || s.SoldOn != null && s.Client != null && s.Client.City is not null && !s.Route.HasValue);

    // A null flag makes both the test and its negation false.
    public static object NegatedFlags(ShopContext db) =>
        db.Clients.Where(c => !c.Vip!.Value && !(c.Active && c.Vip.Value) && c.Vip != true && !c.Active);

    public static object Coalescing(ShopContext db) => db.Sales.Select(s => new
    {
        A = s.Tip ?? 0, B = s.Tip ?? s.Total, C = s.Route ?? 5, D = s.Client!.City ?? s.Client.Name ?? "-", E = s.SoldOn ?? s.CreatedAt
    });

    public static object Conditions(ShopContext db) => db.Sales.Select(s => new
    {
        A = s.Total > 5 ? "much" : "little", B = s.Tip == null ? null : s.SoldOn, C = s.Count > 3 ? 0 : s.Boxes,
        D = s.Status == Status.Open ? (int?)s.Id : null
    });

    public static object Casts(ShopContext db) => db.Sales.Select(s => new
    {
        A = (double)s.Total, B = (decimal)s.Discount, C = (int)s.Status, D = (Status)s.Id, E = (int?)s.Id, F = (short)s.Id, G = (long)s.Boxes,
        H = (int)Math.Floor(s.Total), I = (s.Id) - 1, J = (s.Id) * 2
    });

    public static object Patterns(ShopContext db) => db.Sales.Where(s =>
        s.Status is Status.Open or Status.Paid && s.Total is > 5 and <= 10 && s.Tip is not null
        && s.Client is { City: "Brno", Active: true } && s.Count is not (1 or 2));

    public static object Switches(ShopContext db) => db.Sales.Select(s => new
    {
        Size = s.Total switch { > 100 => "big", > 10 => "mid", _ => "small" },
        State = s.Status switch { Status.Open => 1, Status.Paid => 2, _ => 0 }
    });

    public static object Texts(ShopContext db) => db.Clients.Select(c => new
    {
        A = c.Name + "-" + c.City, B = "#" + c.Id, C = $"{c.Name} ({c.City})", D = string.Concat(c.City, "/", c.Name),
        E = string.Join(", ", new[] { c.Name, c.City }), F = c.Name + 'x' + 1 + 2, G = 1 + 2 + c.Name
    });

    public static object Flags(ShopContext db) =>
        db.Clients.Where(c => c.Rights.HasFlag(Rights.Read) && (c.Rights & Rights.Write) != 0 && (c.Rights | Rights.Read) == Rights.Write);

    public static object Xor(ShopContext db) => db.Clients.Where(c => c.Active ^ c.Name == "x" | c.Id > 3 & c.Id < 9);

    public static object Entities(ShopContext db, Client client) => db.Sales.Where(s =>
        s.Client == client || s.Client == null || s.Client != client && object.Equals(s.ClientId, client.Id));

    public static object ConditionalAccess(ShopContext db) => db.Sales.Select(s => new { Year = s.SoldOn!.Value.Year, City = s.Client!.City!.Length });
}
