// Rows into PostgreSQL: the server reads the JSON itself, column by column in the column's own type.
using System.Data.Common;
using Microsoft.EntityFrameworkCore;

namespace Uom.Services;

public sealed class PostgresRows : IRows
{
    public PostgresRows() => AppContext.SetSwitch("Npgsql.EnableLegacyTimestampBehavior", true);

    public async Task Load(DbConnection connection, IReadOnlyList<string> seeded, IReadOnlyList<Table> tables)
    {
        await Harness.Execute(connection, "SET session_replication_role = replica");
        foreach (var table in seeded)
        {
            await Harness.Execute(connection, $"DELETE FROM {table}");
        }

        foreach (var table in tables)
        {
            var rows = $"json_populate_recordset(null::{table.Name}, @rows::json)";
            await Harness.Execute(connection, $"INSERT INTO {table.Name} ({table.Columns}) SELECT {table.Columns} FROM {rows}", table.Rows);
        }

        await Harness.Execute(connection, "SET session_replication_role = DEFAULT");
    }

    public Task CleanUp(DbContext db) => Task.CompletedTask;
}
