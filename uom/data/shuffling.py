"""Rows dealt out anew, and rows taken away: what is left hangs together as it did."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from uom.model.schema import Entity, ForeignKey, NavigationKind, Schema
from uom.reference.values import Database, Row, Value


def dealt(database: Database, schema: Schema, draw: random.Random) -> Database:
    """The rows with their values dealt out anew.

    Each column keeps its values, but among its rows they change places; foreign keys change as a whole, so that every
    one still finds its row. Keys, and what foreign keys refer to, stay.
    """
    return replace(database, rows={root: _dealt(found, schema, draw) for root, found in database.rows.items()})


def _dealt(rows: Sequence[Row], schema: Schema, draw: random.Random) -> list[Row]:
    of_kind: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        of_kind[row.entity].append(index)
    values = [dict(row.values) for row in rows]
    for name, indexes in sorted(of_kind.items()):
        for columns in _movable(schema.entity(name), schema):
            dealt = [tuple(rows[i].values[c] for c in columns) for i in indexes]
            draw.shuffle(dealt)
            for index, given in zip(indexes, dealt, strict=True):
                values[index].update(zip(columns, given, strict=True))
    return [replace(row, values=found) for row, found in zip(rows, values, strict=True)]


def bound_columns(entity: Entity, schema: Schema) -> frozenset[str]:
    """Properties that lead from row to row: keys, what foreign keys refer to, and foreign keys."""
    own = {p for key in _foreign_keys(entity, schema) for p in key.properties}
    return frozenset({*entity.key, *own, *(p for key in _all_foreign_keys(schema) for p in key.principal_properties)})


def _movable(entity: Entity, schema: Schema) -> list[tuple[str, ...]]:
    """Columns that may change places, those of a foreign key together."""
    own = _foreign_keys(entity, schema)
    fixed = set(entity.key) | {p for key in _all_foreign_keys(schema) for p in key.principal_properties}
    together = [key.properties for key in own if fixed.isdisjoint(key.properties)]
    # keys that share a column cannot be moved one without the other
    shared = {p for key in own for p in key.properties if sum(p in other.properties for other in own) > 1}
    together = [properties for properties in dict.fromkeys(together) if shared.isdisjoint(properties)]
    bound = fixed | {p for key in own for p in key.properties}
    names = [p.name for p in entity.properties] + [c.name for c in entity.complexes]
    return [*together, *((name,) for name in names if name not in bound)]


def _foreign_keys(entity: Entity, schema: Schema) -> list[ForeignKey]:
    """Those whose columns stand in the entity's rows, inherited ones included."""
    line = {entity.name}
    base = entity.base
    while base is not None:
        line.add(base)
        base = schema.entity(base).base
    return [key for key in _all_foreign_keys(schema) if key.dependent in line]


def _all_foreign_keys(schema: Schema) -> list[ForeignKey]:
    keys = (n.foreign_key for e in schema.entities for n in e.navigations)
    return list(dict.fromkeys(key for key in keys if key is not None))


def without(database: Database, schema: Schema, gone: Container[tuple[object, ...]]) -> Database:
    """The rows but for those that are gone and those that refer to them, directly or not."""
    rows = {root: [r for r in found if r.identity not in gone] for root, found in database.rows.items()}
    keys = [key for key in _all_foreign_keys(schema) if _is_loaded(key.principal, schema, database)]
    while True:
        there = {key: _values(key.principal, key.principal_properties, schema, rows) for key in keys}
        family = {key: set(schema.descendants(key.dependent)) for key in keys}
        kept = {
            root: [r for r in found if all(r.entity not in family[k] or _finds(r, k, there[k]) for k in keys)]
            for root, found in rows.items()
        }
        if all(len(kept[root]) == len(found) for root, found in rows.items()):
            return Database(rows, _links(database, schema, rows))
        rows = kept


def _is_loaded(entity: str, schema: Schema, database: Database) -> bool:
    return any(entity in schema.descendants(root) for root in database.rows)


def _finds(row: Row, key: ForeignKey, there: set[tuple[Value, ...]]) -> bool:
    value = tuple(row.values.get(p) for p in key.properties)
    return None in value or value in there


def _values(
    entity: str, properties: Sequence[str], schema: Schema, rows: Mapping[str, Sequence[Row]]
) -> set[tuple[Value, ...]]:
    family = set(schema.descendants(entity))
    found = (row for every in rows.values() for row in every if row.entity in family)
    return {tuple(row.values[p] for p in properties) for row in found}


def _links(
    database: Database, schema: Schema, rows: Mapping[str, Sequence[Row]]
) -> dict[str, list[Mapping[str, Value]]]:
    """The rows of pure join tables whose both ends are there."""
    joins = {table: list(links) for table, links in database.joins.items()}
    for entity in schema.entities:
        for navigation in entity.navigations:
            join = navigation.join_table
            if navigation.kind is not NavigationKind.SKIP or join is None or join.table not in joins:
                continue
            for owner, pairs in ((entity.name, join.source_columns), (navigation.target, join.target_columns)):
                ends = _values(owner, [key for _, key in pairs], schema, rows)
                joins[join.table] = [
                    link for link in joins[join.table] if tuple(link[column] for column, _ in pairs) in ends
                ]
    return joins
