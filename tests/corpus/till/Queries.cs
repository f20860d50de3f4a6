using Microsoft.EntityFrameworkCore;
namespace Tills;

public static class Rounding
{
    public static double Average(TillContext db) => Math.Round(db.Sales.Average(s => s.Weight), 2);
    public static double Weight(TillContext db) => Math.Round(db.Sales.Where(s => s.Id == 1).Select(s => s.Weight).First(), 2);
    public static object Each(TillContext db) => db.Sales.OrderBy(s => s.Id).Select(s => new { s.Id, R = Math.Round(s.Weight, 2) }).ToList();
    public static double Whole(TillContext db) => Math.Round(db.Sales.Where(s => s.Id == 2).Select(s => s.Weight).First());
    public static decimal Price(TillContext db) => Math.Round(db.Sales.Where(s => s.Id == 2).Select(s => s.Price).First(), 1);
    public static double Huge(TillContext db) => Math.Round(db.Sales.Where(s => s.Id == 1).Select(s => s.Weight).First() * 1e16, 3);
    public static double Digits(TillContext db) { var places = 1; return Math.Round(db.Sales.Max(s => s.Weight), places); }
    public static double Floor(TillContext db) => Math.Floor(db.Sales.Where(s => s.Id == 4).Select(s => s.Weight).First());
    public static double Ceiling(TillContext db) => Math.Ceiling(db.Sales.Where(s => s.Id == 4).Select(s => s.Weight).First());
    public static double Truncate(TillContext db) => Math.Truncate(db.Sales.Where(s => s.Id == 4).Select(s => s.Weight).First());
    public static decimal FloorPrice(TillContext db) => Math.Floor(db.Sales.Where(s => s.Id == 4).Select(s => s.Price).First());
    public static decimal CeilingPrice(TillContext db) => Math.Ceiling(db.Sales.Where(s => s.Id == 4).Select(s => s.Price).First());
    public static decimal TruncatePrice(TillContext db) => Math.Truncate(db.Sales.Where(s => s.Id == 4).Select(s => s.Price).First());
    public static int RoundDigits(TillContext db) => (int)Math.Round(db.Sales.Max(s => s.Weight), db.Sales.Count() + 11);
    public static decimal RoundDigits2(TillContext db) => Math.Round(db.Sales.Max(s => s.Weight) > 1 ? 1.25m : 2m, db.Sales.Count() - 4);
}

public static class Decimals
{
    public static decimal Exact(TillContext db) => db.Sales.Max(s => s.Price) / 8;
    public static decimal Counted(TillContext db) => db.Sales.Count() * 1.5m - 0.25m;
    public static decimal CountedLong(TillContext db) => db.Sales.LongCount() * 1.00000000000000000001m;

    public static decimal Third(TillContext db) => db.Sales.Max(s => s.Price) / 3;
    public static decimal Back(TillContext db) => db.Sales.Max(s => s.Price) / 3 * 3;
    public static decimal Squared(TillContext db) { var third = db.Sales.Max(s => s.Price) / 3; return third * third; }
    public static decimal Added(TillContext db) => db.Sales.Max(s => s.Price) / 3 + 1234567890123m;
    public static decimal Less(TillContext db) => 1234567890123m - db.Sales.Max(s => s.Price) / 3;
    public static decimal Remainder(TillContext db) => 79228162514264337593543950335m % (db.Sales.Max(s => s.Price) / 3);
    public static decimal Overflow(TillContext db) => db.Sales.Max(s => s.Price) * 79228162514264337593543950335m;
    public static decimal ByZero(TillContext db) => db.Sales.Max(s => s.Price) / (db.Sales.Count() - 5);
    public static decimal OverCount(TillContext db) => 1000m / db.Sales.Count(s => s.Units > 2) / 7;
    public static decimal Sum(TillContext db) => db.Sales.Sum(s => s.Price) * 1.0000000000000000000000001m;
    public static decimal Negative(TillContext db) => -db.Sales.Max(s => s.Price) / 7;
}

