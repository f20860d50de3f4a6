using Microsoft.EntityFrameworkCore;
namespace Billing;

public enum LineKind { Goods = 1, Service = 2 }

// A table of its own, named in every part.
public class Invoice
{
    public Guid Id { get; set; }
    public string Number { get; set; } = "";
    public DateOnly IssuedOn { get; set; }
    public List<InvoiceLine> Lines { get; set; } = [];
    public List<Stamp> Stamps { get; set; } = [];
}
public class InvoiceLine
{
    public int No { get; set; }
    public string Text { get; set; } = "";
    public decimal Price { get; set; }
    public int? Quantity { get; set; }
    public LineKind Kind { get; set; }
    public Discount? Discount { get; set; }
}
public class Discount { public decimal Rate { get; set; } public string? Reason { get; set; } }

// By convention: table, foreign key and a key of the database's own.
public class Customer
{
    public string Code { get; set; } = "";
    public string Name { get; set; } = "";
    public List<Phone> Phones { get; set; } = [];
    public List<Stamp> Stamps { get; set; } = [];
}
public class Phone { public string Number { get; set; } = ""; public TimeSpan? AnsweredFor { get; set; } public Customer Customer { get; set; } = null!; }

// Owned by two entities: each has a table of its own.
[Owned] public class Stamp { public DateTime At { get; set; } public string By { get; set; } = ""; }

// Of one type of a hierarchy only, and of all of it.
public class Person { public int PersonId { get; set; } public string Name { get; set; } = ""; public List<Alias> Aliases { get; set; } = []; }
public class Author : Person { public List<Title> Titles { get; set; } = []; }
public class Alias { public string Text { get; set; } = ""; }
public class Title { public string Text { get; set; } = ""; public int Year { get; set; } }

public class BillingContext : DbContext
{
    public BillingContext(DbContextOptions<BillingContext> o) : base(o) { }
    public DbSet<Invoice> Invoices => Set<Invoice>();
    public DbSet<Customer> Customers => Set<Customer>();
    public DbSet<Person> People => Set<Person>();
    public DbSet<Author> Authors => Set<Author>();
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Invoice>().OwnsMany(i => i.Lines, l =>
        {
            l.ToTable("invoice_lines", "sales");
            l.WithOwner().HasForeignKey("invoice_id");
            l.HasKey("invoice_id", "No");
            l.Property(x => x.Text).HasColumnName("line_text");
            l.Property(x => x.Price).HasPrecision(10, 2);
            l.OwnsOne(x => x.Discount, d => d.Property(x => x.Rate).HasPrecision(4, 2));
        });
        b.Entity<Customer>(e => { e.HasKey(c => c.Code); e.OwnsMany(c => c.Phones); });
        b.Entity<Person>().OwnsMany(p => p.Aliases, a => a.ToTable("Aliases"));
        b.Entity<Author>().OwnsMany(p => p.Titles);
    }
}
