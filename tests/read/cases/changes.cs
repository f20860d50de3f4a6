namespace Shop;

public class Settings
{
    public int Limit { get; set; } = 10;
    public string? Town { get; set; }

    public void Normalize() => Town = Town?.Trim();
}

// Variables, fields and objects that change: followed where they can be, refused where the query would see another value.
public class Changes(ShopContext db)
{
    private readonly List<int> _filled = new() { 1, 2 };
    private readonly int[] _fixed = { 4 };
    private int _counted = 3;
    private static int Limit = 7;

    public int Exposed { get; set; } = 5;

    public void Change()
    {
        _filled.Add(3);
        _counted++;
    }

    public object FieldThatIsFilled() => db.Sales.Where(s => _filled.Contains(s.Id));

    public object FieldThatCounts() => db.Sales.Where(s => s.Id == _counted);

    public object FieldsThatStay() => db.Sales.Where(s => _fixed.Contains(s.Id) && s.Id < Limit);

    public object PropertyThatOthersMaySet() => db.Sales.Where(s => s.Id == Exposed);

    public object OwnObject()
    {
        var settings = new Settings();
        settings.Limit = 5;
        return db.Sales.Where(s => s.Id < settings.Limit);
    }

    public object SharedObject()
    {
        var settings = new Settings();
        var same = settings;
        same.Limit = 5;
        return db.Sales.Where(s => s.Id < settings.Limit);
    }

    public object ObjectFilledByAHelper()
    {
        var settings = new Settings();
        Fill(settings);
        return db.Sales.Where(s => s.Id < settings.Limit);
    }

    public object ArgumentThatNormalizesItself(Settings settings)
    {
        settings.Normalize();
        return db.Sales.Where(s => s.Client!.City == settings.Town);
    }

    public object SortedArgument(List<int> ids)
    {
        ids.Sort();
        return db.Sales.Where(s => ids.Contains(s.Id));
    }

    public object LocalsThatChangeBefore(int page)
    {
        page = Math.Max(page, 1);
        var size = 10;
        size += 5;
        size++;
        return db.Sales.OrderBy(s => s.Id).Skip((page - 1) * size).Take(size);
    }

    public object SwitchThatThrows(string sort) => (sort switch
    {
        "total" => db.Sales.OrderBy(s => s.Total),
        "id" => db.Sales.OrderBy(s => s.Id),
        _ => throw new ArgumentException(sort)
    }).ToList();

    public Sale ThrowsWhenMissing(int id)
    {
        var sale = db.Sales.Find(id);
        if (sale == null) throw new KeyNotFoundException();
        return sale;
    }

    public Sale ThrowsForSomeRows(int id)
    {
        var sale = db.Sales.First(s => s.Id == id);
        if (sale.Total > 5) throw new InvalidOperationException();
        return sale;
    }

    public object NestedReturns(bool open, string? city)
    {
        var query = db.Sales.AsQueryable();
        if (open)
        {
            query = query.Where(s => s.Status == Status.Open);
            if (city != null) query = query.Where(s => s.Client!.City == city);
        }
        else if (city == null) return db.Sales.Take(5).ToList();
        else query = query.Where(s => s.Client!.City != city);
        return query.OrderBy(s => s.Id).ToList();
    }

    private static void Fill(Settings settings) => settings.Limit = 5;
}
