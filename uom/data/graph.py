"""Typed rows to the nodes and relationships that a graph design asks for.

The stored form of each value: bool and text as they are; char, Guid and enums stored by name as text; all other
integers and enums as integers; float and double as floats; decimals as the integer value * 10**scale; DateTime as local
date-time, DateTimeOffset as zoned date-time in UTC, DateOnly as date, TimeOnly as local time; TimeSpan as ticks of 100 ns;
byte[] as bytes. Null is no property.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, Inexact
from typing import Any

from uom.data.rows import DataFile, DataProblem
from uom.model.mapping import EntityRelationship, ForeignKeyRelationship, GraphMapping, GraphProperty, JoinRelationship
from uom.model.program import Semantics
from uom.model.schema import ComplexShape, Entity, Property, Schema
from uom.model.types import EnumType, Kind, ScalarType
from uom.reference.values import Complex, Database, Row, Value, canonical

_EXACT = Context(prec=60, traps=[Inexact])
_LONGS = range(-(2**63), 2**63)

Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Nodes with the same labels. `numbers` are unique over all sets; relationships refer to them."""

    labels: tuple[str, ...]
    numbers: tuple[int, ...]
    properties: tuple[Properties, ...]


@dataclass(frozen=True, slots=True)
class RelationshipSet:
    """Relationships of one type: (number of the start node, number of the end node, properties)."""

    type: str
    links: tuple[tuple[int, int, Properties], ...]


@dataclass(frozen=True, slots=True)
class GraphContent:
    """Everything to be stored. `unique` are the (label, property) pairs whose values identify a node."""

    nodes: tuple[NodeSet, ...] = ()
    relationships: tuple[RelationshipSet, ...] = ()
    unique: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """Nodes and relationships."""
        return sum(len(s.numbers) for s in self.nodes) + sum(len(s.links) for s in self.relationships)


def graph_content(
    database: Database, schema: Schema, mapping: GraphMapping, semantics: Semantics, file: str = "data"
) -> GraphContent:
    """Raises DataProblem, naming `file`, for a value or a row that the design cannot hold."""
    builder = _Builder(database, schema, mapping, semantics, file)
    nodes = builder.nodes()
    return GraphContent(nodes, builder.relationships(), tuple(builder.unique()))


def plain_graph(data: DataFile) -> GraphContent:
    """Each row as it is, a node labelled with its table; what a property cannot hold becomes text."""
    sets = []
    start = 0
    for table, rows in data.tables.items():
        properties = tuple({n: _plain(v) for n, v in row.items() if v is not None} for row in rows)
        sets.append(NodeSet((table,), tuple(range(start, start + len(rows))), properties))
        start += len(rows)
    return GraphContent(tuple(s for s in sets if s.numbers))


def _plain(value: Any) -> Any:
    if isinstance(value, bool | str) or (isinstance(value, int) and value in _LONGS):
        return value
    return float(value) if isinstance(value, Decimal | float) else str(value)


