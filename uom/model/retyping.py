"""Rebuilding anything of the model with other types in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from uom.model.types import EnumType, GroupingType, RecordType, SequenceType, Type

T = TypeVar("T")
EnumChange = Callable[[EnumType], Type]


def with_enums(type_: Type, change: EnumChange) -> Type:
    """The type with each enum in it changed, however deep."""
    match type_:
        case EnumType():
            return change(type_)
        case RecordType(fields=parts):
            return replace(type_, fields=tuple(replace(f, type=with_enums(f.type, change)) for f in parts))
        case SequenceType(element=element):
            return replace(type_, element=with_enums(element, change))
        case GroupingType(key=key, element=element):
            return replace(type_, key=with_enums(key, change), element=with_enums(element, change))
    return type_


def rebuilt(node: T, change: EnumChange) -> T:
    """Any part of a method, with each enum in its types changed."""
    result: T = _rebuilt(node, change)
    return result


def _rebuilt(node: Any, change: EnumChange) -> Any:
    if isinstance(node, EnumType | RecordType | SequenceType | GroupingType):
        return with_enums(node, change)
    if isinstance(node, tuple):
        items = tuple(_rebuilt(i, change) for i in node)
        return items if any(a is not b for a, b in zip(items, node, strict=True)) else node
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {}
    for f in fields(node):
        old = getattr(node, f.name)
        new = _rebuilt(old, change)
        if new is not old:
            changed[f.name] = new
    return replace(node, **changed) if changed else node
