using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;
using Microsoft.EntityFrameworkCore.Storage.ValueConversion;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;

namespace Contoso.People.Domain;

public enum LeaveKind : byte { Vacation = 1, Sick = 2, Unpaid = 9 }
public enum SkillLevel { Novice, Competent, Expert }
public enum ApprovalStatus { Draft, Submitted, Approved, Rejected }

public class Department
{
    public int Id { get; private set; }
    [MaxLength(80)] public required string Name { get; set; }
    public string? CostCentre { get; set; }
    public int? ParentId { get; set; }
    public Department? Parent { get; set; }
    public ICollection<Department> Children { get; } = new List<Department>();
    public ICollection<Employee> Employees { get; } = new List<Employee>();
    public Guid? HeadId { get; set; }
    public Employee? Head { get; set; }
}

public class Employee
{
    public Guid Id { get; set; }
    public string FirstName { get; set; } = null!;
    public string LastName { get; set; } = null!;
    public string? MiddleName { get; set; }
    public string? Email { get; set; }
    public DateOnly HiredOn { get; set; }
    public DateOnly? LeftOn { get; set; }
    public char? Initial { get; set; }
    public short Grade { get; set; }
    public bool Remote { get; set; }
    public Guid? ManagerId { get; set; }
    public virtual Employee? Manager { get; set; }
    public virtual ICollection<Employee> Reports { get; set; } = new HashSet<Employee>();
    public int DepartmentId { get; set; }
    public virtual Department Department { get; set; } = null!;
    public virtual ICollection<Contract> Contracts { get; set; } = new HashSet<Contract>();
    public virtual ICollection<EmployeeSkill> Skills { get; set; } = new HashSet<EmployeeSkill>();
    public virtual ICollection<Leave> Leaves { get; set; } = new HashSet<Leave>();
    public virtual ICollection<TimeEntry> TimeEntries { get; set; } = new HashSet<TimeEntry>();
    public PostalAddress? Home { get; set; }
    [NotMapped] public string FullName => $"{FirstName} {LastName}";
}

[Owned]
public class PostalAddress
{
    public string? Street { get; set; }
    public string City { get; set; } = "";
    public string? Postcode { get; set; }
}

public abstract class Contract
{
    public int Id { get; set; }
    public Guid EmployeeId { get; set; }
    public Employee Employee { get; set; } = null!;
    public DateTime SignedAt { get; set; }
    public DateTime? EndsAt { get; set; }
}
public class PermanentContract : Contract
{
    [Column(TypeName = "numeric(12,2)")] public decimal MonthlySalary { get; set; }
    public int NoticeDays { get; set; }
}
public class FreelanceContract : Contract
{
    [Column(TypeName = "numeric(12,2)")] public decimal DayRate { get; set; }
    public string? Agency { get; set; }
}
public class InternContract : PermanentContract
{
    public string University { get; set; } = "";
}

public class Skill
{
    [Key] public string Code { get; set; } = "";
    public string Title { get; set; } = "";
    public ICollection<EmployeeSkill> People { get; set; } = [];
}
public class EmployeeSkill
{
    public Guid EmployeeId { get; set; }
    public string SkillCode { get; set; } = "";
    public Employee Employee { get; set; } = null!;
    public Skill Skill { get; set; } = null!;
    public SkillLevel Level { get; set; }
    public DateOnly? Since { get; set; }
}
public class Leave
{
    public long Id { get; set; }
    public Guid EmployeeId { get; set; }
    public Employee Employee { get; set; } = null!;
    public LeaveKind Kind { get; set; }
    public DateOnly From { get; set; }
    public DateOnly To { get; set; }
    public ApprovalStatus Status { get; set; }
    public string? Comment { get; set; }
}
public class TimeEntry
{
    public long Id { get; set; }
    public Guid EmployeeId { get; set; }
    public Employee Employee { get; set; } = null!;
    public DateOnly Day { get; set; }
    public TimeOnly Start { get; set; }
    public TimeOnly? End { get; set; }
    public TimeSpan Break { get; set; }
    public string? Project { get; set; }
    public bool IsVoid { get; set; }
}

public class PeopleContext(DbContextOptions<PeopleContext> options) : DbContext(options)
{
    public DbSet<Department> Departments => Set<Department>();
    public DbSet<Employee> Employees => Set<Employee>();
    public DbSet<Contract> Contracts => Set<Contract>();
    public DbSet<Skill> Skills => Set<Skill>();
    public DbSet<EmployeeSkill> EmployeeSkills => Set<EmployeeSkill>();
    public DbSet<Leave> Leaves => Set<Leave>();
    public DbSet<TimeEntry> TimeEntries => Set<TimeEntry>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.ApplyConfigurationsFromAssembly(typeof(PeopleContext).Assembly);
        modelBuilder.Entity<Contract>().ToTable("contracts");
        modelBuilder.Entity<PermanentContract>();
        modelBuilder.Entity<FreelanceContract>();
        modelBuilder.Entity<InternContract>();
        modelBuilder.Entity<Leave>(e =>
        {
            e.Property(l => l.Status).HasConversion<string>().HasMaxLength(16);
            e.Property<DateTime>("CreatedAt");
            e.Property<string?>("CreatedBy");
        });
        modelBuilder.Entity<TimeEntry>().HasQueryFilter(t => !t.IsVoid);
    }
}
internal sealed class EmployeeMap : IEntityTypeConfiguration<Employee>
{
    public void Configure(EntityTypeBuilder<Employee> b)
    {
        b.ToTable("employees");
        b.HasOne(e => e.Manager).WithMany(m => m.Reports).HasForeignKey(e => e.ManagerId).OnDelete(DeleteBehavior.Restrict);
        b.HasOne(e => e.Department).WithMany(d => d.Employees).HasForeignKey(e => e.DepartmentId);
        b.HasMany(e => e.Skills).WithOne(s => s.Employee);
        b.OwnsOne(e => e.Home, h => { h.Property(x => x.City).HasColumnName("home_city"); });
    }
}
internal sealed class DepartmentMap : IEntityTypeConfiguration<Department>
{
    public void Configure(EntityTypeBuilder<Department> b)
    {
        b.HasOne(d => d.Head).WithMany().HasForeignKey(d => d.HeadId);
        b.HasOne(d => d.Parent).WithMany(d => d.Children).HasForeignKey(d => d.ParentId);
    }
}
internal sealed class EmployeeSkillMap : IEntityTypeConfiguration<EmployeeSkill>
{
    public void Configure(EntityTypeBuilder<EmployeeSkill> b)
    {
        b.HasKey(x => new { x.EmployeeId, x.SkillCode });
        b.Property(x => x.Level).HasConversion(new EnumToStringConverter<SkillLevel>());
    }
}
