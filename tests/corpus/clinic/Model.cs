using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;

namespace ClinicApp;

public enum Gender { Unknown, Female, Male }
public enum AppointmentState { Planned = 10, Done = 20, Cancelled = 30 }
[Flags] public enum Allergy { None = 0, Nuts = 1, Milk = 2, Pollen = 4 }

public abstract class Person
{
    public Guid Id { get; set; }
    public string FirstName { get; set; } = "";
    public string LastName { get; set; } = "";
    public DateOnly? BornOn { get; set; }
    public Gender Gender { get; set; }
}
public class Doctor : Person
{
    public string Licence { get; set; } = "";
    public decimal HourlyRate { get; set; }
    public List<Appointment> Appointments { get; set; } = [];
    public List<Specialty> Specialties { get; set; } = [];
}
public class Patient : Person
{
    public Allergy Allergies { get; set; }
    public bool Insured { get; set; }
    public Contact Contact { get; set; } = new();
    public List<Appointment> Appointments { get; set; } = [];
}
[Owned]
public class Contact
{
    public string? Email { get; set; }
    public string? Phone { get; set; }
    public Place? Home { get; set; }
}
[Owned]
public class Place { public string Town { get; set; } = ""; public int? Zip { get; set; } }
public class Specialty
{
    [Key] public string Code { get; set; } = "";
    [Required] public string Title { get; set; } = "";
    public List<Doctor> Doctors { get; set; } = [];
}
public class Appointment
{
    public long Id { get; set; }
    public Guid DoctorId { get; set; }
    public Doctor Doctor { get; set; } = null!;
    public Guid? PatientId { get; set; }
    public Patient? Patient { get; set; }
    public DateTime StartsAt { get; set; }
    public TimeSpan Length { get; set; }
    public AppointmentState State { get; set; }
    public double? Rating { get; set; }
    public Invoice? Invoice { get; set; }
    public string? Note { get; set; }
    public bool Deleted { get; set; }
}
public class Invoice
{
    public int Id { get; set; }
    public long AppointmentId { get; set; }
    public Appointment Appointment { get; set; } = null!;
    [Precision(18, 2)] public decimal Amount { get; set; }
    public bool? Paid { get; set; }
    public byte Discount { get; set; }
}
public class ClinicContext : DbContext
{
    public ClinicContext(DbContextOptions<ClinicContext> o) : base(o) { }
    public DbSet<Person> People { get; set; }
    public DbSet<Doctor> Doctors { get; set; }
    public DbSet<Patient> Patients { get; set; }
    public DbSet<Appointment> Appointments { get; set; }
    public DbSet<Invoice> Invoices { get; set; }
    public DbSet<Specialty> Specialties { get; set; }

    protected override void OnModelCreating(ModelBuilder b)
    {
        b.ApplyConfiguration(new AppointmentConfig());
        b.Entity<Person>().HasDiscriminator<string>("Kind").HasValue<Doctor>("D").HasValue<Patient>("P");
        b.Entity<Doctor>().HasMany(d => d.Specialties).WithMany(s => s.Doctors).UsingEntity(j => j.ToTable("DoctorSpecialties"));
    }
}
public class AppointmentConfig : IEntityTypeConfiguration<Appointment>
{
    public void Configure(EntityTypeBuilder<Appointment> builder)
    {
        builder.ToTable("Visits");
        builder.HasQueryFilter(a => !a.Deleted);
        builder.Property(a => a.State).HasConversion<string>().HasMaxLength(20);
        builder.HasOne(a => a.Invoice).WithOne(i => i.Appointment).HasForeignKey<Invoice>(i => i.AppointmentId);
    }
}
