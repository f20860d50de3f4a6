using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace Northwind.Shop;

public enum Shipper
{
    Speedy = 1,
    United = 2,
    Federal = 3
}

public class Customer
{
    [Column("CustomerID"), MaxLength(5)]
    public string Id { get; set; } = null!;

    [MaxLength(40)]
    public string CompanyName { get; set; } = null!;

    public string? ContactName { get; set; }
    public string? ContactTitle { get; set; }
    public Address Address { get; set; } = new();
    public string? Phone { get; set; }
    public string? Fax { get; set; }

    public List<Order> Orders { get; } = new();
}

public class Address
{
    public string? Street { get; set; }
    public string? City { get; set; }
    public string? Region { get; set; }
    public string? PostalCode { get; set; }
    public string? Country { get; set; }
}

public class Order
{
    [Column("OrderID")]
    public int Id { get; set; }

    [Column("CustomerID")]
    public string? CustomerId { get; set; }

    [Column("EmployeeID")]
    public int? EmployeeId { get; set; }

    public DateTime? OrderDate { get; set; }
    public DateTime? RequiredDate { get; set; }
    public DateTime? ShippedDate { get; set; }
    public Shipper? ShipVia { get; set; }

    [Precision(19, 4)]
    public decimal? Freight { get; set; }

    public string? ShipName { get; set; }
    public string? ShipCity { get; set; }
    public string? ShipCountry { get; set; }

    public Customer? Customer { get; set; }
    public Employee? Employee { get; set; }
    public List<OrderLine> Lines { get; } = new();

    public bool IsOpen => ShippedDate == null;
}

[Table("OrderDetails")]
[PrimaryKey(nameof(OrderId), nameof(ProductId))]
public class OrderLine
{
    [Column("OrderID")]
    public int OrderId { get; set; }

    [Column("ProductID")]
    public int ProductId { get; set; }

    [Precision(19, 4)]
    public decimal UnitPrice { get; set; }

    public short Quantity { get; set; }
    public float Discount { get; set; }

    public Order Order { get; set; } = null!;
    public Product Product { get; set; } = null!;
}

public class Product
{
    [Column("ProductID")]
    public int Id { get; set; }

    [Column("ProductName")]
    public string Name { get; set; } = null!;

    [Column("SupplierID")]
    public int? SupplierId { get; set; }

    [Column("CategoryID")]
    public int? CategoryId { get; set; }

    [Column("QuantityPerUnit")]
    public string? Packaging { get; set; }

    [Precision(19, 4)]
    public decimal? UnitPrice { get; set; }

    public short UnitsInStock { get; set; }
    public bool Discontinued { get; set; }

    public List<OrderLine> Lines { get; } = new();
}

public class Employee
{
    [Column("EmployeeID")]
    public int Id { get; set; }

    public string LastName { get; set; } = null!;
    public string FirstName { get; set; } = null!;
    public string? Title { get; set; }
    public DateTime? HireDate { get; set; }
    public string? City { get; set; }
    public string? Country { get; set; }

    [Column("ReportsTo")]
    public int? ManagerId { get; set; }

    public Employee? Manager { get; set; }
    public List<Order> Orders { get; } = new();
}

public class ShopContext(DbContextOptions<ShopContext> options) : DbContext(options)
{
    public DbSet<Customer> Customers => Set<Customer>();
    public DbSet<Order> Orders => Set<Order>();
    public DbSet<OrderLine> OrderLines => Set<OrderLine>();
    public DbSet<Product> Products => Set<Product>();
    public DbSet<Employee> Employees => Set<Employee>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Customer>().OwnsOne(c => c.Address, address =>
        {
            address.Property(a => a.Street).HasColumnName("Address");
            address.Property(a => a.City).HasColumnName("City");
            address.Property(a => a.Region).HasColumnName("Region");
            address.Property(a => a.PostalCode).HasColumnName("PostalCode");
            address.Property(a => a.Country).HasColumnName("Country");
        });
        modelBuilder.Entity<Customer>().Navigation(c => c.Address).IsRequired();
        modelBuilder.Entity<Employee>().HasOne(e => e.Manager).WithMany().HasForeignKey(e => e.ManagerId);
    }
}
