"""What entities are made of, those of a hierarchy with all that they inherit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from uom.model.diagnostics import Refusal
from uom.model.schema import ComplexProperty, Entity, Navigation, Property, Schema


@dataclass(frozen=True, slots=True)
class Members:
    """Answers about the model, whatever the target."""

    schema: Schema

    def entity(self, name: str) -> Entity:
        entity = self.schema.find_entity(name)
        if entity is None:
            raise Refusal(name, "the entity is not part of the model")
        return entity

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

    def is_hierarchy(self, entity: str) -> bool:
        """True when a row of the entity may be of a derived type."""
        return len(self.schema.descendants(entity)) > 1
