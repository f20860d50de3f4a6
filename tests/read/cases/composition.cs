using System.Linq.Expressions;

namespace Shop;

public record SaleFilter(string? City = null, Status? Status = null, int Page = 1, int Size = 20, string? Sort = null);

public static class QueryExtensions
{
    public static IQueryable<T> WhereIf<T>(this IQueryable<T> source, bool condition, Expression<Func<T, bool>> predicate) =>
        condition ? source.Where(predicate) : source;

    public static IQueryable<T> Page<T>(this IQueryable<T> source, int page, int size) where T : class => source.Skip((page - 1) * size).Take(size);

    public static IQueryable<Sale> Since(this ShopContext db, DateTime since) => db.Sales.Where(s => s.CreatedAt >= since);
}

public static class Specs
{
    public static Expression<Func<Sale, bool>> LargerThan(decimal limit) => s => s.Total > limit;
}

public abstract class Repository<T>(ShopContext db) where T : class
{
    protected IQueryable<T> All => db.Set<T>();

    public async Task<T?> Get(int id) => await db.Set<T>().FindAsync(id);
}

public class ClientRepository(ShopContext db) : Repository<Client>(db)
{
    public Task<List<Client>> Active() => All.Where(c => c.Active).ToListAsync();
}

public class Composition
{
    private const int MaxSize = 100;
    private static readonly string[] Towns = { "Prague", "Brno" };
    private static readonly Expression<Func<Sale, int>> Number = s => s.Id;
    private static readonly Func<ShopContext, int, Task<Sale?>> Compiled = EF.CompileAsyncQuery((ShopContext c, int id) => c.Sales.FirstOrDefault(s => s.Id == id));

    private readonly ShopContext _db;
    private readonly IQueryable<Sale> _open;

    public Composition(ShopContext db)
    {
        _db = db;
        _open = db.Sales.Where(s => s.Status == Status.Open);
    }

    public async Task<List<Sale>> Search(SaleFilter filter, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(filter);
        IQueryable<Sale> query = _db.Sales.AsNoTracking();
        if (!string.IsNullOrWhiteSpace(filter.City))
            query = query.Where(s => s.Client!.City == filter.City);
        if (filter.Status is { } status)
        {
            query = query.Where(s => s.Status == status);
        }

        query = filter.Sort switch
        {
            "total" => query.OrderBy(s => s.Total),
            _ => query.OrderBy(s => s.Id)
        };
        return await query.Page(filter.Page, Math.Min(filter.Size, MaxSize)).ToListAsync(cancellationToken);
    }

    public List<Sale> Either(bool open, string? city)
    {
        var query = _db.Sales.AsQueryable();
        if (open)
            query = query.Where(s => s.Status == Status.Open);
        else
            query = query.Where(s => s.Status == Status.Paid).Where(s => s.Total > 5);
        return query.WhereIf(city != null, s => s.Client!.City == city).ToList();
    }

    public List<Sale> Returns(int? id)
    {
        if (id == null) return new List<Sale>();
        if (id == 0) { return _db.Sales.ToList(); }
        return _db.Sales.Where(s => s.Id == id).ToList();
    }

    public List<Sale> Constants()
    {
        var filter = new SaleFilter("Brno", Size: 5);
        var query = _db.Sales.AsQueryable();
        if (filter.City != null) query = query.Where(s => s.Client!.City == filter.City);
        if (filter.Status != null) query = query.Where(s => s.Status == filter.Status);
        return query.Take(filter.Size).ToList();
    }

    public List<Sale> Lists(List<int> ids, Status[] states, IEnumerable<long> bigs) =>
        _db.Sales.Where(s => ids.Contains(s.Id) && states.Contains(s.Status) && bigs.Contains(s.Id) && Towns.Contains(s.Client!.City)).ToList();

    public List<Client> Unrolled()
    {
        var query = _db.Clients.AsQueryable();
        foreach (var tag in new[] { 1, 2 }) query = query.Where(c => c.Tags.Any(t => t.Id == tag));
        return query.ToList();
    }

    public List<int> Local(int minimum)
    {
        IQueryable<Sale> Above(decimal limit) => _db.Sales.Where(s => s.Total >= limit);
        var half = minimum / 2m;
        return Above(half).Select(Number).ToList();
    }

    public List<Sale> Subquery()
    {
        var average = _db.Sales.Average(s => s.Total);
        var active = _db.Clients.Where(c => c.Active).Select(c => c.Id).ToList();
        return _db.Sales.Where(s => s.Total > average && active.Contains(s.ClientId!.Value)).ToList();
    }

    public Task<Sale?> ByCompiled(int id) => Compiled(_db, id);

    public List<Sale> ByMember() => _open.Where(Specs.LargerThan(5)).ToList();

    public List<Sale> ByContext() => _db.OpenSales.ToList();

    public List<Sale> ByExtension(DateTime since) => _db.Since(since).ToList();

    public List<Sale> Clamped(int size)
    {
        if (size > MaxSize) size = MaxSize;
        return _db.Sales.OrderBy(s => s.Id).Take(size).ToList();
    }

    public List<Client> Included() =>
        _db.Clients.Include(c => c.Sales.Where(s => s.Total > 5).OrderBy(s => s.Id).Take(3)).ThenInclude(s => s.Lines).Include("Tags").OrderBy(c => c.Id).ToList();
}