public static class Nulls
{
    public static int? First(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var n = db.Sales.Count(); return n > 1 ? x : 0; }
    public static int? Second(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var n = db.Sales.Count(); return n < 1 ? 0 : x; }
    public static int? Deep(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var n = db.Sales.Count(); return n < 1 ? 1 : n < 2 ? 2 : x; }
    public static int? Switched(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var n = db.Sales.Count(); return n switch { 0 => 0, 5 => x, _ => 7 }; }
    public static int? Coalesced(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var y = db.Sales.Where(s => s.Id == 3).Select(s => s.Rebate).FirstOrDefault(); return x ?? y; }
    public static int? CoalescedNull(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); var y = db.Sales.Where(s => s.Id == 4).Select(s => s.Rebate).FirstOrDefault(); return x ?? y; }
    public static int CoalescedZero(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); return x ?? 0; }
    public static long CoalescedCount(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Voucher).FirstOrDefault(); return x ?? db.Sales.Count(); }
    public static object InRow(TillContext db) { var n = db.Sales.Count(); return new { N = n, R = n > 1 ? db.Sales.Max(s => s.Id > 99 ? s.Rebate : null) : 0 }; }
    public static object Null(TillContext db) { var n = db.Sales.Count(); return new { N = n, R = n > 1 ? (int?)null : n }; }
    public static bool Larger(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); return x > 1; }
    public static bool Same(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); return x == 1; }
    public static int CastNull(TillContext db) { var x = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).FirstOrDefault(); return (int)x; }
    public static object Many(TillContext db) { var n = db.Sales.Count(); return new { A = n > 3 ? db.Sales.Max(s => s.Tare) : 0, B = n > 9 ? db.Sales.Max(s => s.Voucher) : 0, C = n > 9 ? 1.5 : db.Sales.Where(s => s.Id > 99).Max(s => s.Tare), D = n > 9 ? true : db.Sales.Where(s => s.Id > 99).Max(s => s.Rebate) > 1, E = n > 9 ? 'x' : 'y' }; }
    public static bool? MaybeFlag(TillContext db) { var f = db.Sales.Where(s => s.Id == 2).Select(s => s.Vip).FirstOrDefault(); var n = db.Sales.Count(); return n > 1 ? f : true; }
    public static bool MaybeFlag2(TillContext db) { var f = db.Sales.Where(s => s.Id == 2).Select(s => s.Vip).FirstOrDefault(); return f ?? true; }
    public static bool SameTare(TillContext db) { var f = db.Sales.Where(s => s.Id == 2).Select(s => s.Tare).FirstOrDefault(); return f == 0.5; }
    public static bool NotSameTare(TillContext db) { var f = db.Sales.Where(s => s.Id == 2).Select(s => s.Tare).FirstOrDefault(); return f != 0.5; }
    public static bool ZeroTare(TillContext db) { var f = db.Sales.Where(s => s.Id == 1).Select(s => s.Tare).FirstOrDefault(); return f == -0.0; }
    public static int MaxTaken(TillContext db) => db.Sales.Max(s => s.Rebate).Value;
    public static int MaxNone(TillContext db) => db.Sales.Where(s => s.Units > 200).Max(s => s.Rebate).Value;
    public static int MaxTested(TillContext db) { var m = db.Sales.Where(s => s.Units > 200).Max(s => s.Rebate); return m.HasValue ? m.Value : -1; }
    public static int MaxTested2(TillContext db) { var m = db.Sales.Where(s => s.Units > 200).Max(s => s.Rebate); if (m == null) return -1; return m.Value + 1; }
    public static object UsedInQuery(TillContext db) { var m = db.Sales.Max(s => s.Rebate).Value; return db.Sales.Where(s => s.Rebate == m).OrderBy(s => s.Id).Select(s => s.Id).ToList(); }
    public static double AverageTaken(TillContext db) => (double)db.Sales.Average(s => s.Rebate);
    public static object InRecord(TillContext db) => new { A = db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate.Value).First(), B = 1 };
    public static object ReqElse(TillContext db) { var n = db.Sales.Count(); return (n > 2 ? db.Sales.Max(s => s.Rebate) : null) ?? 7 / (n - 5); }
}

