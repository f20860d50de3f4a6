"""Entity classes: what a query reads, `save` stores again as it was, and `remove` finds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pymongo
import pytest
from bson import Decimal128

from uom.data.documents import documents
from uom.data.rows import build_database, read_data_file
from uom.model.bundle import JavaBundle
from uom.model.diagnostics import Place
from uom.model.expressions import Subquery
from uom.model.program import QueryMethod, ResultShape, Semantics
from uom.model.queries import Scan
from uom.model.schema import Schema
from uom.model.types import EntityType, SequenceType
from uom.plan.mapping.documents import default_mapping
from uom.read import read_program
from uom.read.csharp.syntax import decode, parse
from uom.run.java.worker import JavaWorker, RunStatus
from uom.write.mongodb import JavaOptions, write_bundle

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "northwind": (ROOT / "examples" / "northwind", "northwind.json"),
    "clinic": (ROOT / "tests" / "corpus" / "clinic", "data.json"),
    "warehouse": (ROOT / "tests" / "corpus" / "warehouse", "data.json"),
}

MAIN = """\
package roundtrip;

import com.mongodb.client.MongoClients;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;

public class Main {
    public static void main(String[] arguments) {
        try (var client = MongoClients.create(com.example.app.MongoConfig.settings(arguments[0]))) {
            var source = com.example.app.MongoConfig.template(client, "read");
            var saved = com.example.app.MongoConfig.template(client, "saved");
            var removed = com.example.app.MongoConfig.template(client, "removed");
            var queries = inContainer(source);
            CALLS
        }
    }

    /** The configuration as Spring Boot would find it. */
    private static com.example.app.Everything inContainer(MongoTemplate plain) {
        var container = new AnnotationConfigApplicationContext();
        container.registerBean(MongoDatabaseFactory.class, plain::getMongoDatabaseFactory);
        container.register(com.example.app.MongoConfig.class, com.example.app.Everything.class);
        container.refresh();
        return container.getBean(com.example.app.Everything.class);
    }

    private static void copy(Iterable<?> rows, MongoTemplate saved, MongoTemplate removed) {
        for (Object row : rows) {
            saved.save(row);
            saved.save(row);
            removed.insert(row);
            removed.remove(row);
        }
    }
}
"""


def _bundle(schema: Schema) -> JavaBundle:
    """Methods that read all rows of each root entity."""
    methods = []
    for entity in schema.entities:
        if entity.base is None and not entity.unsupported and entity.key:
            body = Subquery(Scan(entity.name, EntityType(entity.name)), SequenceType(EntityType(entity.name)))
            place = Place("Everything.cs", 1, 1)
            methods.append(
                QueryMethod(
                    f"All{entity.name}", "Everything", (), body, ResultShape.ROWS, body.type, schema.context, place, 1
                )
            )
    return write_bundle(methods, schema, default_mapping(schema), Semantics(), JavaOptions())


ENOUGH = 25
"""Rows of each entity that are copied."""

ZOO = """
using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

public class Animal { public int Id { get; set; } public string Kind { get; set; } = ""; public string Name { get; set; } = ""; }
public class Dog : Animal { public decimal? Weight { get; set; } }
public class Cat : Animal { public DateTimeOffset? Seen { get; set; } }
[PrimaryKey(nameof(Code), nameof(Id))]
public class Visit
{
    public string Code { get; set; } = "";
    public int Id { get; set; }
    public Guid? Ticket { get; set; }
    public TimeOnly? At { get; set; }
    public byte[]? Photo { get; set; }
    public List<Note> Notes { get; set; } = new();
}
[Owned] public class Note { public string? Text { get; set; } public TimeSpan Took { get; set; } }
public class Zoo : DbContext
{
    public DbSet<Animal> Animals { get; set; }
    public DbSet<Visit> Visits { get; set; }
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Animal>().HasDiscriminator(a => a.Kind).HasValue<Dog>("dog").HasValue<Cat>("cat");
    }
}
public class Queries(Zoo db)
{
    public List<Visit> One(string code, int id) => db.Visits.Where(v => v.Code == code && v.Id == id).ToList();
}
"""
ZOO_STORED: dict[str, list[dict[str, Any]]] = {
    "animals": [
        {"_id": 1, "kind": "dog", "name": "Rex", "weight": Decimal128("10.50")},
        {"_id": 2, "kind": "cat", "name": "Tom", "seen": datetime(2024, 1, 2, 3, 4, 5)},
    ],
    "visits": [
        {"_id": {"code": "65a000000000000000000001", "id": 7}, "photo": b"abc", "at": datetime(1970, 1, 1, 9, 30)},
        {"_id": {"code": "b", "id": 8}, "ticket": UUID(int=5)},
    ],
}


@pytest.mark.parametrize("name", FOLDERS)
def test_save_stores_what_was_read(name: str, server: str, java: JavaWorker) -> None:
    folder, data = FOLDERS[name]
    program = read_program([parse(f.name, decode(f.name, f.read_bytes())) for f in sorted(folder.glob("*.cs"))])
    (schema,) = program.schemas
    stored = documents(build_database(read_data_file(folder / data), schema), schema, default_mapping(schema))
    _copy_and_compare(schema, {name: rows[:ENOUGH] for name, rows in stored.items()}, server, java)


def test_unusual_keys_and_types(server: str, java: JavaWorker) -> None:
    """A hierarchy told apart by a property, a key with a part `Id` and a text that looks like an ObjectId."""
    (schema,) = read_program([parse("Zoo.cs", ZOO)]).schemas
    _copy_and_compare(schema, ZOO_STORED, server, java)


def _copy_and_compare(
    schema: Schema, stored: Mapping[str, list[dict[str, Any]]], server: str, java: JavaWorker
) -> None:
    bundle = _bundle(schema)
    assert bundle.refusals == ()
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    for database in ("read", "saved", "removed"):
        client.drop_database(database)
    for collection, rows in stored.items():
        if rows:
            client["read"][collection].insert_many(rows)
    calls = [f"copy(queries.{m.name}(), saved, removed);" for m in bundle.methods]
    files = {**dict(bundle.files), "src/main/java/roundtrip/Main.java": MAIN.replace("CALLS", "\n".join(calls))}
    run = java.run(files, "roundtrip.Main", [server], 25, 120)
    assert run.status is RunStatus.OK, (run.diagnostics[:5], run.trace, run.stderr[-2000:])
    joins = {join.collection for join in default_mapping(schema).joins}
    for collection in stored:
        if collection not in joins:
            assert _sorted(client["saved"][collection]) == _sorted(client["read"][collection])
            assert client["removed"][collection].count_documents({}) == 0
    client.close()


def _sorted(collection: Any) -> list[dict[str, Any]]:
    """Spring leaves nulls out, and a missing field means null to every query (`test_missing_counts_as_null`)."""
    return sorted((_without_nulls(document) for document in collection.find()), key=repr)


def _without_nulls(value: Any) -> Any:
    """Fields in the order of their names, but for those of keys, where the order counts."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        k: list(v.items()) if k == "_id" and isinstance(v, dict) else _without_nulls(v)
        for k, v in sorted(value.items())
        if v is not None
    }
