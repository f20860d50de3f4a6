using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace Payroll;

public class Employee
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string? Email { get; set; }
    public int? ManagerId { get; set; }
    public Employee? Manager { get; set; }
    public List<Employee> Reports { get; set; } = new();
    public List<Payslip> Payslips { get; set; } = new();
}

public class Payslip
{
    public int Id { get; set; }
    public int EmployeeId { get; set; }
    public Employee Employee { get; set; } = null!;
    public decimal Gross { get; set; }
    public decimal? Bonus { get; set; }
    public double Rate { get; set; }
}

public class PayrollContext : DbContext
{
    public PayrollContext(DbContextOptions<PayrollContext> options) : base(options) { }
    public DbSet<Employee> Employees => Set<Employee>();
    public DbSet<Payslip> Payslips => Set<Payslip>();

    protected override void OnModelCreating(ModelBuilder builder)
    {
        builder.Entity<Employee>().HasOne(e => e.Manager).WithMany(e => e.Reports).HasForeignKey(e => e.ManagerId);
        builder.Entity<Payslip>().Property(p => p.Gross).HasPrecision(10, 2);
        builder.Entity<Payslip>().Property(p => p.Bonus).HasPrecision(10, 2);
    }
}
