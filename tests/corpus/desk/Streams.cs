using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace HelpDesk;

public record TeamLine(string Name, List<string> Logins);

// Rows that come one by one.
public static class Streams
{
    public static async IAsyncEnumerable<string> Logins(DeskContext db) { await foreach (var a in db.Agents.OrderBy(x => x.Login).AsAsyncEnumerable()) yield return a.Login; }

    public static async IAsyncEnumerable<int> Undisturbed(DeskContext db)
    {
        await foreach (var ticket in db.Tickets.Where(t => t.DeletedAt == null).OrderBy(t => t.Id).AsAsyncEnumerable())
        {
            if (ticket.Id > 1) yield return ticket.Id;
        }
    }

    public static IAsyncEnumerable<string> Names(DeskContext db) => db.Teams.OrderBy(t => t.Name).Select(t => t.Name).AsAsyncEnumerable();

    public static async IAsyncEnumerable<TeamLine> Lines(DeskContext db)
    {
        foreach (var line in await db.Teams.OrderBy(t => t.Id).Select(t => new TeamLine(t.Name, t.Agents.OrderBy(a => a.Login).Select(a => a.Login).ToList())).ToListAsync()) yield return line;
    }

    public static IEnumerable<string> Subjects(DeskContext db) { foreach (var t in db.Tickets.OrderBy(t => t.Id)) yield return t.Subject; }

    public static async Task<IAsyncEnumerable<int>> Prepared(DeskContext db) { var first = await db.Teams.MinAsync(t => t.Id); return db.Tickets.Where(t => t.TeamId == first).OrderBy(t => t.Id).Select(t => t.Id).AsAsyncEnumerable(); }
}
