#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
namespace Hr;
public class PeopleService
{
    readonly HrContext db;
    public PeopleService(HrContext db) { this.db = db; }
    public object OfTypeEmployee() => db.Parties.OfType<Employee>().OrderBy(e => e.Id).Select(e => new { e.Id, e.DisplayName, e.Salary, Boss = e.Boss.DisplayName, Team = e.Team.Name }).ToList();
    public object OfTypeManager() => db.Employees.OfType<Manager>().Where(m => m.Leads.Any(t => !t.Closed)).OrderBy(m => m.Id).Select(m => new { m.DisplayName, m.Level, N = m.Leads.Count, Budget = m.Leads.Sum(t => t.Budget) }).ToList();
    public object IsChecks() => db.Parties.OrderBy(p => p.Id).Select(p => new { p.Id, Emp = p is Employee, Mgr = p is Manager, Kind = p is Robot ? "robot" : p is Contractor ? "ext" : "staff" }).ToList();
    public object CastMember() => db.Parties.Where(p => p is Manager && ((Manager)p).Level > 1 || p is Contractor && ((Contractor)p).DayRate >= 500).OrderBy(p => p.Id).Select(p => p.DisplayName).ToList();
    public object AsMember() => db.Parties.OrderBy(p => p.Id).Select(p => new { p.Id, Rate = (decimal?)(p as Contractor).DayRate, Salary = (decimal?)(p as Employee).Salary }).ToList();
    public object TeamMembersByType() => db.Teams.OrderBy(t => t.Id).Select(t => new { t.Name, Staff = t.Members.OfType<Employee>().Count(), Ext = t.Members.Count(m => m is Contractor), Pay = t.Members.OfType<Employee>().Sum(e => e.Salary), MaxRate = t.Members.OfType<Contractor>().Max(c => (decimal?)c.DayRate) }).ToList();
    public object NotesOfManagers() => db.Notes.Where(n => n.Party is Manager).OrderBy(n => n.Id).Select(n => new { n.Text, n.Party.DisplayName, Lvl = ((Manager)n.Party).Level }).ToList();
    public object BossChain() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.DisplayName, B1 = e.Boss.DisplayName, B2 = e.Boss.Boss.DisplayName, B3 = e.Boss.Boss.Boss.DisplayName, BTeam = e.Boss.Team.Name, BCity = e.Boss.Home.City, BLat = (double?)e.Boss.Home.Geo.Lat }).ToList();
    public object OverPaid() => db.Employees.Where(e => e.Salary > e.Boss.Salary).OrderBy(e => e.Id).Select(e => e.DisplayName).ToList();
    public object NotOverPaid() => db.Employees.Where(e => !(e.Salary > e.Boss.Salary)).OrderBy(e => e.Id).Select(e => e.DisplayName).ToList();
    public object SameBossTeam() => db.Employees.Where(e => e.TeamId == e.Boss.TeamId).OrderBy(e => e.Id).Select(e => e.DisplayName).ToList();
    public object DifferentBossTeam() => db.Employees.Where(e => e.Team != e.Boss.Team).OrderBy(e => e.Id).Select(e => e.DisplayName).ToList();
    public object SalaryBands() => db.Employees.GroupBy(e => e.Salary < 1000m ? "C" : e.Salary < 5000m ? "B" : "A").Select(g => new { Band = g.Key, N = g.Count(), Avg = g.Average(e => e.Salary), AvgB = g.Average(e => e.Bonus), Sum = g.Sum(e => e.Salary + (e.Bonus ?? 0)), Min = g.Min(e => e.Bonus) }).OrderBy(x => x.Band).ToList();
    public object ByTeam() => db.Employees.GroupBy(e => e.Team.Name).Select(g => new { g.Key, Avg = g.Average(e => e.Salary), Max = g.Max(e => e.Since), Women = g.Count(e => e.Gender == Gender.Female), Top = g.OrderByDescending(e => e.Salary).ThenBy(e => e.Id).Select(e => e.DisplayName).FirstOrDefault() }).OrderBy(x => x.Key).ToList();
    public object GroupToList() => db.Leaves.GroupBy(l => l.Kind).Select(g => new { g.Key, Items = g.OrderBy(x => x.From).ThenBy(x => x.Id).ToList(), Sum = g.Sum(x => x.Days) }).OrderBy(x => x.Key).ToList();
    public object LeaveDays() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, Sick = e.Leaves.Where(l => l.Kind == LeaveKind.Sick).Sum(l => l.Days), Vac = e.Leaves.Where(l => l.Kind == LeaveKind.Vacation).Sum(l => (double?)l.Days), Open = e.Leaves.Any(l => l.To == null), Last = e.Leaves.Max(l => (DateOnly?)l.From), Avg = e.Leaves.Average(l => (double?)l.Days) }).ToList();
    public object LeaveLength() => db.Leaves.Where(l => l.To.HasValue).OrderBy(l => l.Id).Select(l => new { l.Id, Days = l.To.Value.DayNumber - l.From.DayNumber + 1, M = l.From.Month, Next = l.From.AddDays(1), Mo = l.From.AddMonths(1) }).ToList();
    public object Skills() => db.Skills.OrderBy(s => s.Code).Select(s => new { s.Code, N = s.Employees.Count(), Names = s.Employees.OrderBy(e => e.Id).Select(e => e.DisplayName).ToList() }).ToList();
    public object SkillLevels() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.DisplayName, Best = e.SkillLevels.OrderByDescending(x => x.Level).ThenBy(x => x.SkillCode).Select(x => x.Skill.Title).FirstOrDefault(), Max = e.SkillLevels.Max(x => (short?)x.Level), Codes = string.Join(", ", e.SkillLevels.OrderBy(x => x.SkillCode).Select(x => x.SkillCode)) }).ToList();
    public object Certified() => db.Set<EmployeeSkill>().Where(x => x.Certified == null || x.Level > 3).OrderBy(x => x.EmployeeId).ThenBy(x => x.SkillCode).Select(x => new { x.Employee.DisplayName, x.Skill.Title, x.Level, x.Certified }).ToList();
    public object SharedSkills() => (from a in db.Employees from b in db.Employees where a.Id < b.Id && a.Skills.Any(s => b.Skills.Contains(s)) orderby a.Id, b.Id select new { A = a.DisplayName, B = b.DisplayName }).ToList();
    public object Cities() => db.Parties.Where(p => p.Home.City != null).GroupBy(p => p.Home.City).Select(g => new { g.Key, N = g.Count(), Lat = g.Average(p => p.Home.Geo.Lat) }).OrderBy(x => x.Key).ToList();
    public object Homeless() => db.Parties.Where(p => p.Home == null).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public object GeoMissing() => db.Parties.Where(p => p.Home.Geo == null).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public object Names() => db.Parties.Select(p => p.DisplayName).Distinct().OrderBy(x => x).ToList();
    public object Early() => db.Employees.Where(e => e.StartsAt < new TimeOnly(8, 30)).OrderBy(e => e.Id).Select(e => new { e.Id, e.StartsAt, H = e.StartsAt.Value.Hour }).ToList();
    public object TeamTree() => db.Teams.OrderBy(t => t.Id).Select(t => new { t.Name, Path = (t.Parent.Parent.Name ?? "") + "/" + (t.Parent.Name ?? "") + "/" + t.Name, Depth = t.Parent == null ? 0 : t.Parent.Parent == null ? 1 : 2, Kids = t.SubTeams.Select(s => s.Name).OrderBy(n => n).ToList() }).ToList();
    public object BudgetVsPay() => db.Teams.Select(t => new { t.Id, t.Name, t.Budget, Pay = t.Members.OfType<Employee>().Sum(e => e.Salary) }).Where(x => x.Pay > x.Budget).OrderBy(x => x.Id).ToList();
    public object PayShare() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, Share = e.Salary / e.Team.Members.OfType<Employee>().Sum(m => m.Salary) }).ToList();
    public object Raise() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, New = Math.Round(e.Salary * 1.035m, 2), Up = Math.Ceiling(e.Salary / 100m) * 100m, T = Math.Floor(e.Salary), Tr = Math.Truncate(e.Salary * -1m) }).ToList();
    public object Leaders() => db.Managers.Where(m => db.Teams.Count(t => t.LeadId == m.Id) > 0).OrderBy(m => m.Id).Select(m => new { m.Id, m.Car, Reports = m.Reports.Count() }).ToList();
    public object Orphans() => db.Employees.Where(e => !db.Employees.Any(x => x.Id == e.BossId)).OrderBy(e => e.Id).Select(e => e.Id).ToList();
    public object UnionParties() => db.Employees.Where(e => e.Salary > 2000).Select(e => new { e.Id, e.DisplayName, Cost = e.Salary }).Union(db.Contractors.Select(c => new { c.Id, c.DisplayName, Cost = c.DayRate * 20 })).OrderBy(x => x.Id).ToList();
    public object UnionManagers() => db.Employees.Where(e => e.Salary > 100).OfType<Manager>().Select(m => m.DisplayName).Union(db.Robots.Select(r => r.DisplayName)).OrderBy(x => x).ToList();
    public object NextEmployee() => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, Next = db.Employees.Where(x => x.Id > e.Id).OrderBy(x => x.Id).Select(x => (int?)x.Id).FirstOrDefault(), Prev = db.Employees.Where(x => x.Id < e.Id).OrderByDescending(x => x.Id).Select(x => x.DisplayName).FirstOrDefault() }).ToList();
    public async Task<int> CountRobotsAsync() => await db.Robots.CountAsync(r => r.Cycles > int.MaxValue);
    public long Cycles() => db.Robots.Sum(r => r.Cycles);
    public object RobotModels() => db.Robots.OrderBy(r => r.Id).Select(r => new { r.Model, K = r.Cycles / 1000, Big = r.Cycles * 2L, r.Team.Name }).ToList();
    public object CoalesceChain() => db.Parties.OrderBy(p => p.Id).Select(p => p.Email ?? p.Home.City ?? p.DisplayName ?? "nobody").ToList();
    public object WhereAfterGroupJoin() => (from t in db.Teams join e in db.Employees on t.Id equals e.TeamId into es from e in es.Where(x => x.Salary > 1500).DefaultIfEmpty() orderby t.Id, e.Id select new { t.Name, Emp = e.DisplayName, Sal = (decimal?)e.Salary }).ToList();
    public object CrossApply() => (from t in db.Teams from e in db.Employees.Where(x => x.TeamId == t.Id).OrderByDescending(x => x.Salary).ThenBy(x => x.Id).Take(2) orderby t.Id, e.Id select new { t.Name, e.DisplayName }).ToList();
}
