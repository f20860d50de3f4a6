using Microsoft.EntityFrameworkCore;
using Books;
namespace Books.Reporting;

public readonly record struct Balance(string Number, string Title, decimal Debit, decimal Credit);
public static class Ledger
{
    public static List<Balance> TrialBalance(BooksContext db) => db.Accounts.OrderBy(a => a.Number).Select(a => new Balance(a.Number, a.Title, a.Lines.Sum(l => l.Debit), a.Lines.Sum(l => l.Credit))).ToList();
    public static object TrialByLine(BooksContext db) => db.Lines.Where(l => l.Entry.State == EntryState.Posted).GroupBy(l => new { l.AccountNumber, l.Account.Type }).Select(g => new { g.Key.AccountNumber, g.Key.Type, Net = g.Sum(l => l.Debit - l.Credit), N = g.Count(), Q = g.Sum(l => l.Quantity) }).OrderBy(x => x.AccountNumber).ToList();
    public static object Unbalanced(BooksContext db) => db.Entries.Where(e => e.Lines.Sum(l => l.Debit) != e.Lines.Sum(l => l.Credit)).OrderBy(e => e.Id).Select(e => new { e.Id, Diff = e.Lines.Sum(l => l.Debit - l.Credit) }).ToList();
    public static object EmptyEntries(BooksContext db) => db.Entries.Where(e => e.Lines.Count == 0).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public static object States(BooksContext db) => db.Entries.GroupBy(e => e.State).Select(g => new { g.Key, N = g.Count(), Last = g.Max(e => e.BookedAt) }).OrderBy(x => x.N).ThenBy(x => x.Last).ToList();
    public static List<Entry> Posted(BooksContext db) => db.Entries.Include(e => e.Lines.OrderBy(l => l.No)).ThenInclude(l => l.Account).Where(e => e.State == EntryState.Posted).OrderBy(e => e.BookedAt).ThenBy(e => e.Id).ToList();
    public static object Reversals(BooksContext db) => db.Entries.Where(e => e.ReversesId != null).OrderBy(e => e.Id).Select(e => new { e.Id, Original = e.Reverses!.Id, OState = e.Reverses.State, Delay = e.BookedAt - e.Reverses.BookedAt }).ToList();
    public static object NotReversed(BooksContext db) => db.Entries.Where(e => !db.Entries.Any(r => r.ReversesId == e.Id)).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public static object Approved(BooksContext db) => db.Entries.Where(e => e.Approval.By != null && e.Approval.Signature != null).OrderBy(e => e.Id).Select(e => new { e.Id, e.Approval.By, e.Approval.At, e.Approval.Signature!.Hash, V = (int?)e.Approval.Signature.Version }).ToList();
    public static object Flagged(BooksContext db) => db.Accounts.Where(a => a.Flags.HasFlag(AccountFlags.Reconcile) && (a.Flags & AccountFlags.Locked) == 0).OrderBy(a => a.Number).Select(a => new { a.Number, a.Flags }).ToList();
    public static object AnyFlag(BooksContext db) => db.Accounts.Where(a => (a.Flags & (AccountFlags.Locked | AccountFlags.System)) != AccountFlags.None).OrderBy(a => a.Number).Select(a => a.Number).ToList();
    public static object ClassTotals(BooksContext db) => db.Lines.GroupBy(l => l.AccountNumber.Substring(0, 1)).Select(g => new { Cls = g.Key, D = g.Sum(x => x.Debit), C = g.Sum(x => x.Credit), Max = g.Max(x => x.Debit), Min = g.Min(x => x.Credit) }).OrderBy(x => x.Cls).ToList();
    public static object Signed(BooksContext db) => db.Lines.OrderBy(l => l.EntryId).ThenBy(l => l.No).Select(l => new { l.EntryId, l.No, Amount = l.Account.Type == AccountType.Asset || l.Account.Type == AccountType.Expense ? l.Debit - l.Credit : l.Credit - l.Debit, l.Account.Parent!.Title }).ToList();
    public static object Rounding(BooksContext db) => db.Lines.OrderBy(l => l.EntryId).ThenBy(l => l.No).Select(l => new { R0 = Math.Round(l.Debit), R2 = Math.Round(l.Debit, 2), F = Math.Floor(l.Credit), C = Math.Ceiling(l.Credit), T = Math.Truncate(l.Debit), A = Math.Abs(l.Debit - l.Credit), M = l.Debit % 10, Neg = -l.Debit }).ToList();
    public static object LatestRates(BooksContext db) => db.Currencies.OrderBy(c => c.Code).Select(c => new { c.Code, Last = c.Rates.OrderByDescending(r => r.Day).Select(r => (decimal?)r.Value).FirstOrDefault(), Day = c.Rates.Max(r => (DateOnly?)r.Day) }).ToList();
    public static object RateOn(BooksContext db) { var day = new DateOnly(2024, 2, 29); return (from r in db.Rates where r.Day == db.Rates.Where(x => x.CurrencyCode == r.CurrencyCode && x.Day <= day).Max(x => x.Day) orderby r.CurrencyCode select new { r.CurrencyCode, r.Day, r.Value, Inv = 1 / r.Value }).ToList(); }
    public static object Converted(BooksContext db) => (from l in db.Lines join r in db.Rates on new { C = l.Account.CurrencyCode, D = l.Entry.ValueDate } equals new { C = r.CurrencyCode, D = r.Day } orderby l.EntryId, l.No select new { l.EntryId, l.No, Value = l.Debit * r.Value }).ToList();
    public static object LinePartners(BooksContext db) => db.Lines.OrderBy(l => l.EntryId).ThenBy(l => l.No).Select(l => new { l.EntryId, l.No, l.PartnerId, P = l.Partner!.Name, Comp = l.Partner == null ? (bool?)null : l.Partner.IsCompany }).ToList();
    public static object BlockedToo(BooksContext db) => db.Partners.IgnoreQueryFilters().Where(p => p.TaxId == null || p.TaxId == "").OrderBy(p => p.Id).Select(p => new { p.Id, p.Blocked, p.BankAccounts.Count }).ToList();
    public static object Cumulative(BooksContext db) => db.Entries.OrderBy(e => e.Id).Select(e => new { e.Id, Running = db.Lines.Where(l => l.EntryId <= e.Id && l.AccountNumber == "221.001").Sum(l => l.Debit - l.Credit) }).ToList();
    public static object AboveAverage(BooksContext db) => db.Lines.Where(l => l.Debit > db.Lines.Average(x => x.Debit)).OrderBy(l => l.EntryId).ThenBy(l => l.No).Select(l => new { l.EntryId, l.No }).ToList();
    public static object YearSeq(BooksContext db) => db.Entries.OrderByDescending(e => e.Year).ThenByDescending(e => e.Sequence).Select(e => e.Year + "/" + e.Sequence).ToList();
    public static object NextSeq(BooksContext db) => (db.Entries.Where(e => e.Year == 2024).Max(e => (int?)e.Sequence) ?? 0) + 1;
    public static object Gaps(BooksContext db) => db.Entries.Where(e => e.Sequence > 1 && !db.Entries.Any(p => p.Year == e.Year && p.Sequence == e.Sequence - 1)).OrderBy(e => e.Id).Select(e => new { e.Year, e.Sequence }).ToList();
    public static object Duplicates(BooksContext db) => db.Lines.GroupBy(l => new { l.Text, l.Debit }).Where(g => g.Count() > 1).Select(g => new { g.Key.Text, g.Key.Debit, N = g.Count() }).OrderBy(x => x.Debit).ThenBy(x => x.N).ThenBy(x => x.Text).ToList();
    public static object Huge(BooksContext db) => new { Max = db.Lines.Max(l => l.Debit), Min = db.Lines.Min(l => l.Debit), Sum = db.Lines.Sum(l => l.Debit), Id = db.Entries.Max(e => e.Id) };
    public static object HasFlagSum(BooksContext db) => db.Accounts.GroupBy(a => a.Type).Select(g => new { g.Key, Locked = g.Count(a => a.Flags.HasFlag(AccountFlags.Locked)), Titles = string.Join(", ", g.OrderBy(a => a.Number).Select(a => a.Title)) }).OrderBy(x => x.Key).ToList();
    public static object LeafAccounts(BooksContext db) => db.Accounts.Where(a => !a.Children.Any()).OrderBy(a => a.Number).Select(a => new { a.Number, Path = a.Parent == null ? a.Title : a.Parent.Parent == null ? a.Parent.Title + " > " + a.Title : a.Parent.Parent.Title + " > " + a.Parent.Title + " > " + a.Title }).ToList();
    public static object BookedHour(BooksContext db) => db.Entries.GroupBy(e => e.BookedAt.Hour).Select(g => new { H = g.Key, N = g.Count() }).OrderBy(x => x.H).ToList();
    public static object LateBooking(BooksContext db) => db.Entries.Where(e => e.ValueDate < DateOnly.FromDateTime(e.BookedAt)).OrderBy(e => e.Id).Select(e => new { e.Id, e.ValueDate }).ToList();
    public static object Aging(BooksContext db)
    {
        var today = new DateTime(2024, 3, 31);
        return (from l in db.Lines
                where l.Partner != null
                let days = (today - l.Entry.BookedAt).Days
                let bucket = days <= 30 ? "0-30" : days <= 60 ? "31-60" : "60+"
                group l by bucket into g
                orderby g.Key
                select new { Bucket = g.Key, Total = g.Sum(x => x.Debit), Count = g.Count() }).ToList();
    }
    public static object AgingDate(BooksContext db)
    {
        var today = new DateTime(2024, 3, 31);
        return db.Entries.GroupBy(e => e.BookedAt >= today.AddDays(-30) ? 0 : e.BookedAt >= today.AddDays(-60) ? 1 : 2).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    }
    public static object Coalesced(BooksContext db) => db.Lines.OrderBy(l => l.EntryId).ThenBy(l => l.No).Select(l => l.Text ?? l.Entry.Memo ?? l.Account.Title).ToList();
    public static object InTuples(BooksContext db) => db.Accounts.Where(a => new[] { AccountType.Asset, AccountType.Expense }.Contains(a.Type)).OrderByDescending(a => a.Title).ThenBy(a => a.Number).Select(a => a.Title).ToList();
    public static object SumOfSums(BooksContext db) => db.Accounts.Select(a => new { a.Type, S = a.Lines.Sum(l => l.Debit) }).GroupBy(x => x.Type).Select(g => new { g.Key, S = g.Sum(x => x.S), Avg = g.Average(x => x.S) }).OrderBy(x => x.Key).ToList();
    public static object CrossCheck(BooksContext db) => (from e in db.Entries from a in db.Accounts where a.Type == AccountType.Equity && e.State == EntryState.Open orderby e.Id, a.Number select new { e.Id, a.Number }).ToList();
    public static object ConcatAll(BooksContext db) => db.Accounts.Select(a => new { K = a.Number, T = a.Title }).Concat(db.Partners.Select(p => new { K = p.TaxId ?? "-", T = p.Name })).OrderBy(x => x.K).ThenBy(x => x.T).ToList();
    public static object Chars(BooksContext db) => db.Accounts.OrderBy(a => a.Number).Select(a => new { C = a.Number[0], L = a.Title.EndsWith("x"), P = a.Number.PadLeft(8, '0'), I = a.Title.IndexOf("a"), E = a.Title == "" }).ToList();
    public static object ParentGroups(BooksContext db) => (from a in db.Accounts where a.ParentNumber != null group a by a.Parent!.Title into g where g.Any(x => x.Type == AccountType.Asset) select new { g.Key, Min = g.Min(x => x.Number), All = g.All(x => x.RiskWeight > 0) }).OrderBy(x => x.Key).ToList();
    public static object Having(BooksContext db) => (from l in db.Lines group l by l.EntryId into g where g.Count() >= 2 && g.Sum(x => x.Debit) > 0 orderby g.Key descending select new { Id = g.Key, Lines = g.Count() }).Skip(1).Take(3).ToList();
    public static object JoinGroup(BooksContext db) => (from g in db.Lines.GroupBy(l => l.AccountNumber).Select(g => new { g.Key, S = g.Sum(x => x.Debit) }) join a in db.Accounts on g.Key equals a.Number orderby a.Number select new { a.Title, g.S }).ToList();
}
