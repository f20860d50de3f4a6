"""The relational model behind the C# code: entities, columns, keys, relationships, as EF Core would build it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from uom.model.diagnostics import Diagnostic, Place
from uom.model.types import Type

if TYPE_CHECKING:
    from uom.model.expressions import Lambda


@dataclass(frozen=True, slots=True)
class Property:
    """A scalar property and its column. `type` already says how an enum is stored (`EnumType.stored`).

    `converter` names a value converter that is not an enum's (`bool_to_text`, ...); None means stored as it is.
    `shadow` properties have a column but no C# member.
    """

    name: str
    type: Type
    column: str
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    shadow: bool = False
    converter: ValueConverter | None = None
    unsupported: str = ""
    """Why queries that touch this property must be refused (an unknown converter, an unknown type); empty if none."""
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ValueConverter:
    """A converter with a finite table: (C# value, stored value) pairs, e.g. bool to "Y"/"N"."""

    pairs: tuple[tuple[bool | int | str, bool | int | str], ...]


@dataclass(frozen=True, slots=True)
class ComplexProperty:
    """A property that holds an owned or complex value, or (`collection`) a list of owned values.

    `columns` maps dotted property paths inside the value ("City", "Geo.Lat") to the owner's columns. A collection
    has a table of its own (`schema`, `table`) with these columns, whose rows point to the owner through `owner_columns`,
    one for each part of the owner's key.
    """

    name: str
    complex_name: str
    nullable: bool
    columns: tuple[tuple[str, str], ...]
    owned: bool = False
    collection: bool = False
    table: str | None = None
    owner_columns: tuple[str, ...] = ()
    unsupported: str = ""
    """Why queries that touch it must be refused (stored as JSON, a table of its own); empty if none."""
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class ComplexShape:
    """The members of an owned or complex class; column names live in `ComplexProperty.columns`."""

    name: str
    properties: tuple[Property, ...]
    complexes: tuple[ComplexProperty, ...] = ()

    def property(self, name: str) -> Property | None:
        return next((p for p in self.properties if p.name == name), None)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`dependent.properties` hold the values of `principal.principal_properties`.

    `required` is false when a dependent row may stand alone. Null in any part never matches.
    """

    dependent: str
    properties: tuple[str, ...]
    principal: str
    principal_properties: tuple[str, ...]
    required: bool
    unique: bool = False


class NavigationKind(Enum):
    REFERENCE = "reference"
    COLLECTION = "collection"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class JoinTable:
    """The table behind a many-to-many skip navigation: (join column, own key property) pairs for both sides.

    When the join table is itself an entity, `entity` names it.
    """

    table: str
    schema: str | None
    source_columns: tuple[tuple[str, str], ...]
    target_columns: tuple[tuple[str, str], ...]
    entity: str | None = None


@dataclass(frozen=True, slots=True)
class Navigation:
    """A way from one entity to another. `on_dependent` says that the foreign key stands on this side."""

    name: str
    kind: NavigationKind
    target: str
    foreign_key: ForeignKey | None
    on_dependent: bool = False
    inverse: str | None = None
    join_table: JoinTable | None = None

    @property
    def required(self) -> bool:
        """True when each row of this side has a partner (only then a reference is never null)."""
        return self.on_dependent and self.foreign_key is not None and self.foreign_key.required

    def column_pairs(self) -> tuple[tuple[str, str], ...]:
        """(property on this side, property on the target side) pairs that must be equal; empty for skip navigations."""
        fk = self.foreign_key
        if fk is None:
            return ()
        pairs = zip(fk.properties, fk.principal_properties, strict=True)
        return tuple(pairs) if self.on_dependent else tuple((p, d) for d, p in pairs)


@dataclass(frozen=True, slots=True)
class Discriminator:
    """TPH: the column and the value that each concrete entity stores."""

    column: str
    type: Type
    values: tuple[tuple[str, str | int | bool], ...]


@dataclass(frozen=True, slots=True)
class Entity:
    name: str
    table: str | None
    schema: str | None
    key: tuple[str, ...]
    properties: tuple[Property, ...]
    complexes: tuple[ComplexProperty, ...] = ()
    navigations: tuple[Navigation, ...] = ()
    query_filters: tuple[tuple[str, Lambda], ...] = ()
    """(filter name or "", predicate over one row): applied wherever the entity is read, unless lifted."""
    base: str | None = None
    discriminator: Discriminator | None = None
    """Set on the root and repeated on each derived entity of a TPH hierarchy."""
    abstract: bool = False
    set_names: tuple[str, ...] = ()
    """Names of the `DbSet` properties."""
    unsupported: str = ""
    """Why queries over this entity must be refused (TPT, a SQL query behind it); empty if none."""
    place: Place | None = field(default=None, compare=False)

    def property(self, name: str) -> Property | None:
        return next((p for p in self.properties if p.name == name), None)

    def complex(self, name: str) -> ComplexProperty | None:
        return next((c for c in self.complexes if c.name == name), None)

    def navigation(self, name: str) -> Navigation | None:
        return next((n for n in self.navigations if n.name == name), None)


@dataclass(frozen=True, slots=True)
class Schema:
    """One EF Core model. `provider` is `postgres`, `sqlserver`, `sqlite` or "" when the code does not say."""

    context: str
    entities: tuple[Entity, ...]
    complexes: tuple[ComplexShape, ...] = ()
    provider: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()

    def entity(self, name: str) -> Entity:
        return next(e for e in self.entities if e.name == name)

    def find_entity(self, name: str) -> Entity | None:
        return next((e for e in self.entities if e.name == name), None)

    def complex(self, name: str) -> ComplexShape:
        return next(c for c in self.complexes if c.name == name)

    def find_complex(self, name: str) -> ComplexShape | None:
        return next((c for c in self.complexes if c.name == name), None)

    def query_filters(self, name: str) -> tuple[tuple[str, Lambda], ...]:
        """The filters that hide rows of an entity: those of the hierarchy's root hold for all that derive from it."""
        entity = self.entity(name)
        inherited = self.query_filters(entity.base) if entity.base is not None else ()
        return (*inherited, *entity.query_filters)

    def descendants(self, name: str) -> tuple[str, ...]:
        """The entity and all that derive from it, root first."""
        found = [name]
        for known in found:
            found.extend(e.name for e in self.entities if e.base == known and e.name not in found)
        return tuple(found)
