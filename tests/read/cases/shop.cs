using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Shop;

public enum Status { Open = 1, Paid = 2, Sent = 5 }

[Flags]
public enum Rights { None = 0, Read = 1, Write = 2 }

public class Client
{
    public int Id { get; set; }
    public string Name { get; set; } = null!;
    public string? City { get; set; }
    public bool? Vip { get; set; }
    public bool Active { get; set; }
    public Rights Rights { get; set; }
    public List<Sale> Sales { get; } = new();
    public ICollection<Tag> Tags { get; set; } = new List<Tag>();

    public string Label => Name + "/" + City;
    public decimal Sum => Sales.Sum(s => s.Total);
}

public class Tag
{
    public int Id { get; set; }
    public string Text { get; set; } = "";
    public ICollection<Client> Clients { get; set; } = new List<Client>();
}

public class Sale
{
    public int Id { get; set; }
    public int? ClientId { get; set; }
    public Client? Client { get; set; }
    public decimal Total { get; set; }
    public decimal? Tip { get; set; }
    public DateTime? SoldOn { get; set; }
    public DateTime CreatedAt { get; set; }
    public Status Status { get; set; }
    public short Count { get; set; }
    public ushort Boxes { get; set; }
    public uint? Route { get; set; }
    public long Big { get; set; }
    public double Weight { get; set; }
    public float Discount { get; set; }
    public Guid Reference { get; set; }
    public List<Line> Lines { get; set; } = [];
}

public class Line
{
    public int Id { get; set; }
    public int SaleId { get; set; }
    public Sale Sale { get; set; } = null!;
    public string Sku { get; set; } = "";
    public int Quantity { get; set; }
    public decimal Price { get; set; }
}

public abstract class Animal
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
}

public class Dog : Animal
{
    public string Breed { get; set; } = "";
}

public class Cat : Animal
{
    public int Lives { get; set; }
}

public class ShopContext(DbContextOptions<ShopContext> options) : DbContext(options)
{
    public DbSet<Client> Clients => Set<Client>();
    public DbSet<Sale> Sales { get; set; } = null!;
    public DbSet<Line> Lines { get; set; } = null!;
    public DbSet<Tag> Tags { get; set; } = null!;
    public DbSet<Animal> Animals { get; set; } = null!;
    public DbSet<Dog> Dogs { get; set; } = null!;
    public DbSet<Cat> Cats { get; set; } = null!;

    public IQueryable<Sale> OpenSales => Sales.Where(s => s.Status == Status.Open);
}
