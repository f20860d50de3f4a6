"""A data file (JSON, one list of rows per table, as a database export has them) to typed rows of the model.

Decimals come as text or number, dates as ISO text, Guids as text, bytes as base64. Everything is checked: a missing
table, a wrong type and a broken foreign key are named with table, row number and column.
"""

from __future__ import annotations

import binascii
import codecs
import hashlib
import json
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from uom.data.parsing import parse_value
from uom.model.diagnostics import Diagnostic, Severity
from uom.model.schema import ComplexProperty, Entity, NavigationKind, Property, Schema
from uom.model.types import ScalarType, Type
from uom.reference.values import Complex, Database, Row, Value

Table = Sequence[Mapping[str, Any]]
Tables = Mapping[str, Table]


class DataProblem(Exception):
    """The data file does not fit the model; `diagnostic` names table, row and column."""

    def __init__(self, construct: str, reason: str, file: str, remedy: str = "") -> None:
        super().__init__(reason)
        where = construct if construct == "data file" else f"{file}, {construct}"
        self.diagnostic = Diagnostic(Severity.INPUT, where, reason, None, remedy)


@dataclass(frozen=True, slots=True)
class DataFile:
    """Raw tables and the name of the file they came from."""

    name: str
    tables: Tables
    sha256: str = ""


