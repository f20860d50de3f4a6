// A scaffolded SQL Server context, and around the queries what business code has: mappers, loggers, controllers.
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using AutoMapper;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;
using Newtonsoft.Json;

namespace Contoso.Billing;

public partial class Customer
{
    [Key, JsonProperty("id")]
    public int CustomerId { get; set; }
    [Column(TypeName = "nvarchar(80)")]
    public string Name { get; set; } = null!;
    [JsonIgnore]
    public string? Email { get; set; }
    [Column(TypeName = "money")]
    public decimal CreditLimit { get; set; }
    [Column(TypeName = "datetime")]
    public DateTime CreatedOn { get; set; }
    public bool IsActive { get; set; }
    public Guid RowGuid { get; set; }
    public virtual ICollection<Invoice> Invoices { get; set; } = new List<Invoice>();
}

public partial class Invoice
{
    public int InvoiceId { get; set; }
    public int CustomerId { get; set; }
    public string Number { get; set; } = null!;
    public decimal Amount { get; set; }
    public decimal Tax { get; set; }
    public decimal Total { get; set; }
    public DateOnly IssuedOn { get; set; }
    public byte Status { get; set; }
    public virtual Customer Customer { get; set; } = null!;
}

public partial class InvoiceSummary
{
    public int CustomerId { get; set; }
    public decimal Total { get; set; }
}

public partial class BillingContext : DbContext
{
    public BillingContext() { }
    public BillingContext(DbContextOptions<BillingContext> options) : base(options) { }
    public virtual DbSet<Customer> Customers { get; set; }
    public virtual DbSet<Invoice> Invoices { get; set; }
    public virtual DbSet<InvoiceSummary> InvoiceSummaries { get; set; }

    protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder)
#warning To protect potentially sensitive information in your connection string, you should move it out of source code.
        => optionsBuilder.UseSqlServer("Server=prod;Database=Billing;Trusted_Connection=True;");

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.UseCollation("SQL_Latin1_General_CP1_CI_AS");
        modelBuilder.Entity<Customer>(entity =>
        {
            entity.HasKey(e => e.CustomerId).HasName("PK__Customer").IsClustered(false);
            entity.ToTable("Customer", "billing", tb => tb.HasTrigger("tr_customer"));
            entity.HasIndex(e => e.Email, "UX_Email").IsUnique().HasFilter("([Email] IS NOT NULL)");
            entity.Property(e => e.CustomerId).UseIdentityColumn();
            entity.Property(e => e.CreatedOn).HasDefaultValueSql("(getdate())").HasColumnType("datetime");
            entity.Property(e => e.RowGuid).HasDefaultValueSql("(newid())");
            entity.Property(e => e.Email).HasMaxLength(200).IsUnicode(false).UseCollation("Latin1_General_BIN");
            entity.HasData(new Customer { CustomerId = 1, Name = "Seed", CreditLimit = 1m, CreatedOn = new DateTime(2020, 1, 1) },
                           new Customer { CustomerId = 99, Name = "Seed only", CreditLimit = 1m, CreatedOn = new DateTime(2020, 1, 1) });
        });
        modelBuilder.Entity<Invoice>(entity =>
        {
            entity.ToTable("Invoice", "billing", t => t.HasCheckConstraint("CK_Amount", "[Amount] >= 0"));
            entity.Property(e => e.Amount).HasColumnType("decimal(18, 2)");
            entity.Property(e => e.Tax).HasColumnType("decimal(18, 2)").HasDefaultValueSql("((0))");
            entity.Property(e => e.Total).HasColumnType("decimal(19, 2)").HasComputedColumnSql("([Amount]+[Tax])", true);
            entity.Property(e => e.Number).HasColumnType("nchar(6)");
            entity.Property(e => e.Status).HasColumnType("tinyint");
            entity.HasOne(d => d.Customer).WithMany(p => p.Invoices).HasForeignKey(d => d.CustomerId).OnDelete(DeleteBehavior.ClientSetNull).HasConstraintName("FK_Invoice_Customer");
        });
        modelBuilder.Entity<InvoiceSummary>(entity => { entity.HasNoKey().ToView("vInvoiceSummary", "billing"); });
        OnModelCreatingPartial(modelBuilder);
    }
    partial void OnModelCreatingPartial(ModelBuilder modelBuilder);
}

public record InvoiceDto(int Id, string Number, string Customer, decimal Total);

public interface IInvoiceService { Task<List<InvoiceDto>> OpenAsync(int customerId, CancellationToken ct); }

public class InvoiceRepository(BillingContext db)
{
    public IQueryable<Invoice> Open() => db.Invoices.Where(i => i.Status == 1);
}

public class InvoiceService : IInvoiceService
{
    private readonly BillingContext _db;
    private readonly IMapper _mapper;
    private readonly ILogger<InvoiceService> _logger;
    private readonly InvoiceRepository _repository;
    public InvoiceService(BillingContext db, IMapper mapper, ILogger<InvoiceService> logger, InvoiceRepository repository) { _db = db; _mapper = mapper; _logger = logger; _repository = repository; }

    public async Task<List<InvoiceDto>> OpenAsync(int customerId, CancellationToken ct)
    {
        _logger.LogInformation("open invoices of {Id}", customerId);
        return await _db.Invoices.Where(i => i.CustomerId == customerId && i.Status == 1)
            .OrderBy(i => i.InvoiceId).Select(i => new InvoiceDto(i.InvoiceId, i.Number, i.Customer.Name, i.Total)).ToListAsync(ct);
    }
    public async Task<List<Invoice>> AllOpenAsync() => await _repository.Open().OrderBy(i => i.InvoiceId).ToListAsync();
    public Task<List<Customer>> RichAsync(decimal limit) => _db.Customers.Where(c => c.CreditLimit > limit).OrderBy(c => c.CustomerId).ToListAsync();
    public List<InvoiceSummary> Summaries() => _db.InvoiceSummaries.OrderBy(s => s.CustomerId).ToList();
    public List<string> Late(int days) => _db.Invoices.Where(i => EF.Functions.DateDiffDay(i.IssuedOn, new DateOnly(2024, 6, 1)) > days).OrderBy(i => i.InvoiceId).Select(i => i.Number).ToList();
    public int Count() => _db.Customers.Count();
    public object Mapped(int id) => _mapper.Map<InvoiceDto>(_db.Invoices.Find(id));
}

[ApiController, Route("api/[controller]")]
public class InvoicesController(BillingContext db) : ControllerBase
{
    [HttpGet("{id}")]
    public async Task<ActionResult<Customer>> Get(int id)
    {
        var found = await db.Customers.FindAsync(id);
        return found == null ? NotFound() : Ok(found);
    }
    [HttpGet]
    public async Task<List<Customer>> Active() => await db.Customers.Where(c => c.IsActive).OrderBy(c => c.Name).ThenBy(c => c.CustomerId).ToListAsync();
}
