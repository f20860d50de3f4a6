// Runs query methods of the input against a real database and writes what they return, one JSON line per row.
// Static part; the generated Program.cs says which methods there are.
using System.Collections;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Storage;

namespace Uom.Services;

/// <summary>One call: a label, the shape of its rows, and what to run with a fresh context.</summary>
public sealed record Invocation(string Label, Func<object?> Run);

/// <summary>Rows for one table: names are quoted identifiers, rows a JSON array of objects.</summary>
public sealed record Table(string Name, string Columns, string Rows);

/// <summary>How one kind of database takes rows.</summary>
public interface IRows
{
    /// <summary>Puts in the rows of `tables`, and takes out what is in those that are named by `seeded`.</summary>
    Task Load(System.Data.Common.DbConnection connection, IReadOnlyList<string> seeded, IReadOnlyList<Table> tables);

    /// <summary>Removes what was made, where it is not thrown away anyway.</summary>
    Task CleanUp(DbContext db);
}

public static class Harness
{
    /// <summary>Arguments: folder with shapes.json and tables.json, folder for results, the database that contexts must ask.</summary>
    public static async Task<int> Main(
        string folder, string results, string connection, Func<DbContext> newContext, IRows rows, IEnumerable<Invocation> invocations)
    {
        CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        using var shapes = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(folder, "shapes.json")));
        await using (var db = newContext())
        {
            RequireOurs(db, connection);
            await Load(folder, db, rows);
        }

        Directory.CreateDirectory(results);
        using var summary = new Utf8JsonWriter(File.Create(Path.Combine(results, "results.json")));
        summary.WriteStartObject();
        foreach (var invocation in invocations)
        {
            await Call(invocation, shapes.RootElement.GetProperty(invocation.Label), results, summary);
        }

        summary.WriteEndObject();
        await summary.FlushAsync();
        await using var last = newContext();
        RequireOurs(last, connection);
        await rows.CleanUp(last);
        Console.WriteLine("\nJSON_PATH=" + Path.Combine(results, "results.json"));
        return 0;
    }

    /// <summary>The database is made anew: it must never be the one that the user's code names.</summary>
    private static void RequireOurs(DbContext db, string connection)
    {
        if (!db.Database.IsRelational() || db.Database.GetConnectionString() != connection)
        {
            throw new InvalidOperationException($"{db.GetType().Name} configures itself to ask another database than it was given");
        }
    }

    private static async Task Load(string folder, DbContext db, IRows rows)
    {
        await db.Database.EnsureDeletedAsync();
        await db.Database.EnsureCreatedAsync();
        using var tables = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(folder, "tables.json")));
        var connection = db.Database.GetDbConnection();
        await connection.OpenAsync();
        await rows.Load(connection, Seeded(db), tables.RootElement.EnumerateArray()
            .Select(t => new Table(t.GetProperty("name").GetString()!, t.GetProperty("columns").GetString()!, t.GetProperty("rows").GetRawText()))
            .ToList());
    }

    /// <summary>The tables with rows of HasData, which a new database has and the given rows may not.</summary>
    private static List<string> Seeded(DbContext db)
    {
        var helper = db.GetService<ISqlGenerationHelper>();
        return db.GetService<IDesignTimeModel>().Model.GetEntityTypes()
            .Where(e => e.GetSeedData().Any())
            .SelectMany(e => e.GetTableMappings())
            .Select(m => helper.DelimitIdentifier(m.Table.Name, m.Table.Schema))
            .Distinct()
            .ToList();
    }

    public static async Task Execute(System.Data.Common.DbConnection connection, string sql, string? rows = null)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        if (rows is not null)
        {
            var parameter = command.CreateParameter();
            parameter.ParameterName = "rows";
            parameter.Value = rows;
            command.Parameters.Add(parameter);
        }

        await command.ExecuteNonQueryAsync();
    }

    private static async Task Call(Invocation invocation, JsonElement shape, string results, Utf8JsonWriter summary)
    {
        var clock = Stopwatch.StartNew();
        summary.WriteStartObject(invocation.Label);
        NotHere.Forget();
        try
        {
            var value = await Settle(invocation.Run());
            var isList = shape.ValueKind == JsonValueKind.Array && value is not null;
            var rows = isList ? ((IEnumerable)value!).Cast<object?>() : [value];
            summary.WriteString("shape", isList ? "list" : "value");
            WriteRows(summary, Path.Combine(results, invocation.Label + ".jsonl"), rows, isList ? shape[0] : shape, isList);
            if (NotHere.First is not null)
            {
                throw NotHere.First; // and was caught
            }

            summary.WriteNull("error");
        }
        catch (Exception e)
        {
            var error = NotHere.First ?? (e is TargetInvocationException or AggregateException ? e.InnerException ?? e : e);
            summary.WriteNumber("count", 0);
            summary.WriteStartObject("error");
            summary.WriteString("type", error.GetType().Name);
            summary.WriteString("message", error.Message);
            summary.WriteEndObject();
        }

        summary.WriteNumber("millis", clock.ElapsedMilliseconds);
        summary.WriteEndObject();
    }

    /// <summary>A line per row; how many there are, the first and the last. A single value is a row, null is none.</summary>
    private static void WriteRows(Utf8JsonWriter summary, string path, IEnumerable<object?> rows, JsonElement shape, bool isList)
    {
        using var file = File.Create(path);
        using var line = new MemoryStream();
        using var writer = new Utf8JsonWriter(line);
        var count = 0;
        byte[] first = [];
        foreach (var row in rows)
        {
            line.SetLength(0);
            writer.Reset(line);
            Write(writer, row, shape);
            writer.Flush();
            line.WriteByte((byte)'\n');
            line.WriteTo(file);
            first = count++ == 0 ? line.ToArray() : first;
        }

        summary.WriteNumber("count", !isList && first is [(byte)'n', (byte)'u', ..] ? 0 : count);
        if (count > 0)
        {
            summary.WritePropertyName("firstSample");
            summary.WriteRawValue(first);
            summary.WritePropertyName("lastSample");
            summary.WriteRawValue(line.ToArray());
        }
    }

    /// <summary>Awaits tasks and reads asynchronous streams; anything else is the value itself.</summary>
    private static async Task<object?> Settle(object? value)
    {
        if (value is Task task)
        {
            await task;
            return await Settle(task.GetType().GetProperty("Result")?.GetValue(task));
        }

        if (value is not null && value.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(ValueTask<>))
        {
            return await Settle(type.GetMethod("AsTask")!.Invoke(value, null));
        }

        // A query of EF Core is both kinds of sequence, and is read as the plain one.
        var stream = value is null or IEnumerable ? null : value.GetType().GetInterfaces()
            .FirstOrDefault(i => i.IsGenericType && i.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>));
        if (stream is not null)
        {
            var read = typeof(Harness).GetMethod(nameof(ReadAll), BindingFlags.NonPublic | BindingFlags.Static)!;
            return await Settle(read.MakeGenericMethod(stream.GetGenericArguments()).Invoke(null, [value]));
        }

        return value;
    }

    private static async Task<List<T>> ReadAll<T>(IAsyncEnumerable<T> stream)
    {
        var rows = new List<T>();
        await foreach (var row in stream)
        {
            rows.Add(row);
        }

        return rows;
    }

    private static void Write(Utf8JsonWriter writer, object? value, JsonElement shape)
    {
        if (value is null)
        {
            writer.WriteNullValue();
        }
        else if (shape.ValueKind == JsonValueKind.Array)
        {
            writer.WriteStartArray();
            foreach (var item in (IEnumerable)value)
            {
                Write(writer, item, shape[0]);
            }

            writer.WriteEndArray();
        }
        else if (shape.ValueKind == JsonValueKind.Object)
        {
            WriteObject(writer, value, shape);
        }
        else
        {
            WriteScalar(writer, value);
        }
    }

    private static void WriteObject(Utf8JsonWriter writer, object value, JsonElement shape)
    {
        writer.WriteStartObject();
        // A hierarchy has one shape per concrete type, under "$types".
        if (shape.TryGetProperty("$types", out var types))
        {
            shape = types.GetProperty(value.GetType().Name);
            writer.WriteString("$type", value.GetType().Name);
        }

        if (value is ITuple tuple)
        {
            // The names of a tuple's elements are the compiler's; the shape has them in order.
            var index = 0;
            foreach (var member in shape.EnumerateObject())
            {
                writer.WritePropertyName(member.Name);
                Write(writer, tuple[index++], member.Value);
            }

            writer.WriteEndObject();
            return;
        }

        foreach (var member in shape.EnumerateObject())
        {
            writer.WritePropertyName(member.Name);
            Write(writer, member.Name == "Items" && Member(value, "Items", out _) is null ? value : Member(value, member.Name, out _), member.Value);
        }

        writer.WriteEndObject();
    }

    private static object? Member(object value, string name, out bool found)
    {
        const BindingFlags flags = BindingFlags.Public | BindingFlags.Instance;
        var property = value.GetType().GetProperties(flags).FirstOrDefault(p => p.Name == name && p.GetIndexParameters().Length == 0)
            ?? value.GetType().GetInterfaces().Select(i => i.GetProperty(name)).FirstOrDefault(p => p is not null);
        if (property is not null)
        {
            found = true;
            return property.GetValue(value);
        }

        var field = value.GetType().GetField(name, flags);
        found = field is not null;
        return field?.GetValue(value);
    }

    private static void WriteScalar(Utf8JsonWriter writer, object value)
    {
        switch (value)
        {
            case bool b: writer.WriteBooleanValue(b); break;
            case decimal d: writer.WriteStringValue(d.ToString(CultureInfo.InvariantCulture)); break;
            case double d when double.IsFinite(d): writer.WriteNumberValue(d); break;
            case double d: writer.WriteStringValue(d.ToString(CultureInfo.InvariantCulture)); break;
            case float f when float.IsFinite(f): writer.WriteNumberValue(f); break;
            case float f: writer.WriteStringValue(f.ToString(CultureInfo.InvariantCulture)); break;
            case Enum e: WriteEnum(writer, e); break;
            case sbyte or byte or short or ushort or int or uint or long: writer.WriteNumberValue(Convert.ToInt64(value)); break;
            case ulong u: writer.WriteNumberValue(u); break;
            case DateTime t: writer.WriteStringValue(t.ToString("yyyy-MM-dd'T'HH:mm:ss.ffffff", CultureInfo.InvariantCulture)); break;
            case DateTimeOffset t: writer.WriteStringValue(t.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.ffffff", CultureInfo.InvariantCulture)); break;
            case DateOnly t: writer.WriteStringValue(t.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)); break;
            case TimeOnly t: writer.WriteStringValue(t.ToString("HH:mm:ss.ffffff", CultureInfo.InvariantCulture)); break;
            case TimeSpan s: writer.WriteNumberValue(s.Ticks); break;
            case byte[] bytes: writer.WriteBase64StringValue(bytes); break;
            default: writer.WriteStringValue(Convert.ToString(value, CultureInfo.InvariantCulture)); break;
        }
    }

    private static void WriteEnum(Utf8JsonWriter writer, Enum value)
    {
        var text = value.ToString();
        if (long.TryParse(text, out var number))
        {
            writer.WriteNumberValue(number);
        }
        else
        {
            writer.WriteStringValue(text);
        }
    }
}
