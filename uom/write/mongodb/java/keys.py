"""Composite keys: a document's `_id` with parts is a record of the entity's class, since Spring saves by `@Id`."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.schema import Property
from uom.write.java.types import JavaModel
from uom.write.mongodb.location import Locations
from uom.write.names import fresh_name, java_property_name

_PREFIX = "_id."


@dataclass(frozen=True, slots=True)
class CompositeKey:
    """`member` is the property of the class that holds the key; `parts` are (C# property, field inside `_id`)."""

    member: str
    parts: tuple[tuple[Property, str], ...]

    def path(self, prop: Property) -> str:
        """The property path that queries use."""
        return f"{self.member}.{java_property_name(prop.name)}"

    def class_name(self, model: JavaModel) -> str:
        """Nested, so one name does for all entities, unless a class of the model has it."""
        return fresh_name("Key", model.taken)


def composite_key(entity: str, locations: Locations) -> CompositeKey | None:
    """The key of an entity whose `_id` has parts; None for a plain one."""
    found: list[tuple[Property, str]] = []
    others: set[str] = set()
    for prop in locations.properties(entity):
        path = locations.field(entity, prop.name).path
        if path.startswith(_PREFIX):
            found.append((prop, path.removeprefix(_PREFIX)))
        else:
            others.add(java_property_name(prop.name))
    if not found:
        return None
    others |= {java_property_name(c.name) for c in locations.complexes(entity)}
    others |= {java_property_name(n.name) for n in locations.navigations(entity)}
    return CompositeKey(fresh_name("id", others), tuple(found))
