using Microsoft.EntityFrameworkCore;
namespace Billing;

public static class Owned
{
    public static List<string> Texts(BillingContext db) => db.Invoices.SelectMany(i => i.Lines).Select(l => l.Text).OrderBy(t => t).ToList();
    public static List<int> Counts(BillingContext db) => db.Invoices.OrderBy(i => i.Number).Select(i => i.Lines.Count()).ToList();
    public static object Totals(BillingContext db) => db.Invoices.OrderBy(i => i.Number).Select(i => new { i.Number, Total = i.Lines.Sum(l => l.Price * (l.Quantity ?? 1)), Most = i.Lines.Max(l => (decimal?)l.Price) }).ToList();
    public static object Services(BillingContext db) => db.Invoices.SelectMany(i => i.Lines, (i, l) => new { i.Number, l.No, l.Kind, l.Price }).Where(x => x.Kind == LineKind.Service).OrderBy(x => x.Number).ThenBy(x => x.No).ToList();
    public static object WithUnknownQuantity(BillingContext db) => db.Invoices.Where(i => i.Lines.Any(l => l.Quantity == null)).OrderBy(i => i.Number).Select(i => i.Number).ToList();
    public static object AllCheap(BillingContext db) => db.Invoices.Where(i => i.Lines.All(l => l.Price < 50m)).OrderBy(i => i.Number).Select(i => i.Number).ToList();
    public static object Discounted(BillingContext db) => db.Invoices.SelectMany(i => i.Lines, (i, l) => new { i.Number, l }).Where(x => x.l.Discount != null).OrderBy(x => x.Number).ThenBy(x => x.l.No).Select(x => new { x.Number, x.l.No, x.l.Discount!.Rate, x.l.Discount.Reason }).ToList();
    public static object Phones(BillingContext db) => db.Customers.OrderBy(c => c.Name).Select(c => new { c.Name, Phones = c.Phones.OrderBy(p => p.Number).Select(p => p.Number).ToList() }).ToList();
    public static object LongCalls(BillingContext db) => db.Customers.SelectMany(c => c.Phones).Where(p => p.AnsweredFor > TimeSpan.FromHours(1)).Select(p => new { p.Number, p.AnsweredFor }).OrderBy(p => p.Number).ToList();
    public static object Stamped(BillingContext db) => db.Customers.OrderBy(c => c.Code).Select(c => new { c.Code, Last = c.Stamps.Max(s => (DateTime?)s.At) }).ToList();
    public static object StampsOfInvoices(BillingContext db) => db.Invoices.SelectMany(i => i.Stamps, (i, s) => new { i.Number, s.By, s.At }).OrderBy(x => x.At).ToList();
    public static object Known(BillingContext db) => db.People.Where(p => p.Aliases.Any()).OrderBy(p => p.Name).Select(p => new { p.Name, p.Aliases.Count }).ToList();
    public static object Written(BillingContext db) => db.Authors.OrderBy(a => a.Name).Select(a => new { a.Name, First = a.Titles.Min(t => (int?)t.Year), Aliases = a.Aliases.Count(x => x.Text.StartsWith("E")) }).ToList();
    public static int Lines(BillingContext db) => db.Invoices.SelectMany(i => i.Lines).Count();
}
