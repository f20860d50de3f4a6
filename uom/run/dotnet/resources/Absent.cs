// Dependencies of the user's classes that are not the database, and that no program of ours has.
using System.Reflection;

namespace Uom.Services;

/// <summary>Stands for what was needed and is not here. A call that meets it has no result, whatever it does with the exception.</summary>
public sealed class NotHere : Exception
{
    public NotHere(string reason) : base(reason) => First ??= this;

    /// <summary>What has been met since `Forget`.</summary>
    public static NotHere? First { get; private set; }

    public static void Forget() => First = null;
}

public static class Absent
{
    /// <summary>Among arguments: there is none.</summary>
    public static readonly object Nothing = new();

    /// <summary>A new T. Interfaces that there is nothing for get objects whose methods are NotHere, classes null.</summary>
    public static T Make<T>(params object[] arguments)
    {
        var constructor = typeof(T).GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .First(c => Fits(c.GetParameters(), arguments));
        var given = constructor.GetParameters().Zip(arguments, (p, a) => a == Nothing ? Stub(p.ParameterType) : a);
        return (T)constructor.Invoke([.. given]);
    }

    private static bool Fits(ParameterInfo[] parameters, object[] arguments) =>
        parameters.Length == arguments.Length
        && parameters.Zip(arguments, (p, a) => a == Nothing ? !p.ParameterType.IsValueType : p.ParameterType.IsInstanceOfType(a)).All(fits => fits);

    private static object? Stub(Type type) => type.IsInterface ? DispatchProxy.Create(type, typeof(AbsentService)) : null;
}

/// <summary>An interface without anything behind it.</summary>
public class AbsentService : DispatchProxy
{
    protected override object? Invoke(MethodInfo? method, object?[]? arguments) =>
        throw new NotHere($"{method?.DeclaringType?.Name}.{method?.Name} is not part of the program");
}
