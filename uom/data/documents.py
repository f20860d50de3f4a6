"""Typed rows to the documents that a mapping asks for. The stored form of each value is the writer's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, time
from typing import Any

from uom.model.diagnostics import Diagnostic, Severity
from uom.model.mapping import DocumentMapping, EntityMapping, FieldMapping
from uom.model.schema import ComplexShape, Entity, Schema
from uom.model.types import ScalarType, Type
from uom.reference.values import Complex, Database, Row, Value
from uom.write.mongodb.stored import stored_constant


def documents(database: Database, schema: Schema, mapping: DocumentMapping) -> dict[str, list[dict[str, Any]]]:
    """Documents by collection, ready to be inserted. Collections without rows are there, empty."""
    collections: dict[str, list[dict[str, Any]]] = {}
    for root, rows in database.rows.items():
        target = collections.setdefault(mapping.entity(root).collection, [])
        for number, row in enumerate(rows, 1):
            document = _document(row, schema, mapping.entity(row.entity))
            document.setdefault("_id", number)
            target.append(document)
    for table, links in database.joins.items():
        join = next((j for j in mapping.joins if j.table == table), None)
        if join is not None:
            types = dict(_join_types(schema, table))
            target = collections.setdefault(join.collection, [])
            for number, link in enumerate(links, 1):
                fields = {field: stored_constant(link[column], types[column]) for column, field in join.columns}
                target.append({"_id": number, **fields})
    return collections


def losses(database: Database) -> list[Diagnostic]:
    """What documents cannot hold of these rows: MongoDB's dates end with the millisecond."""
    found: Counter[str] = Counter()
    for rows in database.rows.values():
        for row in rows:
            found.update(f"{row.entity}.{path}" for path in _finer(row.values))
    return [
        Diagnostic(
            Severity.LOSS,
            name,
            f"{count} of its values have fractions below a millisecond, which MongoDB does not store",
            remedy="Rows are compared to the millisecond; where such a fraction decides a query, it is different.",
        )
        for name, count in found.items()
    ]


def _finer(values: Mapping[str, Value]) -> Iterator[str]:
    """Paths of such values, also within what a row owns."""
    for name, value in values.items():
        for part in value if isinstance(value, list) else (value,):
            if isinstance(part, Complex):
                yield from (f"{name}.{path}" for path in _finer(part.values))
            elif _is_finer(part):
                yield name


def _is_finer(value: Value) -> bool:
    return isinstance(value, datetime | time) and bool(value.microsecond % 1000)


def _document(row: Row, schema: Schema, mapping: EntityMapping) -> dict[str, Any]:
    entity = schema.entity(row.entity)
    document: dict[str, Any] = {}
    for field in mapping.fields:
        _put(document, field.path, _stored(row.values.get(field.property), field, entity, schema))
    if mapping.discriminator is not None and entity.discriminator is not None:
        value = dict(entity.discriminator.values)[entity.name]
        _put(document, mapping.discriminator, value)
    return document


def _stored(value: Value, field: FieldMapping, owner: Entity | ComplexShape, schema: Schema) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_stored(item, field, owner, schema) for item in value]
    if isinstance(value, Complex):
        shape = schema.complex(value.name)
        inner: dict[str, Any] = {}
        for member in field.members:
            _put(inner, member.path, _stored(value.values.get(member.property), member, shape, schema))
        return inner
    property_ = owner.property(field.property)
    type_: Type | None = property_.type if property_ is not None else None
    return stored_constant(value, type_) if type_ is not None else None


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for name in parents:
        document = document.setdefault(name, {})
    document[last] = value


def _join_types(schema: Schema, table: str) -> Iterator[tuple[str, ScalarType]]:
    for entity in schema.entities:
        for navigation in entity.navigations:
            join = navigation.join_table
            if join is None or join.table != table:
                continue
            for owner, pairs in (
                (entity, join.source_columns),
                (schema.entity(navigation.target), join.target_columns),
            ):
                for column, key in pairs:
                    property_ = owner.property(key)
                    if property_ is not None and isinstance(property_.type, ScalarType):
                        yield column, property_.type
