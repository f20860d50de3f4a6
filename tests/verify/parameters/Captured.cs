#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Odd;

/// <summary>A row is fetched, or the method throws; then a query asks with what is in it.</summary>
public class Captured(OddContext c)
{
    public List<int> First(int id) { var o = c.Orders.First(x => x.Id == id); return c.Items.Where(i => i.OrderId == o.Id).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Single(string name) { var u = c.Users.Single(x => x.ArrayName == name); return c.Orders.Where(o => o.UserId == u.Id).OrderBy(o => o.Id).Select(o => o.Id).ToList(); }
    public List<int> Scalar(int id) { var user = c.Orders.Where(x => x.Id == id).Select(x => x.UserId).First(); return c.Orders.Where(o => o.UserId == user).OrderBy(o => o.Id).Select(o => o.Id).ToList(); }
    public int OrThrow(int id) { var o = c.Orders.FirstOrDefault(x => x.Id == id) ?? throw new InvalidOperationException("no such order"); return c.Items.Count(i => i.OrderId == o.Id); }
    public int Tested(int id) { var o = c.Orders.FirstOrDefault(x => x.Id == id); if (o == null) throw new InvalidOperationException("no such order"); return c.Items.Count(i => i.OrderId == o.Id && i.value > o.sum); }
    public List<int> Last(string type) { var o = c.Orders.Where(x => x.type == type).OrderBy(x => x.Id).Last(); return c.Items.Where(i => i.OrderId == o.Id).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Chain(int id) { var i = c.Items.First(x => x.Id == id); var o = c.Orders.First(x => x.Id == i.OrderId); return c.Items.Where(x => x.OrderId == o.Id && x.Id != i.Id).OrderBy(x => x.Id).Select(x => x.Id).ToList(); }
    public List<string> Twice(int id, int other) { var a = c.Items.First(x => x.Id == id); var b = c.Items.First(x => x.Id == other); return c.Items.Where(x => x.Id == a.Id || x.row == b.row).OrderBy(x => x.Id).Select(x => x.row + a.row).ToList(); }
    public List<int> Guarded(int id) { var o = c.Orders.FirstOrDefault(x => x.Id == id); if (o == null) return new List<int>(); return c.Items.Where(i => i.OrderId == o.Id && i.value != o.sum).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Found(int id) { var o = c.Orders.Find(id); return c.Items.Where(i => i.OrderId == o.Id).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public int Branch(int id, bool all) { if (all) return c.Items.Count(); var o = c.Orders.Single(x => x.Id == id); return c.Items.Count(i => i.OrderId == o.Id); }
    public List<int> Let() => (from i in c.Items let o = c.Orders.OrderBy(x => x.Id).FirstOrDefault() where i.OrderId == o.Id orderby i.Id select i.Id).ToList();
    public List<int> Inline() => c.Items.Where(i => i.OrderId == c.Orders.OrderBy(o => o.Id).First(o => o.Id > 0).Id).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public object Paired(int id) { var o = c.Orders.First(x => x.Id == id); return new { o.Id, Items = c.Items.Count(i => i.OrderId == o.Id) }; }
}
