"""Entity classes: what a query reads, `save` stores again as it was, and `remove` finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymongo
import pytest

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
import org.springframework.data.mongodb.core.MongoTemplate;

public class Main {
    public static void main(String[] arguments) {
        try (var client = MongoClients.create(com.example.app.MongoConfig.settings(arguments[0]))) {
            var source = com.example.app.MongoConfig.template(client, "read");
            var saved = com.example.app.MongoConfig.template(client, "saved");
            var removed = com.example.app.MongoConfig.template(client, "removed");
            var queries = new com.example.app.Everything(source);
            CALLS
        }
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


@pytest.mark.parametrize("name", FOLDERS)
def test_save_stores_what_was_read(name: str, server: str, java: JavaWorker) -> None:
    folder, data = FOLDERS[name]
    program = read_program([parse(f.name, decode(f.name, f.read_bytes())) for f in sorted(folder.glob("*.cs"))])
    (schema,) = program.schemas
    bundle = _bundle(schema)
    assert bundle.refusals == ()
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    for database in ("read", "saved", "removed"):
        client.drop_database(database)
    stored = documents(build_database(read_data_file(folder / data), schema), schema, default_mapping(schema))
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