@dataclass(slots=True)
class _Builder:
    database: Database
    schema: Schema
    mapping: GraphMapping
    semantics: Semantics
    file: str
    numbers: dict[int, int] = field(default_factory=dict)
    """Of the node of each row, by the row's id()."""
    indexes: dict[tuple[str, tuple[str, ...]], dict[tuple[object, ...], list[int]]] = field(default_factory=dict)

    def nodes(self) -> tuple[NodeSet, ...]:
        found: dict[tuple[str, ...], tuple[list[int], list[Properties]]] = {}
        for rows in self.database.rows.values():
            for place, row in enumerate(rows, 1):
                node = self.mapping.node(row.entity)
                if node is None:
                    continue
                properties = self.properties(row, node.properties, place)
                if node.key is not None:
                    properties[node.key] = "|".join(_key_text(properties, p, node.properties) for p in self.key(row))
                numbers, stored = found.setdefault(node.labels, ([], []))
                number = self.numbers[id(row)] = len(self.numbers)
                numbers.append(number)
                stored.append(properties)
        return tuple(NodeSet(labels, tuple(n), tuple(p)) for labels, (n, p) in found.items())

    def key(self, row: Row) -> tuple[str, ...]:
        return self.root(row.entity).key

    def root(self, entity: str) -> Entity:
        found = self.schema.entity(entity)
        while found.base is not None:
            found = self.schema.entity(found.base)
        return found

    def unique(self) -> Iterator[tuple[str, str]]:
        for name in self.database.rows:
            node, key = self.mapping.node(name), self.schema.entity(name).key
            if node is None or not key:
                continue
            stored = node.key or next((p.name for p in node.properties if p.property == key[0]), None)
            if stored is not None:
                yield node.labels[0], stored

    def properties(self, row: Row, mapped: Sequence[GraphProperty], place: int) -> dict[str, Any]:
        stored: dict[str, Any] = {}
        for one in mapped:
            value, property_ = self.value(row, one.property)
            if value is not None and property_ is not None:
                stored[one.name] = self.stored(value, property_, one, row, place)
        return stored

    def value(self, row: Row, path: str) -> tuple[Value, Property | None]:
        """The value at a C# path, and what the schema says about it."""
        owner: Entity | ComplexShape = self.schema.entity(row.entity)
        values = row.values
        *parents, last = path.split(".")
        for name in parents:
            part = values.get(name)
            if not isinstance(part, Complex):
                return None, None
            owner, values = self.schema.complex(part.name), part.values
        return values.get(last), owner.property(last)

    def stored(self, value: Value, property_: Property, mapped: GraphProperty, row: Row, place: int) -> Any:
        try:
            return _stored(value, property_, mapped.scale)
        except (ArithmeticError, OverflowError, ValueError, TypeError) as error:
            table = self.root(row.entity).table or row.entity
            column = property_.column if "." not in mapped.property else mapped.property.replace(".", "_")
            reason = f"the graph cannot hold {value}: {error}"
            remedy = "Leave the row out, or change the property's type."
            if mapped.scale is not None:
                reason = f"{value} has no exact form as an integer of 64 bits with scale {mapped.scale}"
                remedy = f"Change `scale` of {row.entity}.{mapped.property} in mapping.yaml."
            raise DataProblem(f"{table}, row {place}, column {column}", reason, self.file, remedy) from None

    def relationships(self) -> tuple[RelationshipSet, ...]:
        found = [RelationshipSet(r.type, tuple(self.by_foreign_key(r))) for r in self.mapping.foreign_keys]
        found += [RelationshipSet(r.type, tuple(self.by_join_table(r))) for r in self.mapping.joins]
        found += [RelationshipSet(r.type, tuple(self.by_entity(r))) for r in self.mapping.entities]
        return tuple(s for s in found if s.links)

    def by_foreign_key(self, mapped: ForeignKeyRelationship) -> Iterator[tuple[int, int, Properties]]:
        key = mapped.foreign_key
        for row in self.rows_of(key.dependent):
            here = self.numbers.get(id(row))
            if here is None:
                continue
            for there in self.find(
                key.principal, key.principal_properties, [row.values.get(p) for p in key.properties]
            ):
                yield (there, here, {}) if mapped.from_principal else (here, there, {})

    def by_join_table(self, mapped: JoinRelationship) -> Iterator[tuple[int, int, Properties]]:
        for link in self.database.joins.get(mapped.table, ()):
            ends = (
                self.find(entity, tuple(p for _, p in columns), [link[c] for c, _ in columns])
                for entity, columns in ((mapped.start, mapped.start_columns), (mapped.end, mapped.end_columns))
            )
            starts, targets = ends
            yield from ((start, end, {}) for start in starts for end in targets)

    def by_entity(self, mapped: EntityRelationship) -> Iterator[tuple[int, int, Properties]]:
        for place, row in enumerate(self.rows_of(mapped.entity), 1):
            ends = [
                self.find(key.principal, key.principal_properties, [row.values.get(p) for p in key.properties])
                for key in (mapped.start_key, mapped.end_key)
            ]
            if not all(ends):
                raise DataProblem(
                    f"{self.root(row.entity).table or row.entity}, row {place}",
                    f"as a relationship {mapped.type} it needs a row at both ends, and one is missing",
                    self.file,
                    f"Add the row, or store {mapped.entity} as a node in mapping.yaml.",
                )
            yield ends[0][0], ends[1][0], self.properties(row, mapped.properties, place)

    def rows_of(self, entity: str) -> Iterator[Row]:
        family = set(self.schema.descendants(entity))
        return (r for r in self.database.rows.get(self.root(entity).name, ()) if r.entity in family)

    def find(self, entity: str, properties: tuple[str, ...], values: Sequence[Value]) -> list[int]:
        """Numbers of the nodes with these values; null finds nothing."""
        if any(v is None for v in values):
            return []
        index = self.indexes.get((entity, properties))
        if index is None:
            index = self.indexes[entity, properties] = {}
            for row in self.rows_of(entity):
                if id(row) in self.numbers:
                    key = self.folded([row.values.get(p) for p in properties])
                    index.setdefault(key, []).append(self.numbers[id(row)])
        return index.get(self.folded(values), [])

    def folded(self, values: Sequence[Value]) -> tuple[object, ...]:
        return tuple(canonical(v, self.semantics) for v in values)


def _key_text(stored: Properties, name: str, mapped: Sequence[GraphProperty]) -> str:
    found = next(p.name for p in mapped if p.property == name)
    value = stored.get(found, "")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _stored(value: Value, property_: Property, scale: int | None) -> Any:
    if isinstance(property_.type, EnumType):
        assert isinstance(value, int)
        stored = property_.type.stored_value(value)
        if stored is None:
            raise ValueError("it names no member of the enum")
        return stored
    if scale is not None:
        return _long(_EXACT.scaleb(_EXACT.create_decimal(_decimal(value)), scale))
    if not isinstance(property_.type, ScalarType):
        raise TypeError("its type has no stored form")
    return _FORMS.get(property_.type.kind, lambda v: v)(value)


def _decimal(value: Value) -> Decimal:
    assert isinstance(value, int | Decimal)
    return Decimal(value)


def _long(value: Any) -> int:
    number = int(value)
    if number != value or number not in _LONGS:
        raise OverflowError("it is no integer of 64 bits")
    return number


def _local(value: Any) -> datetime:
    moment: datetime = value
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _zoned(value: Any) -> datetime:
    """In UTC: Neo4j takes one instant in two zones for two different values."""
    moment: datetime = value
    return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _ticks(value: Any) -> int:
    span: timedelta = value
    return _long((span.days * 86_400_000_000 + span.seconds * 1_000_000 + span.microseconds) * 10)


def _single(value: Any) -> float:
    """Widening a float keeps its bits: 0.15f is stored as 0.15000000596046448."""
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])


_FORMS: dict[Kind, Callable[[Any], Any]] = {
    **dict.fromkeys(
        (Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT, Kind.INT, Kind.UINT, Kind.LONG, Kind.ULONG), _long
    ),
    Kind.FLOAT: _single,
    Kind.DOUBLE: float,
    Kind.DATETIME: _local,
    Kind.DATETIMEOFFSET: _zoned,
    Kind.TIMESPAN: _ticks,
    Kind.GUID: str,
    Kind.BYTES: bytes,
}
