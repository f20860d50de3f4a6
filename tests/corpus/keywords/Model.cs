#nullable disable
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
namespace Odd;
public enum End { With, Return = 5, Match = 7 }
[Table("Order")] public class Order { public int Id { get; set; } public int count { get; set; } public DateTime end { get; set; } public string Match { get; set; } public string type { get; set; } public End Where { get; set; } public int? UserId { get; set; } public User User { get; set; } public List<Item> Items { get; set; } public decimal sum { get; set; } }
public class Item { public int Id { get; set; } public int OrderId { get; set; } public Order Order { get; set; } public int? MatchId { get; set; } public Match Match { get; set; } public decimal value { get; set; } public string row { get; set; } public int? node { get; set; } }
public class Match { public int Id { get; set; } public string Name { get; set; } public List<Item> Items { get; set; } public Node Node { get; set; } public int? NodeId { get; set; } }
public class Node { public int Id { get; set; } public string Label { get; set; } public string key { get; set; } public List<Match> Matches { get; set; } public int? NextId { get; set; } public Node Next { get; set; } }
public class User { public int Id { get; set; } public string Příjmení { get; set; } public string ArrayName { get; set; } public string Class { get; set; } public bool? IsNew { get; set; } public List<Order> Orders { get; set; } public List<Role> Roles { get; set; } public string New { get; set; } public string Key { get; set; } public string Value { get; set; } }
public class Role { public int Id { get; set; } public string Name { get; set; } public List<User> Users { get; set; } }
public class Klíč { public int Id { get; set; } public string Größe { get; set; } public int? RodičId { get; set; } public Klíč Rodič { get; set; } public List<Klíč> Děti { get; set; } }
public class List { public int Id { get; set; } public string String { get; set; } public int Integer { get; set; } public List<Entry> Entries { get; set; } }
public class Entry { public int ListId { get; set; } public int Id { get; set; } public List List { get; set; } public string Text { get; set; } public long Long { get; set; } public DateTime Instant { get; set; } }
public class OddContext : DbContext
{
    public OddContext(DbContextOptions<OddContext> o) : base(o) { }
    public DbSet<Order> Orders { get; set; } public DbSet<Item> Items { get; set; } public DbSet<Match> Matches { get; set; } public DbSet<Node> Nodes { get; set; } public DbSet<User> Users { get; set; } public DbSet<Role> Roles { get; set; } public DbSet<Klíč> Klíče { get; set; } public DbSet<List> Lists { get; set; } public DbSet<Entry> Entries { get; set; }
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Order>().Property(o => o.sum).HasPrecision(10, 2); b.Entity<Item>().Property(o => o.value).HasPrecision(10, 4);
        b.Entity<Entry>().HasKey(e => new { e.ListId, e.Id });
        b.Entity<User>().HasMany(u => u.Roles).WithMany(r => r.Users).UsingEntity("UserRole", l => l.HasOne(typeof(Role)).WithMany().HasForeignKey("RoleId"), r => r.HasOne(typeof(User)).WithMany().HasForeignKey("UserId"));
        b.Entity<Klíč>().HasOne(k => k.Rodič).WithMany(k => k.Děti).HasForeignKey(k => k.RodičId);
    }
}
