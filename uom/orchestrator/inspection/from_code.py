"""The schema as the C# itself has it, and where the compiler would store it."""

from __future__ import annotations

from uom.model.mapping import DocumentMapping, GraphMapping
from uom.model.schema import Schema
from uom.model.types import describe
from uom.orchestrator.compiling import compiled
from uom.orchestrator.state import FrameworkEnum
from uom.translation import Translation


def describe_code(code: str, target: FrameworkEnum) -> list[str]:
    """One line per entity. Raises InputProblem when there is none."""
    translation: Translation = compiled(code, target)
    lines = []
    for schema in translation.program.schemas:
        mapping = next((m for m in translation.mappings if m.context == schema.context), None)
        for entity in schema.entities:
            where = _stored(mapping, entity.name) if mapping is not None and not entity.unsupported else ""
            lines.append(f"{entity.name} (table {entity.table or entity.name}{where}): {_members(schema, entity.name)}")
    return lines


def _members(schema: Schema, name: str) -> str:
    entity = schema.entity(name)
    members = [f"{p.name} {describe(p.type)}" for p in entity.properties]
    members += [f"{c.name} {c.complex_name}" for c in entity.complexes]
    members += [f"{n.name} -> {n.target}" for n in entity.navigations]
    return ", ".join(members)


def _stored(mapping: DocumentMapping | GraphMapping, entity: str) -> str:
    if isinstance(mapping, DocumentMapping):
        return f" -> collection {mapping.entity(entity).collection}"
    node, link = mapping.node(entity), mapping.relationship(entity)
    return (
        f" -> label {node.label}" if node is not None else f" -> relationship {link.type}" if link is not None else ""
    )
