#nullable disable
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
namespace Audit;
public enum Severity { Trace, Info, Warn = 10, Fatal = 99 }
public class Tenant { public Guid Id { get; set; } public string Code { get; set; } public bool Disabled { get; set; } public virtual ICollection<Account> Accounts { get; set; } public TimeSpan? Retention { get; set; } }
public class Account { public Guid Id { get; set; } public Guid TenantId { get; set; } public virtual Tenant Tenant { get; set; } public string Login { get; set; } public DateTimeOffset? LastSeen { get; set; } public bool? Locked { get; set; } public Guid? DelegateId { get; set; } public virtual Account Delegate { get; set; } public virtual ICollection<Event> Events { get; set; } public virtual Profile Profile { get; set; } public virtual ICollection<Membership> Memberships { get; set; } }
public class Profile { [Key] public Guid AccountId { get; set; } public virtual Account Account { get; set; } public string Nick { get; set; } public DateOnly? Born { get; set; } public byte[] Avatar { get; set; } public decimal? Score { get; set; } }
public class Event { public long Id { get; set; } public Guid? AccountId { get; set; } public virtual Account Account { get; set; } public DateTimeOffset At { get; set; } public TimeSpan? Took { get; set; } public Severity Severity { get; set; } public Severity? Escalated { get; set; } public string Message { get; set; } public Guid? Correlation { get; set; } public int? Code { get; set; } public double? Load { get; set; } public long? Bytes { get; set; } public bool? Ok { get; set; } public DateTime? Day { get; set; } public char? Flag { get; set; } public byte? Level { get; set; } public float? Ratio { get; set; } public virtual ICollection<Detail> Details { get; set; } }
public class Detail { public long EventId { get; set; } public string Key { get; set; } public virtual Event Event { get; set; } public string Value { get; set; } public int Seq { get; set; } }
public class Group { public int Id { get; set; } public string Name { get; set; } public virtual ICollection<Membership> Memberships { get; set; } public virtual ICollection<Account> Members { get; set; } }
public class Membership { public int GroupId { get; set; } public virtual Group Group { get; set; } public Guid AccountId { get; set; } public virtual Account Account { get; set; } public DateTimeOffset Joined { get; set; } public string Role { get; set; } public short? Rank { get; set; } }
public class AuditContext : DbContext
{
    public AuditContext(DbContextOptions<AuditContext> o) : base(o) { }
    public virtual DbSet<Tenant> Tenants { get; set; } public virtual DbSet<Account> Accounts { get; set; } public virtual DbSet<Profile> Profiles { get; set; } public virtual DbSet<Event> Events { get; set; } public virtual DbSet<Detail> Details { get; set; } public virtual DbSet<Group> Groups { get; set; } public virtual DbSet<Membership> Memberships { get; set; }
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Tenant>().HasQueryFilter(t => !t.Disabled);
        b.Entity<Account>().HasQueryFilter(a => !a.Tenant.Disabled && a.Locked != true);
        b.Entity<Event>().HasQueryFilter(e => e.Account == null || e.Account.Tenant.Code != "hidden");
        b.Entity<Profile>().HasOne(p => p.Account).WithOne(a => a.Profile).HasForeignKey<Profile>(p => p.AccountId);
        b.Entity<Profile>().Property(p => p.Score).HasColumnType("decimal(8,3)").HasPrecision(8, 3);
        b.Entity<Account>().HasOne(a => a.Delegate).WithMany().HasForeignKey(a => a.DelegateId);
        b.Entity<Detail>().HasKey(d => new { d.EventId, d.Key });
        b.Entity<Event>().Property(e => e.Severity).HasConversion<string>(); b.Entity<Event>().Property(e => e.Escalated).HasConversion<string>();
        b.Entity<Membership>().HasKey(m => new { m.GroupId, m.AccountId });
        b.Entity<Group>().HasMany(g => g.Members).WithMany().UsingEntity<Membership>(r => r.HasOne(m => m.Account).WithMany(a => a.Memberships).HasForeignKey(m => m.AccountId), l => l.HasOne(m => m.Group).WithMany(g => g.Memberships).HasForeignKey(m => m.GroupId));
    }
}
