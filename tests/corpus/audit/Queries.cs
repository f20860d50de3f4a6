#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
namespace Audit;
public class AuditLog
{
    private readonly AuditContext _ctx;
    public AuditLog(AuditContext ctx) => _ctx = ctx;
    public List<Tenant> Tenants() => _ctx.Tenants.Include(t => t.Accounts).ThenInclude(a => a.Memberships).ThenInclude(m => m.Group).OrderBy(t => t.Code).ToList();
    public List<Tenant> TenantsAll() => _ctx.Tenants.IgnoreQueryFilters().Include(t => t.Accounts).OrderBy(t => t.Code).ToList();
    public object Who() => _ctx.Events.OrderBy(e => e.Id).Select(e => new { e.Id, e.Account.Login, e.Account.Tenant.Code, D = e.Account.Delegate.Login, Nick = e.Account.Profile.Nick ?? "?", e.Account.Profile.Score }).ToList();
    public object WhoAll() => _ctx.Events.IgnoreQueryFilters().OrderBy(e => e.Id).Select(e => new { e.Id, e.Account.Login, e.Account.Tenant.Code, D = e.Account.Delegate.Login }).ToList();
    public object PerTenant() => _ctx.Tenants.OrderBy(t => t.Code).Select(t => new { t.Code, N = t.Accounts.Count, E = t.Accounts.SelectMany(a => a.Events).Count(), Warn = t.Accounts.SelectMany(a => a.Events).Count(e => e.Severity == Severity.Warn), Last = t.Accounts.SelectMany(a => a.Events).Max(e => (DateTimeOffset?)e.At) }).ToList();
    public object BySeverity() => _ctx.Events.GroupBy(e => e.Severity).OrderBy(g => g.Key).Select(g => new { g.Key, N = g.Count(), L = g.Average(e => e.Load), B = g.Sum(e => e.Bytes), C = g.Average(e => e.Code), M = g.Max(e => e.At), R = g.Max(e => e.Ratio) }).ToList();
    public object ByEscalated() => _ctx.Events.GroupBy(e => e.Escalated).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.N).ThenBy(x => x.Key).ToList();
    public object ByOk() => _ctx.Events.GroupBy(e => e.Ok).Select(g => new { g.Key, Min = g.Min(e => e.Took), Max = g.Max(e => e.Day), F = g.Min(e => e.Flag) }).OrderBy(x => x.Key).ToList();
    public object Parts() => _ctx.Events.OrderBy(e => e.Id).Select(e => new { e.Id, e.At.Year, e.At.Month, e.At.Day, e.At.Minute, W = e.Day.Value.DayOfWeek, DY = (int?)e.Day.Value.DayOfYear, Dt = e.Day.Value.Date, P = e.Day.Value.AddMonths(1), Q = e.At.AddHours(-1.5), R = e.At.AddDays(30) }).ToList();
    public object Slow() => _ctx.Events.Where(e => e.Took > TimeSpan.FromSeconds(1.5)).OrderBy(e => e.Took).ThenBy(e => e.Id).Select(e => new { e.Id, e.Took, S = e.Took.Value.TotalSeconds, H = e.Took.Value.Hours }).ToList();
    public object Logic() => _ctx.Events.Where(e => !(e.Ok == true) && (e.Code > 5 || !(e.Load < 0.5))).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object NotOk() => _ctx.Events.Where(e => !e.Ok.Value).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object OkOrNull() => _ctx.Events.Where(e => e.Ok ?? true).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object CompareCols() => _ctx.Events.Where(e => e.Code == e.Bytes || e.Severity == e.Escalated).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object NotEqualCols() => _ctx.Events.Where(e => e.Code != e.Bytes).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object GuidConst() { var g = new Guid("00000000-0000-4000-8000-000000000002"); return _ctx.Accounts.Where(a => a.Id == g || a.DelegateId == g).OrderBy(a => a.Login).Select(a => a.Login).ToList(); }
    public object Avatars() => _ctx.Profiles.OrderBy(p => p.Nick).ThenBy(p => p.AccountId).Select(p => new { p.Nick, p.Avatar, p.Born, Y = (int?)p.Born.Value.Year }).ToList();
    public object Members() => _ctx.Groups.OrderBy(g => g.Id).Select(g => new { g.Name, N = g.Members.Count(), Admins = g.Memberships.Where(m => m.Role == "admin").Select(m => m.Account.Login).OrderBy(x => x).ToList(), First = g.Memberships.OrderBy(m => m.Joined).Select(m => (DateTimeOffset?)m.Joined).FirstOrDefault(), R = g.Memberships.Sum(m => m.Rank) }).ToList();
    public List<Group> GroupsMembers() => _ctx.Groups.Include(g => g.Members).OrderBy(g => g.Id).ToList();
    public object MembershipGroup() => _ctx.Memberships.GroupBy(m => new { m.Group.Name, m.Role }).Select(g => new { g.Key.Name, g.Key.Role, N = g.Count(), Avg = g.Average(m => m.Rank), D = g.Select(m => m.AccountId).Distinct().Count() }).OrderBy(x => x.Name).ThenBy(x => x.Role).ToList();
    public object AccountGroups() => _ctx.Accounts.OrderBy(a => a.Id).Select(a => new { a.Login, G = a.Memberships.Select(m => m.Group.Name).OrderBy(n => n).ToList(), Max = a.Memberships.Max(m => (DateTimeOffset?)m.Joined) }).ToList();
    public object Details() => _ctx.Events.OrderBy(e => e.Id).Select(e => new { e.Id, Keys = e.Details.OrderBy(d => d.Seq).ThenBy(d => d.Key).Select(d => d.Key + "=" + d.Value).ToList(), One = e.Details.Where(d => d.Key == "ip").Select(d => d.Value).SingleOrDefault(), Cnt = e.Details.Count(d => d.Value == null) }).ToList();
    public object FlatDetails() => _ctx.Events.SelectMany(e => e.Details, (e, d) => new { e.Id, d.Key, d.Value, e.Account.Login }).OrderBy(x => x.Id).ThenBy(x => x.Key).ToList();
    public object FlatLeft() => (from e in _ctx.Events from d in e.Details.DefaultIfEmpty() orderby e.Id, d.Key select new { e.Id, d.Key, Seq = (int?)d.Seq }).ToList();
    public object InnerJoinNullable() => (from e in _ctx.Events join a in _ctx.Accounts on e.AccountId equals a.Id orderby e.Id select new { e.Id, a.Login }).ToList();
    public object JoinCorrelation() => (from a in _ctx.Events join b in _ctx.Events on a.Correlation equals b.Correlation where a.Id < b.Id orderby a.Id, b.Id select new { A = a.Id, B = b.Id, Gap = b.At - a.At }).ToList();
    public object GroupFirst() => _ctx.Events.GroupBy(e => e.AccountId).Select(g => new { g.Key, Last = g.OrderByDescending(e => e.At).ThenByDescending(e => e.Id).Select(e => e.Message).FirstOrDefault(), N = g.Count() }).OrderBy(x => x.N).ThenBy(x => x.Key).ToList();
    public object Delegates() => _ctx.Accounts.Where(a => a.Delegate.Delegate != null || a.Delegate == null).OrderBy(a => a.Id).Select(a => new { a.Login, D = a.Delegate == null ? null : a.Delegate.Login }).ToList();
    public object SumMany() => new { A = _ctx.Events.Sum(e => e.Bytes), B = _ctx.Events.Sum(e => e.Code ?? 0), C = _ctx.Events.Average(e => e.Load), D = _ctx.Events.Max(e => e.At), E = _ctx.Events.Min(e => e.Took), F = _ctx.Profiles.Average(p => p.Score), G = _ctx.Profiles.Sum(p => p.Score) };
    public object Floats() => _ctx.Events.Where(e => e.Ratio >= 0.25f).OrderBy(e => e.Ratio).ThenBy(e => e.Id).Select(e => new { e.Ratio, Y = (double?)e.Ratio }).ToList();
    public object Take0() => _ctx.Events.OrderBy(e => e.Id).Take(0).ToList();
}
public class TicketStats
{
    public static object Nested(AuditContext c) => c.Tenants.OrderBy(t => t.Code).Select(t => new { t.Code, Accounts = t.Accounts.OrderBy(a => a.Login).Select(a => new { a.Login, Events = a.Events.OrderBy(e => e.Id).Select(e => new { e.Id, D = e.Details.OrderBy(d => d.Key).Select(d => d.Key).ToList() }).ToList() }).ToList() }).ToList();
    public static object Exists(AuditContext c) => c.Accounts.Where(a => a.Events.Any(e => e.Details.Any(d => d.Value == a.Login))).Select(a => a.Login).ToList();
    public static object AllDetails(AuditContext c) => c.Events.Where(e => e.Details.All(d => d.Seq > 0)).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public static object Percent(AuditContext c) => c.Tenants.OrderBy(t => t.Code).Select(t => new { t.Code, P = t.Accounts.Count() == 0 ? 0 : 100.0 * t.Accounts.Count(a => a.Profile != null) / t.Accounts.Count() }).ToList();
    public static object Retention(AuditContext c) => c.Tenants.Where(t => t.Retention != null).OrderBy(t => t.Retention).ThenBy(t => t.Code).Select(t => new { t.Code, t.Retention, D = t.Retention.Value.TotalDays, Dd = t.Retention.Value.Days }).ToList();
}
