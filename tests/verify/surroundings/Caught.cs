// What is cut out must not look like a result where the code catches everything; dependencies are nothing, not values.
using Serilog;

namespace Contoso.Caught;

public class Customer
{
    public int CustomerId { get; set; }
    public string Name { get; set; } = "";
}

public interface ITenant { string Prefix { get; } }
public interface IAudit { void Seen(string what); }
public interface ICustomers { Task<int> CountAsync(); }

public class CaughtContext(DbContextOptions options, ITenant tenant) : DbContext(options)
{
    private readonly ITenant _tenant = tenant;
    public DbSet<Customer> Customers => Set<Customer>();
    public int Known() => Customers.Count(c => c.Name != "");
    protected override void OnModelCreating(ModelBuilder b) => b.Entity<Customer>().ToTable("Customer", "billing");
}

public class Customers(IDbContextFactory<CaughtContext> factory) : ICustomers
{
    public async Task<int> CountAsync()
    {
        await using var db = await factory.CreateDbContextAsync();
        return await db.Customers.CountAsync();
    }
}

public class Service(CaughtContext db, ICustomers customers, IClock clock, IAudit audit)
{
    private List<Customer> All()
    {
        Log.Information("all customers at {Time}", clock.Now);
        return db.Customers.OrderBy(c => c.CustomerId).ToList();
    }

    public List<Customer> Swallowed()
    {
        try
        {
            return All();
        }
        catch (Exception)
        {
            return new List<Customer>();
        }
    }

    public Task<int> OfAnother() => customers.CountAsync();

    public List<string> Names() => db.Customers.OrderBy(c => c.CustomerId).Select(c => c.Name).ToList();

    public static readonly Func<CaughtContext, string, IEnumerable<Customer>> Named =
        EF.CompileQuery((CaughtContext db, string name) => db.Customers.Where(c => c.Name == name));

    public static Func<CaughtContext, int, Task<Customer?>> First { get; } =
        async (db, least) => await db.Customers.OrderBy(c => c.CustomerId).FirstOrDefaultAsync(c => c.CustomerId >= least);

    public IQueryable<string> Shouted => db.Customers.OrderBy(c => c.CustomerId).Select(c => c.Name.ToUpper());

    public int Audited()
    {
        audit.Seen("customers");
        return db.Customers.Count();
    }

    public int AuditedAndSwallowed()
    {
        try
        {
            audit.Seen("customers");
            return db.Customers.Count();
        }
        catch (Exception)
        {
            return 0;
        }
    }

    public override string ToString() => clock.Now.ToString();
}
