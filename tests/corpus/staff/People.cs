using Contoso.People.Domain;
using Microsoft.EntityFrameworkCore;

namespace Contoso.People.Queries;

public record EmployeeDto(Guid Id, string Name, string? Department, string? Manager);
public class PagedResult<T> { public int Total { get; set; } public List<T> Items { get; set; } = []; }
public sealed class EmployeeFilter
{
    public string? Search { get; set; }
    public int? DepartmentId { get; set; }
    public bool? Remote { get; set; }
    public short? MinGrade { get; set; }
    public DateOnly? HiredAfter { get; set; }
    public int Page { get; set; } = 1;
    public int PageSize { get; set; } = 5;
}

public static class EmployeeExtensions
{
    public static IQueryable<Employee> Active(this IQueryable<Employee> source, DateOnly on) =>
        source.Where(e => e.HiredOn <= on && (e.LeftOn == null || e.LeftOn > on));
    public static IQueryable<EmployeeDto> ToDto(this IQueryable<Employee> source) =>
        source.Select(e => new EmployeeDto(e.Id, e.FirstName + " " + e.LastName, e.Department.Name, e.Manager != null ? e.Manager.LastName : null));
    public static IQueryable<T> Page<T>(this IQueryable<T> q, int page, int size) => q.Skip((page - 1) * size).Take(size);
}

public static class Types
{
    public static object ContractKinds(PeopleContext db) => db.Contracts.OrderBy(c => c.Id)
        .Select(c => new { c.Id, Perm = c is PermanentContract, Intern = c is InternContract, Free = c is FreelanceContract }).ToList();
    public static List<int> OnlyFreelance(PeopleContext db) => db.Contracts.Where(c => c is FreelanceContract).OrderBy(c => c.Id).Select(c => c.Id).ToList();
    public static List<int> NotIntern(PeopleContext db) => db.Contracts.Where(c => !(c is InternContract)).OrderBy(c => c.Id).Select(c => c.Id).ToList();
    public static List<int> ExactlyPermanent(PeopleContext db) => db.Contracts.Where(c => c is PermanentContract && !(c is InternContract)).OrderBy(c => c.Id).Select(c => c.Id).ToList();
    public static object CastMembers(PeopleContext db) => db.Contracts.OrderBy(c => c.Id)
        .Select(c => new { c.Id, Salary = (decimal?)((PermanentContract)c).MonthlySalary, Agency = (c as FreelanceContract)!.Agency }).ToList();
    public static object MonthlyCost(PeopleContext db) => db.Contracts.OrderBy(c => c.Id)
        .Select(c => new { c.Id, Cost = c is PermanentContract ? ((PermanentContract)c).MonthlySalary : c is FreelanceContract ? ((FreelanceContract)c).DayRate * 20 : 0m }).ToList();
    public static List<int> RichFreelancers(PeopleContext db) => db.Contracts.Where(c => c is FreelanceContract && ((FreelanceContract)c).DayRate > 400m).OrderBy(c => c.Id).Select(c => c.Id).ToList();
    public static object CountByType(PeopleContext db) => new { P = db.Contracts.OfType<PermanentContract>().Count(), F = db.Contracts.OfType<FreelanceContract>().Count(), I = db.Set<InternContract>().Count() };
    public static object EmployeesByType(PeopleContext db) => db.Employees.OrderBy(e => e.LastName).ThenBy(e => e.Id)
        .Select(e => new { e.LastName, Interns = e.Contracts.OfType<InternContract>().Count(), Free = e.Contracts.Count(c => c is FreelanceContract), Best = e.Contracts.OfType<PermanentContract>().Max(p => (decimal?)p.MonthlySalary) }).ToList();
    public static List<string> Agencies(PeopleContext db) => db.Set<FreelanceContract>().Where(f => f.Agency != null && f.Agency != "").Select(f => f.Agency!).Distinct().OrderBy(a => a).ToList();
}

