using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
using Freight.Domain;

namespace Freight.Queries;

public record DepotDto(string Country, int Number, string Name, int Bins, int Stock);
public class Page<T> { public int Total { get; set; } public List<T> Items { get; set; } = new(); }

public class FreightRepository
{
    private readonly FreightContext _db;
    public FreightRepository(FreightContext db) => _db = db;

    public async Task<List<DepotDto>> DepotsAsync() => await _db.Depots.OrderBy(d => d.Country).ThenBy(d => d.Number)
        .Select(d => new DepotDto(d.Country, d.Number, d.Name, d.Bins.Count, d.Bins.SelectMany(b => b.Stocks).Sum(s => s.Quantity))).ToListAsync();
    public async Task<Depot?> FindDepotAsync() => await _db.Depots.FindAsync("CZ", 1);
    public List<Depot> Roots() => _db.Depots.Where(d => d.Parent == null).OrderBy(d => d.Country).ThenBy(d => d.Number).ToList();
    public List<Depot> RootsWithTree() => _db.Depots.Include(d => d.Children).ThenInclude(c => c.Children).Include(d => d.Bins.Where(b => b.Capacity > 0).OrderByDescending(b => b.Capacity).ThenBy(b => b.Code)).ThenInclude(b => b.Stocks).Where(d => d.ParentCountry == null).OrderBy(d => d.Country).ThenBy(d => d.Number).ToList();
    public List<Shipment> Detailed() => _db.Shipments.Include(s => s.Origin).Include(s => s.Destination).Include(s => s.Customs).Include(s => s.Lines).ThenInclude(l => l.Article).OrderBy(s => s.Id).ToList();
    public List<Shipment> ReturnChains() => _db.Shipments.Include(s => s.ReturnOf!).ThenInclude(r => r.Customs).Include(s => s.Returns).ThenInclude(r => r.Lines.OrderBy(l => l.Position).Take(1)).OrderByDescending(s => s.Id).ToList();
    public List<string?> GrandParents() => _db.Depots.OrderBy(d => d.Country).ThenBy(d => d.Number).Select(d => d.Parent!.Parent!.Name).ToList();
    public object ByState() => _db.Shipments.GroupBy(s => s.State).Select(g => new { g.Key, N = g.Count(), Dist = g.Average(s => s.DistanceKm), Late = g.Count(s => s.DeliveredOn == null) }).OrderBy(x => x.Key).ToList();
    public object RouteMatrix() => _db.Shipments.GroupBy(s => new { From = s.Origin.Name, To = s.Destination!.Name }).Select(g => new { g.Key.From, g.Key.To, Count = g.Count(), Km = g.Sum(x => x.DistanceKm) }).OrderByDescending(r => r.Count).ThenBy(r => r.From).ThenBy(r => r.To).ToList();
    public object SameCountry() => _db.Shipments.Where(s => s.OriginCountry == s.DestinationCountry).Select(s => s.Reference).ToList();
    public object OtherCountry() => _db.Shipments.Where(s => s.OriginCountry != s.DestinationCountry).OrderBy(s => s.Id).Select(s => s.Reference).ToList();
    public object ShipmentTotals() => _db.Shipments.OrderBy(s => s.Id).Select(s => new { s.Id, Total = s.Lines.Sum(l => l.Quantity * l.UnitPrice), Weight = s.Lines.Sum(l => l.Quantity * (l.Article == null ? 0 : l.Article.Weight)), Lines = s.Lines.Count(), Distinct = s.Lines.Select(l => l.ArticleId).Distinct().Count() }).ToList();
    public object AverageLine() => _db.Shipments.OrderBy(s => s.Id).Select(s => new { s.Id, Avg = s.Lines.Average(l => (decimal?)l.UnitPrice), Max = s.Lines.Max(l => (int?)l.Quantity), Min = s.Lines.Min(l => (decimal?)l.UnitPrice) }).ToList();
    public object HazardFlags() => _db.Articles.Where(a => a.Hazard.HasFlag(Hazard.Toxic)).OrderBy(a => a.Sku).Select(a => new { a.Sku, a.Hazard }).ToList();
    public object HazardBits() => _db.Articles.Where(a => (a.Hazard & Hazard.Fragile) != 0).OrderBy(a => a.Sku).Select(a => a.Sku).ToList();
    public object UnstockedArticles() => _db.Articles.Where(a => !a.Stocks.Any()).Select(a => a.Sku).OrderBy(x => x).ToList();
    public object StockedEverywhere() => _db.Articles.Where(a => _db.Depots.All(d => d.Bins.Any(b => b.Stocks.Any(s => s.ArticleId == a.ArticleId)))).Select(a => a.Sku).ToList();
    public object BinLoad() => _db.Bins.Select(b => new { b.DepotCountry, b.DepotNumber, b.Code, b.Capacity, Used = b.Stocks.Sum(s => s.Quantity) }).Where(x => x.Used > x.Capacity || x.Used < 0).OrderBy(x => x.DepotCountry).ThenBy(x => x.DepotNumber).ThenBy(x => x.Code).ToList();
    public object JoinByPair() => (from s in _db.Stocks join b in _db.Bins on new { s.DepotCountry, s.DepotNumber, Code = s.BinCode } equals new { b.DepotCountry, b.DepotNumber, b.Code } orderby b.Code, s.ArticleId, b.DepotNumber, b.DepotCountry select new { b.Code, s.Quantity, b.Capacity }).ToList();
    public object LeftJoinDepotsShipments() => (from d in _db.Depots join s in _db.Shipments on new { A = (string?)d.Country, B = (int?)d.Number } equals new { A = s.DestinationCountry, B = s.DestinationNumber } into g from s in g.DefaultIfEmpty() orderby d.Country, d.Number, s.Id select new { d.Name, Ref = s == null ? "-" : s.Reference, State = (ShipmentState?)s.State }).ToList();
    public object GroupJoinCounts() => (from d in _db.Depots join s in _db.Shipments on d.Country equals s.OriginCountry into g orderby d.Country, d.Number select new { d.Name, N = g.Count(), Km = g.Sum(x => x.DistanceKm) }).ToList();
    public object Neighbours() => (from a in _db.Depots from b in _db.Depots where a.Country == b.Country && a.Number < b.Number orderby a.Country, a.Number, b.Number select new { A = a.Name, B = b.Name }).ToList();
    public object Leftovers() => _db.Depots.Where(d => !d.Outgoing.Any() && !d.Incoming.Any(i => i.State != ShipmentState.Lost)).OrderBy(d => d.Name).Select(d => d.Name).ToList();
    public object TopArticles() => _db.Lines.Where(l => l.Article != null).GroupBy(l => new { l.ArticleId, l.Article!.Sku }).Select(g => new { g.Key.Sku, Qty = g.Sum(l => l.Quantity), Value = g.Sum(l => l.Quantity * l.UnitPrice), Avg = g.Average(l => l.UnitPrice) }).OrderByDescending(x => x.Value).ThenBy(x => x.Sku).Take(3).ToList();
    public object DiscountedLines() => _db.Lines.Where(l => l.Discount > 0.125f).OrderBy(l => l.ShipmentId).ThenBy(l => l.Position).Select(l => new { l.ShipmentId, l.Position, l.Discount }).ToList();
    public object TransitDays() => _db.Shipments.Where(s => s.DeliveredOn != null).OrderBy(s => s.Id).Select(s => new { s.Id, Days = (s.DeliveredOn!.Value - s.CreatedOn).TotalDays }).ToList();
    public object MonthHistogram() => _db.Shipments.GroupBy(s => new { s.CreatedOn.Year, s.CreatedOn.Month }).Select(g => new { g.Key.Year, g.Key.Month, N = g.Count(), First = g.Min(s => s.CreatedOn), Last = g.Max(s => s.DeliveredOn) }).OrderBy(x => x.Year).ThenBy(x => x.Month).ToList();
    public decimal TotalStockValue() => _db.Stocks.Sum(s => s.Quantity * (s.Article.Price ?? 0m));
    public decimal? AvgPrice() => _db.Articles.Average(a => a.Price);
    public double AvgQty() => _db.Stocks.Average(s => s.Quantity);
    public int MaxQty() => _db.Stocks.Where(s => s.Quantity < 0).Max(s => s.Quantity);
    public int? MaxQtyOfNone() => _db.Stocks.Where(s => s.Quantity > 100000).Max(s => (int?)s.Quantity);
    public int MaxQtyThrows() => _db.Stocks.Where(s => s.Quantity > 100000).Max(s => s.Quantity);
    public Shipment FirstThrows() => _db.Shipments.First(s => s.Reference == "nope");
    public Shipment SingleThrows() => _db.Shipments.Single(s => s.State == ShipmentState.Planned);
    public Dictionary<string, int> CountByCountry() => _db.Depots.GroupBy(d => d.Country).ToDictionary(g => g.Key, g => g.Count());
    public object LatestPerOrigin() => _db.Depots.OrderBy(d => d.Country).ThenBy(d => d.Number).Select(d => new { d.Name, Last = d.Outgoing.OrderByDescending(s => s.CreatedOn).ThenByDescending(s => s.Id).Select(s => new { s.Reference, s.State }).FirstOrDefault() }).ToList();
    public object LatestShipmentPerOriginGroup() => _db.Shipments.GroupBy(s => s.OriginCountry).Select(g => g.OrderByDescending(s => s.CreatedOn).ThenByDescending(s => s.Id).First()).ToList();
    public object GroupWithItems() => _db.Shipments.GroupBy(s => s.OriginCountry).OrderBy(g => g.Key).Select(g => new { g.Key, Refs = g.OrderBy(s => s.Id).Select(s => s.Reference).ToList() }).ToList();
    public object UnionNames() => _db.Depots.Select(d => d.Name).Union(_db.Articles.Select(a => a.Title!)).OrderBy(x => x).ToList();
    public object ConcatRows() => _db.Depots.Select(d => new { Kind = "depot", Key = d.Country + d.Number, d.Name }).Concat(_db.Articles.Select(a => new { Kind = "article", Key = a.Sku, Name = a.Title ?? "?" })).OrderBy(x => x.Kind).ThenBy(x => x.Key).ToList();
    public object UnionNodes() => _db.Shipments.Where(s => s.State == ShipmentState.Planned).Union(_db.Shipments.Where(s => s.DistanceKm > 100)).OrderBy(s => s.Id).ToList();
    public object ExceptNodes() => _db.Shipments.Except(_db.Shipments.Where(s => s.DistanceKm > 100)).OrderBy(s => s.Id).Select(s => s.Reference).ToList();
    public object IntersectKeys() => _db.Stocks.Select(s => s.ArticleId).Intersect(_db.Lines.Where(l => l.ArticleId != null).Select(l => l.ArticleId!.Value)).Count();
    public object IntersectNullable() => _db.Lines.Select(l => l.ArticleId).Intersect(_db.Articles.Select(a => (Guid?)a.ArticleId)).Count();
    public object TwoSubs() => _db.Depots.OrderBy(d => d.Country).ThenBy(d => d.Number).Select(d => new { d.Name, Out = d.Outgoing.Count(), In = d.Incoming.Count(), OutKm = d.Outgoing.Sum(s => s.DistanceKm), InMax = d.Incoming.Max(s => s.DistanceKm), Kids = d.Children.Count, Bal = d.Incoming.Count() - d.Outgoing.Count() }).ToList();
    public object Customs1() => _db.Customs.OrderBy(c => c.ShipmentId).Select(c => new { c.Code, c.Shipment.Reference, From = c.Shipment.Origin.Name, To = c.Shipment.Destination == null ? "nowhere" : c.Shipment.Destination.Name }).ToList();
    public object NoCustoms() => _db.Shipments.Where(s => s.Customs == null).OrderBy(s => s.Id).Select(s => s.Id).ToList();
    public object Uncleared() => _db.Shipments.Where(s => !s.Customs!.Cleared).OrderBy(s => s.Id).Select(s => new { s.Id, Duty = (decimal?)s.Customs!.Duty }).ToList();
    public object CustomsSum() => _db.Shipments.GroupBy(s => s.Customs != null && s.Customs.Cleared).Select(g => new { g.Key, Duty = g.Sum(s => s.Customs!.Duty), N = g.Count() }).OrderBy(x => x.N).ToList();
    public object Strings() => _db.Articles.OrderBy(a => a.Sku).Select(a => new { U = a.Sku.ToUpper(), L = a.Title!.ToLower(), Len = a.Title.Length, Sub = a.Sku.Substring(1, 2), Idx = a.Sku.IndexOf("-"), T = a.Title.Trim(), R = a.Title.Replace("'", "\""), C = a.Sku + "/" + a.Title, I = $"{a.Sku}: {a.Title}", Starts = a.Title.StartsWith("A"), E = a.Title == "" }).ToList();
    public object DivMod() => _db.Stocks.OrderBy(s => s.ArticleId).ThenBy(s => s.BinCode).ThenBy(s => s.DepotNumber).ThenBy(s => s.DepotCountry).Select(s => new { s.Quantity, D = s.Quantity / 7, M = s.Quantity % 7, N = -s.Quantity, Abs = Math.Abs(s.Quantity), Sign = Math.Sign(s.Quantity), F = s.Quantity / 7.0, Dm = s.Quantity / -2 }).ToList();
    public object RightJoined() => _db.Lines.RightJoin(_db.Articles, l => l.ArticleId, a => a.ArticleId, (l, a) => new { a.Sku, Qty = (int?)l!.Quantity, Pos = (int?)l.Position }).OrderBy(x => x.Sku).ThenBy(x => x.Qty).ThenBy(x => x.Pos).ToList();
    public object LeftJoined() => _db.Articles.LeftJoin(_db.Lines, a => a.ArticleId, l => l.ArticleId, (a, l) => new { a.Sku, Qty = l == null ? 0 : l.Quantity }).OrderBy(x => x.Sku).ThenBy(x => x.Qty).ToList();
    public object LastTwo() => _db.Shipments.OrderBy(s => s.Id).Skip(1).Take(4).OrderByDescending(s => s.DistanceKm).ThenBy(s => s.Id).Take(2).Select(s => new { s.Id, s.DistanceKm }).ToList();
    public object DistinctCountries() => _db.Shipments.Select(s => new { s.OriginCountry, s.DestinationCountry }).Distinct().OrderBy(x => x.OriginCountry).ThenBy(x => x.DestinationCountry).ToList();
    public object HavingLines() => _db.Lines.GroupBy(l => l.ShipmentId).Where(g => g.Count() > 1 && g.Max(l => l.UnitPrice) > 5).Select(g => new { g.Key, Sum = g.Sum(l => l.UnitPrice) }).OrderBy(x => x.Key).ToList();
    public object AnyAll() => new { A = _db.Shipments.Any(), B = _db.Shipments.All(s => s.Lines.Any()), C = _db.Lines.All(l => l.Quantity > 0), D = _db.Stocks.Any(s => s.Quantity < 0) };
    public object Lost() { var lost = _db.Shipments.Where(s => s.State == ShipmentState.Lost).Select(s => s.Id); return _db.Lines.Where(l => lost.Contains(l.ShipmentId)).OrderBy(l => l.ShipmentId).ThenBy(l => l.Position).Select(l => new { l.ShipmentId, l.Position }).ToList(); }
    public object NotLost() => _db.Lines.Where(l => !_db.Shipments.Where(s => s.State == ShipmentState.Lost).Select(s => s.Id).Contains(l.ShipmentId)).Count();
    public object DuplicateRefs() => _db.Shipments.Where(s => _db.Shipments.Any(o => o.Id != s.Id && o.Reference == s.Reference)).OrderBy(s => s.Id).Select(s => s.Id).ToList();
    public object RunningCount() => _db.Shipments.OrderBy(s => s.Id).Select(s => new { s.Id, Before = _db.Shipments.Count(o => o.CreatedOn < s.CreatedOn), Rank = _db.Shipments.Count(o => o.DistanceKm > s.DistanceKm) + 1 }).ToList();
}
