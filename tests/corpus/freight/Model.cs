#nullable enable
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace Freight.Domain;

public enum ShipmentState { Planned = 1, Loaded = 2, InTransit = 4, Delivered = 8, Lost = -1 }
[Flags] public enum Hazard { None = 0, Flammable = 1, Toxic = 2, Fragile = 4 }

public class Depot
{
    public string Country { get; set; } = "";
    public int Number { get; set; }
    public string Name { get; set; } = "";
    public string? ParentCountry { get; set; }
    public int? ParentNumber { get; set; }
    public Depot? Parent { get; set; }
    public ICollection<Depot> Children { get; set; } = new List<Depot>();
    public ICollection<Bin> Bins { get; set; } = new List<Bin>();
    [InverseProperty("Origin")] public ICollection<Shipment> Outgoing { get; set; } = new List<Shipment>();
    [InverseProperty("Destination")] public ICollection<Shipment> Incoming { get; set; } = new List<Shipment>();
}

public class Bin
{
    public string DepotCountry { get; set; } = "";
    public int DepotNumber { get; set; }
    public string Code { get; set; } = "";
    public Depot Depot { get; set; } = null!;
    public int Capacity { get; set; }
    public ICollection<Stock> Stocks { get; set; } = new List<Stock>();
}

public class Article
{
    public Guid ArticleId { get; set; }
    public string Sku { get; set; } = "";
    public string? Title { get; set; }
    public Hazard Hazard { get; set; }
    public decimal Weight { get; set; }
    public decimal? Price { get; set; }
    public bool Active { get; set; }
    public ICollection<Stock> Stocks { get; set; } = new List<Stock>();
    public ICollection<Line> Lines { get; set; } = new List<Line>();
}

public class Stock
{
    public string DepotCountry { get; set; } = "";
    public int DepotNumber { get; set; }
    public string BinCode { get; set; } = "";
    public Guid ArticleId { get; set; }
    public Bin Bin { get; set; } = null!;
    public Article Article { get; set; } = null!;
    public int Quantity { get; set; }
    public DateTime? CountedAt { get; set; }
}

public class Shipment
{
    public long Id { get; set; }
    public string Reference { get; set; } = "";
    public ShipmentState State { get; set; }
    public string OriginCountry { get; set; } = "";
    public int OriginNumber { get; set; }
    public Depot Origin { get; set; } = null!;
    public string? DestinationCountry { get; set; }
    public int? DestinationNumber { get; set; }
    public Depot? Destination { get; set; }
    public DateTime CreatedOn { get; set; }
    public DateTime? DeliveredOn { get; set; }
    public double? DistanceKm { get; set; }
    public Customs? Customs { get; set; }
    public ICollection<Line> Lines { get; set; } = new List<Line>();
    public long? ReturnOfId { get; set; }
    public Shipment? ReturnOf { get; set; }
    public ICollection<Shipment> Returns { get; set; } = new List<Shipment>();
}

public class Customs
{
    [Key, ForeignKey("Shipment")] public long ShipmentId { get; set; }
    public Shipment Shipment { get; set; } = null!;
    public string Code { get; set; } = "";
    public decimal Duty { get; set; }
    public bool Cleared { get; set; }
}

public class Line
{
    public long ShipmentId { get; set; }
    public int Position { get; set; }
    public Shipment Shipment { get; set; } = null!;
    public Guid? ArticleId { get; set; }
    public Article? Article { get; set; }
    public int Quantity { get; set; }
    public decimal UnitPrice { get; set; }
    public float Discount { get; set; }
}

public class FreightContext : DbContext
{
    public FreightContext(DbContextOptions<FreightContext> o) : base(o) { }
    public DbSet<Depot> Depots => Set<Depot>();
    public DbSet<Bin> Bins => Set<Bin>();
    public DbSet<Article> Articles => Set<Article>();
    public DbSet<Stock> Stocks => Set<Stock>();
    public DbSet<Shipment> Shipments => Set<Shipment>();
    public DbSet<Customs> Customs => Set<Customs>();
    public DbSet<Line> Lines => Set<Line>();

    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Depot>(e =>
        {
            e.HasKey(d => new { d.Country, d.Number });
            e.HasOne(d => d.Parent).WithMany(d => d.Children).HasForeignKey(d => new { d.ParentCountry, d.ParentNumber });
        });
        b.Entity<Bin>(e =>
        {
            e.HasKey(x => new { x.DepotCountry, x.DepotNumber, x.Code });
            e.HasOne(x => x.Depot).WithMany(d => d.Bins).HasForeignKey(x => new { x.DepotCountry, x.DepotNumber });
        });
        b.Entity<Stock>(e =>
        {
            e.HasKey(x => new { x.DepotCountry, x.DepotNumber, x.BinCode, x.ArticleId });
            e.HasOne(x => x.Bin).WithMany(d => d.Stocks).HasForeignKey(x => new { x.DepotCountry, x.DepotNumber, x.BinCode });
        });
        b.Entity<Shipment>(e =>
        {
            e.Property(s => s.State).HasConversion<string>();
            e.HasOne(s => s.Origin).WithMany(d => d.Outgoing).HasForeignKey(s => new { s.OriginCountry, s.OriginNumber });
            e.HasOne(s => s.Destination).WithMany(d => d.Incoming).HasForeignKey(s => new { s.DestinationCountry, s.DestinationNumber });
            e.HasOne(s => s.ReturnOf).WithMany(s => s.Returns).HasForeignKey(s => s.ReturnOfId);
        });
        b.Entity<Line>().HasKey(l => new { l.ShipmentId, l.Position });
        b.Entity<Line>().Property(l => l.UnitPrice).HasPrecision(10, 3);
        b.Entity<Article>().Property(a => a.Weight).HasPrecision(12, 4);
        b.Entity<Article>().Property(a => a.Price).HasPrecision(10, 2);
        b.Entity<Customs>().Property(c => c.Duty).HasPrecision(9, 2);
    }
}
