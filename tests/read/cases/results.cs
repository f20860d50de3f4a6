namespace Shop;

public record SaleDto(int Id, decimal Total, string? Client);

public class SaleView
{
    public int Id { get; set; }
    public string Who { get; set; } = "?";
    public List<string> Skus { get; set; } = new();
    public decimal Due { get; init; }
}

public record Page<T>(IReadOnlyList<T> Items, int Total);

public class Results(ShopContext db, ILogger<Results> log)
{
    public async Task<Sale?> ById(int id) => await db.Sales.FindAsync(id);

    public async Task<SaleDto?> MappedOrNull(int id)
    {
        log.LogInformation("Sale {Id}", id);
        var sale = await db.Sales.Include(s => s.Client).FirstOrDefaultAsync(s => s.Id == id);
        if (sale == null)
        {
            return null;
        }

        return new SaleDto(sale.Id, sale.Total, sale.Client?.Name);
    }

    public async Task<Sale> OrThrow(int id) => await db.Sales.FirstOrDefaultAsync(s => s.Id == id) ?? throw new KeyNotFoundException();

    public async Task<IActionResult> Action(int id)
    {
        var sale = await db.Sales.SingleOrDefaultAsync(s => s.Id == id);
        if (sale is null) return NotFound();
        return Ok(sale);
    }

    public async Task<(List<Sale> Items, int Total)> Tuple(int page, int size)
    {
        var query = db.Sales.OrderBy(s => s.Id);
        return (await query.Skip(page * size).Take(size).ToListAsync(), await query.CountAsync());
    }

    public async Task<Page<SaleDto>> Paged(int page, int size)
    {
        var open = db.Sales.Where(s => s.Status == Status.Open);
        var total = await open.CountAsync();
        var items = await open.OrderBy(s => s.Id).Skip((page - 1) * size).Take(size).Select(s => new SaleDto(s.Id, s.Total, s.Client!.Name)).ToListAsync();
        return new Page<SaleDto>(items, total);
    }

    public object Figures() => new { Open = db.Sales.Count(s => s.Status == Status.Open), Total = db.Sales.Sum(s => s.Total), Top = db.Sales.Max(s => s.Tip) };

    public List<SaleView> Views() => db.Sales.Select(s => new SaleView { Id = s.Id, Skus = s.Lines.Select(l => l.Sku).ToList(), Due = s.Total + (s.Tip ?? 0) }).ToList();

    public Dictionary<int, string> Names() => db.Clients.ToDictionary(c => c.Id, c => c.Name);

    public double AverageCount() => db.Sales.Average(s => s.Count);

    public decimal Rounded() => Math.Round(db.Sales.Average(s => s.Tip) ?? 0m, 2);

    public long Lines() => db.Lines.LongCount();

    public DateTime Latest() => db.Sales.Max(s => s.SoldOn!.Value);

    public int FirstId() => db.Sales.OrderBy(s => s.CreatedAt).Select(s => s.Id).FirstOrDefault();

    public object Nested() => db.Clients.Select(c => new
    {
        c.Id,
        Last = c.Sales.OrderByDescending(s => s.SoldOn).FirstOrDefault(),
        Best = c.Sales.Max(s => s.Total),
        First = c.Sales.First().Id,
        Has = c.Sales.Any(s => s.Total > 5),
        Sum = c.Sales.Sum(s => s.Tip)
    });

    public IEnumerable<string> Streamed()
    {
        foreach (var client in db.Clients.OrderBy(c => c.Id))
        {
            if (!client.Active) continue;
            yield return client.Name;
        }
    }

    public List<SaleDto> Collected()
    {
        var found = new List<SaleDto>();
        foreach (var sale in db.Sales.Include(s => s.Client))
        {
            var name = sale.Client?.Name;
            if (sale.Total > 5) found.Add(new SaleDto(sale.Id, sale.Total, name));
        }

        return found;
    }

    public List<SaleView> ClientMapping() => db.Sales.Select(s => ToView(s)).ToList();

    public List<string> ComputedMember() => db.Clients.Select(c => c.Label).ToList();

    private static SaleView ToView(Sale s) => new SaleView { Id = s.Id, Due = s.Total };
}
