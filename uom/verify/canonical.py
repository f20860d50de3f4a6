"""Rows of either side as plain values that can be compared and shown.

Canonical values: None, bool, int, str, float, Decimal, dict (by C# name), Rows (a list with its ties). Numbers keep
their kind: a decimal never goes through a float. Instants are ISO text in UTC at millisecond precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from uom.model.types import FLOATS, INTEGERS, EnumType, Kind, ScalarType
from uom.reference.values import Complex, Group, Row, RowList, Value
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, ScalarShape, Shape

Canonical = Any
TYPE = "$type"
"""The member under which the harnesses write the class of an object that may be of several."""


class Rows(list[Any]):
    """Canonical rows; `ties` as in RowList. None: the sequence is exactly as it came."""

    def __init__(self, rows: Sequence[Any], ties: Sequence[int] | None) -> None:
        super().__init__(rows)
        self.ties = tuple(ties) if ties is not None else None


class Concrete(dict[str, Any]):
    """A canonical row of a hierarchy, which remembers its class: "" where nothing says which one it is."""

    def __init__(self, members: Mapping[str, Any], type_name: str) -> None:
        super().__init__(members)
        self.type_name = type_name


class Unreadable(Exception):
    """A value that does not have the shape that the method promises."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path or 'result'}: {what}")


# from the reference -------------------------------------------------------------------------------------------------


def of_reference(value: Value, shape: Shape) -> Canonical:
    """A value of the interpreter in canonical form."""
    if value is None:
        return None
    match shape:
        case ScalarShape(type=type_):
            return scalar(value, type_)
        case ListShape(element=element):
            items: Any = value.items if isinstance(value, Group) else value
            ties = value.ties if isinstance(value, RowList) else [len(items)]
            return Rows([of_reference(v, element) for v in items], ties)
        case HierarchyShape(members=members):
            assert isinstance(value, Row)
            return Concrete(of_reference(value, dict(members)[value.entity]), value.entity)
        case ObjectShape(fields=fields):
            return {name: of_reference(_member(value, name), inner) for name, inner in fields}


def _member(value: Value, name: str) -> Value:
    match value:
        case Row():
            return value.loaded[name] if name in value.loaded else value.values.get(name)
        case Complex():
            return value.values.get(name)
        case Group():
            return value.key if name == "Key" else RowList(value.items, [len(value.items)])
        case dict():
            return value.get(name)
    raise TypeError(f"{type(value).__name__} has no member {name}")


