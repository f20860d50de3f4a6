using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Warehouse;

public static class Reports
{
    public static object MissingOrEmptyBrand(WarehouseContext db) => db.Articles.Where(a => string.IsNullOrEmpty(a.Brand)).OrderBy(a => a.Sku).Select(a => new { a.Sku, a.Brand }).ToList();
    public static object BrandFallback(WarehouseContext db) => db.Articles.OrderBy(a => a.Sku).Select(a => new { a.Sku, B = a.Brand ?? a.Title ?? "none", L = (a.Brand ?? "").Length }).ToList();
    public static object PriceBands(WarehouseContext db) => db.Articles.GroupBy(a => a.Price == null ? "none" : a.Price < 0 ? "neg" : a.Price < 10 ? "low" : "high").Select(g => new { g.Key, N = g.Count(), Sum = g.Sum(a => a.Price), Min = g.Min(a => a.Price), Avg = Math.Round(g.Average(a => a.Weight), 3) }).OrderBy(x => x.Key).ToList();
    public static object NegativeMath(WarehouseContext db) => db.Stocks.OrderBy(s => s.DepotId).ThenBy(s => s.Sku).Select(s => new { s.DepotId, s.Sku, Q = s.Quantity / 4, R = s.Quantity % 4, Neg = -s.Quantity, Abs = Math.Abs(s.Quantity), Free = s.Quantity - (s.Reserved ?? 0), Maybe = s.Quantity - s.Reserved }).ToList();
    public static object LongMath(WarehouseContext db) => db.Stocks.Where(s => s.Counter > 50_000_000_000L).OrderBy(s => s.Counter).ThenBy(s => s.DepotId).Select(s => new { s.Counter, Half = s.Counter / 2, Rem = s.Counter % 1000, Plus = s.Counter + s.Quantity }).ToList();
    public static long CounterSum(WarehouseContext db) => db.Stocks.Sum(s => s.Counter);
    public static double? AverageReserved(WarehouseContext db) => db.Stocks.Average(s => s.Reserved);
    public static int? MaxReservedOfNothing(WarehouseContext db) => db.Stocks.Where(s => s.Quantity > 1000).Max(s => s.Reserved);
    public static int SumReserved(WarehouseContext db) => db.Stocks.Sum(s => s.Reserved) ?? -1;
    public static object TextFunctions(WarehouseContext db) => db.Articles.OrderBy(a => a.Sku).Select(a => new { T = a.Title.Trim(), S = a.Title.TrimStart(), E = a.Title.TrimEnd(), Sub = a.Title.Substring(1, 3), Idx = a.Title.IndexOf("m"), Rep = a.Title.Replace("m", ""), Len = a.Title.Length }).ToList();
    public static object LikeAndContains(WarehouseContext db) => db.Articles.Where(a => a.Title.Contains("%") || a.Title.Contains("_") || a.Title.StartsWith("C++") || a.Title.EndsWith("\"")).OrderBy(a => a.Sku).Select(a => a.Title).ToList();
    public static object EmptyContains(WarehouseContext db) => db.Articles.Where(a => a.Brand!.Contains("")).OrderBy(a => a.Sku).Select(a => a.Sku).ToList();
    public static object LikePattern(WarehouseContext db) => db.Articles.Where(a => EF.Functions.Like(a.Title, "%m_") || EF.Functions.Like(a.Title, "100\\_%", "\\")).OrderBy(a => a.Sku).Select(a => a.Title).ToList();
    public static object NotContainsNullable(WarehouseContext db) { var brands = new[] { "Acme", null, "" }; return db.Articles.Where(a => !brands.Contains(a.Brand)).OrderBy(a => a.Sku).Select(a => a.Sku).ToList(); }
    public static object InNullable(WarehouseContext db) { var regions = new List<string?> { "CZ", null }; return db.Depots.Where(d => regions.Contains(d.Region)).OrderBy(d => d.Id).Select(d => d.Code).ToList(); }
    public static object NullableCompare(WarehouseContext db) => db.Stocks.Where(s => s.Reserved != 4 && !(s.Reserved > 6)).OrderBy(s => s.DepotId).ThenBy(s => s.Sku).Select(s => new { s.DepotId, s.Sku, s.Reserved }).ToList();
    public static object RegionsEqual(WarehouseContext db) => db.Moves.Where(m => m.From.Region == m.To!.Region).OrderBy(m => m.Id).Select(m => m.Id).ToList();
    public static object RegionsDiffer(WarehouseContext db) => db.Moves.Where(m => m.From.Region != m.To!.Region).OrderBy(m => m.Id).Select(m => m.Id).ToList();
    public static object SortByNullable(WarehouseContext db) => db.Articles.OrderBy(a => a.Price).ThenByDescending(a => a.Brand).ThenBy(a => a.Sku).Select(a => new { a.Sku, a.Price, a.Brand }).ToList();
    public static object SortByNavigation(WarehouseContext db) => db.Moves.OrderBy(m => m.To!.Code).ThenByDescending(m => m.Id).Select(m => new { m.Id, m.To!.Code }).Take(15).ToList();
    public static object DateParts(WarehouseContext db) => db.Moves.Where(m => m.MovedAt.Year == 2024 && m.MovedAt.Month == 1).OrderBy(m => m.Id).Select(m => new { m.Id, m.MovedAt.Day, m.MovedAt.DayOfYear, W = (int)m.MovedAt.DayOfWeek, m.MovedAt.Hour, m.MovedAt.Second, D = m.MovedAt.Date }).ToList();
    public static object DateMath(WarehouseContext db) => db.Articles.OrderBy(a => a.Sku).Select(a => new { a.Sku, A = a.ListedOn.AddMonths(1), B = a.ListedOn.AddYears(1), C = a.ListedOn.AddDays(-1.5), D = a.ListedOn.AddMinutes(90) }).ToList();
    public static object TravelDays(WarehouseContext db) => db.Moves.Where(m => m.ArrivedAt != null).OrderBy(m => m.Id).Select(m => new { m.Id, Days = (m.ArrivedAt!.Value - m.MovedAt).Days, Hours = (m.ArrivedAt!.Value - m.MovedAt).TotalHours }).ToList();
    public static object LateMoves(WarehouseContext db) => db.Moves.Where(m => m.ArrivedAt > m.MovedAt.AddDays(5)).OrderByDescending(m => m.ArrivedAt).ThenBy(m => m.Id).Select(m => m.Id).ToList();
    public static object PerDay(WarehouseContext db) => db.Moves.GroupBy(m => m.MovedAt.Date).Select(g => new { Day = g.Key, N = g.Count(), Total = g.Sum(m => m.Amount) }).OrderBy(x => x.Day).ToList();
    public static object PerRoute(WarehouseContext db) => db.Moves.GroupBy(m => new { m.FromId, m.ToId }).Where(g => g.Count() > 1).Select(g => new { g.Key.FromId, g.Key.ToId, N = g.Count(), Max = g.Max(m => m.ArrivedAt), AnyBig = g.Any(m => m.Amount > 8), AllBig = g.All(m => m.Amount > -4) }).OrderBy(x => x.FromId).ThenBy(x => x.ToId).ToList();
    public static object PerKind(WarehouseContext db) => (from m in db.Moves group m by m.Kind into g orderby g.Key descending select new { Kind = g.Key, Cost = Math.Round(g.Sum(x => x.Cost), 4), Rate = g.Average(x => x.Rate), Distinct = g.Select(x => x.Sku).Distinct().Count(), Filtered = g.Where(x => x.ToId != null).Sum(x => x.Amount) }).ToList();
    public static object KindIsX(WarehouseContext db) => db.Moves.Where(m => m.Kind == 'X' && m.Amount >= 0).OrderBy(m => m.Id).Select(m => new { m.Id, m.Kind }).ToList();
    public static object CompositeJoinWithNulls(WarehouseContext db) => (from a in db.Moves join b in db.Moves on new { a.ToId, a.Sku } equals new { b.ToId, b.Sku } where a.Id < b.Id orderby a.Id, b.Id select new { A = a.Id, B = b.Id }).ToList();
    public static object NullableKeyJoin(WarehouseContext db) => (from m in db.Moves join d in db.Depots on m.ToId equals d.Id orderby m.Id select new { m.Id, d.Code }).ToList();
    public static object LeftJoinWithFilter(WarehouseContext db) => (from d in db.Depots join m in db.Moves.Where(x => x.Amount > 9) on d.Id equals m.ToId into ms from m in ms.DefaultIfEmpty() orderby d.Id, m.Id select new { d.Code, Move = (int?)m.Id, Amount = m == null ? 0 : m.Amount }).ToList();
    public static object GroupJoinCounts(WarehouseContext db) => db.Depots.GroupJoin(db.Moves, d => d.Id, m => m.ToId, (d, ms) => new { d.Code, N = ms.Count(), Sum = ms.Sum(m => m.Amount) }).OrderBy(x => x.Code).ToList();
    public static object TopTwoPerDepot(WarehouseContext db) => db.Depots.OrderBy(d => d.Id).Select(d => new { d.Code, Top = d.Outgoing.OrderByDescending(m => m.Amount).ThenBy(m => m.Id).Take(2).Select(m => new { m.Id, m.Amount }).ToList() }).ToList();
    public static object LatestSkuPerDepot(WarehouseContext db) => db.Depots.OrderBy(d => d.Id).Select(d => new { d.Id, Last = d.Incoming.OrderByDescending(m => m.MovedAt).Select(m => m.Sku).FirstOrDefault(), When = d.Incoming.Max(m => (DateTime?)m.MovedAt), LastAmount = d.Incoming.OrderByDescending(m => m.MovedAt).Select(m => m.Amount).FirstOrDefault() }).ToList();
    public static object NestedAnyAll(WarehouseContext db) => db.Depots.Where(d => d.Stocks.Any(s => s.Article.Price > 50) && d.Outgoing.All(m => m.Amount > -4 || m.ToId == null)).OrderBy(d => d.Id).Select(d => d.Code).ToList();
    public static object SubqueryContains(WarehouseContext db) => db.Articles.Where(a => !db.Moves.Select(m => m.Sku).Contains(a.Sku)).OrderBy(a => a.Sku).Select(a => a.Sku).ToList();
    public static object MovesOfExpensive(WarehouseContext db) { var dear = db.Articles.Where(a => a.Price > 5).Select(a => a.Sku); return db.Moves.Where(m => dear.Contains(m.Sku!)).OrderBy(m => m.Id).Select(m => m.Id).ToList(); }
    public static object UnionOfCodes(WarehouseContext db) => db.Moves.Where(m => m.Amount > 9).Select(m => new { Id = (int?)m.FromId, m.Kind }).Union(db.Moves.Where(m => m.Amount < 0).Select(m => new { Id = m.ToId, m.Kind })).OrderBy(x => x.Id).ThenBy(x => x.Kind).ToList();
    public static object ConcatCount(WarehouseContext db) => db.Depots.Select(d => d.Region).Concat(db.Articles.Select(a => a.Brand)).GroupBy(x => x).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object ExceptRegions(WarehouseContext db) => db.Depots.Select(d => d.Region).Except(db.Depots.Where(d => d.Active).Select(d => d.Region)).ToList();
    public static object IntersectIds(WarehouseContext db) => db.Moves.Select(m => m.FromId).Intersect(db.Moves.Where(m => m.ToId != null).Select(m => m.ToId!.Value)).OrderBy(x => x).ToList();
    public static object DistinctPairs(WarehouseContext db) => db.Moves.Select(m => new { m.From.Region, m.Kind }).Distinct().OrderBy(x => x.Region).ThenBy(x => x.Kind).ToList();
    public static int DistinctSkus(WarehouseContext db) => db.Moves.Select(m => m.Sku).Distinct().Count();
    public static object LetAndNested(WarehouseContext db) => (from a in db.Articles let total = a.Stocks.Sum(s => s.Quantity) let depots = a.Stocks.Count(s => s.Depot.Active) where total != 0 orderby total descending, a.Sku select new { a.Sku, total, depots, Per = depots == 0 ? 0 : total / depots }).ToList();
    public static object SelectManyNav(WarehouseContext db) => db.Depots.Where(d => d.Active).SelectMany(d => d.Stocks).Where(s => s.Quantity > 5).OrderBy(s => s.Sku).ThenBy(s => s.DepotId).Select(s => new { s.Sku, s.DepotId, s.Article.Title }).ToList();
    public static object SelectManyPair(WarehouseContext db) => db.Depots.SelectMany(d => d.Stocks.Where(s => s.Reserved == null).DefaultIfEmpty(), (d, s) => new { d.Code, Sku = s == null ? "-" : s.Sku }).OrderBy(x => x.Code).ThenBy(x => x.Sku).ToList();
    public static object CrossDepots(WarehouseContext db) => (from a in db.Depots from b in db.Depots where a.Id < b.Id && a.Region == b.Region orderby a.Id, b.Id select new { A = a.Code, B = b.Code }).ToList();
    public static object IncludeTwo(WarehouseContext db) => db.Depots.Include(d => d.Stocks).ThenInclude(s => s.Article).Where(d => d.Id < 3).OrderBy(d => d.Id).AsNoTracking().ToList();
    public static object IncludeFiltered(WarehouseContext db) => db.Articles.Include(a => a.Stocks.Where(s => s.Quantity > 0).OrderByDescending(s => s.Quantity).ThenBy(s => s.DepotId).Take(2)).OrderBy(a => a.Sku).AsNoTracking().ToList();
    public static object PagedJoin(WarehouseContext db) => db.Moves.Where(m => m.To != null).OrderBy(m => m.To!.Code).ThenBy(m => m.Id).Skip(5).Take(7).Select(m => new { m.Id, m.To!.Code, m.Article!.Title }).ToList();
    public static object SkipOnly(WarehouseContext db) => db.Moves.OrderBy(m => m.Id).Skip(35).Select(m => m.Id).ToList();
    public static object TakeThenSort(WarehouseContext db) => db.Moves.OrderByDescending(m => m.Cost).ThenBy(m => m.Id).Take(6).OrderBy(m => m.MovedAt).Select(m => new { m.Id, m.Cost }).ToList();
    public static Move? LastMove(WarehouseContext db) => db.Moves.OrderBy(m => m.MovedAt).LastOrDefault(m => m.Kind == 'Y');
    public static string FirstTitle(WarehouseContext db) => db.Articles.OrderBy(a => a.Title).Select(a => a.Title).First();
    public static int ElementAtThree(WarehouseContext db) => db.Moves.OrderBy(m => m.Amount).ThenBy(m => m.Id).Select(m => m.Id).ElementAt(3);
    public static Depot SingleDepot(WarehouseContext db) => db.Depots.Single(d => d.Code == "vie");
    public static Depot SingleFails(WarehouseContext db) => db.Depots.Single(d => d.Active);
    public static Depot FirstFails(WarehouseContext db) => db.Depots.First(d => d.Code == "zzz");
    public static bool AllPriced(WarehouseContext db) => db.Articles.All(a => a.Price != null);
    public static bool AnyLoss(WarehouseContext db) => db.Moves.Any(m => m.Cost < 0 && m.Rate != null);
    public static object Casts(WarehouseContext db) => db.Moves.Where(m => m.Id < 9).OrderBy(m => m.Id).Select(m => new { D = (double)m.Amount / 3, M = (decimal)m.Amount / 4, L = (long)m.Amount * 3_000_000_000L, S = m.Amount.ToString(), I = (int)Math.Floor(m.Cost) }).ToList();
    public static object Interpolated(WarehouseContext db) => db.Stocks.Where(s => s.DepotId == 3).OrderBy(s => s.Sku).Select(s => new { Text = $"{s.Sku}/{s.Depot.Code}: {s.Quantity}", Reg = "R" + s.Depot.Region, Res = s.Reserved + "!" }).ToList();
    public static object Rounding(WarehouseContext db) => db.Articles.Where(a => a.Price != null).OrderBy(a => a.Sku).Select(a => new { a.Price, R0 = Math.Round(a.Price!.Value), R2 = Math.Round(a.Price!.Value, 2), F = Math.Floor(a.Price.Value), C = Math.Ceiling(a.Price.Value), T = Math.Truncate(a.Price.Value), V = a.Price * a.Weight }).ToList();
    public static decimal WeightedSum(WarehouseContext db) => db.Stocks.Sum(s => s.Quantity * s.Article.Weight);
    public static object ConditionalSum(WarehouseContext db) => db.Stocks.GroupBy(s => s.Depot.Code).Select(g => new { g.Key, Pos = g.Sum(s => s.Quantity > 0 ? s.Quantity : 0), Neg = g.Sum(s => s.Quantity < 0 ? s.Quantity : 0), Reserved = g.Sum(s => s.Reserved), Max = g.Max(s => s.Reserved ?? -1) }).OrderBy(x => x.Key).ToList();
    public static object GroupByNavigationThenFilter(WarehouseContext db) => db.Stocks.Where(s => s.Depot.Active).GroupBy(s => s.Article.Brand).Select(g => new { Brand = g.Key, N = g.Count() }).Where(x => x.N > 2).OrderBy(x => x.Brand).ToList();
    public static object GroupOfGroups(WarehouseContext db) => db.Moves.GroupBy(m => m.FromId).Select(g => new { g.Key, N = g.Count() }).GroupBy(x => x.N).Select(g => new { Size = g.Key, Depots = g.Count() }).OrderBy(x => x.Size).ToList();
    public static object FirstOfGroup(WarehouseContext db) => db.Moves.GroupBy(m => m.Kind).Select(g => new { g.Key, First = g.OrderBy(m => m.MovedAt).First().Id }).OrderBy(x => x.Key).ToList();
    public static object GroupItems(WarehouseContext db) => db.Stocks.Where(s => s.Quantity > 3).GroupBy(s => s.DepotId).OrderBy(g => g.Key).Select(g => new { g.Key, Skus = g.OrderBy(s => s.Sku).Select(s => s.Sku).ToList() }).ToList();
    public static object JoinedNames(WarehouseContext db) => db.Depots.OrderBy(d => d.Id).Select(d => new { d.Id, Names = string.Join(";", d.Stocks.Where(s => s.Quantity > 8).OrderBy(s => s.Sku).Select(s => s.Sku)) }).ToList();
    public static object TernaryNull(WarehouseContext db) => db.Moves.Where(m => m.Id <= 12).OrderBy(m => m.Id).Select(m => new { m.Id, Where = m.To == null ? "lost" : m.To.Code, Late = m.ArrivedAt == null ? (bool?)null : m.ArrivedAt > m.MovedAt.AddDays(4) }).ToList();
    public static object Xor(WarehouseContext db) => db.Moves.Where(m => (m.Amount > 5) ^ (m.ToId == null)).OrderBy(m => m.Id).Select(m => m.Id).ToList();
    public static object AverageInt(WarehouseContext db) => new { A = db.Moves.Average(m => m.Amount), B = db.Moves.Average(m => m.Cost), C = db.Articles.Min(a => a.Title), D = db.Articles.Max(a => a.ListedOn) };
    public static async Task<object> Stats(WarehouseContext db)
    {
        var total = await db.Moves.CountAsync();
        var lost = await db.Moves.CountAsync(m => m.ToId == null);
        var best = await db.Moves.OrderByDescending(m => m.Cost).Select(m => new { m.Id, m.Cost }).FirstOrDefaultAsync();
        return new { total, lost, Share = total == 0 ? 0 : (double)lost / total, best };
    }
    public static object CompositeNullsMatch(WarehouseContext db) => (from a in db.Moves join b in db.Moves on new { X = a.ToId } equals new { X = b.ToId } where a.Id < 12 && b.Id < 12 orderby a.Id, b.Id select new { A = a.Id, B = b.Id }).ToList();
    public static object CompositeLeftNulls(WarehouseContext db) => (from a in db.Moves.Where(x => x.Id < 16) join b in db.Moves.Where(x => x.Id > 28) on new { a.ToId, a.Sku } equals new { b.ToId, b.Sku } into bs from b in bs.DefaultIfEmpty() orderby a.Id, b.Id select new { A = a.Id, B = (int?)b.Id }).ToList();
    public static object CompositeGroupCount(WarehouseContext db) => (from a in db.Moves join b in db.Moves on new { a.ToId, a.Sku } equals new { b.ToId, b.Sku } into bs orderby a.Id select new { a.Id, N = bs.Count() }).ToList();
    public static object SingleNullableJoin(WarehouseContext db) => (from a in db.Moves join b in db.Moves on a.ToId equals b.ToId where a.Id < 8 && b.Id < 20 orderby a.Id, b.Id select new { A = a.Id, B = b.Id }).ToList();
    public static object DistinctInGroup(WarehouseContext db) => db.Moves.GroupBy(x => x.Kind).Select(g => new { g.Key, A = g.Select(x => x.Sku).Distinct().Count(), B = g.Select(x => x.To!.Region).Distinct().Count(), C = g.Select(x => x.Amount).Distinct().Sum(), D = g.Select(x => x.ToId).Distinct().Max(), E = g.Where(x => x.Amount > 3).Select(x => x.Sku).Distinct().Count() }).OrderBy(x => x.Key).ToList();
    public static object DistinctThenGroup(WarehouseContext db) => db.Articles.Select(a => a.Brand).Distinct().GroupBy(x => x).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object TakeThenGroup(WarehouseContext db) => db.Articles.OrderBy(a => a.Sku).Select(a => a.Brand).Take(7).GroupBy(x => x).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object SortByBool(WarehouseContext db) => db.Depots.OrderBy(d => d.Region == "CZ").ThenBy(d => d.Region == null).ThenBy(d => !d.Active).ThenBy(d => d.Id).Select(d => d.Id).ToList();
    public static object GroupByBool(WarehouseContext db) => db.Articles.GroupBy(a => a.Price > 5).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object TernaryIsNull(WarehouseContext db) => db.Moves.Where(m => (m.ToId > 2 ? m.Sku : null) == null).OrderBy(m => m.Id).Select(m => m.Id).ToList();
    public static object StartsWithColumn(WarehouseContext db) => db.Articles.Where(a => a.Title.StartsWith(a.Brand!) || !a.Title.Contains(a.Brand!)).OrderBy(a => a.Sku).Select(a => a.Sku).ToList();
    public static object LowerEquals(WarehouseContext db) => db.Articles.Where(a => a.Title.ToLower() == "bolt m8" || a.Title.ToUpper().Contains("M8")).OrderBy(a => a.Sku).Select(a => a.Title).ToList();
    public static object CompareText(WarehouseContext db) => db.Articles.Where(a => string.Compare(a.Title, "M") > 0 || a.Title.CompareTo("B") <= 0).OrderBy(a => a.Sku).Select(a => a.Sku).ToList();
    public static object AddColumnDays(WarehouseContext db) => db.Moves.Where(m => m.Id < 10).OrderBy(m => m.Id).Select(m => new { A = m.MovedAt.AddDays(m.Amount), B = m.MovedAt.AddMonths(m.Amount) }).ToList();
    public static object NotNullableBool(WarehouseContext db) => db.Moves.Where(m => !(m.Rate > 1 || m.ToId == 2)).OrderBy(m => m.Id).Select(m => m.Id).ToList();
    public static object SumsOfNothing(WarehouseContext db) => db.Depots.OrderBy(d => d.Id).Select(d => new { d.Id, A = d.Incoming.Sum(m => m.Amount), B = d.Incoming.Sum(m => m.Rate), C = d.Incoming.Max(m => m.ToId), D = d.Incoming.Average(m => (double?)m.Cost), E = d.Incoming.Where(m => m.Amount > 100).Min(m => (int?)m.Amount) }).ToList();
    public static object WhereMaxNull(WarehouseContext db) => db.Depots.Where(d => d.Incoming.Max(m => m.Rate) == null || d.Incoming.Sum(m => m.ToId) == 0).OrderBy(d => d.Id).Select(d => d.Id).ToList();
    public static object GroupHaving(WarehouseContext db) => db.Moves.GroupBy(x => x.FromId).Where(g => g.Max(x => x.Rate) > 2 && g.Sum(x => x.ToId) > 3).OrderByDescending(g => g.Count()).ThenBy(g => g.Key).Select(g => new { g.Key, Avg = g.Average(x => x.Cost) }).ToList();
    public static object DoubleMath(WarehouseContext db) => db.Moves.Where(m => m.Id < 12).OrderBy(m => m.Id).Select(m => new { B = m.Cost / 3, C = Math.Abs(m.Cost), D = Math.Sqrt(Math.Abs(m.Cost)), E = Math.Pow(m.Cost, 2), F = Math.Floor(m.Cost), G = Math.Max(m.Cost, 1.5), S = Math.Sign(m.Cost) }).ToList();
    public static object UnmatchedBoth(WarehouseContext db) => db.Depots.Where(d => !d.Outgoing.Any() && d.Incoming.Any(m => m.From.Region != d.Region)).Select(d => d.Code).ToList();
    public static object NavCounts(WarehouseContext db) => db.Articles.Where(a => a.Stocks.Count(s => s.Depot.Region == "CZ") >= 2).OrderBy(a => a.Sku).Select(a => new { a.Sku, Depots = a.Stocks.Select(s => s.Depot.Code).Distinct().Count(), Best = a.Stocks.OrderByDescending(s => s.Quantity).ThenBy(s => s.DepotId).Select(s => s.Depot.Code).First() }).ToList();
    public static object UnionEntities(WarehouseContext db) => db.Articles.Where(a => a.Price > 50).Union(db.Articles.Where(a => a.Brand == "Acme")).OrderBy(a => a.Sku).Select(a => new { a.Sku, a.Brand }).ToList();
    public static object ConcatDuplicates(WarehouseContext db) => db.Articles.Where(a => a.Price > 1).Select(a => a.Sku).Concat(db.Articles.Where(a => a.Brand == "Acme").Select(a => a.Sku)).OrderBy(x => x).ToList();
    public static int ConcatTotal(WarehouseContext db) => db.Depots.Select(d => d.Region).Concat(db.Articles.Select(a => a.Brand)).Count();
    public static decimal ClientRounding(WarehouseContext db) { var max = db.Articles.Where(a => a.Sku == "A05").Select(a => a.Price).Max(); return Math.Round(max ?? 0m); }
}