public static class Texts
{
    public static int Backslash(TillContext db) { var t = db.Sales.Where(s => s.Id == 1).Select(s => s.Item).First(); return ("\\" + t).Length + 1; }
    public static object BackslashInRow(TillContext db) => db.Sales.OrderBy(s => s.Id).Select(s => new { L = ("\\" + s.Item.ToUpper()).Length + 1 }).ToList();
    public static int Parenthesis(TillContext db) { var t = db.Sales.Where(s => s.Id == 1).Select(s => s.Item).First(); return ("(\"" + t).Length * 2; }
    public static int Minus(TillContext db) { var n = db.Sales.Count(); var m = db.Sales.Max(s => s.Units); return n - (m - 1) - -n; }
    public static int Negated(TillContext db) { var n = db.Sales.Count(); return -(-n); }
    public static int Negated2(TillContext db) { var n = db.Sales.Min(s => s.Units); return -(n - 1) * -2; }
    public static int Product(TillContext db) { var n = db.Sales.Count(); var m = db.Sales.Max(s => s.Units); return n * (m / 2) / (m % 3 + 1) % (n + 1); }
    public static bool Logic(TillContext db) { var n = db.Sales.Count(); var m = db.Sales.Max(s => s.Units); return (n > 1 || m > 1) && !(n > 2 && m > 2) || (n > 3) == (m > 3) ^ n == m; }
    public static int Choice(TillContext db) { var n = db.Sales.Count(); return (n > 3 ? 1 : 2) + (n > 9 ? 3 : 4); }
    public static string Joined(TillContext db) { var n = db.Sales.Count(); var m = db.Sales.Max(s => s.Units); return "a" + (n + m) + (n > 1 ? "x" : "y") + n + m; }
    public static string Leading(TillContext db) { var n = db.Sales.Count(); var m = db.Sales.Max(s => s.Units); return n + m + "a"; }
    public static object Upper(TillContext db) => db.Sales.OrderBy(s => s.Id).Select(s => new { A = s.Item.ToUpper().Length * 2 - -s.Units, B = (s.Item.ToUpper().Length - 1) / 2 * 3, C = s.Item.ToUpper() == "PEN" ? s.Rebate : 0 }).ToList();
}

public static class Overflowing
{
    public static int Product(TillContext db) => db.Sales.Count() * int.MaxValue;
    public static int Sum(TillContext db) => db.Sales.Count() + int.MaxValue;
    public static int Difference(TillContext db) => int.MinValue - db.Sales.Count();
    public static int Negated(TillContext db) => -(db.Sales.Count() + int.MaxValue - 4);
    public static long Long(TillContext db) => db.Sales.LongCount() * long.MaxValue;
    public static int Cast(TillContext db) => (int)(db.Sales.LongCount() * 1000000007L);
    public static double DecimalToDouble(TillContext db) => (double)db.Sales.Max(s => s.Price);
    public static double Infinite(TillContext db) => db.Sales.Max(s => s.Weight) * 1e308 * 10;
    public static int Checked(TillContext db) => checked(db.Sales.Count() * int.MaxValue);
    public static int CheckedFits(TillContext db) => checked(db.Sales.Count() * 2);
    public static int CheckedCast(TillContext db) => checked((int)(db.Sales.LongCount() * 1000000007L));
    public static int CheckedBlock(TillContext db) { checked { var n = db.Sales.Count(); return n + int.MaxValue; } }
    public static int Unchecked(TillContext db) => unchecked(db.Sales.Count() * int.MaxValue);
    public static int Mixed(TillContext db) => checked(db.Sales.Count() + unchecked(db.Sales.Count() * int.MaxValue));
    public static int Quotient(TillContext db) => (int.MinValue + db.Sales.Count() - 5) / (db.Sales.Count() - 6);
    public static int ByZero(TillContext db) => 7 / (db.Sales.Count() - 5);
    public static int Incremented(TillContext db) { var n = db.Sales.Count() + int.MaxValue - 5; n++; return n; }
    public static int Added(TillContext db) { var n = db.Sales.Count(); n += int.MaxValue; return n; }
    public static int Abs(TillContext db) => Math.Abs(int.MinValue + db.Sales.Count() - 5);
    public static int Modulo(TillContext db) => int.MinValue % (db.Sales.Count() - 6);
    public static long ModuloLong(TillContext db) => long.MinValue % (db.Sales.LongCount() - 6);
    public static int DivNegative(TillContext db) => -7 / (db.Sales.Count() - 2) + -7 % (db.Sales.Count() - 2);
    public static int OfDouble(TillContext db) => (int)db.Sales.Max(s => s.Weight);
    public static int OfHuge(TillContext db) => (int)(db.Sales.Max(s => s.Weight) * 1e12);
    public static long LongOfHuge(TillContext db) => (long)(db.Sales.Max(s => s.Weight) * 1e25);
    public static int OfNegative(TillContext db) => (int)(db.Sales.Max(s => s.Weight) * -1.01);
    public static int OfNan(TillContext db) => (int)(0 * (db.Sales.Max(s => s.Weight) / 0));
    public static object WrapParam(TillContext db) { var m = int.MaxValue; return db.Sales.Where(s => s.Units > m + 1).OrderBy(s => s.Id).Select(s => s.Id).ToList(); }
    public static object NegatedParam(TillContext db) { var m = int.MinValue; return db.Sales.Where(s => s.Units > -m).OrderBy(s => s.Id).Select(s => s.Id).ToList(); }
}

