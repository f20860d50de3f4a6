#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
namespace Audit;

/// <summary>Queries that are no methods: properties, and delegates in fields.</summary>
public class Members
{
    private readonly AuditContext _ctx;
    public Members(AuditContext ctx) => _ctx = ctx;

    public static readonly Func<AuditContext, IEnumerable<string>> Messages =
        EF.CompileQuery((AuditContext db) => db.Events.Where(e => e.Code > 1).OrderBy(e => e.Id).Select(e => e.Message));
    public static readonly Func<AuditContext, Task<int>> GroupCount =
        EF.CompileAsyncQuery((AuditContext db) => db.Groups.Count());
    public static Func<AuditContext, List<string>> Logins { get; } =
        db => db.Accounts.OrderBy(a => a.Login).Take(3).Select(a => a.Login).ToList();

    public IQueryable<Event> Warnings => _ctx.Events.Where(e => e.Severity == Severity.Warn).OrderBy(e => e.Id);
    public List<string> Groups { get { return _ctx.Groups.OrderBy(g => g.Name).Select(g => g.Name).ToList(); } }
    public int Loudest
    {
        get
        {
            var known = _ctx.Events.Where(e => e.Code != null);
            return known.Max(e => e.Code) ?? 0;
        }
    }
    public List<long> LateWarnings() => Warnings.Where(e => e.Id > 2).Select(e => e.Id).ToList();
}

public static class Shared
{
    public static string Chosen => "chosen";
    public record struct Counter(AuditContext Db)
    {
        public int Tenants => Db.Tenants.Count();
    }
}
