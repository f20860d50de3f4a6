using Microsoft.EntityFrameworkCore;
namespace Tills;

public class Sale
{
    public int Id { get; set; }
    public string Item { get; set; } = "";
    public int Units { get; set; }
    public long Code { get; set; }
    public int? Rebate { get; set; }
    public long? Voucher { get; set; }
    [Precision(18, 4)] public decimal Price { get; set; }
    public double Weight { get; set; }
    public double? Tare { get; set; }
    public string? Note { get; set; }
    public bool? Vip { get; set; }
}

public class TillContext : DbContext
{
    public TillContext(DbContextOptions<TillContext> o) : base(o) { }
    public DbSet<Sale> Sales => Set<Sale>();
}
