"""Constants as Java expressions."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from uom.model.defaults import default_of
from uom.model.diagnostics import Refusal
from uom.model.types import EnumType, Kind, ScalarType, Type, describe
from uom.write.java.source import Imports, char_literal, string_literal
from uom.write.java.types import JavaModel

INTS = frozenset({Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT, Kind.INT})


def java_literal(value: object, type_: Type, imports: Imports, model: JavaModel) -> str:
    """A C# value as Java text."""
    if value is None:
        return "null"
    if isinstance(type_, EnumType):
        return f"{imports.use(f'{model.package}.{model.enum(type_)}')}.{member_of(type_, value)}"
    if isinstance(type_, ScalarType):
        return scalar_literal(value, type_.kind, imports)
    raise Refusal(describe(type_), "a constant of this type has no Java form")


def default_literal(type_: Type, imports: Imports, model: JavaModel) -> str:
    """`default(T)`; "null" where that is null."""
    return java_literal(default_of(type_), type_, imports, model)


def member_of(type_: EnumType, number: object) -> str:
    name = next((name for name, value in type_.members if value == number), None)
    if name is None:
        raise Refusal(type_.name, f"the value {number} names no member")
    return name


def scalar_literal(value: object, kind: Kind, imports: Imports) -> str:
    if kind in INTS:
        return str(value)
    return _WRITERS[kind](value, imports)


def float_text(value: object) -> str:
    """The shortest text that reads back as the same 32-bit number."""
    wanted = struct.pack("f", float(value))  # type: ignore[arg-type]
    for digits in range(1, 10):
        text = f"{float(value):.{digits}g}"  # type: ignore[arg-type]
        if struct.pack("f", float(text)) == wanted:
            return f"{float(text)!r}f"
    return f"{float(value)!r}f"  # type: ignore[arg-type]


def _double(value: object, _: Imports) -> str:
    number = float(value)  # type: ignore[arg-type]
    if number != number:
        return "Double.NaN"
    if number in (float("inf"), float("-inf")):
        return "Double.POSITIVE_INFINITY" if number > 0 else "Double.NEGATIVE_INFINITY"
    return repr(number)


def _decimal(value: object, imports: Imports) -> str:
    text = format(value if isinstance(value, Decimal) else Decimal(int(value)), "f")  # type: ignore[call-overload]
    name = imports.use("java.math.BigDecimal")
    return f"{name}.ZERO" if text == "0" else f'new {name}("{text}")'


def _instant(value: object, imports: Imports) -> str:
    assert isinstance(value, datetime)
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    digits = "microseconds" if aware.microsecond % 1000 else "milliseconds" if aware.microsecond else "seconds"
    text = aware.replace(tzinfo=None).isoformat(timespec=digits)
    return f'{imports.use("java.time.Instant")}.parse("{text}Z")'


def _day(value: object, imports: Imports) -> str:
    assert isinstance(value, date)
    return f"{imports.use('java.time.LocalDate')}.of({value.year}, {value.month}, {value.day})"


def _time(value: object, imports: Imports) -> str:
    assert isinstance(value, time)
    nanos = value.microsecond * 1000
    return f"{imports.use('java.time.LocalTime')}.of({value.hour}, {value.minute}, {value.second}, {nanos})"


def _duration(value: object, imports: Imports) -> str:
    assert isinstance(value, timedelta)
    micros = value // timedelta(microseconds=1)
    return f"{imports.use('java.time.Duration')}.ofNanos({micros * 1000}L)"


def _guid(value: object, imports: Imports) -> str:
    assert isinstance(value, UUID)
    return f'{imports.use("java.util.UUID")}.fromString("{value}")'


def _bytes(value: object, _: Imports) -> str:
    assert isinstance(value, bytes)
    return "new byte[] {" + ", ".join(f"(byte) {number}" for number in value) + "}"


_WRITERS: dict[Kind, Callable[[object, Imports], str]] = {
    Kind.BOOL: lambda value, _: "true" if value else "false",
    Kind.UINT: lambda value, _: f"{value}L",
    Kind.LONG: lambda value, _: f"{value}L",
    Kind.ULONG: _decimal,
    Kind.DECIMAL: _decimal,
    Kind.FLOAT: lambda value, _: float_text(value),
    Kind.DOUBLE: _double,
    Kind.STRING: lambda value, _: string_literal(str(value)),
    Kind.CHAR: lambda value, _: char_literal(str(value)),
    Kind.DATETIME: _instant,
    Kind.DATETIMEOFFSET: _instant,
    Kind.DATEONLY: _day,
    Kind.TIMEONLY: _time,
    Kind.TIMESPAN: _duration,
    Kind.GUID: _guid,
    Kind.BYTES: _bytes,
}
