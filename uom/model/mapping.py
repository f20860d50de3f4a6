"""Where the rows of the relational model live in the target: the design that `mapping.yaml` shows and lets one edit.

Facts only; how a default is chosen is `plan.mapping`'s business, how it is written is the writers'.
"""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.schema import ForeignKey


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """A property and the dotted path of its stored field inside the entity's document (`_id`, `_id.orderId`, `freight`).

    For a complex value the path is that of the embedded document and `members` maps what is inside it, relative to it.
    """

    property: str
    path: str
    members: tuple[FieldMapping, ...] = ()

    def member(self, name: str) -> FieldMapping:
        return next(m for m in self.members if m.property == name)


@dataclass(frozen=True, slots=True)
class EntityMapping:
    """One entity in a document database.

    `collection` holds the documents. `path` is None when each document is one row; otherwise the rows live in the
    array (or, for one-to-one, the sub-document) at that path inside the documents of `owner`'s collection.
    `discriminator` is the stored field that tells the types of a hierarchy apart.
    """

    entity: str
    collection: str
    fields: tuple[FieldMapping, ...]
    path: str | None = None
    owner: str | None = None
    discriminator: str | None = None

    def field(self, name: str) -> FieldMapping:
        return next(f for f in self.fields if f.property == name)


@dataclass(frozen=True, slots=True)
class JoinMapping:
    """The collection that holds the rows of a join table without an entity of its own.

    `columns` maps join-table columns to stored fields.
    """

    table: str
    collection: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DocumentMapping:
    """The whole design for one schema."""

    context: str
    entities: tuple[EntityMapping, ...]
    joins: tuple[JoinMapping, ...] = ()

    def entity(self, name: str) -> EntityMapping:
        return next(e for e in self.entities if e.entity == name)

    def join(self, table: str) -> JoinMapping:
        return next(j for j in self.joins if j.table == table)


@dataclass(frozen=True, slots=True)
class GraphProperty:
    """A stored value of a node or relationship.

    `property` is the C# path (`Freight`, or `Address.City` inside an owned or complex value), `name` the graph's
    property (`freight`, `addressCity`). Decimals have a `scale`: the graph stores the integer value * 10**scale.
    """

    property: str
    name: str
    scale: int | None = None


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """An entity whose rows are nodes. `labels`: root of the hierarchy first, the entity's own last.

    `key` is the property that holds a composite key as one text, values joined with `|`; None for other keys.
    """

    entity: str
    labels: tuple[str, ...]
    properties: tuple[GraphProperty, ...]
    key: str | None = None

    @property
    def label(self) -> str:
        """The label that tells this entity's rows from all others."""
        return self.labels[-1]


@dataclass(frozen=True, slots=True)
class ForeignKeyRelationship:
    """One relationship per dependent row whose foreign key finds a principal row.

    It leads from the dependent to the principal, or, `from_principal`, the other way.
    """

    type: str
    foreign_key: ForeignKey
    from_principal: bool = False

    @property
    def start(self) -> str:
        """Entity at the tail."""
        return self.foreign_key.principal if self.from_principal else self.foreign_key.dependent

    @property
    def end(self) -> str:
        """Entity at the head."""
        return self.foreign_key.dependent if self.from_principal else self.foreign_key.principal


@dataclass(frozen=True, slots=True)
class JoinRelationship:
    """One relationship per row of a join table without an entity of its own.

    `start_columns` and `end_columns` are (column of the join table, property of the entity) pairs.
    """

    type: str
    table: str
    start: str
    end: str
    start_columns: tuple[tuple[str, str], ...]
    end_columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EntityRelationship:
    """An entity whose rows are relationships with properties, between the principals of two of its foreign keys."""

    entity: str
    type: str
    start_key: ForeignKey
    end_key: ForeignKey
    properties: tuple[GraphProperty, ...]

    @property
    def start(self) -> str:
        """Entity at the tail."""
        return self.start_key.principal

    @property
    def end(self) -> str:
        """Entity at the head."""
        return self.end_key.principal


@dataclass(frozen=True, slots=True)
class GraphMapping:
    """The whole graph design for one schema."""

    context: str
    nodes: tuple[NodeMapping, ...]
    foreign_keys: tuple[ForeignKeyRelationship, ...] = ()
    joins: tuple[JoinRelationship, ...] = ()
    entities: tuple[EntityRelationship, ...] = ()

    def node(self, entity: str) -> NodeMapping | None:
        return next((n for n in self.nodes if n.entity == entity), None)

    def relationship(self, entity: str) -> EntityRelationship | None:
        """The relationship that an entity lives in; None when it has nodes."""
        return next((r for r in self.entities if r.entity == entity), None)

    def foreign_key(self, key: ForeignKey) -> ForeignKeyRelationship | None:
        return next((r for r in self.foreign_keys if r.foreign_key == key), None)

    def join(self, table: str) -> JoinRelationship | None:
        return next((j for j in self.joins if j.table == table), None)

    def properties(self, entity: str) -> tuple[GraphProperty, ...]:
        """Of a row of the entity, wherever it lives."""
        node, relationship = self.node(entity), self.relationship(entity)
        return node.properties if node is not None else relationship.properties if relationship is not None else ()