def read_data_file(path: Path) -> DataFile:
    """Reads a JSON file: `{"tables": {name: [row, ...]}}` or the tables at top level. Numbers keep all their digits."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataProblem("data file", f"{path} does not exist", path.name, "Check --data.") from None
    except OSError as error:
        raise DataProblem("data file", f"{path} cannot be read: {error.strerror}", path.name, "Check --data.") from None
    content = _json(path, data)
    wrapped = isinstance(content, dict) and "tables" in content
    tables = content["tables"] if wrapped else content
    if not isinstance(tables, dict):
        raise DataProblem(
            "data file", "an object of tables is expected", path.name, 'Write {"tables": {"Orders": [...]}}.'
        )
    for name, rows in tables.items():
        if not isinstance(rows, list):
            if wrapped:
                raise DataProblem(f"table {name}", "a list of rows is expected", path.name, 'Write [{"Id": 1, ...}].')
            continue
        wrong = next((n for n, r in enumerate(rows, 1) if not isinstance(r, dict)), None)
        if wrong is not None:
            raise DataProblem(
                f"table {name}, row {wrong}", "a row must be an object", path.name, 'Write {"Id": 1, ...}.'
            )
    found = {n: r for n, r in tables.items() if isinstance(r, list)}
    return DataFile(path.name, found, hashlib.sha256(data).hexdigest())


def _json(path: Path, data: bytes) -> Any:
    try:
        text = data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
        return json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_without_twins)
    except UnicodeDecodeError:
        reason, remedy = f"{path} is not UTF-8 text", "Save it as UTF-8."
    except RecursionError:
        reason, remedy = f"{path} is nested too deeply", "Export tables as JSON."
    except ValueError as error:
        reason, remedy = f"{path} is not valid JSON: {error}", "Export tables as JSON."
    raise DataProblem("data file", reason, path.name, remedy)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two members with the same name one would be lost without a word."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twin = next(n for i, (n, _) in enumerate(pairs) if n in dict(pairs[:i]))
        raise ValueError(f"'{twin[:80]}' occurs twice in one object")
    return found


def build_database(data: DataFile, schema: Schema, needed: Collection[str] | None = None) -> Database:
    """Typed rows of every entity. Raises DataProblem at the first thing that does not fit.

    `needed` names the entities whose tables must be there (None: all); others without a table stay out.
    """
    rows: dict[str, list[Row]] = {}
    for entity in schema.entities:
        if entity.base is not None or entity.unsupported:
            continue
        table = _entity_table(data, entity)
        if table is not None:
            rows[entity.name] = _with_collections(
                data, schema, entity, _entity_rows(data, schema, entity, table), needed
            )
        elif needed is None or any(name in needed for name in schema.descendants(entity.name)):
            raise _no_table(data, entity)
    joins = _join_rows(data, schema, needed)
    database = Database(rows, joins)
    check_foreign_keys(data.name, schema, database)
    return database


def find_table(data: DataFile, table: str, schema: str | None) -> Table | None:
    """The rows of a table: by `schema.table`, else by its bare name; case decides only among several."""
    wanted = [f"{schema}.{table}", table] if schema else [table]
    for name in wanted:
        if name in data.tables:
            return data.tables[name]
    lowered = {n.lower(): r for n, r in data.tables.items()}
    return next((lowered[n.lower()] for n in wanted if n.lower() in lowered), None)


def _entity_table(data: DataFile, entity: Entity) -> Table | None:
    names = [entity.table or entity.name, *entity.set_names, entity.name]
    return next((t for n in names if (t := find_table(data, n, entity.schema)) is not None), None)


def _no_table(data: DataFile, entity: Entity) -> DataProblem:
    known = ", ".join(sorted(data.tables)) or "none"
    reason = f"the file has no table for entity {entity.name} (it has: {known})"
    return DataProblem(f"table {entity.table}", reason, data.name, "Add the table (an empty list will do).")


def _entity_rows(data: DataFile, schema: Schema, entity: Entity, table: Table) -> list[Row]:
    family = {e.name: e for e in schema.entities if _is_below(schema, e, entity.name)}
    found = []
    for number, raw in enumerate(table, 1):
        reader = _RowReader(data.name, entity.table or entity.name, number, raw)
        concrete = family[_concrete(entity, reader)]
        values: dict[str, Value] = {p.name: reader.property(p) for p in concrete.properties}
        for complex_ in concrete.complexes:
            stored_here = not complex_.collection and not complex_.unsupported
            values[complex_.name] = _complex(schema, complex_, complex_.columns, "", reader) if stored_here else None
        identity: tuple[Hashable, ...] = tuple(str(values[k]) for k in concrete.key) or (number,)
        found.append(Row(concrete.name, values, (entity.name, *identity)))
    _check_keys(data.name, entity, found)
    return found


def _is_below(schema: Schema, entity: Entity, root: str) -> bool:
    current: Entity | None = entity
    while current is not None:
        if current.name == root:
            return True
        current = schema.entity(current.base) if current.base is not None else None
    return False


def _concrete(entity: Entity, reader: _RowReader) -> str:
    if entity.discriminator is None:
        return entity.name
    stored = reader.column(entity.discriminator.column)
    for name, value in entity.discriminator.values:
        if value == stored:
            return name
    raise reader.problem(entity.discriminator.column, f"{_shown(stored)} names no type of {entity.name}")


def _with_collections(
    data: DataFile, schema: Schema, entity: Entity, rows: list[Row], needed: Collection[str] | None
) -> list[Row]:
    """The rows with what they own in tables of their own. A collection that nobody needs may have no table."""
    family = [e for e in schema.entities if _is_below(schema, e, entity.name)]
    for owner, collection in owned_collections(family):
        table = find_table(data, collection.table or "", collection.schema)
        holders = [e.name for e in family if collection in e.complexes]
        if table is None:
            if needed is None or any(f"{name}.{collection.name}" in needed for name in holders):
                reason = f"the file has no table for the owned values {owner.name}.{collection.name}"
                raise DataProblem(
                    f"table {collection.table}", reason, data.name, "Add the table (an empty list will do)."
                )
            continue
        found = _owned_values(data, schema, owner, collection, table, [r for r in rows if r.entity in holders])
        rows = [
            replace(r, values={**r.values, collection.name: found[r.identity]}) if r.identity in found else r
            for r in rows
        ]
    return rows


def owned_collections(entities: Iterable[Entity]) -> list[tuple[Entity, ComplexProperty]]:
    """The collections of owned values that have a table, each with the first of the entities that has it."""
    found: dict[ComplexProperty, Entity] = {}
    for entity in entities:
        for complex_ in entity.complexes:
            if complex_.collection and not complex_.unsupported:
                found.setdefault(complex_, entity)
    return [(entity, complex_) for complex_, entity in found.items()]


def _owned_values(
    data: DataFile, schema: Schema, owner: Entity, collection: ComplexProperty, table: Table, rows: Sequence[Row]
) -> dict[tuple[Hashable, ...], list[Complex]]:
    """By the owner's identity, in the order of the file. Each must find its owner."""
    keys = [p for name in owner.key if (p := owner.property(name)) is not None]
    found: dict[tuple[Hashable, ...], list[Complex]] = {row.identity: [] for row in rows}
    owners = {tuple(row.values[p.name] for p in keys): row.identity for row in rows}
    for number, raw in enumerate(table, 1):
        reader = _RowReader(data.name, collection.table or "", number, raw)
        value = tuple(reader.property(p, c) for p, c in zip(keys, collection.owner_columns, strict=True))
        identity = owners.get(value)
        if identity is None:
            shown = ", ".join(f"{c} = {v}" for c, v in zip(collection.owner_columns, value, strict=True))
            raise DataProblem(
                f"{collection.table}, row {number}", f"{shown} has no row in {owner.table}", data.name, "Add the row."
            )
        made = _complex(schema, replace(collection, nullable=False), collection.columns, "", reader)
        assert made is not None
        found[identity].append(made)
    return found


