using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace HelpDesk;

public enum Priority { Low, Normal, High }

public class Team
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public bool IsArchived { get; set; }
    public List<Agent> Agents { get; set; } = new();
    public List<Ticket> Tickets { get; set; } = new();
}

public class Agent
{
    public int Id { get; set; }
    public string Login { get; set; } = "";
    public int TeamId { get; set; }
    public Team Team { get; set; } = null!;
    public int? MentorId { get; set; }
    public Agent? Mentor { get; set; }
    public bool Disabled { get; set; }
}

public class Ticket
{
    public int Id { get; set; }
    public string Subject { get; set; } = "";
    public int TeamId { get; set; }
    public Team Team { get; set; } = null!;
    public int? AssigneeId { get; set; }
    public Agent? Assignee { get; set; }
    public Priority Priority { get; set; }
    public DateTime? DeletedAt { get; set; }
    public List<Note> Notes { get; set; } = new();
    public List<Label> Labels { get; set; } = new();
}

public class Note
{
    public int Id { get; set; }
    public int TicketId { get; set; }
    public Ticket Ticket { get; set; } = null!;
    public string Text { get; set; } = "";
    public bool Internal { get; set; }
}

public class Label
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public List<Ticket> Tickets { get; set; } = new();
}

public class DeskContext : DbContext
{
    public DeskContext(DbContextOptions<DeskContext> options) : base(options) { }
    public DbSet<Team> Teams => Set<Team>();
    public DbSet<Agent> Agents => Set<Agent>();
    public DbSet<Ticket> Tickets => Set<Ticket>();
    public DbSet<Note> Notes => Set<Note>();
    public DbSet<Label> Labels => Set<Label>();

    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Team>().HasQueryFilter(t => !t.IsArchived);
        b.Entity<Ticket>().HasQueryFilter(t => t.DeletedAt == null);
        b.Entity<Agent>().HasQueryFilter(a => !a.Disabled);
        b.Entity<Ticket>().HasMany(t => t.Labels).WithMany(l => l.Tickets).UsingEntity(j => j.ToTable("TicketLabels"));
        b.Entity<Agent>().HasOne(a => a.Mentor).WithMany().HasForeignKey(a => a.MentorId);
    }
}
