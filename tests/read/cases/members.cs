namespace Shop;

// Members that ask a database and are no ordinary methods: each has a finding.
public interface IReports
{
    ShopContext Db { get; } List<Sale> Default() => Db.Sales.ToList(); }
public struct S { private readonly ShopContext _db; public S(ShopContext db) { _db = db; } public List<Sale> InStruct() => _db.Sales.ToList(); }
public record Rec(ShopContext Db) { public List<Sale> InRecord() => Db.Sales.ToList(); public List<Sale> RecProp => Db.Sales.ToList(); }
public class Members
{
    private readonly ShopContext db;
    private readonly DbSet<Sale> _sales;
    private List<Sale> _cache;
    public Members(ShopContext db) { this.db = db; _sales = db.Sales; }
    public Members(ShopContext db, int x) { this.db = db; _cache = db.Sales.ToList(); }
    public IQueryable<Sale> OpenOnes => db.Sales.Where(s => s.Status == Status.Open);
    public List<Sale> Block { get { return db.Sales.ToList(); } }
    public int Count => db.Sales.Count();
    public List<Sale> UsesOpen() => OpenOnes.ToList();
    public Sale this[int id] => db.Sales.First(s => s.Id == id);
    public static readonly Func<ShopContext, int, IEnumerable<Sale>> ById = EF.CompileQuery((ShopContext db, int id) => db.Sales.Where(s => s.Id == id));
    public static readonly Func<ShopContext, int, Task<Sale>> ByIdAsync = EF.CompileAsyncQuery((ShopContext db, int id) => db.Sales.First(s => s.Id == id));
    public static Func<ShopContext, List<Sale>> Lam = c => c.Sales.ToList();
    public static Func<ShopContext, List<Sale>> LamProp { get; } = c => c.Sales.ToList();
    private static readonly Func<ShopContext, int, IEnumerable<Sale>> Priv = EF.CompileQuery((ShopContext db, int id) => db.Sales.Where(s => s.Id == id));
    public List<Sale> UsesPriv(int id) => Priv(db, id).ToList();
    public Lazy<List<Sale>> Lazy = new(() => new ShopContext().Sales.ToList());
    public void Print() { foreach (var s in db.Sales) Console.WriteLine(s.Id); }
    public void Fill(List<Sale> into) { into.AddRange(db.Sales.Where(s => s.Id > 1)); }
    public int FillCount(List<Sale> into) { into.AddRange(db.Sales.Where(s => s.Id > 1)); return 0; }
    public static int operator +(Members a, int b) => a.db.Sales.Count() + b;
    public static explicit operator int(Members a) => a.db.Sales.Count();
    public IEnumerable<Sale> Iter() { foreach (var s in db.Sales) yield return s; }
    public IEnumerable<int> Iter2() { foreach (var s in db.Sales.Where(x => x.Id > 1)) { if (s.Id > 3) yield return s.Id; } }
    public async IAsyncEnumerable<Sale> AIter() { await foreach (var s in db.Sales.AsAsyncEnumerable()) yield return s; }
    public event EventHandler E { add { db.Sales.ToList(); } remove { } }
    public int Setter { set { _cache = db.Sales.ToList(); } }
    public void Nothing() { db.Database.EnsureCreated(); }
    public void Dispose() => db.Dispose();
    ~Members() { db.Sales.ToList(); }
}
