"""Extended JSON to BSON values, for facts that are written as YAML.

Only wrappers that cannot be mistaken for query operators are read: `{$regex: ...}` and `{$type: ...}` stay what they
are. A YAML integer is an int32 if it fits, else an int64; a YAML float is a double.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from bson import Binary, Decimal128, Int64, ObjectId, Regex
from bson.binary import UuidRepresentation


def from_extended(value: Any) -> Any:
    """The value with each wrapper replaced by what it stands for."""
    if isinstance(value, list):
        return [from_extended(item) for item in value]
    if not isinstance(value, dict):
        return Int64(value) if type(value) is int and not -(2**31) <= value < 2**31 else value
    if len(value) == 1:
        ((key, inner),) = value.items()
        read = _WRAPPERS.get(key)
        if read is not None:
            return read(inner)
    return {key: from_extended(item) for key, item in value.items()}


def is_wrapper(key: str) -> bool:
    return key in _WRAPPERS


def _date(value: Any) -> datetime:
    """Milliseconds since 1970 or ISO text; naive because PyMongo reads dates as naive UTC."""
    if isinstance(value, dict):
        return datetime.fromtimestamp(int(value["$numberLong"]) / 1000, UTC).replace(tzinfo=None)
    return datetime.fromisoformat(value.replace("Z", "+00:00")).astimezone(UTC).replace(tzinfo=None)


def _binary(value: Any) -> Any:
    data, subtype = base64.b64decode(value["base64"]), int(value["subType"], 16)
    return data if subtype == 0 else Binary(data, subtype)


_WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "$numberInt": int,
    "$numberLong": lambda text: Int64(int(text)),
    "$numberDouble": float,
    "$numberDecimal": Decimal128,
    "$oid": ObjectId,
    "$uuid": lambda text: Binary.from_uuid(UUID(text), UuidRepresentation.STANDARD),
    "$binary": _binary,
    "$date": _date,
    "$regularExpression": lambda value: Regex(value["pattern"], value["options"]),
}
