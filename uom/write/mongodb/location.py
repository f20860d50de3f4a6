"""Where the rows of an entity are stored. The only place that reads the mapping, so that operators need not care.

Today each row is a document of its own; rows inside another document are refused here, in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from uom.model.diagnostics import Refusal
from uom.model.mapping import DocumentMapping, EntityMapping, FieldMapping, JoinMapping
from uom.model.schema import ComplexProperty, Entity, Navigation, Property, Schema


@dataclass(frozen=True, slots=True)
class Locations:
    """Answers about stored places; all paths are dotted and relative to the entity's document."""

    schema: Schema
    mapping: DocumentMapping

    def entity(self, name: str) -> Entity:
        entity = self.schema.find_entity(name)
        if entity is None:
            raise Refusal(name, "the entity is not part of the model")
        return entity

    def collection(self, entity: str) -> str:
        mapped = self._mapped(entity)
        if mapped.path is not None:
            raise Refusal(entity, "its rows are embedded in another document, which queries cannot read yet")
        return mapped.collection

    def lineage(self, name: str) -> Iterator[Entity]:
        """The entity and its bases, the entity first."""
        entity: Entity | None = self.entity(name)
        while entity is not None:
            yield entity
            entity = self.schema.find_entity(entity.base) if entity.base else None

    def property(self, entity: str, name: str) -> Property | None:
        return next((p for e in self.lineage(entity) if (p := e.property(name)) is not None), None)

    def complex(self, entity: str, name: str) -> ComplexProperty | None:
        return next((c for e in self.lineage(entity) if (c := e.complex(name)) is not None), None)

    def navigation(self, entity: str, name: str) -> Navigation:
        found = next((n for e in self.lineage(entity) if (n := e.navigation(name)) is not None), None)
        if found is None:
            raise Refusal(f"{entity}.{name}", "the navigation is not part of the model")
        return found

    def declaring(self, entity: str, navigation: str) -> str:
        """The most basic entity of the lineage that has the navigation."""
        return [e.name for e in self.lineage(entity) if e.navigation(navigation) is not None][-1]

    def properties(self, entity: str) -> list[Property]:
        """All scalar properties, those of the base first."""
        found: dict[str, Property] = {}
        for one in reversed(list(self.lineage(entity))):
            found.update((p.name, p) for p in one.properties)
        return list(found.values())

    def complexes(self, entity: str) -> list[ComplexProperty]:
        found: dict[str, ComplexProperty] = {}
        for one in reversed(list(self.lineage(entity))):
            found.update((c.name, c) for c in one.complexes)
        return list(found.values())

    def navigations(self, entity: str) -> list[Navigation]:
        found: dict[str, Navigation] = {}
        for one in reversed(list(self.lineage(entity))):
            found.update((n.name, n) for n in one.navigations)
        return list(found.values())

    def key(self, entity: str) -> tuple[str, ...]:
        return next((e.key for e in self.lineage(entity) if e.key), ())

    def field(self, entity: str, name: str) -> FieldMapping:
        """The stored field of a scalar or complex property."""
        for one in self.lineage(entity):
            mapped = next((f for f in self._mapped(one.name).fields if f.property == name), None)
            if mapped is not None:
                return mapped
        raise Refusal(f"{entity}.{name}", "the mapping does not say where the property is stored")

    def stored_names(self, entity: str) -> list[str]:
        """Top-level field names of the entity's documents, in the order of the mapping."""
        names: dict[str, None] = {}
        for one in [*self.schema.descendants(entity), *(e.name for e in self.lineage(entity))]:
            mapped = self._mapped(one)
            names.update((f.path.split(".", 1)[0], None) for f in mapped.fields)
            if mapped.discriminator:
                names[mapped.discriminator.split(".", 1)[0]] = None
        return list(names)

    def discriminator(self, entity: str) -> tuple[str, list[str | int | bool]] | None:
        """(stored field, values of the entity and all that derive from it); None when no filter is needed."""
        owner = next((e for e in self.lineage(entity) if e.discriminator is not None), None)
        if owner is None or owner.discriminator is None:
            return None
        family = self.schema.descendants(entity)
        root = list(self.lineage(entity))[-1]
        if set(self.schema.descendants(root.name)) == set(family) and root.name == entity:
            return None
        path = next((f for e in self.lineage(entity) if (f := self._mapped(e.name).discriminator)), None)
        if path is None:
            raise Refusal(entity, "the mapping has no field that tells the types of this hierarchy apart")
        values = dict(owner.discriminator.values)
        return path, [values[name] for name in family if name in values]

    def type_field(self, entity: str) -> str | None:
        """The stored field with the type, where the entity itself says so."""
        return self._mapped(entity).discriminator

    def is_hierarchy(self, entity: str) -> bool:
        """True when a row of the entity may be of a derived type."""
        return len(self.schema.descendants(entity)) > 1

    def join(self, table: str) -> JoinMapping:
        try:
            return self.mapping.join(table)
        except StopIteration:
            raise Refusal(table, "the mapping does not say where the join table is stored") from None

    def _mapped(self, entity: str) -> EntityMapping:
        try:
            return self.mapping.entity(entity)
        except StopIteration:
            raise Refusal(entity, "the mapping does not say where the entity is stored") from None
