"""Values of rows and arguments as JSON that gives back the same value, type included."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

_TAG = "$uom"
_WRITE: tuple[tuple[type, str, Callable[[Any], Any]], ...] = (
    (Decimal, "decimal", str),
    (datetime, "datetime", datetime.isoformat),
    (date, "date", date.isoformat),
    (time, "time", time.isoformat),
    (timedelta, "microseconds", lambda v: v // timedelta(microseconds=1)),
    (UUID, "uuid", str),
    (bytes, "bytes", lambda v: base64.b64encode(v).decode("ascii")),
)
_READ: dict[str, Callable[[Any], Any]] = {
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "microseconds": lambda v: timedelta(microseconds=v),
    "uuid": UUID,
    "bytes": base64.b64decode,
}

Sets = Mapping[str, Sequence[Mapping[str, Any]]]


def dumps(value: Any) -> str:
    """Raises TypeError for a value that is none of ours."""
    return json.dumps(value, default=_tagged, ensure_ascii=False)


def loads(text: str | bytes) -> Any:
    """What `dumps` wrote."""
    return json.loads(text, object_hook=_untagged)


def _tagged(value: Any) -> Any:
    for type_, name, write in _WRITE:
        if isinstance(value, type_):
            return {_TAG: name, "value": write(value)}
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def _untagged(value: dict[str, Any]) -> Any:
    if _TAG in value:
        return _READ[value[_TAG]](value["value"])
    return value
