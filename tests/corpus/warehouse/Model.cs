using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace Warehouse;

public class Depot
{
    public int Id { get; set; }
    public string Code { get; set; } = null!;
    public string? Region { get; set; }
    public bool Active { get; set; }
    public List<Stock> Stocks { get; set; } = new();
    public List<Move> Outgoing { get; set; } = new();
    public List<Move> Incoming { get; set; } = new();
}

public class Article
{
    public string Sku { get; set; } = null!;
    public string Title { get; set; } = null!;
    public string? Brand { get; set; }
    public decimal? Price { get; set; }
    public decimal Weight { get; set; }
    public int? ParentNo { get; set; }
    public DateTime ListedOn { get; set; }
    public List<Stock> Stocks { get; set; } = new();
}

public class Stock
{
    public int DepotId { get; set; }
    public string Sku { get; set; } = null!;
    public int Quantity { get; set; }
    public int? Reserved { get; set; }
    public long Counter { get; set; }
    public Depot Depot { get; set; } = null!;
    public Article Article { get; set; } = null!;
}

public class Move
{
    public int Id { get; set; }
    public int FromId { get; set; }
    public int? ToId { get; set; }
    public string? Sku { get; set; }
    public int Amount { get; set; }
    public double Cost { get; set; }
    public float? Rate { get; set; }
    public DateTime MovedAt { get; set; }
    public DateTime? ArrivedAt { get; set; }
    public char Kind { get; set; }
    public Depot From { get; set; } = null!;
    public Depot? To { get; set; }
    public Article? Article { get; set; }
}

public class WarehouseContext : DbContext
{
    public WarehouseContext(DbContextOptions<WarehouseContext> options) : base(options) { }
    public DbSet<Depot> Depots => Set<Depot>();
    public DbSet<Article> Articles => Set<Article>();
    public DbSet<Stock> Stocks => Set<Stock>();
    public DbSet<Move> Moves => Set<Move>();

    protected override void OnModelCreating(ModelBuilder m)
    {
        m.Entity<Article>(e =>
        {
            e.HasKey(a => a.Sku);
            e.Property(a => a.Price).HasPrecision(12, 3);
            e.Property(a => a.Weight).HasPrecision(10, 4);
        });
        m.Entity<Stock>(e =>
        {
            e.HasKey(s => new { s.DepotId, s.Sku });
            e.HasOne(s => s.Article).WithMany(a => a.Stocks).HasForeignKey(s => s.Sku);
        });
        m.Entity<Move>(e =>
        {
            e.HasOne(x => x.From).WithMany(d => d.Outgoing).HasForeignKey(x => x.FromId).OnDelete(DeleteBehavior.Restrict);
            e.HasOne(x => x.To).WithMany(d => d.Incoming).HasForeignKey(x => x.ToId);
            e.HasOne(x => x.Article).WithMany().HasForeignKey(x => x.Sku);
        });
    }
}
