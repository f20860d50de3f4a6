"""Flags enums have no Java enum that could hold a combination: they are written as the numbers that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from uom.model.program import QueryMethod
from uom.model.retyping import rebuilt, with_enums
from uom.model.schema import ComplexShape, Entity, Property, Schema
from uom.model.types import EnumType, Kind, ScalarType, Type

T = TypeVar("T")


def without_flags(methods: Sequence[QueryMethod], schema: Schema) -> tuple[list[QueryMethod], Schema]:
    """Methods and schema with the type int in place of every flags enum that is stored as its number."""
    if not _has_flags((schema, *(m.body for m in methods), *(m.parameters for m in methods))):
        return list(methods), schema
    entities = tuple(_owner(e) for e in schema.entities)
    complexes = tuple(_owner(c) for c in schema.complexes)
    return [rebuilt(m, _number) for m in methods], replace(schema, entities=entities, complexes=complexes)


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
    return with_enums(type_, _number)


def _number(type_: EnumType) -> Type:
    return ScalarType(Kind.INT, type_.nullable) if _is_flags(type_) else type_


def _owner(owner: T) -> T:
    assert isinstance(owner, Entity | ComplexShape)
    properties: tuple[Property, ...] = tuple(replace(p, type=lowered(p.type)) for p in owner.properties)
    return replace(owner, properties=properties)
