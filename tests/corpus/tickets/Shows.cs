using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
using TicketHub.Data;

namespace TicketHub.Reports
{
    public class ShowListItem
    {
        public long Id { get; set; }
        public string Title { get; set; }
        public string Venue { get; set; }
        public string City { get; set; }
        public int Sold { get; set; }
        public decimal Revenue { get; set; }
        public decimal? CheapestPrice { get; set; }
        public List<string> Tags { get; set; }
    }
    public class Stat { public string Label { get; set; } public int Count { get; set; } public decimal? Sum { get; set; } }

    public static class ShowReports
    {
        public static readonly Expression<Func<Show, ShowListItem>> AsListItem = s => new ShowListItem
        {
            Id = s.Id,
            Title = s.Subtitle == null ? s.Title : s.Title + ": " + s.Subtitle,
            Venue = s.Venue.Name,
            City = s.Venue.City,
            Sold = s.Tickets.Count(t => t.PurchaseId != null),
            Revenue = s.Tickets.Where(t => t.PurchaseId != null).Sum(t => t.Price),
            CheapestPrice = s.Prices.Min(p => (decimal?)p.Amount.Value),
            Tags = s.Tags.OrderBy(t => t.Name).Select(t => t.Name).ToList()
        };
        public static List<ShowListItem> List(HubContext db) => db.Shows.OrderBy(s => s.StartsAt).ThenBy(s => s.Id).Select(AsListItem).ToList();
        public static List<ShowListItem> ListTagged(HubContext db) => db.Shows.Where(s => s.Tags.Any(t => t.Weight > 1 || t.Weight == null)).OrderByDescending(s => s.Id).Select(AsListItem).ToList();
        public static List<Show> Raw(HubContext db) => db.Shows.Include(s => s.Venue).Include(s => s.Prices.OrderBy(p => p.Id)).Where(s => s.Status == EventStatus.OnSale || s.Status == EventStatus.SoldOut).OrderBy(s => s.Id).ToList();
        public static object SeatPlan(HubContext db) => db.Seats.OrderBy(x => x.VenueId).ThenBy(x => x.Row).ThenBy(x => x.Number).Select(x => new { x.Venue.Name, Label = x.Row + "-" + x.Number, x.Zone, Taken = x.Tickets.Any(t => t.Show.Status != EventStatus.Cancelled) }).ToList();
        public static object SeatCounts(HubContext db) => db.Seats.GroupBy(s => new { s.VenueId, s.Row }).Select(g => new { g.Key.VenueId, g.Key.Row, N = g.Count(), First = g.Min(x => x.Number), Last = g.Max(x => x.Number) }).OrderBy(x => x.VenueId).ThenBy(x => x.Row).ToList();
        public static object RowInSet(HubContext db) { var rows = new[] { 'A', 'C', '$' }; return db.Seats.Where(s => rows.Contains(s.Row)).OrderBy(s => s.VenueId).ThenBy(s => s.Row).ThenBy(s => s.Number).Select(s => new { s.Row, s.Number }).ToList(); }
        public static object TicketSeats(HubContext db) => db.Tickets.OrderBy(t => t.Price).ThenBy(t => t.Id).Select(t => new { t.Id, t.SeatRow, t.SeatNumber, Zone = (byte?)t.Seat.Zone, Venue = t.Seat.Venue.Name }).ToList();
        public static object FindSeat(HubContext db) => db.Seats.Find(1L, 'A', (short)2);
        public static object SoldPerShow(HubContext db) =>
            (from t in db.Tickets
             where t.Purchase.Method != PayMethod.Voucher
             group t by new { t.ShowId, t.Show.Title } into g
             orderby g.Sum(x => x.Price) descending, g.Key.ShowId
             select new { g.Key.Title, Count = g.Count(), Sum = g.Sum(x => x.Price), Scanned = g.Count(x => x.Scanned), Pct = g.Count(x => x.Scanned) * 100.0 / g.Count() }).ToList();
        public static object ByMethod(HubContext db) => db.Purchases.GroupBy(p => p.Method).Select(g => new { Method = g.Key, N = g.Count(), Sum = g.Sum(p => p.Total - (p.Discount ?? 0)), Avg = g.Average(p => p.Discount), MaxD = g.Max(p => p.Discount) }).OrderBy(x => x.N).ThenBy(x => x.Sum).ToList();
        public static object Monthly(HubContext db) => db.Purchases.Where(p => p.Created >= new DateTime(2024, 1, 1) && p.Created < new DateTime(2024, 1, 1).AddYears(1)).GroupBy(p => new { p.Created.Year, p.Created.Month }).OrderBy(g => g.Key.Year).ThenBy(g => g.Key.Month).Select(g => new { Period = g.Key.Year * 100 + g.Key.Month, Total = g.Sum(x => x.Total), Buyers = g.Select(x => x.CustomerId).Distinct().Count() }).ToList();
        public static object Daily(HubContext db) => db.Purchases.GroupBy(p => p.Created.Date).Select(g => new { Day = g.Key, N = g.Count() }).OrderBy(x => x.Day).ToList();
        public static object Weekday(HubContext db) => db.Shows.GroupBy(s => s.StartsAt.DayOfWeek).Select(g => new { Day = g.Key, N = g.Count() }).OrderBy(x => x.Day).ToList();
        public static object BestCustomers(HubContext db) =>
            db.Customers.Select(c => new { c.DisplayName, c.CustomerId, Spent = c.Purchases.Sum(p => p.Total), Last = c.Purchases.Max(p => (DateTime?)p.Created), Tickets = c.Purchases.SelectMany(p => p.Tickets).Count() })
              .Where(x => x.Spent > 0 || x.Tickets > 0).OrderByDescending(x => x.Spent).ThenBy(x => x.CustomerId).Take(5).ToList();
        public static object NoPurchases(HubContext db) => (from c in db.Customers where !c.Purchases.Any() orderby c.CustomerId select new { c.Email, c.DisplayName }).ToList();
        public static object LeftJoinClassic(HubContext db) =>
            (from c in db.Customers
             join p in db.Purchases on c.CustomerId equals p.CustomerId into ps
             from p in ps.DefaultIfEmpty()
             orderby c.CustomerId, p.Id
             select new { c.DisplayName, Id = (long?)p.Id, Total = p == null ? 0 : p.Total, p.VoucherCode }).ToList();
        public static object CountryStats2(HubContext db) => db.Purchases.GroupBy(p => p.Customer.Country).Select(g => new Stat { Label = g.Key, Count = g.Count(), Sum = g.Sum(p => p.Discount) }).OrderBy(s => s.Label).ToList();
        public static object Durations(HubContext db) => db.Shows.OrderBy(s => s.Id).Select(s => new { s.Id, End = s.StartsAt + s.Duration, Minutes = s.Duration.HasValue ? s.Duration.Value.TotalMinutes : (double?)null, Long = s.Duration > TimeSpan.FromHours(2) }).ToList();
        public static object Sales(HubContext db) { var at = new DateTimeOffset(2024, 2, 29, 12, 0, 0, TimeSpan.Zero); return db.Shows.Where(s => s.SalesStart == null || s.SalesStart <= at).OrderBy(s => s.SalesStart).ThenBy(s => s.Id).Select(s => new { s.Id, s.SalesStart }).ToList(); }
        public static object Near(HubContext db) { double lat = 50.08, lon = 14.43; return db.Venues.Where(v => v.Latitude != null && v.Longitude != null).OrderBy(v => Math.Pow(v.Latitude.Value - lat, 2) + Math.Pow(v.Longitude.Value - lon, 2)).ThenBy(v => v.Id).Select(v => v.Name).ToList(); }
        public static object Fill(HubContext db) => db.Venues.OrderBy(v => v.Id).Select(v => new { v.Name, v.Capacity, Seats = v.Seats.Count(), Free = v.Capacity - v.Seats.Count(), Ratio = v.Capacity == 0 ? 0 : (double)v.Seats.Count() / v.Capacity }).ToList();
        public static object SearchText(HubContext db) { var q = "100%_"; return db.Shows.Where(s => s.Title.Contains(q) || EF.Functions.Like(s.Subtitle, "%\\_%") || s.Title.StartsWith("$")).OrderBy(s => s.Id).Select(s => s.Title).ToList(); }
        public static object AllShowsEvenDeleted(HubContext db) => db.Shows.IgnoreQueryFilters().OrderBy(s => s.Id).Select(s => new { s.Id, s.IsDeleted, V = s.Venue.IsDeleted, s.Venue.Name }).ToList();
        public static object TicketsOfDeleted(HubContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => new { t.Id, t.Show.Title, Buyer = t.Purchase.Customer.DisplayName ?? "anonymous" }).ToList();
        public static object TagCloud(HubContext db) => db.Tags.Select(t => new { t.Name, N = t.Shows.Count, Rev = t.Shows.SelectMany(s => s.Tickets).Sum(x => (decimal?)x.Price) ?? 0m }).OrderByDescending(x => x.N).ThenBy(x => x.Name).ToList();
        public static object TagPairs(HubContext db) => (from s in db.Shows from t in s.Tags where t.Weight.HasValue orderby s.Id, t.Weight descending, t.Name select new { s.Id, t.Name, t.Weight }).ToList();
        public static object PricesByCurrency(HubContext db) => db.Prices.GroupBy(p => p.Amount.Currency).Select(g => new { g.Key, Min = g.Min(p => p.Amount.Value), Max = g.Max(p => p.Amount.Value), Avg = g.Average(p => p.Amount.Value) }).OrderBy(x => x.Key).ToList();
        public static object PriceList(HubContext db) => db.Prices.OrderBy(p => p.Amount.Value).ThenBy(p => p.Id).Select(p => new { p.Show.Title, p.Amount, Gross = p.Amount.Value * 1.21m, Rounded = Math.Round(p.Amount.Value * 1.21m, 2) }).ToList();
        public static object FirstLast(HubContext db) => new { First = db.Shows.OrderBy(s => s.StartsAt).ThenBy(s => s.Id).First().Title, Last = db.Shows.OrderBy(s => s.StartsAt).ThenBy(s => s.Id).Last().Title, N = db.Shows.LongCount(), Any = db.Shows.Any(s => s.Status == EventStatus.Draft) };
        public static object ExceptCities(HubContext db) => db.Venues.Select(v => v.City).Except(db.Shows.Select(s => s.Venue.City)).OrderBy(c => c).ToList();
        public static object Ages(HubContext db) { var today = new DateOnly(2024, 2, 29); return db.Customers.Where(c => c.Birthday != null).OrderBy(c => c.Birthday).ThenBy(c => c.CustomerId).Select(c => new { c.DisplayName, Age = today.Year - c.Birthday.Value.Year - (c.Birthday.Value.AddYears(today.Year - c.Birthday.Value.Year) > today ? 1 : 0) }).ToList(); }
        public static object Newsletter(HubContext db) => db.Customers.GroupBy(c => c.Newsletter).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.N).ThenBy(x => x.Key).ToList();
        public static object NotNewsletter(HubContext db) => db.Customers.Where(c => c.Newsletter != true).OrderBy(c => c.CustomerId).Select(c => c.DisplayName).ToList();
        public static object StatusNames(HubContext db) => db.Shows.OrderBy(s => s.Id).Select(s => new { s.Id, S = s.Status.ToString(), Is = s.Status == EventStatus.Draft ? "draft" : "other" }).ToList();
        public static object TopPerShow(HubContext db) => db.Shows.OrderBy(s => s.Id).SelectMany(s => s.Tickets.OrderByDescending(t => t.Price).ThenBy(t => t.Id).Take(1).DefaultIfEmpty(), (s, t) => new { s.Id, Price = (decimal?)t.Price }).ToList();
        public static object Hist(HubContext db) => db.Tickets.GroupBy(t => t.Price < 10 ? "low" : t.Price < 100 ? "mid" : "high").Select(g => new { g.Key, N = g.Count(), Avg = g.Average(t => t.Price) }).OrderBy(x => x.Key).ToList();
        public static object HalfYear(HubContext db) => db.Purchases.GroupBy(p => new { Y = p.Created.Year, H = p.Created.Month <= 6 ? 1 : 2 }).Select(g => new { g.Key.Y, g.Key.H, S = g.Sum(p => p.Total) }).OrderBy(x => x.Y).ThenBy(x => x.H).ToList();
        public static object TotalsMismatch(HubContext db) => db.Purchases.Where(p => p.Total != p.Tickets.Sum(t => t.Price)).OrderBy(p => p.Id).Select(p => new { p.Id, p.Total, Sum = p.Tickets.Sum(t => t.Price), Diff = p.Total - p.Tickets.Sum(t => t.Price) }).ToList();
        public static object MultiCount(HubContext db) => db.Shows.GroupBy(_ => 1).Select(g => new { All = g.Count(), OnSale = g.Count(s => s.Status == EventStatus.OnSale), Soon = g.Sum(s => s.StartsAt < new DateTime(2024, 3, 1) ? 1 : 0) }).FirstOrDefault();
    }
}
