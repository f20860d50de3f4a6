"""Where the rows of the relational model live in the target: the design that `mapping.yaml` shows and lets one edit.

Facts only; how a default is chosen is `plan.mapping`'s business, how it is written is the writers'.
"""

from __future__ import annotations

from dataclasses import dataclass


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
