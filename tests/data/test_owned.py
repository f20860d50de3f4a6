"""Rows of owned collections come from their own table; what is wrong with it, and tables that nobody knows, are named."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from uom.data.documents import documents, losses
from uom.data.rows import DataFile, DataProblem, build_database, read_data_file, unknown_tables
from uom.model.schema import Schema
from uom.plan.mapping.documents import default_mapping
from uom.read import load_sources, read_program
from uom.read.csharp.syntax import parse
from uom.translation import TranslationOptions, translate
from uom.verify.dotnet_source import table_rows

FOLDER = Path(__file__).parents[1] / "corpus" / "invoices"
DATA = read_data_file(FOLDER / "data.json")


@pytest.fixture(scope="module")
def schema() -> Schema:
    (found,) = read_program(load_sources((str(FOLDER),))).schemas
    return found


def changed(**tables: Any) -> DataFile:
    """The file with other tables; None takes one out."""
    made = {**DATA.tables, **{name.replace("__", "."): rows for name, rows in tables.items()}}
    return DataFile("rows.json", {name: rows for name, rows in made.items() if rows is not None})


def test_documents_hold_the_collection(schema: Schema) -> None:
    made = documents(build_database(DATA, schema), schema, default_mapping(schema))
    first, second, _ = made["invoices"]
    assert [line["text"] for line in first["lines"]] == ["Paper", "Delivery"]
    assert first["lines"][1]["discount"] is None
    assert second["lines"] == []
    assert [len(p["aliases"]) for p in made["people"]] == [2, 1, 0]


def test_every_table_is_filled_on_the_csharp_side(schema: Schema) -> None:
    found = {rows.name: rows for rows in table_rows(schema, DATA)}
    assert len(found) == len(DATA.tables)
    assert '"invoice_id"' in found['"sales"."invoice_lines"'].columns
    assert found['"Phone"'].rows[0]["AnsweredFor"] == "1 days 02:03:04"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed(Phone=None), ["table Phone", "Customer.Phones"]),
        (changed(Phone=[{"CustomerCode": "NON", "Number": "1"}]), ["Phone, row 1", "CustomerCode = NON", "Customers"]),
        (changed(Phone=[{"CustomerId": "ACM", "Number": "1"}]), ["Phone, row 1, column CustomerCode", "required"]),
        (changed(Title=[{"AuthorPersonId": 2, "Text": "x", "Year": 1}]), ["Title, row 1", "AuthorPersonId = 2"]),
        (changed(Title=[{"AuthorPersonId": 1, "Text": "x"}]), ["Title, row 1, column Year", "required"]),
    ],
)
def test_problems_are_named(schema: Schema, data: DataFile, words: list[str]) -> None:
    with pytest.raises(DataProblem) as problem:
        build_database(data, schema)
    text = str(problem.value.diagnostic)
    assert all(word in text for word in words), text


def test_only_collections_that_are_read_need_a_table() -> None:
    (unit,) = translate(load_sources((str(FOLDER),)), TranslationOptions(only="Owned.Counts".__eq__)).units
    assert "Invoice.Lines" in unit.entities()
    build_database(changed(Phone=None), unit.schema, unit.entities())
    with pytest.raises(DataProblem):
        build_database(changed(sales__invoice_lines=None), unit.schema, unit.entities())


def test_fractions_that_mongodb_cuts_are_told_within_collections(schema: Schema) -> None:
    stamp = {"CustomerCode": "BOL", "At": "2024-01-01T00:00:00.0001", "By": "Eva"}
    database = build_database(changed(Customers_Stamps=[stamp]), schema)
    assert [loss.construct for loss in losses(database)] == ["Customer.Stamps.At"]
    assert database.rows["Customer"][1].values["Stamps"][0].values["At"] == datetime(2024, 1, 1, 0, 0, 0, 100)  # type: ignore[index]


def test_tables_that_nobody_knows_are_named(schema: Schema) -> None:
    assert unknown_tables(DATA, [schema]) == []
    (found,) = unknown_tables(changed(Phones=[], Invoces=[]), [schema])
    assert "tables Phones, Invoces" in str(found)


NESTED = """
public class Order { public int Id { get; set; } public Box Box { get; set; } = new(); public List<Row> Rows { get; set; } = []; public List<Tag> Kept { get; set; } = []; }
public class Box { public List<Tag> Tags { get; set; } = []; }
public class Row { public string Text { get; set; } = ""; public List<Tag> Tags { get; set; } = []; }
public class Tag { public string Text { get; set; } = ""; }
public class Db : DbContext { public DbSet<Order> Orders { get; set; }
    protected override void OnModelCreating(ModelBuilder b) => b.Entity<Order>(e => {
        e.OwnsOne(o => o.Box, x => x.OwnsMany(y => y.Tags));
        e.OwnsMany(o => o.Rows, x => x.OwnsMany(y => y.Tags));
        e.OwnsMany(o => o.Kept, x => x.ToJson()); }); }
public class Q(Db db) {
    public int OfBox() => db.Orders.SelectMany(o => o.Box.Tags).Count();
    public int OfRows() => db.Orders.SelectMany(o => o.Rows).SelectMany(r => r.Tags).Count();
    public int OfKept() => db.Orders.SelectMany(o => o.Kept).Count();
    public int OfOrders() => db.Orders.Count(); }
"""


def test_collections_without_a_table_that_is_known_are_refused() -> None:
    translation = translate([parse("Model.cs", NESTED)], TranslationOptions())
    assert {r.id: r.reason.reason for r in translation.refused} == {
        "Q.OfBox": "it is a collection within Box, another owned value",
        "Q.OfRows": "it is a collection within Rows, another owned value",
        "Q.OfKept": "it is stored as JSON in one column",
    }
    (unit,) = translation.units
    build_database(DataFile("rows.json", {"Orders": [{"Id": 1}]}), unit.schema, unit.entities())
