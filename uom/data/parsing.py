"""A JSON value as a value of one of our types: decimals exactly, dates from ISO text, Guids from text, bytes from base64."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from uom.model.types import INTEGER_RANGE, INTEGERS, EnumType, Kind, ScalarType, Type
from uom.reference.arithmetic import single
from uom.reference.values import Value


def parse_value(raw: Any, type_: Type) -> Value:
    """A JSON value as a value of the type. Raises ValueError when it is none."""
    if isinstance(type_, EnumType):
        number = type_.number_of(raw)
        if number is None:
            raise ValueError(raw)
        return number
    assert isinstance(type_, ScalarType)
    if type_.kind in INTEGERS:
        return _integer(raw, type_.kind)
    return _PARSERS[type_.kind](raw)


_LONGEST_INTEGER = 20
_LARGEST_DECIMAL = Decimal(2**96 - 1)
"""Of .NET's decimal."""
_STORED_DIGITS = 34
"""Of MongoDB's Decimal128."""


def _integer(raw: Any, kind: Kind) -> int:
    if isinstance(raw, Decimal) and raw.adjusted() < _LONGEST_INTEGER:  # 1E+999999999 is never written out
        raw = int(raw) if raw == raw.to_integral_value() else "a fraction"
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(raw)
    value = int(raw)
    low, high = INTEGER_RANGE[kind]
    if not low <= value <= high:
        raise ValueError(raw)
    return value


def _decimal(raw: Any) -> Decimal:
    if isinstance(raw, bool):
        raise ValueError(raw)
    try:
        value = Decimal(str(raw))
    except InvalidOperation:
        raise ValueError(raw) from None
    if not value.is_finite() or abs(value) > _LARGEST_DECIMAL or len(value.as_tuple().digits) > _STORED_DIGITS:
        raise ValueError(raw)
    return value


def _float(raw: Any) -> float:
    if isinstance(raw, bool):
        raise ValueError(raw)
    value = float(raw)
    if math.isinf(value) and not isinstance(raw, str):  # "Infinity" is meant, 1E+999 is out of range
        raise ValueError(raw)
    return value


def _bool(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if raw in (0, 1):
        return bool(raw)
    raise ValueError(raw)


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise ValueError(raw)
    raw.encode()  # half of a surrogate pair is no text that a database takes
    return raw


def _char(raw: Any) -> str:
    if len(_text(raw)) != 1:
        raise ValueError(raw)
    return str(raw)


def _datetime(raw: Any) -> datetime:
    value = datetime.fromisoformat(_text(raw))
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo is not None else value


def _offset(raw: Any) -> datetime:
    value = datetime.fromisoformat(_text(raw))
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _span(raw: Any) -> timedelta:
    """`[-][d.]hh:mm:ss[.fffffff]`, as .NET writes it."""
    text = _text(raw)
    sign = -1 if text.startswith("-") else 1
    head, _, tail = text.lstrip("-").partition(":")
    days, _, hours = head.rpartition(".")
    minutes, seconds = tail.split(":")
    return sign * timedelta(days=int(days or 0), hours=int(hours), minutes=int(minutes), seconds=float(seconds))


_PARSERS: dict[Kind, Callable[[Any], Value]] = {
    Kind.BOOL: _bool,
    Kind.DECIMAL: _decimal,
    Kind.FLOAT: lambda raw: single(_float(raw)),
    Kind.DOUBLE: _float,
    Kind.STRING: _text,
    Kind.CHAR: _char,
    Kind.DATETIME: _datetime,
    Kind.DATETIMEOFFSET: _offset,
    Kind.DATEONLY: lambda raw: date.fromisoformat(_text(raw)[:10]),
    Kind.TIMEONLY: lambda raw: time.fromisoformat(_text(raw)),
    Kind.TIMESPAN: _span,
    Kind.GUID: lambda raw: UUID(_text(raw)),
    Kind.BYTES: lambda raw: base64.b64decode(_text(raw), validate=True),
}
