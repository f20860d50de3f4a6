#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;

public class Person { public int Id { get; set; } public string Name { get; set; } = ""; public string Email { get; set; } public byte[] Seal { get; set; } public int? BossId { get; set; } public Person Boss { get; set; } }
public class PeopleContext(DbContextOptions<PeopleContext> o) : DbContext(o)
{
    public DbSet<Person> People => Set<Person>();
    protected override void OnModelCreating(ModelBuilder b) => b.Entity<Person>().HasOne(p => p.Boss).WithMany().HasForeignKey(p => p.BossId);
}
public class Filter { public string Email { get; set; } public string Name; }

/// <summary>No parameter says whether it may be null.</summary>
public class Queries(PeopleContext db)
{
    public List<int> By(string email) => db.People.Where(p => p.Email == email).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Not(string email) => db.People.Where(p => p.Email != email).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> NotNot(string email) => db.People.Where(p => !(p.Email != email)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Equals(string email) => db.People.Where(p => p.Email.Equals(email)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> OfBoss(string email) => db.People.Where(p => p.Boss.Email == email).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> NotOfBoss(string email) => db.People.Where(p => p.Boss.Email != email).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Either(string email, string name) => db.People.Where(p => p.Email == email || p.Name == name).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Both(string email, string name) => db.People.Where(p => !(p.Email == email && p.Name == name)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Sealed(byte[] seal) => db.People.Where(p => p.Seal == seal).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Among(List<string> emails) => db.People.Where(p => emails.Contains(p.Email)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> NotAmong(string[] emails) => db.People.Where(p => !emails.Contains(p.Email)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Filtered(Filter filter) => db.People.Where(p => p.Email == filter.Email && p.Name != filter.Name).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> OneOf(string one, string other) => db.People.Where(p => new[] { one, other }.Contains(p.Email)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<bool> Told(string email) => db.People.OrderBy(p => p.Id).Select(p => p.Email == email).ToList();
    public int Counted(string email) { var wanted = email; return db.People.Count(p => wanted == p.Email); }
    public List<int> Parts(string part) => db.People.Where(p => part != null && p.Email.Contains(part)).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> OrBlank(string email) => db.People.Where(p => p.Email == (email ?? "b@x")).OrderBy(p => p.Id).Select(p => p.Id).ToList();
    public List<int> Blank(string email) => db.People.Where(p => string.IsNullOrEmpty(email) || p.Email == email).OrderBy(p => p.Id).Select(p => p.Id).ToList();
}