def unknown_tables(data: DataFile, schemas: Iterable[Schema]) -> list[Diagnostic]:
    """Tables of the file that nothing in the code is stored in: misspelt ones leave queries without rows."""
    known: set[str] = set()
    for schema in schemas:
        for entity in schema.entities:
            known |= {entity.name, entity.table or "", *entity.set_names}
            known |= {c.table for c in entity.complexes if c.table}
            known |= {n.join_table.table for n in entity.navigations if n.join_table is not None}
    lowered = {name.lower() for name in known}
    unknown = [name for name in data.tables if not {name.lower(), name.lower().rpartition(".")[2]} & lowered]
    if not unknown:
        return []
    named = f"{'tables' if len(unknown) > 1 else 'table'} {', '.join(unknown)}"
    reason = "no entity, join table or owned collection of the code is stored in it, so its rows prove nothing"
    remedy = "Correct the name, or leave the table out of the data file."
    return [Diagnostic(Severity.LOSS, f"{data.name}, {named}", reason, None, remedy)]


def _complex(
    schema: Schema, complex_: ComplexProperty, columns: tuple[tuple[str, str], ...], prefix: str, reader: _RowReader
) -> Complex | None:
    shape = schema.complex(complex_.complex_name)
    by_path = dict(columns)
    if complex_.nullable and all(reader.column(c) is None for path, c in columns if path.startswith(prefix)):
        return None
    values: dict[str, Value] = {}
    for property_ in shape.properties:
        values[property_.name] = reader.property(property_, by_path[prefix + property_.name])
    for inner in shape.complexes:
        values[inner.name] = _complex(schema, inner, columns, f"{prefix}{inner.name}.", reader)
    return Complex(complex_.complex_name, values)


@dataclass(frozen=True, slots=True)
class _RowReader:
    file: str
    table: str
    number: int
    raw: Mapping[str, Any]

    def column(self, name: str) -> Any:
        if name in self.raw:
            return self.raw[name]
        lowered = name.lower()
        for column, value in self.raw.items():
            if column.lower() == lowered:
                return value
        return None

    def property(self, property_: Property, column: str | None = None) -> Value:
        name = column or property_.column
        raw = self.column(name)
        if raw is None:
            if not property_.type.nullable and not property_.shadow:
                raise self.problem(name, f"it is missing or null, but {property_.name} is required")
            return None
        if property_.unsupported:
            return None
        if property_.converter is not None:
            for value, stored in property_.converter.pairs:
                if stored == raw:
                    return value
            raise self.problem(name, f"{_shown(raw)} is no stored value of {property_.name}")
        try:
            return parse_value(raw, property_.type)
        except (ValueError, ArithmeticError, TypeError, binascii.Error):
            raise self.problem(name, f"{_shown(raw)} is no {_type_name(property_.type)}") from None

    def problem(self, column: str, reason: str) -> DataProblem:
        return DataProblem(
            f"{self.table}, row {self.number}, column {column}", reason, self.file, "Correct the data file."
        )


