#nullable disable
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
namespace Hr;
public enum Gender : byte { Unknown, Female, Male, Other = 9 }
public enum LeaveKind { Vacation, Sick, Unpaid }
public abstract class Party
{
    public int Id { get; set; }
    public string DisplayName { get; set; }
    public string Email { get; set; }
    public DateOnly? Since { get; set; }
    public int? TeamId { get; set; }
    public Team Team { get; set; }
    public List<Note> Notes { get; set; } = new();
    public Address Home { get; set; }
}
public class Employee : Party
{
    public decimal Salary { get; set; }
    public decimal? Bonus { get; set; }
    public Gender Gender { get; set; }
    public int? BossId { get; set; }
    public Employee Boss { get; set; }
    public List<Employee> Reports { get; set; } = new();
    public List<Leave> Leaves { get; set; } = new();
    public TimeOnly? StartsAt { get; set; }
    public bool IsDeleted { get; set; }
    public List<Skill> Skills { get; set; } = new();
    public List<EmployeeSkill> SkillLevels { get; set; } = new();
}
public class Manager : Employee { public int Level { get; set; } public List<Team> Leads { get; set; } = new(); public string Car { get; set; } }
public class Contractor : Party { public decimal DayRate { get; set; } public string Agency { get; set; } public DateTime? Until { get; set; } public int? SponsorId { get; set; } public Manager Sponsor { get; set; } }
public class Robot : Party { public string Model { get; set; } public long Cycles { get; set; } }
public class Address { [Required] public string Street { get; set; } public string City { get; set; } public Geo Geo { get; set; } }
public class Geo { public double Lat { get; set; } public double? Lon { get; set; } }
public class Team
{
    public int Id { get; set; }
    public string Name { get; set; }
    public int? ParentId { get; set; }
    public Team Parent { get; set; }
    public List<Team> SubTeams { get; set; } = new();
    public List<Party> Members { get; set; } = new();
    public int? LeadId { get; set; }
    public Manager Lead { get; set; }
    public decimal Budget { get; set; }
    public bool Closed { get; set; }
}
public class Note { public int Id { get; set; } public int PartyId { get; set; } public Party Party { get; set; } public string Text { get; set; } public DateTime At { get; set; } public bool? Private { get; set; } }
public class Leave { public int Id { get; set; } public int EmployeeId { get; set; } public Employee Employee { get; set; } public LeaveKind Kind { get; set; } public DateOnly From { get; set; } public DateOnly? To { get; set; } public double Days { get; set; } public int? ApprovedById { get; set; } public Manager ApprovedBy { get; set; } }
public class Skill { public string Code { get; set; } public string Title { get; set; } public List<Employee> Employees { get; set; } = new(); }
public class EmployeeSkill { public int EmployeeId { get; set; } public Employee Employee { get; set; } public string SkillCode { get; set; } public Skill Skill { get; set; } public short Level { get; set; } public DateTime? Certified { get; set; } }
public class HrContext : DbContext
{
    public HrContext(DbContextOptions<HrContext> o) : base(o) { }
    public DbSet<Party> Parties { get; set; }
    public DbSet<Employee> Employees { get; set; }
    public DbSet<Manager> Managers { get; set; }
    public DbSet<Contractor> Contractors { get; set; }
    public DbSet<Robot> Robots { get; set; }
    public DbSet<Team> Teams { get; set; }
    public DbSet<Note> Notes { get; set; }
    public DbSet<Leave> Leaves { get; set; }
    public DbSet<Skill> Skills { get; set; }
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Party>(e =>
        {
            e.HasDiscriminator<string>("kind").HasValue<Employee>("emp").HasValue<Manager>("mgr").HasValue<Contractor>("ext").HasValue<Robot>("bot");
            e.OwnsOne(p => p.Home, a => { a.Property(x => x.City).HasColumnName("city"); a.OwnsOne(x => x.Geo); });
            e.HasOne(p => p.Team).WithMany(t => t.Members).HasForeignKey(p => p.TeamId);
        });
        b.Entity<Employee>(e =>
        {
            e.Property(x => x.Salary).HasPrecision(12, 2); e.Property(x => x.Bonus).HasPrecision(12, 4);
            e.HasOne(x => x.Boss).WithMany(x => x.Reports).HasForeignKey(x => x.BossId);
            e.HasMany(x => x.Skills).WithMany(s => s.Employees).UsingEntity<EmployeeSkill>(r => r.HasOne(x => x.Skill).WithMany().HasForeignKey(x => x.SkillCode), l => l.HasOne(x => x.Employee).WithMany(x => x.SkillLevels).HasForeignKey(x => x.EmployeeId), j => j.HasKey(x => new { x.EmployeeId, x.SkillCode }));
        });
        b.Entity<Contractor>().Property(x => x.DayRate).HasPrecision(8, 2);
        b.Entity<Contractor>().HasOne(x => x.Sponsor).WithMany().HasForeignKey(x => x.SponsorId);
        b.Entity<Team>().HasOne(t => t.Lead).WithMany(m => m.Leads).HasForeignKey(t => t.LeadId);
        b.Entity<Team>().HasOne(t => t.Parent).WithMany(t => t.SubTeams).HasForeignKey(t => t.ParentId);
        b.Entity<Team>().Property(t => t.Budget).HasPrecision(14, 0);
        b.Entity<Leave>().Property(l => l.Kind).HasConversion<string>();
        b.Entity<Leave>().HasOne(l => l.ApprovedBy).WithMany().HasForeignKey(l => l.ApprovedById);
        b.Entity<Skill>().HasKey(s => s.Code);
    }
}
