"""Flags enums have no Java enum that could hold a combination: they are written as the numbers that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from uom.model.program import QueryMethod
from uom.model.schema import ComplexShape, Entity, Property, Schema
from uom.model.types import (
    EnumType,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
)

T = TypeVar("T")


def without_flags(methods: Sequence[QueryMethod], schema: Schema) -> tuple[list[QueryMethod], Schema]:
    """Methods and schema with the type int in place of every flags enum that is stored as its number."""
    if not _has_flags((schema, *(m.body for m in methods), *(m.parameters for m in methods))):
        return list(methods), schema
    entities = tuple(_owner(e) for e in schema.entities)
    complexes = tuple(_owner(c) for c in schema.complexes)
    return [_rebuilt(m) for m in methods], replace(schema, entities=entities, complexes=complexes)


def _is_flags(type_: Type) -> bool:
    return isinstance(type_, EnumType) and type_.flags and not type_.stored


def _has_flags(node: Any) -> bool:
    if isinstance(node, EnumType):
        return _is_flags(node)
    if isinstance(node, tuple):
        return any(_has_flags(item) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return False
    return any(_has_flags(getattr(node, f.name)) for f in fields(node) if f.name != "place")


def lowered(type_: Type) -> Type:
    """The type with numbers for flags, however deep."""
    match type_:
        case EnumType() if _is_flags(type_):
            return ScalarType(Kind.INT, type_.nullable)
        case RecordType(fields=parts):
            return replace(type_, fields=tuple(replace(f, type=lowered(f.type)) for f in parts))
        case SequenceType(element=element):
            return replace(type_, element=lowered(element))
        case GroupingType(key=key, element=element):
            return replace(type_, key=lowered(key), element=lowered(element))
    return type_


def _owner(owner: T) -> T:
    assert isinstance(owner, Entity | ComplexShape)
    properties: tuple[Property, ...] = tuple(replace(p, type=lowered(p.type)) for p in owner.properties)
    return replace(owner, properties=properties)


_TYPES = (EnumType, RecordType, SequenceType, GroupingType)


def _rebuilt(node: Any) -> Any:
    """Any part of a method, with all types in it lowered."""
    if isinstance(node, _TYPES):
        return lowered(node)
    if isinstance(node, tuple):
        items = tuple(_rebuilt(i) for i in node)
        return items if any(a is not b for a, b in zip(items, node, strict=True)) else node
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {}
    for f in fields(node):
        old = getattr(node, f.name)
        new = _rebuilt(old)
        if new is not old:
            changed[f.name] = new
    return replace(node, **changed) if changed else node
