"""Refuses queries that touch what the model could not read: better a refusal by name than a guess."""

from __future__ import annotations

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Downcast, Expr, IsNull, IsOfType, Navigate, Property
from uom.model.queries import Related, Scan
from uom.model.schema import Entity, Schema
from uom.model.types import ComplexType, EntityType, RecordType, SequenceType, Type
from uom.model.walk import Node, children, walk


def check_support(body: Expr, schema: Schema, place: Place | None) -> Expr:
    """The body unchanged. Raises Refusal when an entity or property in it is marked unsupported."""
    for node in walk(body):
        if isinstance(node, Scan | Related):
            _check_entity(schema.entity(node.element.name), node.place or place)
        elif isinstance(node, Navigate) and isinstance(node.type, EntityType):
            _check_entity(schema.entity(node.type.name), node.place or place)
        elif isinstance(node, Property):
            _check_property(node, schema, place)
        if not isinstance(node, _MEMBER_ACCESS):
            _check_casts(node)
    for entity in _returned(body.type):
        for property_ in schema.entity(entity).properties:
            if property_.unsupported:
                raise Refusal(f"{entity}.{property_.name}", property_.unsupported, property_.place or place,
                              "Leave it out of the query by projecting the columns you need.")  # fmt: skip
        for complex_ in schema.entity(entity).complexes:
            if complex_.unsupported or complex_.collection:
                reason = complex_.unsupported or "it is a collection of owned values"
                raise Refusal(f"{entity}.{complex_.name}", reason, place, "Project the columns you need.")
    return body


_MEMBER_ACCESS = (Property, Navigate, Related, IsNull, IsOfType, Downcast)
"""What may be done with a row after a cast down: all else would have to look at its type."""


def _check_casts(node: Node) -> None:
    for part in children(node):
        if isinstance(part, Downcast):
            raise Refusal(
                f"({part.entity})",
                "a row cast to a derived entity can only be asked for its members",
                part.place,
                f"Use OfType<{part.entity}>() instead.",
            )


def _check_entity(entity: Entity, place: Place | None) -> None:
    if entity.unsupported:
        raise Refusal(f"entity {entity.name}", entity.unsupported, place, "Add what is missing, or map it directly.")


def _check_property(node: Property, schema: Schema, place: Place | None) -> None:
    owner = node.target.type
    if isinstance(owner, EntityType):
        entity = schema.entity(owner.name)
        found, complex_ = entity.property(node.name), entity.complex(node.name)
    elif isinstance(owner, ComplexType):
        shape = schema.complex(owner.name)
        found = shape.property(node.name)
        complex_ = next((c for c in shape.complexes if c.name == node.name), None)
    else:
        return
    reason = (found.unsupported if found is not None else "") or (complex_.unsupported if complex_ is not None else "")
    if reason:
        raise Refusal(f"{owner.name}.{node.name}", reason, node.place or place, "Map it in a way that is supported.")


def _returned(type_: Type) -> set[str]:
    """Entities that a result hands back whole."""
    match type_:
        case EntityType(name=name):
            return {name}
        case SequenceType(element=element):
            return _returned(element)
        case RecordType(fields=fields):
            return {name for f in fields for name in _returned(f.type)}
    return set()
