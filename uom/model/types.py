"""Types of the algebra: what C# expressions, columns and rows are made of.

Every type is immutable and hashable and carries its own nullability. `nullable` speaks of what the *database* may
deliver at that place, not of what the C# compiler believes: the city of an optional manager is nullable although
`City` is declared as `string`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Kind(Enum):
    """Scalar kinds; the value is the C# keyword or type name."""

    BOOL = "bool"
    SBYTE = "sbyte"
    BYTE = "byte"
    SHORT = "short"
    USHORT = "ushort"
    INT = "int"
    UINT = "uint"
    LONG = "long"
    ULONG = "ulong"
    DECIMAL = "decimal"
    FLOAT = "float"
    DOUBLE = "double"
    STRING = "string"
    CHAR = "char"
    DATETIME = "DateTime"
    DATETIMEOFFSET = "DateTimeOffset"
    DATEONLY = "DateOnly"
    TIMEONLY = "TimeOnly"
    TIMESPAN = "TimeSpan"
    GUID = "Guid"
    BYTES = "byte[]"


INTEGERS = frozenset({Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT, Kind.INT, Kind.UINT, Kind.LONG, Kind.ULONG})
FLOATS = frozenset({Kind.FLOAT, Kind.DOUBLE})
NUMBERS = INTEGERS | FLOATS | {Kind.DECIMAL}

INTEGER_RANGE: dict[Kind, tuple[int, int]] = {
    Kind.SBYTE: (-(2**7), 2**7 - 1),
    Kind.BYTE: (0, 2**8 - 1),
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.USHORT: (0, 2**16 - 1),
    Kind.INT: (-(2**31), 2**31 - 1),
    Kind.UINT: (0, 2**32 - 1),
    Kind.LONG: (-(2**63), 2**63 - 1),
    Kind.ULONG: (0, 2**64 - 1),
}


@dataclass(frozen=True, slots=True)
class ScalarType:
    kind: Kind
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class EnumType:
    """A C# enum as one column stores it.

    `members` are (name, underlying number) in declaration order. `stored` says what the database holds for each
    member name; empty means the underlying number. Two properties of one enum may be stored differently, then their
    types differ.
    """

    name: str
    members: tuple[tuple[str, int], ...]
    stored: tuple[tuple[str, str | int], ...] = ()
    flags: bool = False
    nullable: bool = False

    def stored_value(self, number: int) -> str | int | None:
        """What the database holds for an underlying number; None when the number names no member and text is stored."""
        if not self.stored:
            return number
        names = {value: name for name, value in reversed(self.members)}
        return dict(self.stored).get(names.get(number, ""))

    def number_of(self, stored: str | int) -> int | None:
        """The underlying number of a stored value; None when no member is stored like that."""
        if not self.stored:
            return stored if isinstance(stored, int) else None
        numbers = dict(self.members)
        return next((numbers[name] for name, value in self.stored if value == stored), None)


@dataclass(frozen=True, slots=True)
class Field:
    """`required`: the database may deliver null here although the type has no place for it; then reading fails."""

    name: str
    type: Type
    required: bool = False


@dataclass(frozen=True, slots=True)
class RecordType:
    """An anonymous type (`name` is None), a DTO class, a record, or a value tuple; fields in declaration order."""

    name: str | None
    fields: tuple[Field, ...]
    nullable: bool = False

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)


@dataclass(frozen=True, slots=True)
class EntityType:
    """A mapped entity; its shape is `Schema.entity(name)`."""

    name: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class ComplexType:
    """An owned or complex value embedded in an entity; its shape is `Schema.complex(name)`."""

    name: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class SequenceType:
    element: Type
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class GroupingType:
    """`IGrouping<K, E>`: has a key and is a sequence of its elements."""

    key: Type
    element: Type
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class NullType:
    """The type of a bare `null`."""

    nullable: bool = True


Type = ScalarType | EnumType | RecordType | EntityType | ComplexType | SequenceType | GroupingType | NullType

BOOL = ScalarType(Kind.BOOL)
INT = ScalarType(Kind.INT)
LONG = ScalarType(Kind.LONG)
DOUBLE = ScalarType(Kind.DOUBLE)
DECIMAL = ScalarType(Kind.DECIMAL)
STRING = ScalarType(Kind.STRING)
DATETIME = ScalarType(Kind.DATETIME)
TIMESPAN = ScalarType(Kind.TIMESPAN)


def as_nullable(type_: Type, nullable: bool = True) -> Type:
    """The same type with this nullability."""
    if isinstance(type_, NullType) or type_.nullable == nullable:
        return type_
    return replace(type_, nullable=nullable)


def element_of(type_: Type) -> Type | None:
    """Element type of a sequence or grouping, else None."""
    return type_.element if isinstance(type_, SequenceType | GroupingType) else None


def is_number(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind in NUMBERS


def is_integer(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind in INTEGERS


def is_string(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind is Kind.STRING


def is_value_type(type_: Type) -> bool:
    """Of scalars and enums those that hold null only as `T?`."""
    if isinstance(type_, ScalarType):
        return type_.kind not in (Kind.STRING, Kind.BYTES)
    return isinstance(type_, EnumType)


def same_ignoring_null(left: Type, right: Type) -> bool:
    return as_nullable(left, False) == as_nullable(right, False)


def describe(type_: Type) -> str:
    """The type as a C# developer would write it."""
    mark = "?" if type_.nullable else ""
    match type_:
        case ScalarType(kind=kind):
            return kind.value + mark
        case EnumType(name=name) | EntityType(name=name) | ComplexType(name=name):
            return name + mark
        case RecordType(name=name, fields=fields):
            inner = ", ".join(f"{describe(f.type)} {f.name}" for f in fields)
            return (name or "{ " + inner + " }") + mark
        case SequenceType(element=element):
            return f"IEnumerable<{describe(element)}>"
        case GroupingType(key=key, element=element):
            return f"IGrouping<{describe(key)}, {describe(element)}>"
        case NullType():
            return "null"
