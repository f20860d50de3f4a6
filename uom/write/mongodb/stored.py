"""How values of C# types are stored in BSON. The loader and the Java converters follow the same table.

bool, string as they are; char a one-letter string; byte to int and ushort int32; uint, long int64; ulong Decimal128;
float and double BSON double (float widened); decimal Decimal128; DateTime and DateTimeOffset a BSON date (the instant,
cut to milliseconds); DateOnly midnight UTC; TimeOnly that time on 1970-01-01; TimeSpan int64 ticks of 100 ns; Guid
Binary 4; byte[] Binary 0; an enum what `EnumType.stored` says, else its number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from uuid import UUID

from bson import Binary, Decimal128, Int64
from bson.binary import UuidRepresentation

from uom.model.diagnostics import Refusal
from uom.model.types import EnumType, Kind, ScalarType, Type, describe
from uom.write.mongodb.tree import Bson

_DECIMAL128 = Context(prec=34)


def stored_constant(value: object, type_: Type) -> Bson:
    """The BSON value of a C# value of this type."""
    if value is None:
        return None
    if isinstance(type_, EnumType):
        return _stored_enum(value, type_)
    if not isinstance(type_, ScalarType):
        raise Refusal(describe(type_), "a constant of this type has no stored form")
    try:
        return _STORED[type_.kind](value)
    except (TypeError, ValueError, OverflowError) as error:
        raise Refusal(describe(type_), f"the constant {value!r} cannot be stored: {error}") from None


def query_constant(value: object, type_: Type) -> Bson:
    """The stored form of a constant in a query. Raises Refusal for one that MongoDB has to cut: it would meet other rows."""
    if isinstance(value, datetime | time) and value.microsecond % 1000:
        raise Refusal(
            "DateTime", f"{value.isoformat()} has a fraction below a millisecond, which MongoDB does not store"
        )
    return stored_constant(value, type_)


def _stored_enum(value: object, type_: EnumType) -> Bson:
    assert isinstance(value, int)
    stored = type_.stored_value(value)
    if stored is None:
        raise Refusal(type_.name, f"the value {value} names no member, so it has no stored form")
    return stored if isinstance(stored, str) else _integer(stored)


def _integer(value: object) -> int:
    number = int(value)  # type: ignore[call-overload]
    return Int64(number) if not -(2**31) <= number < 2**31 else int(number)


def _instant(value: object) -> datetime:
    assert isinstance(value, datetime)
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)


def _day(value: object) -> datetime:
    assert isinstance(value, date)
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _time_of_day(value: object) -> datetime:
    assert isinstance(value, time)
    return _instant(datetime(1970, 1, 1, value.hour, value.minute, value.second, value.microsecond))


def _ticks(value: object) -> Int64:
    assert isinstance(value, timedelta)
    return Int64((value.days * 86_400_000_000 + value.seconds * 1_000_000 + value.microseconds) * 10)


def _float(value: object) -> float:
    """Widening a float keeps its bits: 0.15f is stored as 0.15000000596046448."""
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])  # type: ignore[arg-type]


def _decimal(value: object) -> Decimal128:
    return Decimal128(_DECIMAL128.create_decimal(value if isinstance(value, Decimal) else int(value)))  # type: ignore[call-overload]


def _guid(value: object) -> Binary:
    assert isinstance(value, UUID)
    return Binary.from_uuid(value, UuidRepresentation.STANDARD)


_STORED: dict[Kind, Callable[[object], Bson]] = {
    Kind.BOOL: bool,
    Kind.SBYTE: _integer,
    Kind.BYTE: _integer,
    Kind.SHORT: _integer,
    Kind.USHORT: _integer,
    Kind.INT: _integer,
    Kind.UINT: lambda value: Int64(value),  # type: ignore[call-overload]
    Kind.LONG: lambda value: Int64(value),  # type: ignore[call-overload]
    Kind.ULONG: _decimal,
    Kind.DECIMAL: _decimal,
    Kind.FLOAT: _float,
    Kind.DOUBLE: float,  # type: ignore[dict-item]
    Kind.STRING: str,
    Kind.CHAR: str,
    Kind.DATETIME: _instant,
    Kind.DATETIMEOFFSET: _instant,
    Kind.DATEONLY: _day,
    Kind.TIMEONLY: _time_of_day,
    Kind.TIMESPAN: _ticks,
    Kind.GUID: _guid,
    Kind.BYTES: bytes,  # type: ignore[dict-item]
}


def default_of(type_: Type) -> Bson:
    """C#'s `default(T)` in stored form: null for everything nullable, text included."""
    if type_.nullable or not isinstance(type_, ScalarType | EnumType):
        return None
    if isinstance(type_, EnumType):
        return _stored_enum(0, type_)
    return _DEFAULTS[type_.kind]


_ZEROS: dict[Kind, object] = {
    Kind.BOOL: False,
    Kind.CHAR: "\0",
    Kind.DATETIME: datetime(1, 1, 1),
    Kind.DATETIMEOFFSET: datetime(1, 1, 1),
    Kind.DATEONLY: date(1, 1, 1),
    Kind.TIMEONLY: time(),
    Kind.TIMESPAN: timedelta(),
    Kind.GUID: UUID(int=0),
}


_DEFAULTS: dict[Kind, Bson] = {
    kind: None if kind in (Kind.STRING, Kind.BYTES) else _STORED[kind](_ZEROS.get(kind, 0)) for kind in Kind
}
