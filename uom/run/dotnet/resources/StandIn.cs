// What a model is on a database that stands in for the one that it was written for.
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Uom.Services;

/// <summary>Drops what only the other database understands, none of which decides what a query returns.</summary>
public static class StandIn
{
    private static readonly Regex StoreType = new(@"^\s*(?<name>\w+)\s*(?:\(\s*(?<first>\d+)\s*(?:,\s*(?<second>\d+)\s*)?\))?");

    /// <summary>Names of types, SQL in defaults, computed columns, filters and checks; what a type says of its values is kept.</summary>
    public static void Adapt(IMutableModel model)
    {
        model.SetCollation(null);
        foreach (var sequence in model.GetSequences().ToList())
        {
            model.RemoveSequence(sequence.Name, sequence.Schema);
        }

        ViewsToTables(model);
        foreach (var entity in model.GetEntityTypes())
        {
            foreach (var check in entity.GetCheckConstraints().ToList())
            {
                entity.RemoveCheckConstraint(check.ModelName);
            }

            foreach (var index in entity.GetDeclaredIndexes().ToList())
            {
                entity.RemoveIndex(index);
            }

            Columns(entity);
        }
    }

    /// <summary>No SQL makes the views here, and their rows are given like those of tables.</summary>
    public static void ViewsToTables(IMutableModel model)
    {
        foreach (var entity in model.GetEntityTypes().Where(e => e.GetViewName() is not null))
        {
            var (view, schema) = (entity.GetViewName(), entity.GetViewSchema());
            entity.SetViewName(null);
            entity.SetViewSchema(null);
            entity.SetTableName(view);
            entity.SetSchema(schema);
        }
    }

    private static void Columns(IMutableTypeBase type)
    {
        foreach (var property in type.GetDeclaredProperties())
        {
            property.SetDefaultValueSql(null);
            property.SetComputedColumnSql(null);
            property.SetCollation(null);
            if (property.FindAnnotation(RelationalAnnotationNames.ColumnType)?.Value is string named)
            {
                property.SetColumnType(null);
                Keep(property, StoreType.Match(named));
            }
        }

        foreach (var complex in type.GetDeclaredComplexProperties())
        {
            Columns(complex.ComplexType);
        }
    }

    private static void Keep(IMutableProperty property, Match named)
    {
        int? Number(string group) => int.TryParse(named.Groups[group].Value, CultureInfo.InvariantCulture, out var found) ? found : null;
        switch (named.Groups["name"].Value.ToLowerInvariant())
        {
            case "decimal" or "numeric" or "dec" when Number("first") is { } precision:
                property.SetPrecision(precision);
                property.SetScale(Number("second") ?? 0);
                break;
            case "money":
                property.SetPrecision(19);
                property.SetScale(4);
                break;
            case "smallmoney":
                property.SetPrecision(10);
                property.SetScale(4);
                break;
            case "char" or "nchar" when Number("first") is { } length && property.ClrType == typeof(string):
                property.SetMaxLength(length);
                property.SetIsFixedLength(true);
                break;
            case "date":
                property.SetColumnType("date");
                break;
        }
    }
}
