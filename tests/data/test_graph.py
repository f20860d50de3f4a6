"""Rows as a graph: labels, stored values, relationships of each kind, and what does not fit."""

from __future__ import annotations

import copy
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pytest

from tests.support import schema_of
from uom.data.graph import GraphContent, graph_content
from uom.data.rows import DataFile, DataProblem, build_database
from uom.model.mapping import GraphMapping
from uom.model.program import Semantics
from uom.plan.mapping.graphs import as_relationship, default_graph

CODE = """
using Microsoft.EntityFrameworkCore;
public enum Mood { Calm = 1, Wild = 7 }
public class Address { public string Street { get; set; } = ""; public decimal? Height { get; set; } }
public abstract class Animal { public int Id { get; set; } public string Name { get; set; } = "";
    public int? MotherId { get; set; } public Animal? Mother { get; set; } public List<Animal> Children { get; } = new();
    public List<Club> Clubs { get; } = new(); }
public class Cat : Animal { public Mood Mood { get; set; } }
public class Dog : Animal { public bool Good { get; set; } }
public class Club { public int Id { get; set; } public string Title { get; set; } = ""; public Address? Home { get; set; } public List<Animal> Members { get; } = new(); }
public class Part { public int BoxId { get; set; } public int No { get; set; } public Box Box { get; set; } = null!; }
public class Box { public int Id { get; set; } public List<Part> Parts { get; } = new(); }
public class Order { public int Id { get; set; } public List<Line> Lines { get; } = new(); }
public class Product { public string Code { get; set; } = ""; public List<Line> Lines { get; } = new(); }
public class Line { public int OrderId { get; set; } public Order Order { get; set; } = null!;
    public string Code { get; set; } = ""; public Product Product { get; set; } = null!; public decimal Price { get; set; } }
public class Everything { public int Id { get; set; } public bool Yes { get; set; } public byte Small { get; set; } public long Long { get; set; }
    public ulong Huge { get; set; } public decimal Money { get; set; } public float Single { get; set; } public double Double { get; set; }
    public char Letter { get; set; } public string? Text { get; set; } public DateTime Moment { get; set; } public DateTimeOffset Zoned { get; set; }
    public DateOnly Day { get; set; } public TimeOnly Clock { get; set; } public TimeSpan Span { get; set; } public Guid Guid { get; set; }
    public byte[]? Bytes { get; set; } public Mood Mood { get; set; } public Mood Named { get; set; } }
public class ZooContext : DbContext {
    public DbSet<Animal> Animals => Set<Animal>(); public DbSet<Cat> Cats => Set<Cat>(); public DbSet<Dog> Dogs => Set<Dog>();
    public DbSet<Club> Clubs => Set<Club>(); public DbSet<Part> Parts => Set<Part>(); public DbSet<Box> Boxes => Set<Box>();
    public DbSet<Order> Orders => Set<Order>(); public DbSet<Product> Products => Set<Product>(); public DbSet<Line> Lines => Set<Line>();
    public DbSet<Everything> All => Set<Everything>();
    protected override void OnModelCreating(ModelBuilder b) {
        b.Entity<Club>().OwnsOne(c => c.Home);
        b.Entity<Part>().HasKey(p => new { p.BoxId, p.No });
        b.Entity<Product>().HasKey(p => p.Code);
        b.Entity<Line>().HasKey(l => new { l.OrderId, l.Code });
        b.Entity<Line>().HasOne(l => l.Product).WithMany(p => p.Lines).HasForeignKey(l => l.Code);
        b.Entity<Line>().Property(l => l.Price).HasPrecision(10, 2);
        b.Entity<Everything>().Property(e => e.Money).HasPrecision(18, 4);
        b.Entity<Everything>().Property(e => e.Named).HasConversion<string>();
    } }
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "Animals": [
        {"Id": 1, "Name": "Eva", "MotherId": None, "Discriminator": "Cat", "Mood": 7},
        {"Id": 2, "Name": "Rex", "MotherId": 1, "Discriminator": "Dog", "Good": True},
        {"Id": 3, "Name": "Max", "MotherId": 3, "Discriminator": "Dog", "Good": False},
    ],
    "Clubs": [{"Id": 1, "Title": "A", "Home_Street": "Main", "Home_Height": "1.5"}, {"Id": 2, "Title": "B"}],
    "AnimalClub": [{"MembersId": 1, "ClubsId": 2}, {"MembersId": 2, "ClubsId": 2}],
    "Parts": [{"BoxId": 5, "No": 1}, {"BoxId": 5, "No": 2}],
    "Boxes": [{"Id": 5}],
    "Orders": [{"Id": 1}, {"Id": 2}],
    "Products": [{"Code": "x"}],
    "Lines": [{"OrderId": 1, "Code": "x", "Price": "12.30"}, {"OrderId": 2, "Code": "x", "Price": "-0.05"}],
    "All": [
        {"Id": 1, "Yes": True, "Small": 255, "Long": -(2**63), "Huge": 7, "Money": "1234567890.1234", "Single": 0.15, "Double": 0.1,
         "Letter": "é", "Text": None, "Moment": "2024-02-29T05:06:07.008", "Zoned": "2024-02-29T05:06:07+02:00",
         "Day": "2024-02-29", "Clock": "05:06:07.5", "Span": "-1.02:00:00.5", "Guid": "ABCDEF01-2345-6789-ABCD-EF0123456789",
         "Bytes": "AQI=", "Mood": 1, "Named": "Wild"}
    ],
}  # fmt: skip


def content(rows: dict[str, list[dict[str, Any]]] = ROWS, mapping: GraphMapping | None = None) -> GraphContent:
    schema = schema_of(CODE)
    data = DataFile("rows.json", rows)
    return graph_content(build_database(data, schema), schema, mapping or default_graph(schema), Semantics(), data.name)


def by_labels(found: GraphContent) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    return {s.labels: [dict(p) for p in s.properties] for s in found.nodes}


def links(found: GraphContent, type_: str) -> list[tuple[Any, Any, dict[str, Any]]]:
    nodes = {n: dict(p) for s in found.nodes for n, p in zip(s.numbers, s.properties, strict=True)}
    shown = {n: p.get("id", p.get("code")) for n, p in nodes.items()}
    return sorted((shown[s], shown[e], dict(p)) for r in found.relationships if r.type == type_ for s, e, p in r.links)


def test_nodes_of_a_hierarchy_with_owned_values() -> None:
    found = by_labels(content())
    assert found["Animal", "Cat"] == [
        {"id": 1, "name": "Eva", "mood": 7},
    ]
    assert found[("Club",)] == [
        {"id": 1, "title": "A", "homeStreet": "Main", "homeHeight": 15000},
        {"id": 2, "title": "B"},
    ]
    assert found["Animal", "Dog"] == [
        {"id": 2, "name": "Rex", "motherId": 1, "good": True},
        {"id": 3, "name": "Max", "motherId": 3, "good": False},
    ]


def test_composite_keys_are_one_property_and_unique() -> None:
    found = content()
    assert by_labels(found)[("Part",)] == [{"boxId": 5, "no": 1, "key": "5|1"}, {"boxId": 5, "no": 2, "key": "5|2"}]
    assert {("Part", "key"), ("Animal", "id"), ("Product", "code")} <= set(found.unique)


def test_foreign_keys_and_join_tables_are_relationships() -> None:
    found = content()
    mapping = default_graph(schema_of(CODE))
    (mother,) = [r for r in mapping.foreign_keys if r.foreign_key.properties == ("MotherId",)]
    ends = {(a, b) for a, b, _ in links(found, mother.type)}
    assert ends == ({(1, 2), (3, 3)} if mother.from_principal else {(2, 1), (3, 3)})
    (join,) = mapping.joins
    assert {frozenset((a, b)) for a, b, _ in links(found, join.type)} == {frozenset((1, 2)), frozenset((2,))}
    assert sum(len(r.links) for r in found.relationships) == 2 + 2 + 2 + 4


def test_an_entity_can_be_a_relationship() -> None:
    schema = schema_of(CODE)
    mapping = as_relationship(default_graph(schema), schema, "Line")
    found = content(mapping=mapping)
    (link,) = mapping.entities
    assert ("Line",) not in by_labels(found)
    prices = [(s, e, p["price"]) for s, e, p in links(found, link.type)]
    assert sorted(prices) == [(1, "x", 1230), (2, "x", -5)]


def test_every_type_has_its_stored_form() -> None:
    assert by_labels(content())[("Everything",)] == [
        {
            "id": 1,
            "yes": True,
            "small": 255,
            "long": -(2**63),
            "huge": 7,
            "money": 12345678901234,
            "single": 0.15000000596046448,
            "double": 0.1,
            "letter": "é",
            "moment": datetime(2024, 2, 29, 5, 6, 7, 8000),
            "zoned": datetime(2024, 2, 29, 5, 6, 7, tzinfo=timezone(timedelta(hours=2))),
            "day": date(2024, 2, 29),
            "clock": time(5, 6, 7, 500000),
            "span": -(26 * 36_000_000_000) - 5_000_000,
            "guid": "abcdef01-2345-6789-abcd-ef0123456789",
            "bytes": b"\1\2",
            "mood": 1,
            "named": "Wild",
        }
    ]
    assert datetime(2024, 2, 29, 3, 6, 7, tzinfo=UTC) == by_labels(content())[("Everything",)][0]["zoned"]


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("All", {"Money": "0.00001"}, ["All, row 1, column Money", "scale 4", "`scale` of Everything.Money in mapping.yaml"]),
        ("All", {"Money": "922337203685477.5808"}, ["64 bits", "scale 4"]),
        ("All", {"Huge": 2**63}, ["column Huge", "64 bits"]),
        ("Lines", {"Price": "1.005"}, ["Lines, row 1, column Price", "scale 2"]),
        ("Clubs", {"Home_Height": "1.23456"}, ["Clubs, row 1, column Home_Height", "Club.Home.Height"]),
    ],
)  # fmt: skip
def test_what_the_graph_cannot_hold_is_named(table: str, change: dict[str, Any], words: list[str]) -> None:
    rows = copy.deepcopy(ROWS)
    rows[table][0].update(change)
    with pytest.raises(DataProblem) as problem:
        content(rows)
    text = f"{problem.value.diagnostic} {problem.value.diagnostic.remedy}"
    assert [word for word in words if word not in text] == []
