namespace Shop;

public static class Functions
{
    public static object Text(ShopContext db) => db.Clients.Where(c =>
        c.Name.StartsWith("A") && c.Name.EndsWith("z") && c.Name.Contains("%") && c.City!.Contains('x')
        && c.Name.ToUpper() == "ADA" && c.Name.Trim().ToLower() == c.City && c.Name.Length > 3 && c.Name.FirstOrDefault() == 'A'
        && c.Name.Substring(1, 2) == "da" && c.Name.IndexOf("d") >= 0 && c.Name.Replace("a", "b") != c.Name
        && c.Name.PadLeft(5, '0') == "00Ada" && !string.IsNullOrEmpty(c.City) && !string.IsNullOrWhiteSpace(c.City));

    public static object Compare(ShopContext db) => db.Clients.Where(c =>
        string.Compare(c.Name, "B") < 0 && c.Name.CompareTo("A") >= 0 && 0 != string.Compare(c.Name, c.City) && c.Name.Equals("Ada")
        && string.Equals(c.Name, c.City));

    public static object Like(ShopContext db, string part) =>
        db.Clients.Where(c => EF.Functions.Like(c.Name, "%" + part + "%") || EF.Functions.Like(c.Name, $"{part}_"));

    public static object Numbers(ShopContext db) => db.Sales.Select(s => new
    {
        A = Math.Abs(s.Count), B = Math.Round(s.Total, 1), C = Math.Floor(s.Weight), D = Math.Sqrt(s.Count), E = Math.Pow(s.Count, 2),
        F = Math.Max(s.Id, 5), G = Math.Min(s.Total, 5), H = Math.Sign(s.Total), I = Math.Truncate(s.Total), J = Math.Log(s.Weight)
    });

    public static object Dates(ShopContext db) => db.Sales.Where(s =>
        s.CreatedAt.Year == 2024 && s.CreatedAt.Date == DateTime.Today && s.CreatedAt.AddDays(7) > DateTime.UtcNow
        && s.CreatedAt.AddMonths(1) < DateTime.Now.AddYears(-1) && s.CreatedAt.DayOfWeek == DayOfWeek.Monday
        && (s.SoldOn!.Value - s.CreatedAt).TotalDays > 3 && (s.SoldOn.Value - s.CreatedAt).Days > 2
        && s.SoldOn.Value.TimeOfDay > TimeSpan.FromHours(8) && s.CreatedAt + TimeSpan.FromDays(1) > s.SoldOn);

    public static object Conversions(ShopContext db) => db.Clients.Select(c => new
    {
        A = c.Id.ToString(), B = Convert.ToInt32(c.City), C = int.Parse(c.Name), D = c.Active.ToString(), E = Convert.ToDouble(c.Id)
    });

    public static object Formats(ShopContext db) => db.Sales.Select(s => new
    {
        Day = s.CreatedAt.ToString("yyyy-MM-dd"), Month = $"{s.CreatedAt:yyyyMM}", Text = $"{s.Id}: {s.Count}"
    });

    public static object Enums(ShopContext db) => db.Sales.Select(s => new { s.Id, Text = s.Status.ToString() });

    public static object Constants(ShopContext db) => db.Sales.Where(s =>
        s.SoldOn > new DateTime(2024, 1, 31).AddMonths(1) && s.Total > 1 + 2 * 3 && s.Id < int.MaxValue && s.Big > 10 / 3 && s.Weight > 10 / 4.0
        && s.Reference != Guid.Empty && s.Reference == Guid.Parse("11111111-2222-3333-4444-555555555555") && nameof(s.Id) == "Id");

    public static object Default(ShopContext db) => db.Sales.Select(s => new { A = s.Tip.GetValueOrDefault(), B = s.Route.GetValueOrDefault(3) });
}
