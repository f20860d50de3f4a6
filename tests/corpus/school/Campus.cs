using Microsoft.EntityFrameworkCore;
using Academy;
namespace Academy.Queries;

public static class Campus
{
    public static object Catalogue(AcademyContext db) => (from c in db.Courses where c.Active orderby c.Code select new { c.Code, c.Title, Needs = c.Prerequisite == null ? null : c.Prerequisite.Code, Opens = c.Unlocks.Count() }).ToList();
    public static object Chain(AcademyContext db) => db.Courses.OrderBy(c => c.CourseId).Select(c => new { c.Code, P1 = c.Prerequisite!.Code, P2 = c.Prerequisite.Prerequisite!.Code, P3 = c.Prerequisite.Prerequisite.Prerequisite!.Title ?? "none" }).ToList();
    public static object Occupancy(AcademyContext db) =>
        (from s in db.Sections
         let taken = s.Enrolments.Count(e => e.State == EnrolmentState.Accepted)
         where taken > 0
         orderby s.CourseId, s.Year, s.Term, s.Number
         select new { s.Course.Code, s.Year, s.Term, s.Number, taken, Free = s.Capacity - taken, Full = taken >= s.Capacity, Pct = s.Capacity == 0 ? 0 : 100 * taken / s.Capacity }).ToList();
    public static object Transcript(AcademyContext db) { int student = 3; return (from e in db.Enrolments where e.StudentId == student && e.Mark != null orderby e.Year, e.Term, e.CourseId, e.Number select new { e.Section.Course.Title, e.Year, e.Term, e.Mark, Passed = e.Mark <= 3 }).ToList(); }
    public static object Averages(AcademyContext db) => (from e in db.Enrolments where e.State == EnrolmentState.Accepted group e by new { e.StudentId, e.Student.Surname } into g orderby g.Key.Surname, g.Key.StudentId select new { g.Key.Surname, Avg = g.Average(x => x.Mark), Credits = g.Sum(x => x.Section.Course.Credits), N = g.Count(), Best = g.Min(x => x.Mark) }).ToList();
    public static object Unpaid(AcademyContext db) => db.Enrolments.Where(e => !e.Paid && e.State != EnrolmentState.Dropped).OrderBy(e => e.EnrolledAt).ThenBy(e => e.StudentId).ThenBy(e => e.CourseId).ThenBy(e => e.Year).ThenBy(e => e.Number).Select(e => new { e.Student.Surname, e.Student.GivenName, e.Section.Course.Code, e.EnrolledAt, e.Paid }).ToList();
    public static object PaidStats(AcademyContext db) => db.Enrolments.GroupBy(e => e.Paid).Select(g => new { g.Key, N = g.Count(), Students = g.Select(x => x.StudentId).Distinct().Count() }).OrderBy(x => x.Key).ToList();
    public static object MembersByKind(AcademyContext db) => db.Members.GroupBy(m => m.Kind).Select(g => new { g.Key, N = g.Count(), Oldest = g.Min(m => m.Born) }).OrderBy(x => x.Key).ToList();
    public static object WhoIsWho(AcademyContext db) => db.Members.OrderBy(m => m.Id).Select(m => new { m.Id, T = m is Teacher, A = m is Assistant, S = m is Student, Code = ((Student)m).StudyCode, Office = (m as Teacher)!.Office }).ToList();
    public static object TeachersOnly(AcademyContext db) => db.Members.OfType<Teacher>().OrderBy(t => t.Id).Select(t => new { t.Surname, t.Load, IsAssistant = t is Assistant, Boss = ((Assistant)t).Supervisor!.Surname }).ToList();
    public static object RealTeachers(AcademyContext db) => db.Teachers.Where(t => !(t is Assistant) && t.Load > 0.5).OrderByDescending(t => t.Load).ThenBy(t => t.Id).Select(t => t.Surname).ToList();
    public static object KindFilter(AcademyContext db) => db.Members.Where(m => m.Kind != PersonKind.Student).OrderBy(m => m.Id).Select(m => new { m.Id, m.Kind }).ToList();
    public static object ArchivedToo(AcademyContext db) => db.Members.IgnoreQueryFilters().OrderBy(m => m.Id).Select(m => new { m.Id, m.Archived, m.Kind }).ToList();
    public static object SectionsOf(AcademyContext db) => db.Sections.OrderBy(s => s.CourseId).ThenBy(s => s.Year).ThenBy(s => s.Term).ThenBy(s => s.Number).Select(s => new { s.CourseId, s.Year, s.Term, s.Number, Teacher = s.Teacher == null ? "TBA" : s.Teacher.Surname, s.Teacher!.Office }).ToList();
    public static object ByTerm(AcademyContext db) => db.Sections.GroupBy(s => new { s.Year, s.Term }).OrderByDescending(g => g.Key.Year).ThenBy(g => g.Key.Term).Select(g => new { g.Key.Year, g.Key.Term, N = g.Count(), Seats = g.Sum(s => s.Capacity), Codes = g.Select(s => s.CourseId).Distinct().Count() }).ToList();
    public static object NoTeacher(AcademyContext db) => db.Sections.Where(s => s.TeacherId == null || s.Teacher!.Office == null).OrderBy(s => s.CourseId).ThenBy(s => s.Year).ThenBy(s => s.Term).ThenBy(s => s.Number).Select(s => new { s.CourseId, s.Year }).ToList();
    public static object Timetable(AcademyContext db) => db.Lessons.Where(l => l.Day == DayOfWeek.Monday || l.Day == DayOfWeek.Friday).OrderBy(l => l.From).ThenBy(l => l.Id).Select(l => new { l.Day, l.From, l.To, l.Room, l.Section.Course.Code }).ToList();
    public static object Clashes(AcademyContext db) => (from a in db.Lessons from b in db.Lessons where a.Room != null && a.Room == b.Room && a.Day == b.Day && a.From < b.To && b.From < a.To && (a.From < b.From || (a.From == b.From && a.To < b.To)) orderby a.Room, a.From, b.From, a.Id, b.Id select new { a.Room, A = a.From, B = b.From }).ToList();
    public static object RoomUse(AcademyContext db) => db.Lessons.GroupBy(l => l.Room).Select(g => new { Room = g.Key ?? "?", N = g.Count(), First = g.Min(l => l.From), Last = g.Max(l => l.To) }).OrderBy(x => x.Room).ToList();
    public static object Days(AcademyContext db) => db.Lessons.GroupBy(l => l.Day).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.N).ThenBy(x => x.Key).ToList();
    public static object Clubs(AcademyContext db) => db.Clubs.OrderBy(c => c.Name).ThenBy(c => c.Id).Select(c => new { c.Name, N = c.Students.Count, Heads = c.Members.Where(m => m.Role == "head").OrderBy(m => m.StudentId).Select(m => m.Student.Surname).ToList(), All = c.Students.OrderBy(s => s.Surname).ThenBy(s => s.Id).Select(s => s.Surname).ToList() }).ToList();
    public static object ClubJoiners(AcademyContext db) => (from s in db.Students from m in s.Memberships where m.Joined >= new DateOnly(2024, 2, 29) orderby m.Joined, s.Id, m.ClubId select new { s.Surname, m.Club.Name, m.Joined, Role = m.Role ?? "member" }).ToList();
    public static object NoClub(AcademyContext db) => db.Students.Where(s => !s.Clubs.Any()).OrderBy(s => s.Id).Select(s => s.Surname).ToList();
    public static object InBoth(AcademyContext db) => db.Students.Where(s => s.Clubs.Any(c => c.Name == "Chess") && s.Clubs.Any(c => c.Name == "$Debate.Club")).OrderBy(s => s.Id).Select(s => s.Surname).ToList();
    public static object Sum(AcademyContext db) => new { Total = db.Students.Sum(s => s.Scholarship), Avg = db.Students.Average(s => s.Scholarship), Max = db.Students.Max(s => s.Scholarship), None = db.Students.Count(s => s.Scholarship == null) };
    public static object Empty(AcademyContext db) => new { S = db.Courses.Where(c => c.Credits > 1000).Sum(c => c.Credits), M = db.Courses.Where(c => c.Credits > 1000).Max(c => (int?)c.Credits), A = db.Courses.Where(c => c.Credits > 1000).Average(c => (double?)c.Credits), X = db.Courses.Any(c => c.Credits > 1000), Y = db.Courses.Where(c => c.Credits > 1000).All(c => c.Active) };
    public static int MaxOfNone(AcademyContext db) => db.Courses.Where(c => c.Credits > 1000).Max(c => c.Credits);
    public static Course? SingleMany(AcademyContext db) => db.Courses.SingleOrDefault(c => c.Credits > 0);
    public static Course FirstNone(AcademyContext db) => db.Courses.OrderBy(c => c.CourseId).First(c => c.Credits > 1000);
    public static object Ranking(AcademyContext db) => db.Students.OrderBy(s => s.Id).Select(s => new { s.Surname, Rank = db.Students.Count(o => o.Scholarship > s.Scholarship) + 1 }).ToList();
    public static object Letters(AcademyContext db) => db.Members.GroupBy(m => m.Surname.Substring(0, 1)).Select(g => new { g.Key, N = g.Count(), Names = g.OrderBy(x => x.Surname).ThenBy(x => x.Id).Select(x => x.Surname).ToList() }).OrderBy(x => x.Key).ToList();
    public static object Page2(AcademyContext db) => db.Members.OrderBy(m => m.Surname).ThenBy(m => m.Id).Skip(3).Take(4).Select(m => new { m.Id, Full = (m.GivenName ?? "") + " " + m.Surname }).ToList();
    public static object LatestEnrolment(AcademyContext db) => (from s in db.Students orderby s.Id select new { s.Surname, Last = s.Enrolments.OrderByDescending(e => e.EnrolledAt).ThenBy(e => e.CourseId).ThenBy(e => e.Year).ThenBy(e => e.Number).Select(e => e.Section.Course.Code).FirstOrDefault(), When = s.Enrolments.Max(e => (DateTime?)e.EnrolledAt) }).ToList();
    public static object GradeBands(AcademyContext db) => db.Enrolments.Where(e => e.Mark.HasValue).GroupBy(e => e.Mark!.Value < 1.5m ? "A" : e.Mark.Value < 2.5m ? "B" : e.Mark.Value < 3.5m ? "C" : "F").Select(g => new { Band = g.Key, N = g.Count(), Avg = g.Average(x => x.Mark!.Value) }).OrderBy(x => x.Band).ToList();
    public static object Outer(AcademyContext db) => (from c in db.Courses join s in db.Sections on c.CourseId equals s.CourseId into ss from s in ss.Where(x => x.Year == 2024).DefaultIfEmpty() orderby c.Code, s.Term, s.Number select new { c.Code, Year = (int?)s.Year, Number = (byte?)s.Number, Teacher = s.Teacher!.Surname }).ToList();
    public static object NullMark(AcademyContext db) => db.Enrolments.OrderBy(e => e.StudentId).ThenBy(e => e.CourseId).ThenBy(e => e.Year).ThenBy(e => e.Term).ThenBy(e => e.Number).Select(e => e.Mark!.Value).ToList();
    public static object Combined(AcademyContext db) => db.Enrolments.Where(e => e.Mark == null).Select(e => e.StudentId).Intersect(db.Enrolments.Where(e => e.Mark != null).Select(e => e.StudentId)).OrderBy(x => x).ToList();
    public static object Upper(AcademyContext db) => db.Members.OrderBy(m => m.Id).Select(m => new { m.Id, S = m.Surname.ToUpper(), G = m.GivenName!.ToLower(), B = m.Born == null ? "" : m.Born.Value.ToString("d.M.yyyy") }).ToList();
    public static object SearchNames(AcademyContext db) { string term = " NOV "; var t = term.Trim().ToLower(); return db.Members.Where(m => m.Surname.ToLower().Contains(t) || m.GivenName!.ToLower().StartsWith("ž")).OrderBy(m => m.Id).Select(m => m.Surname).ToList(); }
    public static object Ages(AcademyContext db) { var on = new DateOnly(2024, 2, 29); return db.Members.Where(m => m.Born != null).OrderBy(m => m.Id).Select(m => new { m.Id, Days = on.DayNumber - m.Born!.Value.DayNumber, m.Born.Value.DayOfWeek, m.Born.Value.DayOfYear }).ToList(); }
}
