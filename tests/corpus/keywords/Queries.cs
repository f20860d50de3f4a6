#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Odd;
public class OddQueries
{
    private readonly OddContext _c;
    public OddQueries(OddContext c) { _c = c; }
    public List<Order> Orders() => _c.Orders.Include(o => o.Items).ThenInclude(i => i.Match).ThenInclude(m => m.Node).Include(o => o.User).ThenInclude(u => u.Roles).OrderBy(o => o.Id).ToList();
    public object Keywords() => _c.Orders.OrderBy(o => o.end).ThenBy(o => o.Id).Select(o => new { o.count, o.end, o.Match, o.type, o.Where, with = o.Id, returns = o.sum, order = o.User.Příjmení }).ToList();
    public object Grouped() => _c.Orders.GroupBy(o => o.count).Select(g => new { count = g.Key, sum = g.Sum(o => o.sum), avg = g.Average(o => o.sum), min = g.Min(o => o.end), max = g.Max(o => o.type), collect = g.Count(), Key = g.Count(o => o.Match == null) }).OrderBy(x => x.count).ToList();
    public object ByWhere() => _c.Orders.GroupBy(o => new { o.Where, o.type }).Select(g => new { g.Key.Where, type = g.Key.type, total = g.Sum(x => x.count), row = g.Max(x => x.Items.Count) }).OrderBy(x => x.Where).ThenBy(x => x.type).ToList();
    public object Shadow() => _c.Items.OrderBy(item => item.Id).Select(item => new { item.Id, order = item.Order.count, match = item.Match.Name, node = item.Match.Node.Label, next = item.Match.Node.Next.Label, item.row, item.value, n = item.node }).ToList();
    public object RowName() => _c.Items.Where(row => row.row == "row" || row.row == null).OrderBy(row => row.Id).Select(row => new { row = row.row, rows = row.Order.Items.Count, items = row.Order.Items.Select(item => item.row).OrderBy(x => x).ToList() }).ToList();
    public object NodeByKey() => _c.Nodes.Where(node => node.key == "key" || node.Next.key != node.key).OrderBy(node => node.Id).Select(node => new { node.key, value = node.Matches.Count, label = node.Label }).ToList();
    public object UserRoles() => _c.Users.OrderBy(u => u.Id).Select(u => new { u.Id, Roles = u.Roles.OrderByDescending(r => r.Name).Select(r => r.Name).ToList(), Any = u.Roles.Any(r => r.Name == "admin"), Others = u.Roles.SelectMany(r => r.Users).Where(x => x.Id != u.Id).Select(x => x.Id).Distinct().Count() }).ToList();
    public object RoleUsers() => (from r in _c.Roles from u in r.Users where u.Orders.Any(o => o.sum > 10) orderby r.Name, u.Id select new { r.Name, u.Id }).ToList();
    public List<Role> RolesLoaded() => _c.Roles.Include(r => r.Users).ThenInclude(u => u.Orders).OrderBy(r => r.Id).ToList();
    public List<Klíč> Klíče() => _c.Klíče.Include(k => k.Děti).Include(k => k.Rodič).OrderBy(k => k.Id).ToList();
    public object ListEntries() => _c.Entries.OrderBy(e => e.ListId).ThenBy(e => e.Id).Select(e => new { e.List.String, e.List.Integer, e.Text, e.Long, e.Instant }).ToList();
    public object ListAgg() => _c.Lists.OrderBy(l => l.Id).Select(l => new { String = l.String, Long = l.Entries.Sum(e => e.Long), Integer = l.Entries.Max(e => (long?)e.Long), list = l.Entries.OrderBy(e => e.Id).Select(e => new { e.Text, e.List.Integer }).ToList() }).ToList();
    public List<string> Labels() => _c.Nodes.OrderBy(n => n.Id).Select(n => n.Label).ToList();
    public List<int?> NodeIds() => _c.Items.OrderBy(i => i.Id).Select(i => i.node).ToList();
    public int?[] NodeIdsDistinct() => _c.Items.Select(i => i.node).Distinct().OrderBy(x => x).ToArray();
    public List<List<string>> ListOfLists() => _c.Orders.OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).Select(i => i.row).ToList()).ToList();
    public object NullEntities() => _c.Items.OrderBy(i => i.Id).Select(i => i.Match).ToList();
    public object NullEntitiesTwo() => _c.Items.OrderBy(i => i.Id).Select(i => new { i.Match, i.Order.User }).ToList();
    public object MaybeObject() => _c.Items.OrderBy(i => i.Id).Select(i => i.Match == null ? null : new { i.Match.Name }).ToList();
    public Match LastMatch() => _c.Matches.OrderBy(m => m.Id).LastOrDefault(m => m.Node == null);
    public Node FirstOrNull() => _c.Nodes.Where(n => n.Id > 1000).FirstOrDefault();
    public string FirstLabel() => _c.Nodes.OrderBy(n => n.Label == null ? 0 : 1).ThenBy(n => n.Id).Select(n => n.Label).First();
    public int? FirstNode() => _c.Items.OrderBy(i => i.Id).Select(i => i.node).FirstOrDefault();
    public int CountNode() => _c.Items.Select(i => i.node).Count();
    public int CountDistinctNode() => _c.Items.Select(i => i.node).Distinct().Count();
    public bool ContainsNull() => _c.Items.Select(i => i.node).Contains(null);
    public object InConst() { var xs = new int?[] { 1, null }; return _c.Items.Where(i => !xs.Contains(i.node)).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public object Escapes() => _c.Items.Where(i => i.row != "a'b\\c\"d`e\n{f}$g" && i.row != "é\u2028").OrderBy(i => i.Id).Select(i => new { i.Id, T = "x'\\y\"\n" + i.row }).ToList();
    public object DistinctObjects() => _c.Items.Select(i => new { i.Match.Name, i.row }).Distinct().OrderBy(x => x.Name).ThenBy(x => x.row).ToList();
    public object DistinctEntities() => _c.Items.Where(i => i.Match != null).Select(i => i.Match).Distinct().OrderBy(m => m.Id).ToList();
    public object DecDiv() => _c.Items.OrderBy(i => i.Id).Select(i => new { A = i.value / 3m, B = Math.Round(i.value / 7m, 3), C = i.value * i.Order.sum, D = i.value % 3m, E = -i.value / 2, F = (double)i.value, H = Math.Round(i.value, 1), I = Math.Floor(i.value), J = Math.Ceiling(i.value), K = i.value - i.Order.sum }).ToList();
    public object DecCompare() => _c.Items.Where(i => i.value < i.Order.sum && i.value != 0.10m).OrderByDescending(i => i.value).ThenBy(i => i.Id).Select(i => new { i.Id, i.value, i.Order.sum }).ToList();
    public object DecAgg() => _c.Orders.OrderBy(o => o.Id).Select(o => new { o.Id, S = o.Items.Sum(i => i.value * i.Order.count), A = o.Items.Average(i => (decimal?)i.value), M = o.Items.Max(i => (decimal?)i.value), T = o.sum - o.Items.Sum(i => i.value) }).ToList();
    public decimal Avg() => _c.Items.Average(i => i.value);
    public decimal? AvgNone() => _c.Items.Where(i => i.Id > 1000).Average(i => (decimal?)i.value);
    public decimal SumNone() => _c.Items.Where(i => i.Id > 1000).Sum(i => i.value);
    public object CaseWhen() => _c.Items.GroupBy(i => i.value < 0 ? "neg" : i.value == 0 ? "zero" : "pos").Select(g => new { g.Key, N = g.Count(), S = g.Sum(i => i.value), A = g.Average(i => i.node) }).OrderBy(x => x.Key).ToList();
}
