#nullable enable
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
namespace Odd;

/// <summary>Lists that may be null or empty: how services filter by them.</summary>
public class Lists(OddContext c)
{
    public List<int> Pattern(int[]? ids) { var q = c.Items.AsQueryable(); if (ids is { Length: > 0 }) q = q.Where(i => ids.Contains(i.Id)); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Tested(int[]? ids) { var q = c.Items.AsQueryable(); if (ids != null && ids.Length > 0) q = q.Where(i => ids.Contains(i.Id)); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Count(List<int>? ids) { var q = c.Items.AsQueryable(); if (ids?.Count > 0) q = q.Where(i => ids.Contains(i.Id)); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Any(List<int>? ids) { var q = c.Items.AsQueryable(); if (ids?.Any() == true) q = q.Where(i => ids.Contains(i.Id)); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> NotAny(List<int>? ids) { var q = c.Items.AsQueryable(); if (ids?.Any() == false) q = q.Where(i => i.Id == 1); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> NotZero(List<int>? ids) { var q = c.Items.AsQueryable(); if (ids?.Count != 0) q = q.Where(i => i.Id == 1); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> OrNothing(List<int>? ids) => c.Items.Where(i => ids == null || ids.Count == 0 || ids.Contains(i.Id)).OrderBy(i => i.Id).Select(i => i.Id).ToList();
    public List<int> Coalesced(List<int>? ids, int? min) { var q = c.Items.AsQueryable(); if ((ids?.Count ?? 0) > 0) q = q.Where(i => ids!.Contains(i.Id)); if (min is not null) q = q.Where(i => i.Id >= min); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Named(List<int>? ids) { var all = ids is null || !ids.Any(); return c.Items.Where(i => all || ids!.Contains(i.Id)).OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
    public List<int> Texts(string[]? rows) { var q = c.Items.AsQueryable(); if (rows?.Length > 0) q = q.Where(i => rows.Contains(i.row)); return q.OrderBy(i => i.Id).Select(i => i.Id).ToList(); }
}
