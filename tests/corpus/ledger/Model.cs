using Microsoft.EntityFrameworkCore;
using System.ComponentModel.DataAnnotations.Schema;
namespace Books;

public enum AccountType { Asset = 1, Liability = 2, Equity = 3, Revenue = 4, Expense = 5 }
[Flags] public enum AccountFlags : short { None = 0, Locked = 1, System = 2, Reconcile = 4 }
public enum EntryState { Open = 'O', Posted = 'P', Void = 'V' }

public class Currency { public string Code { get; set; } = ""; public string Name { get; set; } = ""; public byte Decimals { get; set; } public List<Rate> Rates { get; set; } = []; }
public class Rate { public string CurrencyCode { get; set; } = ""; public DateOnly Day { get; set; } public decimal Value { get; set; } public Currency Currency { get; set; } = null!; }
public class Account
{
    public string Number { get; set; } = "";
    public string Title { get; set; } = "";
    public AccountType Type { get; set; }
    public AccountFlags Flags { get; set; }
    public string? ParentNumber { get; set; }
    public Account? Parent { get; set; }
    public List<Account> Children { get; set; } = [];
    public List<Line> Lines { get; set; } = [];
    public string CurrencyCode { get; set; } = "CZK";
    public Currency Currency { get; set; } = null!;
    public float? RiskWeight { get; set; }
}
public class Entry
{
    public ulong Id { get; set; }
    public DateTime BookedAt { get; set; }
    public DateOnly ValueDate { get; set; }
    public string? Memo { get; set; }
    public EntryState State { get; set; }
    public ulong? ReversesId { get; set; }
    public Entry? Reverses { get; set; }
    public List<Line> Lines { get; set; } = [];
    public Approval Approval { get; set; } = new();
    public int Year { get; set; }
    public ushort Sequence { get; set; }
}
public class Approval { public string? By { get; set; } public DateTime? At { get; set; } public Signature? Signature { get; set; } }
public class Signature { public string Hash { get; set; } = ""; public int Version { get; set; } }
public class Line
{
    public ulong EntryId { get; set; }
    public sbyte No { get; set; }
    public Entry Entry { get; set; } = null!;
    public string AccountNumber { get; set; } = "";
    public Account Account { get; set; } = null!;
    public decimal Debit { get; set; }
    public decimal Credit { get; set; }
    public decimal? Quantity { get; set; }
    public string? Text { get; set; }
    public long? PartnerId { get; set; }
    public Partner? Partner { get; set; }
}
public class Partner
{
    public long Id { get; set; }
    public string Name { get; set; } = "";
    public string? TaxId { get; set; }
    public bool IsCompany { get; set; }
    public bool Blocked { get; set; }
    public List<Line> Lines { get; set; } = [];
    public List<BankAccount> BankAccounts { get; set; } = [];
}
public class BankAccount { public string Iban { get; set; } = ""; public string? Bank { get; set; } public bool Preferred { get; set; } }

public class BooksContext : DbContext
{
    public BooksContext(DbContextOptions<BooksContext> o) : base(o) { }
    public DbSet<Currency> Currencies { get; set; } = null!;
    public DbSet<Rate> Rates { get; set; } = null!;
    public DbSet<Account> Accounts { get; set; } = null!;
    public DbSet<Entry> Entries { get; set; } = null!;
    public DbSet<Line> Lines { get; set; } = null!;
    public DbSet<Partner> Partners { get; set; } = null!;
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.HasDefaultSchema("fin");
        b.Entity<Currency>().HasKey(c => c.Code);
        b.Entity<Currency>().Property(c => c.Code).HasMaxLength(3).IsFixedLength();
        b.Entity<Rate>(e => { e.HasKey(r => new { r.CurrencyCode, r.Day }); e.Property(r => r.Value).HasPrecision(18, 8); });
        b.Entity<Account>(e => { e.HasKey(a => a.Number); e.HasOne(a => a.Parent).WithMany(a => a.Children).HasForeignKey(a => a.ParentNumber); e.HasOne(a => a.Currency).WithMany().HasForeignKey(a => a.CurrencyCode); });
        b.Entity<Entry>(e =>
        {
            e.Property(x => x.State).HasConversion(s => (char)s, c => (EntryState)c);
            e.HasOne(x => x.Reverses).WithMany().HasForeignKey(x => x.ReversesId);
            e.OwnsOne(x => x.Approval, a => { a.Property(p => p.By).HasColumnName("approved_by"); a.Property(p => p.At).HasColumnName("approved_at"); a.OwnsOne(p => p.Signature); });
            e.Navigation(x => x.Approval).IsRequired();
        });
        b.Entity<Line>(e =>
        {
            e.HasKey(l => new { l.EntryId, l.No });
            e.HasOne(l => l.Account).WithMany(a => a.Lines).HasForeignKey(l => l.AccountNumber);
            e.Property(l => l.Debit).HasPrecision(28, 6); e.Property(l => l.Credit).HasPrecision(28, 6); e.Property(l => l.Quantity).HasPrecision(12, 3);
        });
        b.Entity<Partner>(e => { e.HasQueryFilter(p => !p.Blocked); e.OwnsMany(p => p.BankAccounts, o => { o.ToTable("PartnerBanks"); o.WithOwner().HasForeignKey("PartnerId"); o.HasKey("PartnerId", "Iban"); }); });
    }
}
