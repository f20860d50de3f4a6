using Microsoft.EntityFrameworkCore;
using System;
using System.Linq;
using System.Collections.Generic;
using System.Threading.Tasks;
namespace ClinicApp;

public static class Clinic
{
    public static List<Doctor> AllDoctors(ClinicContext db) => db.Doctors.OrderBy(d => d.LastName).ThenBy(d => d.Id).ToList();
    public static List<string> PeopleNames(ClinicContext db) => db.People.OrderBy(p => p.LastName).ThenBy(p => p.FirstName).Select(p => p.LastName + ", " + p.FirstName).ToList();
    public static int PatientsCount(ClinicContext db) => db.Patients.Count();
    public static List<string> PatientsViaOfType(ClinicContext db) => db.People.OfType<Patient>().Where(p => p.Insured).OrderBy(p => p.FirstName).Select(p => p.FirstName).ToList();
    public static object DoctorsAndSpecialties(ClinicContext db) => db.Doctors.OrderBy(d => d.LastName).Select(d => new { d.LastName, Codes = d.Specialties.OrderBy(s => s.Code).Select(s => s.Code).ToList() }).ToList();
    public static List<string> SpecialtiesWithDoctor(ClinicContext db) { string name = "House"; return db.Specialties.Where(s => s.Doctors.Any(d => d.LastName == name)).OrderBy(s => s.Code).Select(s => s.Title).ToList(); }
    public static object Upcoming(ClinicContext db) { DateTime after = new DateTime(2024, 2, 15); return db.Appointments.Where(a => a.StartsAt > after && a.State == AppointmentState.Planned).OrderBy(a => a.StartsAt).ThenBy(a => a.Id).Select(a => new { a.Id, a.StartsAt, Doctor = a.Doctor.LastName, Patient = a.Patient!.LastName }).ToList(); }
    public static object ByState(ClinicContext db) => db.Appointments.GroupBy(a => a.State).Select(g => new { State = g.Key, N = g.Count(), Avg = g.Average(a => a.Rating) }).OrderBy(x => x.State).ToList();
    public static object Unpaid(ClinicContext db) => db.Invoices.Where(i => i.Paid != true).OrderBy(i => i.Id).Select(i => new { i.Id, i.Amount, i.Paid, Who = i.Appointment.Patient!.FirstName }).ToList();
    public static object WithInvoice(ClinicContext db) => db.Appointments.Where(a => a.Invoice != null).OrderBy(a => a.Id).Select(a => new { a.Id, a.Invoice!.Amount }).ToList();
    public static object NoInvoice(ClinicContext db) => db.Appointments.Where(a => a.Invoice == null).OrderBy(a => a.Id).Select(a => a.Id).ToList();
    public static decimal TotalPaid(ClinicContext db) => db.Invoices.Where(i => i.Paid == true).Sum(i => i.Amount);
    public static decimal? MaxUnpaid(ClinicContext db) => db.Invoices.Where(i => i.Paid == false).Max(i => (decimal?)i.Amount);
    public static object RevenuePerDoctor(ClinicContext db) => db.Doctors.OrderBy(d => d.LastName).Select(d => new { d.LastName, Sum = d.Appointments.Sum(a => a.Invoice!.Amount), N = d.Appointments.Count }).ToList();
    public static List<Patient> PatientsInTown(ClinicContext db) { string town = "Brno"; return db.Patients.Where(p => p.Contact.Home!.Town == town).OrderBy(p => p.LastName).ToList(); }
    public static object PatientTowns(ClinicContext db) => db.Patients.OrderBy(p => p.LastName).Select(p => new { p.LastName, Town = p.Contact.Home == null ? "?" : p.Contact.Home.Town, p.Contact.Email }).ToList();
    public static List<string> Allergic(ClinicContext db) => db.Patients.Where(p => p.Allergies.HasFlag(Allergy.Nuts)).OrderBy(p => p.LastName).Select(p => p.LastName).ToList();
    public static List<string> AllergicBits(ClinicContext db) => db.Patients.Where(p => (p.Allergies & Allergy.Milk) != 0).OrderBy(p => p.LastName).Select(p => p.LastName).ToList();
    public static object Genders(ClinicContext db) => db.People.GroupBy(p => p.Gender).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
    public static object BornIn(ClinicContext db) { int year = 1980; return db.People.Where(p => p.BornOn != null && p.BornOn.Value.Year >= year).OrderBy(p => p.BornOn).ThenBy(p => p.LastName).Select(p => new { p.LastName, p.BornOn }).ToList(); }
    public static object FirstVisitPerPatient(ClinicContext db) => db.Patients.OrderBy(p => p.LastName).Select(p => new { p.LastName, First = p.Appointments.OrderBy(a => a.StartsAt).ThenBy(a => a.Id).Select(a => (DateTime?)a.StartsAt).FirstOrDefault() }).ToList();
    public static object VisitsPerMonth(ClinicContext db) => db.Appointments.GroupBy(a => new { a.StartsAt.Year, a.StartsAt.Month }).Select(g => new { g.Key.Year, g.Key.Month, N = g.Count() }).OrderBy(x => x.Year).ThenBy(x => x.Month).ToList();
    public static async Task<Appointment?> WithAll(ClinicContext db) { long id = 3; return await db.Appointments.Include(a => a.Doctor).ThenInclude(d => d.Specialties).Include(a => a.Patient).Include(a => a.Invoice).SingleOrDefaultAsync(a => a.Id == id); }
    public static List<Doctor> DoctorsWithVisits(ClinicContext db) => db.Doctors.Include(d => d.Appointments.Where(a => a.Rating > 3).OrderByDescending(a => a.Rating).ThenBy(a => a.Id)).OrderBy(d => d.LastName).ToList();
    public static List<long> DeletedToo(ClinicContext db) => db.Appointments.IgnoreQueryFilters().OrderBy(a => a.Id).Select(a => a.Id).ToList();
    public static object Ratings(ClinicContext db) => db.Appointments.Where(a => a.Rating.HasValue).OrderBy(a => a.Id).Select(a => new { a.Id, Rounded = Math.Round(a.Rating!.Value), Half = a.Rating / 2, Up = Math.Ceiling(a.Rating.Value) }).ToList();
    public static bool AnyLong(ClinicContext db) => db.Appointments.Any(a => a.Length > TimeSpan.FromMinutes(60));
    public static object Lengths(ClinicContext db) => db.Appointments.OrderBy(a => a.Id).Select(a => new { a.Id, a.Length, End = a.StartsAt + a.Length }).ToList();
    public static List<string?> Notes(ClinicContext db) { string word = "50%"; return db.Appointments.Where(a => a.Note!.Contains(word) || a.Note.StartsWith("_")).OrderBy(a => a.Id).Select(a => a.Note).ToList(); }
    public static object Search(ClinicContext db)
    {
        string? last = "o"; bool? insured = true; int skip = 0; int take = 3;
        var q = db.Patients.AsNoTracking().AsQueryable();
        if (!string.IsNullOrWhiteSpace(last)) q = q.Where(p => p.LastName.StartsWith(last));
        if (insured.HasValue) q = q.Where(p => p.Insured == insured.Value);
        var total = q.Count();
        var items = q.OrderBy(p => p.LastName).ThenBy(p => p.Id).Skip(skip).Take(take).Select(p => new { p.LastName, p.Insured }).ToList();
        return new { total, items };
    }
    public static object Discounts(ClinicContext db) => db.Invoices.OrderBy(i => i.Id).Select(i => new { i.Id, Net = i.Amount * (100 - i.Discount) / 100, i.Discount }).ToList();
    public static object SelfCross(ClinicContext db) => (from a in db.Appointments from b in db.Appointments where a.DoctorId == b.DoctorId && a.Id < b.Id && a.StartsAt.Date == b.StartsAt.Date orderby a.Id, b.Id select new { A = a.Id, B = b.Id }).ToList();
    public static object LatestTwo(ClinicContext db) => db.Doctors.OrderBy(d => d.LastName).SelectMany(d => d.Appointments.OrderByDescending(a => a.StartsAt).ThenBy(a => a.Id).Take(2), (d, a) => new { d.LastName, a.Id }).ToList();
    public static object Busy(ClinicContext db) => db.Doctors.Where(d => d.Appointments.Count(a => a.State != AppointmentState.Cancelled) > 1).OrderBy(d => d.LastName).Select(d => new { d.LastName, Last = d.Appointments.Max(a => a.StartsAt) }).ToList();
    public static object DistinctTowns(ClinicContext db) => db.Patients.Select(p => new { p.Contact.Home!.Town, p.Contact.Home.Zip }).Distinct().OrderBy(x => x.Town).ThenBy(x => x.Zip).ToList();
    public static Dictionary<string, int> CountByTown(ClinicContext db) => db.Patients.Where(p => p.Contact.Home != null).GroupBy(p => p.Contact.Home!.Town).ToDictionary(g => g.Key, g => g.Count());
    public static object PatientOrNothing(ClinicContext db) { Guid id = Guid.Parse("00000000-0000-0000-0000-000000000001"); return db.Patients.Find(id)!; }
    public static object States(ClinicContext db) => db.Appointments.OrderBy(a => a.State).ThenBy(a => a.Id).Select(a => new { a.Id, S = a.State == AppointmentState.Done ? "done" : a.State == AppointmentState.Planned ? "plan" : "no" }).ToList();
    public static object Names(ClinicContext db) => db.People.OrderBy(p => p.Id).Select(p => new { Up = p.LastName.Trim(), Len = p.LastName.Length, In = p.FirstName.Substring(0, 1) + ".", Rep = p.LastName.Replace("o", "0") }).ToList();
    public static object IsDoctor(ClinicContext db) => db.People.OrderBy(p => p.LastName).Select(p => new { p.LastName, D = p is Doctor }).ToList();
    public static double AverageRating(ClinicContext db) => db.Appointments.Average(a => a.Rating) ?? 0;
    public static object GroupLarge(ClinicContext db) => (from a in db.Appointments join i in db.Invoices on a.Id equals i.AppointmentId into inv from i in inv.DefaultIfEmpty() group new { a, i } by a.DoctorId into g orderby g.Key select new { g.Key, Sum = g.Sum(x => x.i == null ? 0 : x.i.Amount), N = g.Count() }).ToList();
}
