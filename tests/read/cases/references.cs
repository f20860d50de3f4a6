namespace Shop;

public class References(ShopContext db)
{
    public bool TryName(int id, out string? name) { name = db.Clients.Where(c => c.Id == id).Select(c => c.Name).FirstOrDefault(); return name != null; }

    public List<int> Counted(ref int count) { count += db.Sales.Count(); return db.Sales.Select(s => s.Id).ToList(); }

    public int Read(in int id, ref readonly int least) { var (i, l) = (id, least); return db.Sales.Count(s => s.Id == i && s.Id > l); }

    public int ReadDirectly(in int id) => db.Sales.Count(s => s.Id == 2);
}
