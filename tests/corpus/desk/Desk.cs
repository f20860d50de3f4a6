using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace HelpDesk;

public static class Desk
{
    public static object AllTickets(DeskContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object WithTeamName(DeskContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => new { t.Id, t.Team.Name }).ToList();
    public static object WithAssignee(DeskContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => new { t.Id, Who = t.Assignee!.Login }).ToList();
    public static object AssigneeTeam(DeskContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => new { t.Id, Who = t.Assignee!.Team.Name }).ToList();
    public static object WhereTeam(DeskContext db) => db.Tickets.Where(t => t.Team.Name != "Blue").OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object WhereAssigneeNull(DeskContext db) => db.Tickets.Where(t => t.Assignee == null).OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object WhereAssigneeIdNull(DeskContext db) => db.Tickets.Where(t => t.AssigneeId == null).OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object SortByTeam(DeskContext db) => db.Tickets.OrderBy(t => t.Team.Name).ThenBy(t => t.Id).Select(t => t.Id).ToList();
    public static object CountPerTeam(DeskContext db) => db.Teams.OrderBy(t => t.Id).Select(t => new { t.Name, N = t.Tickets.Count, Agents = t.Agents.Count() }).ToList();
    public static object GroupByTeam(DeskContext db) => db.Tickets.GroupBy(t => t.Team.Name).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object GroupByTeamId(DeskContext db) => db.Tickets.GroupBy(t => t.TeamId).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object NotesOfVisible(DeskContext db) => db.Notes.OrderBy(n => n.Id).Select(n => new { n.Id, n.Ticket.Subject }).ToList();
    public static object NotesAll(DeskContext db) => db.Notes.OrderBy(n => n.Id).Select(n => new { n.Id, n.Text }).ToList();
    public static object NotesDeep(DeskContext db) => db.Notes.OrderBy(n => n.Id).Select(n => new { n.Id, n.Ticket.Team.Name }).ToList();
    public static object AnyNotes(DeskContext db) => db.Tickets.Where(t => t.Notes.Any(n => n.Internal)).OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object TeamsWithOpen(DeskContext db) => db.Teams.Where(t => t.Tickets.Any(x => x.Priority == Priority.High)).OrderBy(t => t.Id).Select(t => t.Name).ToList();
    public static object IgnoreAll(DeskContext db) => db.Tickets.IgnoreQueryFilters().OrderBy(t => t.Id).Select(t => new { t.Id, t.Team.Name, Who = t.Assignee!.Login, N = t.Notes.Count }).ToList();
    public static object Mentors(DeskContext db) => db.Agents.OrderBy(a => a.Id).Select(a => new { a.Login, Mentor = a.Mentor!.Login, Team = a.Team.Name }).ToList();
    public static object IncludeTeam(DeskContext db) => db.Tickets.Include(t => t.Team).OrderBy(t => t.Id).AsNoTracking().ToList();
    public static object IncludeNotes(DeskContext db) => db.Tickets.Include(t => t.Notes.OrderBy(n => n.Id)).OrderBy(t => t.Id).AsNoTracking().ToList();
    public static object IncludeTickets(DeskContext db) => db.Teams.Include(t => t.Tickets).OrderBy(t => t.Id).AsNoTracking().ToList();
    public static object LabelsOfTicket(DeskContext db) => db.Tickets.OrderBy(t => t.Id).Select(t => new { t.Id, L = t.Labels.OrderBy(l => l.Name).Select(l => l.Name).ToList() }).ToList();
    public static object TicketsOfLabel(DeskContext db) => db.Labels.OrderBy(l => l.Name).Select(l => new { l.Name, N = l.Tickets.Count, Max = l.Tickets.Max(t => (int?)t.Id) }).ToList();
    public static object JoinTeams(DeskContext db) => (from t in db.Tickets join m in db.Teams on t.TeamId equals m.Id orderby t.Id select new { t.Id, m.Name }).ToList();
    public static object LeftJoinAgents(DeskContext db) => (from t in db.Tickets join a in db.Agents on t.AssigneeId equals a.Id into x from a in x.DefaultIfEmpty() orderby t.Id select new { t.Id, Who = a == null ? "-" : a.Login }).ToList();
    public static Ticket? FindDeleted(DeskContext db) => db.Tickets.Find(3);
    public static Team? FindTeam(DeskContext db) => db.Teams.Find(1);
    public static object Two(DeskContext db) => new { All = db.Tickets.IgnoreQueryFilters().Count(), Visible = db.Tickets.Count(), Teams = db.Teams.Count() };
    public static object SelectManyTickets(DeskContext db) => db.Teams.SelectMany(t => t.Tickets, (t, x) => new { t.Name, x.Id, x.Subject }).OrderBy(x => x.Id).ToList();
    public static int SumPriority(DeskContext db) => db.Notes.Sum(n => (int)n.Ticket.Priority);
    public static object MaxPerAgent(DeskContext db) => db.Agents.OrderBy(a => a.Id).Select(a => new { a.Login, N = db.Tickets.Count(t => t.AssigneeId == a.Id), Last = db.Tickets.Where(t => t.Assignee == a).OrderByDescending(t => t.Id).Select(t => t.Subject).FirstOrDefault() }).ToList();
    public static object DistinctTeams(DeskContext db) => db.Tickets.Select(t => t.Team.Name).Distinct().OrderBy(x => x).ToList();
}
