#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Odd;
public class OddLists
{
    private readonly OddContext _c;
    public OddLists(OddContext c) { _c = c; }
    public List<List<int>> Ids() => _c.Orders.OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).Select(i => i.Id).ToList()).ToList();
    public List<List<Item>> Entities() => _c.Orders.OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).ToList()).ToList();
    public List<string> FirstList() => _c.Orders.OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).Select(i => i.row).ToList()).First();
    public object Anon() => _c.Orders.OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).Select(i => new { i.row, i.node }).ToList()).ToList();
    public object TwoLists() => _c.Orders.OrderBy(o => o.Id).Select(o => new { A = o.Items.Where(i => i.value > 0).OrderBy(i => i.Id).Select(i => i.value).ToList(), B = o.Items.Where(i => i.value <= 0).OrderBy(i => i.Id).Select(i => i.node).ToList(), C = o.Items.Sum(i => i.value), D = o.User.Roles.Count }).ToList();
    public object NestedSingle() => _c.Orders.OrderBy(o => o.Id).Select(o => new { o.Id, V = o.Items.Where(i => i.row == "row").OrderBy(i => i.Id).Select(i => i.value).SingleOrDefault() }).ToList();
    public object IncludeTwice() => _c.Orders.Include(o => o.Items).ThenInclude(i => i.Match).Include(o => o.Items).ThenInclude(i => i.Match.Node).Where(o => o.Items.Any()).OrderByDescending(o => o.Id).ToList();
}