public static class Picked
{
    public static Sale Single(TillContext db) => db.Sales.Single(s => s.Units > 2);
    public static Sale SingleNone(TillContext db) => db.Sales.Single(s => s.Units > 200);
    public static int SingleValue(TillContext db) => db.Sales.Where(s => s.Units > 2).Select(s => s.Id).Single();
    public static object SingleRow(TillContext db) => db.Sales.Where(s => s.Units > 2).Select(s => new { s.Id, s.Item }).Single();
    public static object SingleRowOrDefault(TillContext db) => db.Sales.Where(s => s.Units > 2).Select(s => new { s.Id, s.Item }).SingleOrDefault();
    public static Sale SingleOrDefault(TillContext db) => db.Sales.SingleOrDefault(s => s.Units > 2);
    public static int? SingleNullable(TillContext db) => db.Sales.Where(s => s.Units > 2).Select(s => s.Rebate).Single();
    public static string SingleText(TillContext db) => db.Sales.Where(s => s.Units > 2).Select(s => s.Item.ToUpper()).Single();
    public static Sale First(TillContext db) => db.Sales.OrderBy(s => s.Id).First(s => s.Units > 200);
    public static int FirstValue(TillContext db) => db.Sales.Where(s => s.Units > 200).OrderBy(s => s.Id).Select(s => s.Id).First();
    public static int? FirstNullable(TillContext db) => db.Sales.Where(s => s.Units > 200).OrderBy(s => s.Id).Select(s => s.Rebate).First();
    public static string FirstText(TillContext db) => db.Sales.Where(s => s.Units > 200).OrderBy(s => s.Id).Select(s => s.Item.ToUpper()).First();
    public static object FirstRow(TillContext db) => db.Sales.Where(s => s.Units > 200).OrderBy(s => s.Id).Select(s => new { s.Id, s.Item }).First();
    public static Sale Last(TillContext db) => db.Sales.OrderBy(s => s.Id).Last(s => s.Units > 200);
    public static Sale ElementAt(TillContext db) => db.Sales.OrderBy(s => s.Id).ElementAt(200);
    public static int ElementAtValue(TillContext db) => db.Sales.OrderBy(s => s.Id).Select(s => s.Id).ElementAt(200);
    public static Sale ElementAtOrDefault(TillContext db) => db.Sales.OrderBy(s => s.Id).ElementAtOrDefault(200);
    public static int Max(TillContext db) => db.Sales.Where(s => s.Units > 200).Max(s => s.Units);
    public static int? MaxNullable(TillContext db) => db.Sales.Where(s => s.Units > 200).Max(s => (int?)s.Units);
    public static string MaxText(TillContext db) => db.Sales.Where(s => s.Units > 200).Max(s => s.Item);
    public static decimal MinDecimal(TillContext db) => db.Sales.Where(s => s.Units > 200).Min(s => s.Price);
    public static double Average(TillContext db) => db.Sales.Where(s => s.Units > 200).Average(s => s.Units);
    public static decimal AverageDecimal(TillContext db) => db.Sales.Where(s => s.Units > 200).Average(s => s.Price);
    public static int Sum(TillContext db) => db.Sales.Where(s => s.Units > 200).Sum(s => s.Units);
    public static int ValueOfNull(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate.Value).First();
    public static int ValueOfNullAround(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate).First()!.Value;
    public static int FirstValueNone(TillContext db) => db.Sales.Where(s => s.Units > 200).OrderBy(s => s.Id).Select(s => s.Rebate.Value).FirstOrDefault();
    public static int FirstValueNull(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Rebate.Value).FirstOrDefault();
    public static int FirstValueThere(TillContext db) => db.Sales.Where(s => s.Id == 1).Select(s => s.Rebate.Value).FirstOrDefault();
    public static int FirstValueTaken(TillContext db) => db.Sales.Where(s => s.Id == 1).Select(s => s.Rebate.Value).First();
    public static string NoteUpper(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Note.ToUpper()).First();
    public static string NoteUpperDefault(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Note.ToUpper()).FirstOrDefault();
    public static string NoteUpperSingle(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Note.ToUpper()).Single();
    public static string Note(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => s.Note).First();
    public static object NoteRow(TillContext db) => db.Sales.Where(s => s.Id == 2).Select(s => new { N = s.Note.ToUpper(), L = s.Item.ToUpper().Length }).First();
    public static int UpperLength(TillContext db) => db.Sales.Where(s => s.Id == 22).Select(s => s.Item.ToUpper().Length).FirstOrDefault();
    public static int ElementAtUpper(TillContext db) => db.Sales.OrderBy(s => s.Id).Select(s => s.Item.ToUpper().Length).ElementAt(1);
}