def scalar(value: Value, type_: ScalarType | EnumType) -> Canonical:
    """A typed Python value in canonical form."""
    if isinstance(type_, EnumType):
        assert isinstance(value, int)
        return enum_name(value, type_)
    match value:
        case bool() | str() | float() | Decimal():
            return float(value) if type_.kind in FLOATS and not isinstance(value, str) else value
        case int():
            return Decimal(value) if type_.kind is Kind.DECIMAL else float(value) if type_.kind in FLOATS else value
        case datetime():
            return instant_text(value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value // timedelta(microseconds=1) * 10
        case UUID():
            return str(value)
        case bytes():
            return value.hex()
    return str(value)


def enum_name(number: int, type_: EnumType) -> str | int:
    names = {value: name for name, value in reversed(type_.members)}
    if number in names:
        return names[number]
    if type_.flags and number:
        parts = [name for name, value in type_.members if value and number & value == value]
        return ", ".join(parts) or number
    return number


def instant_text(value: datetime) -> str:
    """ISO text without zone, UTC, fractions only where there are some; to the millisecond."""
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    milliseconds = value.microsecond // 1000
    return value.replace(microsecond=0).isoformat() + (f".{milliseconds:03d}" if milliseconds else "")


# from Java ----------------------------------------------------------------------------------------------------------


def of_java(value: Any, shape: Shape, java_name: Callable[[str], str], path: str = "") -> Canonical:
    """A JSON value that the Java harness wrote, in canonical form. Raises Unreadable when it has another shape."""
    if value is None:
        return None
    match shape:
        case ScalarShape(type=type_):
            return _java_scalar(value, type_, path)
        case ListShape(element=element):
            if not isinstance(value, list):
                raise Unreadable(path, f"a list is expected, not {type(value).__name__}")
            return Rows([of_java(v, element, java_name, f"{path}[{i}]") for i, v in enumerate(value)], None)
        case HierarchyShape(members=members):
            return _java_hierarchy(value, members, java_name, path)
        case ObjectShape(fields=fields):
            if not isinstance(value, dict):
                raise Unreadable(path, f"an object is expected, not {type(value).__name__}")
            return {n: of_java(_java_member(value, n, java_name, path), s, java_name, f"{path}.{n}") for n, s in fields}


def _java_member(value: Mapping[str, Any], name: str, java_name: Callable[[str], str], path: str) -> Any:
    key = java_name(name)
    owner = _owner(value, key)
    if owner is None:
        raise Unreadable(path, f"there is no '{key}' in {sorted(value)}")
    return owner[key]


def _owner(value: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """The object with that field: the row itself, or the object in it that holds a composite key (`id`)."""
    if key in value:
        return value
    holders = [v for k, v in value.items() if k.startswith("id") and isinstance(v, dict) and key in v]
    return holders[0] if len(holders) == 1 else None


def _java_hierarchy(
    value: Any, members: Sequence[tuple[str, ObjectShape]], java_name: Callable[[str], str], path: str
) -> Canonical:
    """By the name of its class, which only subclasses have written; a class of another name by its members.

    `members` begins with the root, where there are rows of the root itself.
    """
    named = value.get(TYPE) if isinstance(value, dict) else None
    by_size = sorted(members, key=lambda member: -len(member[1].fields))
    fitting = [(n, s) for n, s in by_size if isinstance(value, dict) and _has_members(value, s, java_name)]
    exact = [(n, s) for n, s in fitting if n == (members[0][0] if named is None else named)]
    if not exact and named is not None and len({len(s.fields) for _, s in fitting}) < len(fitting):
        raise Unreadable(path, f"the object is a {named}, which is no type of the hierarchy")
    for name, shape in exact or fitting:
        return Concrete(of_java(value, shape, java_name, path), name if exact else "")
    raise Unreadable(path, "the object is of no type of the hierarchy")


def _has_members(value: Mapping[str, Any], shape: ObjectShape, java_name: Callable[[str], str]) -> bool:
    return all(_owner(value, java_name(name)) is not None for name, _ in shape.fields)


def _java_scalar(value: Any, type_: ScalarType | EnumType, path: str) -> Canonical:
    try:
        if isinstance(type_, EnumType):
            # Flags are numbers in Java: a combination has no constant of its own.
            return enum_name(value, type_) if isinstance(value, int) and not isinstance(value, bool) else value
        return _JAVA[type_.kind](value)
    except (ValueError, ArithmeticError, TypeError, AttributeError):
        raise Unreadable(
            path, f"{value!r} is no {type_.kind.value if isinstance(type_, ScalarType) else type_.name}"
        ) from None


def _whole(value: Any) -> int:
    if isinstance(value, bool) or int(value) != Decimal(str(value)):
        raise ValueError(value)
    return int(value)


def _exact(value: Any) -> Decimal:
    if isinstance(value, bool):
        raise ValueError(value)
    return Decimal(str(value))


def _plain(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise ValueError(value)
        return value

    return check


def _instant(value: Any) -> str:
    return instant_text(datetime.fromisoformat(_extended_year(value)))


def _extended_year(text: str) -> str:
    """Java writes more fraction digits than Python reads."""
    head, dot, rest = text.partition(".")
    if not dot:
        return text
    digits = rest.rstrip("Zz")
    zone = rest[len(digits) :]
    return f"{head}.{digits[:6]:0<6}{zone}"


def _java_span(value: Any) -> int:
    """A number of ticks, or an ISO duration."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    if not text.startswith(("PT", "-PT")):
        raise ValueError(value)
    total, number = Decimal(0), ""
    for c in text.removeprefix("-").removeprefix("PT"):
        if c in "HMS":
            total += Decimal(number) * {"H": 3600, "M": 60, "S": 1}[c]
            number = ""
        else:
            number += c
    return int(total * 10_000_000) * (-1 if text.startswith("-") else 1)


_JAVA: dict[Kind, Callable[[Any], Canonical]] = {
    **dict.fromkeys(INTEGERS, _whole),
    Kind.BOOL: _plain(bool),
    Kind.DECIMAL: _exact,
    Kind.FLOAT: lambda v: float(v) if not isinstance(v, bool) else _plain(float)(v),
    Kind.DOUBLE: lambda v: float(v) if not isinstance(v, bool) else _plain(float)(v),
    Kind.STRING: _plain(str),
    Kind.CHAR: _plain(str),
    Kind.DATETIME: _instant,
    Kind.DATETIMEOFFSET: _instant,
    Kind.DATEONLY: lambda v: v[:10],
    Kind.TIMEONLY: lambda v: time.fromisoformat(v).isoformat(),
    Kind.TIMESPAN: _java_span,
    Kind.GUID: lambda v: str(UUID(v)),
    Kind.BYTES: lambda v: __import__("base64").b64decode(v).hex(),
}
