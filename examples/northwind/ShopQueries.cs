using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Northwind.Shop;

/// <summary>What the shop asks its database every day.</summary>
public class ShopQueries(ShopContext db)
{
    // Range with parameters.
    public async Task<List<Product>> ProductsInPriceRange(decimal from, decimal to, CancellationToken ct = default)
    {
        return await db.Products
            .AsNoTracking()
            .Where(p => p.UnitPrice >= from && p.UnitPrice <= to)
            .OrderBy(p => p.UnitPrice).ThenBy(p => p.Id)
            .ToListAsync(ct);
    }

    // IN list.
    public List<Customer> CustomersInCountries(List<string> countries) =>
        db.Customers
            .Where(c => countries.Contains(c.Address.Country!))
            .OrderBy(c => c.CompanyName)
            .ToList();

    // Text search: what the user types is text, whatever characters are in it.
    public List<ProductLabel> SearchPackaging(string text = "12 - 1 lb (")
    {
        return db.Products
            .Where(p => p.Packaging!.Contains(text) || p.Name.Contains("."))
            .OrderBy(p => p.Name)
            .Select(p => new ProductLabel(p.Id, p.Name, p.Packaging))
            .ToList();
    }

    // Paging with optional filters, built over several statements.
    public async Task<List<OrderRow>> PageOfOrders(string? country, bool onlyOpen, int page = 2, int size = 10)
    {
        IQueryable<Order> orders = db.Orders;
        if (!string.IsNullOrEmpty(country))
        {
            orders = orders.Where(o => o.ShipCountry == country);
        }

        if (onlyOpen)
        {
            orders = orders.Where(o => o.ShippedDate == null);
        }

        return await orders
            .OrderByDescending(o => o.OrderDate).ThenBy(o => o.Id)
            .Skip((page - 1) * size)
            .Take(size)
            .Select(o => new OrderRow { Number = o.Id, OrderedOn = o.OrderDate, Company = o.Customer!.CompanyName, Carrier = o.ShipVia })
            .ToListAsync();
    }

    // Grouping with a condition on the group.
    public object BigMarkets(int minimum = 40) =>
        db.Orders
            .GroupBy(o => o.ShipCountry)
            .Where(g => g.Count() >= minimum)
            .Select(g => new { Country = g.Key, Orders = g.Count(), Freight = g.Sum(o => o.Freight), Heaviest = g.Max(o => o.Freight) })
            .OrderByDescending(x => x.Orders).ThenBy(x => x.Country)
            .ToList();

    // Two levels of related data.
    public async Task<Customer?> CustomerWithOrders(string id = "BONAP")
    {
        return await db.Customers
            .Include(c => c.Orders.OrderByDescending(o => o.Id))
                .ThenInclude(o => o.Lines)
            .FirstOrDefaultAsync(c => c.Id == id);
    }

    // Left join: customers without an order are part of the answer.
    public object OrdersOfCustomersIn(string country = "France")
    {
        return (from c in db.Customers
                where c.Address.Country == country
                join o in db.Orders on c.Id equals o.CustomerId into orders
                from o in orders.DefaultIfEmpty()
                orderby c.Id, o.Id
                select new { Customer = c.Id, Order = (int?)o.Id, o.Freight }).ToList();
    }

    // Distinct values.
    public List<string?> DeliveryCountries() =>
        db.Orders.Select(o => o.ShipCountry).Distinct().OrderBy(country => country).ToList();

    // Decimals: prices are never rounded on the way.
    public object TurnoverPerProduct(int category = 1)
    {
        return db.OrderLines
            .Where(l => l.Product.CategoryId == category)
            .GroupBy(l => new { l.ProductId, l.Product.Name })
            .Select(g => new
            {
                g.Key.ProductId,
                g.Key.Name,
                Gross = g.Sum(l => l.UnitPrice * l.Quantity),
                Average = Math.Round(g.Average(l => l.UnitPrice), 2)
            })
            .OrderByDescending(x => x.Gross)
            .ToList();
    }

    // Dates: a month, and how many days the customer waited.
    public object ShippedIn(int year = 1997, int month = 3)
    {
        var start = new DateTime(year, month, 1);
        var end = start.AddMonths(1);
        return db.Orders
            .Where(o => o.ShippedDate >= start && o.ShippedDate < end && o.ShippedDate > o.RequiredDate)
            .OrderBy(o => o.Id)
            .Select(o => new { o.Id, o.ShippedDate!.Value.Day, Late = (o.ShippedDate!.Value - o.RequiredDate!.Value).Days })
            .ToList();
    }

    // Nulls: a missing region is different from "SP", and a missing manager has no city.
    public object EmployeesNotManagedFrom(string city = "London") =>
        db.Employees
            .Where(e => e.Manager!.City != city)
            .OrderBy(e => e.Id)
            .Select(e => new { e.Id, Name = e.FirstName + " " + e.LastName, Boss = e.Manager == null ? null : e.Manager.LastName })
            .ToList();

    // Sub-query over the whole table.
    public List<string> ProductsAboveAverage(decimal factor = 2m) =>
        db.Products
            .Where(p => p.UnitPrice > db.Products.Average(x => x.UnitPrice) * factor)
            .OrderByDescending(p => p.UnitPrice).ThenBy(p => p.Name)
            .Select(p => p.Name)
            .ToList();

    // Set operation.
    public List<string?> CitiesToVisit(string country = "UK") =>
        db.Customers.Where(c => c.Address.Country == country).Select(c => c.Address.City)
            .Union(db.Employees.Where(e => e.Country == country).Select(e => e.City))
            .OrderBy(city => city)
            .ToList();

    // The best n of each group.
    public object DearestPerCategory() =>
        db.Products
            .Where(p => !p.Discontinued)
            .GroupBy(p => p.CategoryId)
            .OrderBy(g => g.Key)
            .Select(g => new
            {
                Category = g.Key,
                Dearest = g.OrderByDescending(p => p.UnitPrice).ThenBy(p => p.Id)
                    .Take(3)
                    .Select(p => new { p.Name, p.UnitPrice })
                    .ToList()
            })
            .ToList();

    // Projection to a DTO with nested data and counts.
    public List<CustomerCard> BestCustomers(int minimumOrders = 15) =>
        db.Customers
            .Where(c => c.Orders.Count >= minimumOrders)
            .OrderByDescending(c => c.Orders.Count).ThenBy(c => c.Id)
            .Select(c => new CustomerCard
            {
                Id = c.Id,
                Name = c.CompanyName.Trim(),
                Place = c.Address.City + ", " + c.Address.Country,
                OpenOrders = c.Orders.Count(o => o.ShippedDate == null),
                LastOrder = c.Orders.Max(o => o.OrderDate)
            })
            .ToList();
}

public record ProductLabel(int Id, string Name, string? Packaging);

public class OrderRow
{
    public int Number { get; set; }
    public DateTime? OrderedOn { get; set; }
    public string Company { get; set; } = "";
    public Shipper? Carrier { get; set; }
}

public class CustomerCard
{
    public string Id { get; set; } = "";
    public string Name { get; set; } = "";
    public string Place { get; set; } = "";
    public int OpenOrders { get; set; }
    public DateTime? LastOrder { get; set; }
}
