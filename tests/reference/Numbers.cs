// Writes facts.txt: what .NET computes. Run by `python -m tests.reference.record`.
using System.Globalization;

CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
while (Console.ReadLine() is { } line)
{
    var part = line.Split(' ');
    decimal M(int i) => decimal.Parse(part[i]);
    double D(int i) => double.Parse(part[i]);
    int I(int i) => int.Parse(part[i]);
    long L(int i) => long.Parse(part[i]);
    string result;
    try
    {
        result = Convert.ToString(part[0] switch
        {
            "decimal+" => M(1) + M(2), "decimal-" => M(1) - M(2), "decimal*" => M(1) * M(2), "decimal/" => M(1) / M(2), "decimal%" => M(1) % M(2),
            "int+" => unchecked(I(1) + I(2)), "int-" => unchecked(I(1) - I(2)), "int*" => unchecked(I(1) * I(2)), "int/" => I(1) / I(2), "int%" => I(1) % I(2),
            "long+" => unchecked(L(1) + L(2)), "long-" => unchecked(L(1) - L(2)), "long*" => unchecked(L(1) * L(2)), "long/" => L(1) / L(2), "long%" => L(1) % L(2),
            "checkedint+" => checked(I(1) + I(2)), "checkedint-" => checked(I(1) - I(2)), "checkedint*" => checked(I(1) * I(2)),
            "round" => Math.Round(D(1), I(2)), "rounddecimal" => Math.Round(M(1), I(2)),
            "floor" => Math.Floor(D(1)), "ceiling" => Math.Ceiling(D(1)), "truncate" => Math.Truncate(D(1)),
            "double>int" => unchecked((int)D(1)), "double>long" => unchecked((long)D(1)), "double>uint" => unchecked((uint)D(1)),
            "double>ulong" => unchecked((ulong)D(1)), "double>byte" => unchecked((byte)D(1)), "double>short" => unchecked((short)D(1)),
            "long>int" => unchecked((int)L(1)), "long>short" => unchecked((short)L(1)), "long>byte" => unchecked((byte)L(1)), "long>uint" => unchecked((uint)L(1)),
            "checkeddouble>int" => checked((int)D(1)), "checkedlong>int" => checked((int)L(1)), "decimal>int" => (int)M(1), "decimal>long" => (long)M(1),
            "double>decimal" => (decimal)D(1), "float>decimal" => (object)(decimal)(float)D(1),
            _ => throw new NotSupportedException(part[0]),
        })!;
    }
    catch (ArithmeticException e) { result = e.GetType().Name; }
    Console.WriteLine($"{line} = {result}");
}
