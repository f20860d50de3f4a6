"""Where the rows of an entity are stored. The only place that reads the mapping, so that operators need not care.

Today each row is a document of its own; rows inside another document are refused here, in one place.
"""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.diagnostics import Refusal
from uom.model.mapping import DocumentMapping, EntityMapping, FieldMapping, JoinMapping
from uom.write.members import Members


@dataclass(frozen=True, slots=True)
class Locations(Members):
    """Answers about stored places; all paths are dotted and relative to the entity's document."""

    mapping: DocumentMapping

    def collection(self, entity: str) -> str:
        mapped = self._mapped(entity)
        if mapped.path is not None:
            raise Refusal(entity, "its rows are embedded in another document, which queries cannot read yet")
        return mapped.collection

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
