// Rows into SQL Server: OPENJSON with the types that the tables have. In a database of our own, dropped at the end.
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;

namespace Uom.Services;

public sealed class SqlServerRows : IRows
{
    private static readonly string Name = "uom_" + Guid.NewGuid().ToString("N")[..12];

    /// <summary>The user's server, but never one of the user's databases.</summary>
    public static string OwnDatabase(string connection) =>
        new SqlConnectionStringBuilder(connection) { InitialCatalog = Name }.ConnectionString;

    public async Task Load(DbConnection connection, IReadOnlyList<string> seeded, IReadOnlyList<Table> tables)
    {
        foreach (var table in tables.Select(t => t.Name).Union(seeded))
        {
            await Harness.Execute(connection, $"ALTER TABLE {table} NOCHECK CONSTRAINT ALL");
        }

        foreach (var table in seeded)
        {
            await Harness.Execute(connection, $"DELETE FROM {table}");
        }

        foreach (var table in tables)
        {
            var (shape, identity) = await Describe(connection, table);
            var insert = $"INSERT INTO {table.Name} ({table.Columns}) SELECT {table.Columns} FROM OPENJSON(@rows) WITH ({shape})";
            await Harness.Execute(
                connection,
                identity ? $"SET IDENTITY_INSERT {table.Name} ON; {insert}; SET IDENTITY_INSERT {table.Name} OFF" : insert,
                table.Rows);
        }
    }

    public async Task CleanUp(DbContext db) => await db.Database.EnsureDeletedAsync();

    /// <summary>The WITH clause of OPENJSON, and whether one of the columns is an identity.</summary>
    private static async Task<(string Shape, bool Identity)> Describe(DbConnection connection, Table table)
    {
        await using var command = connection.CreateCommand();
        command.CommandText =
            "SELECT c.name, t.name, c.max_length, c.precision, c.scale, c.is_identity FROM sys.columns c "
            + "JOIN sys.types t ON c.user_type_id = t.user_type_id WHERE c.object_id = OBJECT_ID(@name)";
        var parameter = command.CreateParameter();
        parameter.ParameterName = "name";
        parameter.Value = table.Name;
        command.Parameters.Add(parameter);
        var wanted = table.Columns.Split(", ").ToHashSet();
        var parts = new List<string>();
        var identity = false;
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            var column = $"\"{reader.GetString(0)}\"";
            if (wanted.Contains(column))
            {
                parts.Add($"{column} {TypeOf(reader)}");
                identity |= reader.GetBoolean(5);
            }
        }

        return (string.Join(", ", parts), identity);
    }

    private static string TypeOf(DbDataReader column) => column.GetString(1) switch
    {
        "nvarchar" or "varchar" or "nchar" or "char" or "ntext" or "text" => "nvarchar(max)",
        "varbinary" or "binary" or "image" => "varbinary(max)",
        "decimal" or "numeric" => $"decimal({column.GetByte(3)}, {column.GetByte(4)})",
        "datetime2" or "datetimeoffset" or "time" => $"{column.GetString(1)}({column.GetByte(4)})",
        var other => other,
    };
}
