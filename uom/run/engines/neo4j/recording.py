"""What a relay keeps of the statements that went through it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

from uom.run.engines.neo4j.packstream import Structure
from uom.run.engines.relaying import LabelledRecorder

_EPOCH = datetime(1970, 1, 1)
_NO_NOTICE = ("00", "02")


@dataclass(frozen=True, slots=True)
class RecordedStatement:
    """A statement that the server was asked. `parameters` are JSON values, dates and times as ISO text.

    `error` is the server's message or "". `notices` are what it remarked, e.g. an unknown property.
    """

    statement: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    returned: int = 0
    error: str = ""
    notices: tuple[str, ...] = ()

    def evidence(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "statement": self.statement,
            "parameters": dict(self.parameters),
            "returned": self.returned,
            "error": self.error,
            "notices": list(self.notices),
        }


TOO_MANY = RecordedStatement("(more statements)")


@dataclass(slots=True, eq=False)
class OpenStatement:
    """A statement whose rows are still coming. `refusal` says why it was not let through."""

    label: str
    statement: str
    parameters: dict[str, Any]
    refusal: str = ""
    returned: int = 0
    error: str = ""
    notices: tuple[str, ...] = ()


class Recorder(LabelledRecorder[RecordedStatement]):
    """`limit_ms` is how long a statement of the current label may run; 0 for as long as it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.limit_ms = 0

    def close(self, done: OpenStatement) -> None:
        """Keep a statement that has got all its answers."""
        if done.refusal:
            return
        recorded = RecordedStatement(done.statement, done.parameters, done.returned, done.error, done.notices)
        self.keep(done.label, recorded, TOO_MANY)


def notices_of(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """What the server remarks about a statement, in either form that Bolt has for it."""
    found = [
        f"{status.get('gql_status')}: {status.get('status_description')}"
        for status in summary.get("statuses") or ()
        if not str(status.get("gql_status", "")).startswith(_NO_NOTICE)
    ]
    found += [f"{n.get('code')}: {n.get('description')}" for n in summary.get("notifications") or ()]
    return tuple(found)


def plain(value: Any) -> Any:
    """A value of PackStream as JSON has it: what JSON lacks is text."""
    if isinstance(value, Structure):
        return _structure(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _structure(value: Structure) -> Any:
    reader = _READERS.get(value.tag)
    try:
        return reader(*value.fields) if reader is not None else _opaque(value)
    except (TypeError, ValueError, OverflowError):
        return _opaque(value)


def _opaque(value: Structure) -> dict[str, Any]:
    return {"structure": chr(value.tag), "fields": [plain(item) for item in value.fields]}


def _date(days: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=days)).isoformat()


def _clock(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60).isoformat() + _fraction(rest)


def _local(seconds: int, nanoseconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat() + _fraction(nanoseconds)


def _zoned(seconds: int, nanoseconds: int, offset: int) -> str:
    zone = timezone(timedelta(seconds=offset))
    local = datetime.fromtimestamp(0, UTC).astimezone(zone) + timedelta(seconds=seconds)
    text = local.replace(tzinfo=None).isoformat() + _fraction(nanoseconds)
    return text + local.isoformat()[19:]


def _in_zone(seconds: int, nanoseconds: int, zone: str) -> str:
    return f"{_local(seconds, nanoseconds)}Z[{zone}]"


def _duration(months: int, days: int, seconds: int, nanoseconds: int) -> str:
    return f"P{months}M{days}DT{seconds}{_fraction(nanoseconds)}S"


def _fraction(nanoseconds: int) -> str:
    return f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""


_READERS: dict[int, Any] = {
    ord("D"): _date,
    ord("t"): _clock,
    ord("T"): lambda nanoseconds, offset: _clock(nanoseconds) + _zoned(0, 0, offset)[19:],
    ord("d"): _local,
    ord("I"): _zoned,
    ord("i"): _in_zone,
    ord("E"): _duration,
}