public static class Reports
{
    public static List<EmployeeDto> Directory(PeopleContext db) => db.Employees.Active(new DateOnly(2024, 2, 29)).OrderBy(e => e.LastName).ThenBy(e => e.FirstName).ThenBy(e => e.Id).ToDto().ToList();
    public static List<EmployeeDto> SecondPage(PeopleContext db) { int page = 2, size = 3; return db.Employees.OrderBy(e => e.LastName).ThenBy(e => e.Id).ToDto().Page(page, size).ToList(); }
    public static object HeadCount(PeopleContext db) =>
        (from d in db.Departments
         join e in db.Employees on d.Id equals e.DepartmentId into staff
         orderby d.Name, d.Id
         select new { d.Name, d.CostCentre, Count = staff.Count(), Remote = staff.Count(x => x.Remote), AvgGrade = staff.Average(x => (double?)x.Grade) }).ToList();
    public static object HeadNames(PeopleContext db) =>
        (from d in db.Departments
         let head = d.Head
         orderby d.Id
         select new { d.Id, Head = head == null ? "(vacant)" : head.FirstName + " " + head.LastName, Parent = d.Parent!.Name, Grand = d.Parent!.Parent!.Name ?? "-" }).ToList();
    public static object ManagersWithSpan(PeopleContext db) => db.Employees.Where(m => m.Reports.Any()).OrderByDescending(m => m.Reports.Count).ThenBy(m => m.LastName).ThenBy(m => m.Id)
        .Select(m => new { m.LastName, Span = m.Reports.Count, Indirect = m.Reports.SelectMany(r => r.Reports).Count(), Names = m.Reports.OrderBy(r => r.LastName).ThenBy(r => r.Id).Select(r => r.LastName).ToList() }).ToList();
    public static object LeaveDays(PeopleContext db) => db.Leaves.Where(l => l.Status == ApprovalStatus.Approved)
        .OrderBy(l => l.Id).Select(l => new { l.Id, Days = l.To.DayNumber - l.From.DayNumber + 1, l.Kind, l.Status }).ToList();
    public static object LeaveShadow(PeopleContext db) => db.Leaves.Where(l => EF.Property<string?>(l, "CreatedBy") != "system").OrderBy(l => EF.Property<DateTime>(l, "CreatedAt")).ThenBy(l => l.Id)
        .Select(l => new { l.Id, By = EF.Property<string?>(l, "CreatedBy"), At = EF.Property<DateTime>(l, "CreatedAt") }).ToList();
    public static object Overlaps(PeopleContext db) =>
        (from a in db.Leaves
         from b in db.Leaves
         where a.EmployeeId == b.EmployeeId && a.Id < b.Id && a.From <= b.To && b.From <= a.To
         orderby a.Id, b.Id
         select new { A = a.Id, B = b.Id, Who = a.Employee.LastName }).ToList();
    public static object ByProject(PeopleContext db) => db.TimeEntries.GroupBy(t => t.Project ?? "(none)").Select(g => new { Project = g.Key, N = g.Count(), People = g.Select(t => t.EmployeeId).Distinct().Count(), Last = g.Max(t => t.Day) }).OrderByDescending(x => x.N).ThenBy(x => x.Project).ToList();
    public static object IsBetween(PeopleContext db) => db.TimeEntries.Where(t => t.Start.IsBetween(new TimeOnly(8, 0), new TimeOnly(10, 0))).OrderBy(t => t.Id).Select(t => t.Id).ToList();
    public static object SkillMatrix(PeopleContext db) => db.Skills.OrderBy(s => s.Code).Select(s => new { s.Code, Experts = s.People.Where(p => p.Level == SkillLevel.Expert).OrderBy(p => p.Employee.LastName).ThenBy(p => p.EmployeeId).Select(p => p.Employee.LastName).ToList(), All = s.People.Count }).ToList();
    public static object Latest(PeopleContext db) => db.Employees.OrderBy(e => e.LastName).ThenBy(e => e.Id).Select(e => new { e.LastName, Latest = e.Leaves.OrderByDescending(l => l.From).ThenByDescending(l => l.Id).Select(l => new { l.Kind, l.From }).FirstOrDefault() }).ToList();
    public static object LeftJoinLinq(PeopleContext db) => db.Employees.LeftJoin(db.Employees, e => e.ManagerId, m => m.Id, (e, m) => new { e.Id, e.LastName, Boss = m!.LastName, BossGrade = (short?)m.Grade }).OrderBy(x => x.LastName).ThenBy(x => x.Id).ToList();
    public static object NeverOnLeave(PeopleContext db) => db.Employees.Where(e => !db.Leaves.Any(l => l.EmployeeId == e.Id && l.Status != ApprovalStatus.Rejected)).OrderBy(e => e.LastName).ThenBy(e => e.Id).Select(e => e.LastName).ToList();
    public static object Tree(PeopleContext db) => db.Departments.Where(d => d.ParentId == null).OrderBy(d => d.Name).ThenBy(d => d.Id).Select(d => new { d.Name, Kids = d.Children.OrderBy(c => c.Name).ThenBy(c => c.Id).Select(c => new { c.Name, Kids = c.Children.OrderBy(g => g.Name).ThenBy(g => g.Id).Select(g => g.Name).ToList() }).ToList() }).ToList();
}

