using Microsoft.EntityFrameworkCore;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;

namespace Academy;

public enum Term { Winter = 1, Summer = 2 }
public enum EnrolmentState { Requested, Accepted, Dropped }
public enum PersonKind { Student = 1, Teacher = 2, Assistant = 3 }

[Index(nameof(Code), IsUnique = true)]
public class Course
{
    public int CourseId { get; set; }
    [StringLength(10)] public string Code { get; set; } = null!;
    public string Title { get; set; } = null!;
    public int Credits { get; set; }
    public bool Active { get; set; }
    public int? PrerequisiteId { get; set; }
    public Course? Prerequisite { get; set; }
    [InverseProperty(nameof(Prerequisite))] public List<Course> Unlocks { get; set; } = new();
    public List<Section> Sections { get; set; } = new();
}
public class Section
{
    public int CourseId { get; set; }
    public int Year { get; set; }
    public Term Term { get; set; }
    public byte Number { get; set; }
    public Course Course { get; set; } = null!;
    public int? TeacherId { get; set; }
    public Teacher? Teacher { get; set; }
    public int Capacity { get; set; }
    public List<Enrolment> Enrolments { get; set; } = new();
    public List<Lesson> Lessons { get; set; } = new();
}
public abstract class Member
{
    public int Id { get; set; }
    public PersonKind Kind { get; set; }
    public string Surname { get; set; } = "";
    public string? GivenName { get; set; }
    public DateOnly? Born { get; set; }
    public bool Archived { get; set; }
}
public class Student : Member
{
    public string StudyCode { get; set; } = "";
    public decimal? Scholarship { get; set; }
    public List<Enrolment> Enrolments { get; set; } = new();
    public List<Club> Clubs { get; set; } = new();
    public List<ClubMember> Memberships { get; set; } = new();
}
public class Teacher : Member
{
    public string? Office { get; set; }
    public double Load { get; set; }
    public List<Section> Sections { get; set; } = new();
}
public class Assistant : Teacher { public int? SupervisorId { get; set; } public Teacher? Supervisor { get; set; } }
public class Enrolment
{
    public int StudentId { get; set; }
    public int CourseId { get; set; }
    public int Year { get; set; }
    public Term Term { get; set; }
    public byte Number { get; set; }
    public Student Student { get; set; } = null!;
    public Section Section { get; set; } = null!;
    public EnrolmentState State { get; set; }
    public decimal? Mark { get; set; }
    public bool Paid { get; set; }
    public DateTime EnrolledAt { get; set; }
}
public class Lesson
{
    public Guid Id { get; set; }
    public int CourseId { get; set; }
    public int Year { get; set; }
    public Term Term { get; set; }
    public byte Number { get; set; }
    public Section Section { get; set; } = null!;
    public DayOfWeek Day { get; set; }
    public TimeOnly From { get; set; }
    public TimeOnly To { get; set; }
    public string? Room { get; set; }
}
public class Club { public int Id { get; set; } public string Name { get; set; } = ""; public List<Student> Students { get; set; } = new(); public List<ClubMember> Members { get; set; } = new(); }
public class ClubMember { public int ClubId { get; set; } public int StudentId { get; set; } public Club Club { get; set; } = null!; public Student Student { get; set; } = null!; public DateOnly Joined { get; set; } public string? Role { get; set; } }

public class AcademyContext : DbContext
{
    public AcademyContext(DbContextOptions<AcademyContext> options) : base(options) { }
    public DbSet<Course> Courses { get; set; } = default!;
    public DbSet<Section> Sections { get; set; } = default!;
    public DbSet<Member> Members { get; set; } = default!;
    public DbSet<Student> Students { get; set; } = default!;
    public DbSet<Teacher> Teachers { get; set; } = default!;
    public DbSet<Enrolment> Enrolments { get; set; } = default!;
    public DbSet<Lesson> Lessons { get; set; } = default!;
    public DbSet<Club> Clubs { get; set; } = default!;
    protected override void OnModelCreating(ModelBuilder mb)
    {
        mb.Entity<Section>().HasKey(s => new { s.CourseId, s.Year, s.Term, s.Number });
        mb.Entity<Member>().ToTable("member").HasDiscriminator(m => m.Kind).HasValue<Student>(PersonKind.Student).HasValue<Teacher>(PersonKind.Teacher).HasValue<Assistant>(PersonKind.Assistant);
        mb.Entity<Member>().HasQueryFilter(m => !m.Archived);
        mb.Entity<Enrolment>(e =>
        {
            e.HasKey(x => new { x.StudentId, x.CourseId, x.Year, x.Term, x.Number });
            e.HasOne(x => x.Section).WithMany(s => s.Enrolments).HasForeignKey(x => new { x.CourseId, x.Year, x.Term, x.Number });
            e.Property(x => x.State).HasConversion<string>();
            e.Property(x => x.Paid).HasConversion(v => v ? "Y" : "N", v => v == "Y");
            e.Property(x => x.Mark).HasPrecision(3, 1);
        });
        mb.Entity<Lesson>(e =>
        {
            e.HasOne(x => x.Section).WithMany(s => s.Lessons).HasForeignKey(x => new { x.CourseId, x.Year, x.Term, x.Number });
            e.Property(x => x.Day).HasConversion<string>();
        });
        mb.Entity<Club>().HasMany(c => c.Students).WithMany(s => s.Clubs).UsingEntity<ClubMember>(
            j => j.HasOne(m => m.Student).WithMany(s => s.Memberships).HasForeignKey(m => m.StudentId),
            j => j.HasOne(m => m.Club).WithMany(c => c.Members).HasForeignKey(m => m.ClubId),
            j => j.HasKey(m => new { m.ClubId, m.StudentId }));
    }
}
