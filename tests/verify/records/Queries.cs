using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Market;

public enum Grade { Low, Middle, High }
public class Item
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string? Code { get; set; }
    public decimal Price { get; set; }
    public Grade Grade { get; set; }
    public bool Sold { get; set; }
    public DateTime Added { get; set; }
}
public class MarketContext : DbContext
{
    public MarketContext(DbContextOptions<MarketContext> options) : base(options) { }
    public DbSet<Item> Items => Set<Item>();
}
public record Span(decimal From, decimal To);
public record Paging(int Number, int Size);
public readonly record struct Days(DateTime From, DateTime? Until);
public class Filter
{
    public enum Sort { ById, ByPrice }
    public string? Text { get; set; }
    public string Code { get; set; } = "";
    public decimal? Min { get; set; }
    public decimal? Max { get; init; }
    public Grade? Grade { get; set; }
    public bool OnlyOpen { get; set; }
    public Sort Order { get; set; }
    public List<int> Ids { get; set; } = [];
    public Paging Page { get; set; } = new(0, 10);
}
public record Base(string? Code) { public int Least { get; init; } }
public record Derived(string? Code, Span Price, (int first, int last) Numbers) : Base(Code);
public class Queries(MarketContext db)
{
    public List<Item> Search(Filter filter)
    {
        var query = db.Items.AsQueryable();
        if (filter.Text != null) query = query.Where(i => i.Name.Contains(filter.Text));
        if (!string.IsNullOrEmpty(filter.Code)) query = query.Where(i => i.Code == filter.Code);
        if (filter.Min != null) query = query.Where(i => i.Price >= filter.Min);
        if (filter.Max.HasValue) query = query.Where(i => i.Price <= filter.Max.Value);
        if (filter.Grade != null) query = query.Where(i => i.Grade == filter.Grade);
        if (filter.OnlyOpen) query = query.Where(i => !i.Sold);
        return query.OrderBy(i => i.Id).Take(filter.Page.Size).ToList();
    }
    public List<int> Between((decimal from, decimal to) range) => db.Items.Where(i => i.Price >= range.from && i.Price <= range.to).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Positional(Span range) => db.Items.Where(i => i.Price >= range.From && i.Price <= range.To).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Optional(Span? range) => db.Items.Where(i => range == null || i.Price >= range.From).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Values(Days days) => db.Items.Where(i => i.Added >= days.From && (days.Until == null || i.Added < days.Until)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Nested(Derived d) => db.Items.Where(i => (d.Code == null || i.Code == d.Code) && i.Price >= d.Price.From && i.Price < d.Price.To && i.Id >= d.Numbers.first && i.Id != d.Least).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Listed(Filter filter) => db.Items.Where(i => filter.Ids.Contains(i.Id)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Whole(Filter filter, int least) => db.Items.Where(i => i.Id >= least && i.Id > filter.Page.Number).OrderBy(i => i.Id).Select(i => i.Id).ToList();
}
