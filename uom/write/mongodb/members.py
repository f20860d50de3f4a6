"""Members of symbolic values: where `order.Freight` or `row.Total` is stored."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from functools import singledispatch

from uom.model.diagnostics import Place, Refusal
from uom.model.mapping import FieldMapping
from uom.model.schema import ComplexProperty, Property
from uom.model.types import Type, as_nullable
from uom.write.mongodb.location import Locations
from uom.write.mongodb.tree import child_path, is_path
from uom.write.mongodb.values import (
    ComplexValue,
    EntityValue,
    GroupingValue,
    ListValue,
    RecordValue,
    ScalarValue,
    Value,
)
from uom.write.names import java_property_name


def member(value: Value, name: str, locations: Locations, place: Place | None = None) -> Value:
    try:
        return _member(value, name, locations)
    except Refusal as refusal:
        raise refusal.at(place) from None


@singledispatch
def _member(value: Value, name: str, locations: Locations) -> Value:
    raise Refusal(name, "the value has no such member")


@_member.register
def _of_entity(value: EntityValue, name: str, locations: Locations) -> Value:
    prop = locations.property(value.entity, name)
    if prop is not None:
        path = child_path(value.at, locations.field(value.entity, name).path)
        return _stored(prop, path, value)
    complex_property = locations.complex(value.entity, name)
    if complex_property is None:
        raise Refusal(f"{value.entity}.{name}", "is not a mapped property")
    return _complex(complex_property, locations.field(value.entity, name), value, locations)


@_member.register
def _of_complex(value: ComplexValue, name: str, locations: Locations) -> Value:
    shape = locations.schema.complex(value.name)
    mapped = next((m for m in value.members if m.property == name), None)
    if mapped is None:
        raise Refusal(f"{value.name}.{name}", "the mapping does not say where the property is stored")
    prop = shape.property(name)
    if prop is not None:
        return _stored(prop, child_path(value.at, mapped.path), value)
    nested = next((c for c in shape.complexes if c.name == name), None)
    if nested is None:
        raise Refusal(f"{value.name}.{name}", "is not a mapped property")
    return _complex(nested, mapped, value, locations)


def _stored(prop: Property, path: str, owner: EntityValue | ComplexValue) -> ScalarValue:
    if prop.unsupported:
        raise Refusal(prop.name, prop.unsupported)
    type_: Type = as_nullable(prop.type) if owner.nullable else prop.type
    return ScalarValue(path, type_, owner.home, java_property_name(prop.name))


def _complex(
    prop: ComplexProperty, mapped: FieldMapping, owner: EntityValue | ComplexValue, locations: Locations
) -> Value:
    path = child_path(owner.at, mapped.path)
    if prop.collection:
        item = ComplexValue(prop.complex_name, "$$ROOT", owner.home, mapped.members)
        return ListValue({"$ifNull": [path, []]}, item, owner.home)
    return ComplexValue(prop.complex_name, path, owner.home, mapped.members, prop.nullable or owner.nullable)


@_member.register
def _of_record(value: RecordValue, name: str, locations: Locations) -> Value:
    found = dict(value.fields).get(name)
    if found is None:
        raise Refusal(name, "the row has no such field")
    if value.presence is not None and not is_path(value.presence):
        raise Refusal(name, "a field of an object that may be null is read before the object was built")
    return found


@_member.register
def _of_grouping(value: GroupingValue, name: str, locations: Locations) -> Value:
    if name != "Key":
        raise Refusal(name, "a grouping has no such member")
    return value.key
