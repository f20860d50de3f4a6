"""What several tests need: a small shop in C#, and short ways to read and run it."""

from __future__ import annotations

from typing import Any

from uom.data.rows import DataFile, build_database
from uom.model.program import Program, QueryMethod
from uom.model.schema import Schema
from uom.read import read_program
from uom.read.csharp.declarations import compile_sources
from uom.read.csharp.syntax import parse
from uom.read.efcore.model import read_schemas
from uom.reference.values import Database

SHOP = """
using Microsoft.EntityFrameworkCore;
public enum Status { Open = 1, Paid = 2, Sent = 5 }
public class Client { public int Id { get; set; } public string Name { get; set; } = null!; public string? City { get; set; }
    public List<Sale> Sales { get; } = new(); }
public class Sale { public int Id { get; set; } public int? ClientId { get; set; } public Client? Client { get; set; }
    public decimal Total { get; set; } public decimal? Tip { get; set; } public DateTime? SoldOn { get; set; }
    public Status Status { get; set; } public short Count { get; set; } public double Weight { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) {
    public DbSet<Client> Clients => Set<Client>(); public DbSet<Sale> Sales => Set<Sale>(); }
"""

TABLES: dict[str, list[dict[str, Any]]] = {
    "Clients": [
        {"Id": 1, "Name": "Ada", "City": "Prague"},
        {"Id": 2, "Name": "ada", "City": None},
        {"Id": 3, "Name": "Bob", "City": "Brno"},
    ],
    "Sales": [
        {
            "Id": 1,
            "ClientId": 1,
            "Total": "10.50",
            "Tip": None,
            "SoldOn": "2024-01-31T10:00:00",
            "Status": 1,
            "Count": 2,
            "Weight": 0.5,
        },
        {
            "Id": 2,
            "ClientId": 1,
            "Total": "3.00",
            "Tip": "0.10",
            "SoldOn": None,
            "Status": 2,
            "Count": -3,
            "Weight": 1.25,
        },
        {
            "Id": 3,
            "ClientId": None,
            "Total": "10.50",
            "Tip": "2.00",
            "SoldOn": "2024-02-29T00:00:00",
            "Status": 5,
            "Count": 7,
            "Weight": 0,
        },
    ],
}


def read(*texts: str) -> Program:
    return read_program([parse(f"input{i}.cs", text) for i, text in enumerate(texts)])


def schema_of(*texts: str) -> Schema:
    sources = [parse(f"input{i}.cs", text) for i, text in enumerate(texts)]
    return read_schemas(compile_sources(sources))[0].schema


def shop_database() -> Database:
    return build_database(DataFile("rows.json", TABLES), schema_of(SHOP))


def query(text: str) -> tuple[QueryMethod, Program]:
    """The method `M` with this body expression over `db`."""
    program = read(SHOP, "public static class Q { public static object M(ShopContext db) => " + text + "; }")
    method = program.methods[0]
    assert isinstance(method, QueryMethod), [str(d) for d in method.diagnostics]
    return method, program