/// Nulls that the C# has no place for, and conditions over written lists.
public static class Odd
{
    public static List<short> BossGrades(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => e.Manager!.Grade).ToList();
    public static object NameLengths(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, L = e.MiddleName!.Length }).ToList();
    public static object LeftOn(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, I = e.LeftOn!.Value }).ToList();
    public static object FirstLeaveOrDefault(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, I = e.Leaves.OrderBy(l => l.Id).Select(l => l.From).FirstOrDefault() }).ToList();
    public static object LastLeave(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, I = e.Leaves.Max(l => l.From) }).ToList();
    public static object BossPlusOne(PeopleContext db) => db.Employees.Where(e => e.Manager == null).OrderBy(e => e.Id).Select(e => new { e.Id, G = e.Manager!.Grade + 1 }).ToList();
    public static object BossIsRemote(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, X = e.Manager!.Remote ? 1 : 0 }).ToList();
    public static object ByBossGrade(PeopleContext db) => db.Employees.GroupBy(e => e.Manager!.Grade).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.N).ThenBy(x => x.Key).ToList();
    public static object OrderedByConditions(PeopleContext db) => db.Employees.OrderBy(e => e.Email == null).ThenBy(e => e.Remote ? 0 : 1).ThenByDescending(e => e.Email ?? "").ThenBy(e => e.Id).Select(e => e.Id).ToList();
    public static object DepartmentsAtTheTop(PeopleContext db) => db.Employees.Select(e => e.DepartmentId).Distinct().Except(db.Departments.Where(d => d.ParentId != null).Select(d => d.Id)).OrderBy(x => x).ToList();
    public static object HasAll(PeopleContext db) { var words = new List<string> { "C#", "SQL" }; return db.Employees.Where(e => words.All(n => e.Skills.Any(s => s.SkillCode == n))).OrderBy(e => e.Id).Select(e => e.Id).ToList(); }
    public static object HasAny(PeopleContext db) { var words = new[] { "mi", "Ž", "%" }; return db.Employees.Where(e => words.Any(n => e.LastName.Contains(n))).OrderBy(e => e.Id).Select(e => e.Id).ToList(); }
    public static object AllOfNone(PeopleContext db) { var none = new List<string>(); return db.Employees.Where(e => none.All(n => e.LastName == n)).OrderBy(e => e.Id).Select(e => e.Id).ToList(); }
    public static object AnyNameIs(PeopleContext db) => db.Employees.Where(e => new[] { e.FirstName, e.LastName, e.MiddleName }.Contains("Ann")).OrderBy(e => e.Id).Select(e => e.Id).ToList();
}
public static class Labels
{
    public static object U1(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => e.LastName.ToUpper()).ToList();
    public static object U2(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, U = e.LastName.ToUpper(), M = e.Email!.ToLower(), Mix = e.LastName.ToUpper() + " " + e.FirstName + "/" + e.Grade, N = e.MiddleName == null ? "-" : e.MiddleName.ToUpper(), Dep = e.Department.Name.ToUpper() }).ToList();
    public static string U3(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => e.LastName.ToUpper()).First();
    public static object U4(PeopleContext db) => db.Employees.OrderBy(e => e.LastName).ThenBy(e => e.Id).Select(e => new EmployeeLine(e.Id, e.LastName.ToUpper(), e.Skills.Count)).Skip(1).Take(3).ToList();
    public static EmployeeLine? U5(PeopleContext db) => db.Employees.Where(e => e.LastName == "nobody").Select(e => new EmployeeLine(e.Id, e.LastName.ToUpper(), e.Skills.Count)).FirstOrDefault();
    public static object U6(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => Label(e.FirstName, e.LastName)).ToList();
    public static object U7(PeopleContext db) => db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, Has = e.LastName.ToLower().Contains("s"), U = e.FirstName.ToUpper() }).ToList();
    public static object D1(PeopleContext db) => db.Set<PermanentContract>().OrderBy(c => c.Id).Select(c => new { c.Id, A = c.MonthlySalary.ToString("0.00"), B = c.MonthlySalary.ToString("N2"), C = $"{c.MonthlySalary:F1} by {c.SignedAt:dd.MM.yyyy}" }).ToList();
    public static object D2(PeopleContext db) => db.Contracts.OrderBy(c => c.Id).Select(c => new { c.Id, W = c.SignedAt.ToString("dd.MM.yyyy HH:mm"), E = c.EndsAt == null ? "open" : c.EndsAt.Value.ToString("yyyy/MM/dd"), T = $"{c.EndsAt:yyyy-MM}", X = c.SignedAt.ToString("d.M.yyyy H:mm:ss") }).ToList();
    private static string Label(string first, string last) => last.ToUpperInvariant() + " " + first;
}
public record EmployeeLine(Guid Id, string Name, int Skills);
