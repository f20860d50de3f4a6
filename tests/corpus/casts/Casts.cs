using System; using System.Collections.Generic; using System.Linq; using Microsoft.EntityFrameworkCore;
public class Item { public int Id { get; set; } [Precision(18, 2)] public decimal Price { get; set; } public double Weight { get; set; } public decimal? Tax { get; set; } public bool? Flag { get; set; } }
public class CContext : DbContext { public CContext(DbContextOptions<CContext> o) : base(o) {} public DbSet<Item> Items => Set<Item>(); protected override void OnConfiguring(DbContextOptionsBuilder o) { } }
public static class Casts {
 public static object All(CContext db) => db.Items.OrderBy(i => i.Id).Select(i => new { i.Id, P = (int)i.Price, W = (int)i.Weight, T = (long?)i.Tax, N = (int)-i.Price }).ToList();
 public static object F(CContext db) => db.Items.Where(i => (int)i.Price == 3).OrderBy(i => i.Id).Select(i => i.Id).ToList();
 public static object G(CContext db) => db.Items.GroupBy(i => (int)i.Weight).Select(g => new { g.Key, N = g.Count() }).OrderBy(x => x.Key).ToList();
 public static object Negated(CContext db) => db.Items.OrderBy(i => i.Id).Select(i => new { i.Id, F = !i.Flag }).ToList();
 public static object NegatedFilter(CContext db) => db.Items.Where(i => (!i.Flag) == true).OrderBy(i => i.Id).Select(i => i.Id).ToList();
 public static object NotTrue(CContext db) => db.Items.Where(i => !(i.Flag == true)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
}
