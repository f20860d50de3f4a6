#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Odd;

/// <summary>Methods whose parameters may be null; rows and classes are those of the corpus "keywords".</summary>
public class Optional
{
    private readonly OddContext _c;
    public Optional(OddContext c) { _c = c; }
    public object Dates(DateTime? from, DateTime? to) => _c.Orders.Where(o => (from == null || o.end >= from) && (!to.HasValue || o.end < to.Value.AddDays(1))).OrderBy(o => o.Id).Select(o => o.Id).ToList();
    public object Text(string q) => _c.Items.Where(i => q == null || i.row.Contains(q.Trim())).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public object Decimals(decimal? min, decimal? max) => _c.Items.Where(i => (min == null || i.value >= min) && (max == null || i.value <= max.Value + 1)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public object Enums(End? e) => _c.Orders.Where(o => e == null || o.Where == e).OrderBy(o => o.Id).Select(o => o.Id).ToList();
    public object Days(int? days) => _c.Orders.Where(o => days == null || o.end > new DateTime(2024, 1, 31).AddDays(-days.Value)).OrderBy(o => o.Id).Select(o => o.Id).ToList();
    public object Conditional(int? days, string[] words, List<End> ends)
    {
        var q = _c.Orders.AsQueryable();
        if (days.HasValue) { var from = new DateTime(2024, 1, 31).AddDays(-days.Value); q = q.Where(o => o.end >= from); }
        if (words != null && words.Length > 0) q = q.Where(o => words.Contains(o.type));
        if (ends != null && ends.Any()) q = q.Where(o => ends.Contains(o.Where));
        return q.OrderBy(o => o.Id).Select(o => o.Id).ToList();
    }
    public object Like(string pattern) => _c.Items.Where(i => EF.Functions.Like(i.row, pattern)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public object LikeInside(string q) => _c.Items.Where(i => EF.Functions.Like(i.row, $"%{q}%")).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public object ILike(string q) => _c.Items.Where(i => EF.Functions.ILike(i.row, "%" + q + "%")).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public Item Single(int order) => _c.Items.SingleOrDefault(i => i.OrderId == order);
    public List<List<string>> Lists(int from) => _c.Orders.Where(o => o.Id >= from).OrderBy(o => o.Id).Select(o => o.Items.OrderBy(i => i.Id).Select(i => i.row).ToList()).ToList();
}