def _shown(raw: Any) -> str:
    text = repr(raw) if not isinstance(raw, Decimal) else str(raw)
    return text if len(text) <= 80 else text[:77] + "..."


def _type_name(type_: Type) -> str:
    return type_.kind.value if isinstance(type_, ScalarType) else getattr(type_, "name", "value")


def _join_rows(data: DataFile, schema: Schema, needed: Collection[str] | None) -> dict[str, list[Mapping[str, Value]]]:
    joins: dict[str, list[Mapping[str, Value]]] = {}
    for entity in schema.entities:
        for navigation in entity.navigations:
            join = navigation.join_table
            if navigation.kind is not NavigationKind.SKIP or join is None or join.table in joins:
                continue
            table = find_table(data, join.table, join.schema)
            if table is None and needed is not None and not {entity.name, navigation.target} <= set(needed):
                continue
            if table is None:
                raise DataProblem(f"table {join.table}", f"the file has no join table for {entity.name}.{navigation.name}",
                                  data.name, "Add the table (an empty list will do).")  # fmt: skip
            columns = [(c, entity.property(k)) for c, k in join.source_columns]
            columns += [(c, schema.entity(navigation.target).property(k)) for c, k in join.target_columns]
            joins[join.table] = [
                {c: _RowReader(data.name, join.table, n, raw).property(p, c) for c, p in columns if p is not None}
                for n, raw in enumerate(table, 1)
            ]
    return joins


def _check_keys(file: str, entity: Entity, rows: Sequence[Row]) -> None:
    seen: set[Hashable] = set()
    for number, row in enumerate(rows, 1):
        if entity.key and row.identity in seen:
            key = ", ".join(f"{k} = {row.values[k]}" for k in entity.key)
            raise DataProblem(
                f"{entity.table}, row {number}", f"the key {key} occurs twice", file, "Keys must be unique."
            )
        seen.add(row.identity)


def check_foreign_keys(file: str, schema: Schema, database: Database) -> None:
    """Each foreign key that is not null must find its row."""
    for entity in schema.entities:
        for navigation in entity.navigations:
            key = navigation.foreign_key
            if not navigation.on_dependent or key is None or not _is_loaded(schema, database, key.principal):
                continue
            targets = {
                tuple(row.values[p] for p in key.principal_properties)
                for row in _rows_of(schema, database, key.principal)
            }
            for number, row in enumerate(_rows_of(schema, database, entity.name), 1):
                value = tuple(row.values[p] for p in key.properties)
                if None not in value and value not in targets:
                    shown = ", ".join(f"{p} = {v}" for p, v in zip(key.properties, value, strict=True))
                    raise DataProblem(
                        f"{entity.table}, row {number}",
                        f"{shown} has no row in {schema.entity(key.principal).table}",
                        file,
                        "Add the row or set the column to null.",
                    )


def _is_loaded(schema: Schema, database: Database, entity: str) -> bool:
    return any(_is_below(schema, schema.entity(entity), root) for root in database.rows)


def _rows_of(schema: Schema, database: Database, entity: str) -> list[Row]:
    family = set(schema.descendants(entity))
    root = schema.entity(entity)
    while root.base is not None:
        root = schema.entity(root.base)
    return [r for r in database.rows.get(root.name, ()) if r.entity in family]
