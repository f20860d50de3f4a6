"""Where the value of a row lives in the documents of a pipeline. Symbolic: renaming a field costs no stage.

A leaf (`ScalarValue`) is a MongoDB expression over the documents of one pipeline, its `home`. Composite values know
their parts. The same row may be an entity at the root (`$$ROOT`), one under a `$lookup` result (`$customer`), or a
record whose fields are spread over the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from uom.model.mapping import FieldMapping
from uom.model.queries import IncludeNode
from uom.model.types import GroupingType, RecordType, Type, as_nullable
from uom.write.mongodb.tree import Bson, is_path, moved_path

if TYPE_CHECKING:
    from uom.write.mongodb.rows import Rows


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """`expr` over `home`'s documents; it may be null or missing when `type` is nullable."""

    expr: Bson
    type: Type
    home: Rows
    hint: str = "value"


@dataclass(frozen=True, slots=True)
class EntityValue:
    """An entity's document at `at`. `includes` are loaded when the rows are handed out."""

    entity: str
    at: str
    home: Rows
    nullable: bool = False
    includes: tuple[IncludeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class ComplexValue:
    """An owned or complex value: a sub-document at `at` with `members` inside."""

    name: str
    at: str
    home: Rows
    members: tuple[FieldMapping, ...]
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class RecordValue:
    """`fields` in the order of `type.fields`. `at` is set when the whole record is stored as one document there.

    A nullable record is null when `presence` (a path) is null or missing.
    """

    type: RecordType
    fields: tuple[tuple[str, Value], ...]
    home: Rows
    at: str | None = None
    presence: Bson = None

    def field(self, name: str) -> Value:
        return dict(self.fields)[name]

    @property
    def nullable(self) -> bool:
        return self.presence is not None


@dataclass(frozen=True, slots=True)
class ListValue:
    """An array; `item` is an item's value as if the item were the root of a document."""

    at: Bson
    item: Value
    home: Rows


@dataclass(frozen=True, slots=True)
class GroupingValue:
    """A row of a `$group`. `item` is an element's value before the group; `elements` the array once it was collected."""

    type: GroupingType
    key: Value
    item: Value
    home: Rows
    elements: ListValue | None = None


Value = ScalarValue | EntityValue | ComplexValue | RecordValue | ListValue | GroupingValue


def parts(value: Value) -> Iterator[Bson]:
    """The expressions at the leaves."""
    match value:
        case ScalarValue(expr=expr):
            yield expr
        case EntityValue(at=at) | ComplexValue(at=at) | ListValue(at=at):
            yield at
        case RecordValue(fields=fields, presence=presence):
            for _, part in fields:
                yield from parts(part)
            if presence is not None:
                yield presence
        case GroupingValue(key=key, elements=elements):
            yield from parts(key)
            if elements is not None:
                yield from parts(elements)


def is_settled(value: Value) -> bool:
    """True when each leaf is a field path: nothing is computed anew when the value is used twice."""
    return all(is_path(part) for part in parts(value))


def moved(value: Value, to: str, home: Rows, nullable: bool = False) -> Value:
    """The value of a settled row whose document now lives at `to` inside the documents of `home`."""
    match value:
        case ScalarValue(expr=expr, type=type_):
            return replace(value, expr=moved_path(expr, to), home=home, type=as_nullable(type_) if nullable else type_)
        case EntityValue(at=at) | ComplexValue(at=at):
            return replace(value, at=moved_path(at, to), home=home, nullable=value.nullable or nullable)
        case RecordValue():
            return _moved_record(value, to, home, nullable)
        case ListValue(at=at):
            return replace(value, at=moved_path(at, to), home=home)
        case GroupingValue(key=key, elements=elements):
            assert elements is not None
            return replace(
                value,
                key=moved(key, to, home, nullable),
                elements=replace(elements, at=moved_path(elements.at, to), home=home),
                home=home,
            )


def _moved_record(value: RecordValue, to: str, home: Rows, nullable: bool) -> RecordValue:
    at = None if value.at is None else moved_path(value.at, to)
    presence = None if value.presence is None else moved_path(value.presence, to)
    if nullable and presence is None:
        presence = at if at is not None else to
    return RecordValue(
        replace(value.type, nullable=value.type.nullable or nullable),
        tuple((name, moved(part, to, home, nullable)) for name, part in value.fields),
        home,
        at,
        presence,
    )
