using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;

namespace Payroll;

// What C# does with rows that were fetched: LINQ to Objects, whatever the database would do.
public static class Sorting
{
    // It sorts stably: within one employee the highest gross comes first.
    public static object Stable(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).ToList().OrderBy(p => p.EmployeeId).Select(p => p.Id).ToList();

    public static object StableRows(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).ToList().OrderByDescending(p => p.EmployeeId).ToList();

    public static object StableFirst(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).ToList().OrderBy(p => p.EmployeeId).First();

    public static object StablePage(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).Take(4).AsEnumerable().OrderBy(p => p.EmployeeId).Skip(1).Take(2).Select(p => p.Id).ToList();

    public static object StableWithThenBy(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).ToArray().OrderBy(p => p.EmployeeId).ThenBy(p => p.Bonus).Select(p => p.Id).ToList();

    // The earlier key is not among what was selected.
    public static object StableOverProjection(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).Select(p => new { p.Id, Who = p.EmployeeId }).Where(x => x.Id > 0).ToList()
            .OrderBy(x => x.Who).Select(x => x.Id).ToList();

    public static object StableTwice(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Id).ToList().OrderBy(p => p.Bonus).OrderBy(p => p.EmployeeId).Select(p => p.Id).ToList();

    public static object StableReversed(PayrollContext db) =>
        db.Payslips.OrderBy(p => p.Gross).ToList().OrderBy(p => p.EmployeeId).Reverse().Select(p => p.Id).ToList();

    public static object StableQuery(PayrollContext db)
    {
        var slips = db.Payslips.OrderByDescending(p => p.Gross).ToList();
        return (from p in slips where p.Id > 1 orderby p.EmployeeId select p.Id).ToList();
    }

    // In the database a second OrderBy replaces the first.
    public static object Replaced(PayrollContext db) =>
        db.Payslips.OrderByDescending(p => p.Gross).OrderBy(p => p.Id).Select(p => p.Id).ToList();

    // Text that the database ordered stays in its order.
    public static object StableOverText(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Name).ThenBy(e => e.Id).ToList().OrderBy(e => e.ManagerId).Select(e => e.Id).ToList();

    // Nulls come first, whatever the database says.
    public static object NullsFirst(PayrollContext db) =>
        db.Payslips.AsEnumerable().OrderBy(p => p.Bonus).ThenBy(p => p.Id).Select(p => p.Id).ToList();

    public static object NullsLast(PayrollContext db) =>
        db.Employees.ToList().OrderByDescending(e => e.ManagerId).ThenBy(e => e.Id).Select(e => e.Id).ToList();

    public static object NullsOnBothSides(PayrollContext db) =>
        db.Employees.OrderBy(e => e.ManagerId).ThenBy(e => e.Id).ToList().OrderBy(e => e.Email == null).Select(e => e.Id).ToList();

    public static object NullsInGroups(PayrollContext db) =>
        db.Payslips.ToList().GroupBy(p => p.EmployeeId).OrderBy(g => g.Key)
            .Select(g => new { g.Key, First = g.OrderBy(p => p.Bonus).ThenBy(p => p.Id).Select(p => p.Id).FirstOrDefault() }).ToList();
}

public static class Casting
{
    // PostgreSQL rounds, C# cuts the fraction off.
    public static object InDatabase(PayrollContext db) => db.Payslips.OrderBy(p => p.Id).Select(p => (int)p.Gross).ToList();

    public static object InMemory(PayrollContext db) => db.Payslips.OrderBy(p => p.Id).AsEnumerable().Select(p => (int)p.Gross).ToList();

    public static object OfQuotients(PayrollContext db) => db.Payslips.OrderBy(p => p.Id).ToList().Select(p => (int)(p.Gross / 7)).ToList();

    public static object OfDoubles(PayrollContext db) => db.Payslips.OrderBy(p => p.Id).ToList().Select(p => (long)p.Rate).ToList();

    public static object InPredicate(PayrollContext db) =>
        db.Payslips.OrderBy(p => p.Id).ToList().Where(p => (int)p.Gross == 99).Select(p => p.Id).ToList();

    public static object OfOneRow(PayrollContext db)
    {
        var slip = db.Payslips.Single(p => p.Id == 2);
        return new { slip.Id, Whole = (int)slip.Gross };
    }
}

public static class Navigations
{
    public static object Loaded(PayrollContext db)
    {
        var employee = db.Employees.Include(e => e.Manager).First(e => e.Id == 2);
        return new { employee.Name, Boss = employee.Manager?.Name };
    }

    public static object LoadedAndNull(PayrollContext db) =>
        db.Employees.Include(e => e.Manager).OrderBy(e => e.Id).ToList().Select(e => new { e.Id, Boss = e.Manager?.Name }).ToList();

    public static object LoadedTwoLevels(PayrollContext db) =>
        db.Employees.Include(e => e.Manager).ThenInclude(m => m!.Manager).OrderBy(e => e.Id).ToList()
            .Select(e => new { e.Id, Boss = e.Manager?.Manager?.Name }).ToList();

    // A list that hangs on a manager who is not there. Scalars compare as C# does, plain lists are joined.
    public static object CountOfPeers(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, N = e.Manager!.Reports.Count(r => r.Id != e.Id) }).ToList();

    public static object Peers(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, All = e.Manager!.Reports.OrderBy(r => r.Id).Select(r => r.Id).ToList() }).ToList();

    public static object PeersByKey(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Id).Select(e => new
        {
            e.Id, Others = db.Employees.Where(r => r.ManagerId == e.ManagerId && r.Id != e.Id).OrderBy(r => r.Id).Select(r => r.Id).ToList()
        }).ToList();

    public static object PeersOfManaged(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Id).Select(e => new
        {
            e.Id, All = db.Employees.Where(r => r.ManagerId != null && r.ManagerId == e.ManagerId).OrderBy(r => r.Id).Select(r => r.Id).ToList()
        }).ToList();

    public static object PayslipsOfManager(PayrollContext db) =>
        db.Employees.OrderBy(e => e.Id).Select(e => new { e.Id, All = e.Manager!.Payslips.Where(p => p.Id != e.Id).OrderBy(p => p.Id).Select(p => p.Id).ToList() }).ToList();
}
