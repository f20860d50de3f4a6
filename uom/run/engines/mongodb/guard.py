"""Which commands may pass while translated code is verified: reads of the rows under test, and what a driver needs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from uom.run.engines.mongodb.recording import READS

HANDSHAKES = frozenset({"hello", "ismaster"})
SESSION = HANDSHAKES | frozenset(
    """
    ping buildinfo getparameter connectionstatus endsessions killcursors refreshsessions
    """.split()
)
WRITING_STAGES = frozenset({"$out", "$merge"})


_JOINING_STAGES = frozenset({"$lookup", "$graphLookup", "$unionWith"})


def refusal_of(command: Mapping[str, Any], databases: Container[str]) -> str:
    """Why a command must not pass: its name, the stage that writes, or the database that is none of `databases`.

    "" when it only reads what it may.
    """
    name = next(iter(command), "")
    lowered = name.lower()
    if lowered in SESSION:
        return ""
    if lowered not in READS:
        return name or "an empty command"
    if command.get("$db") not in databases:
        return f"{name} in another database"
    # everything but the collection's name is looked through: explain holds a command, stages hold pipelines
    return next((key for key, value in _entries(command) if _is_refused(key, value, databases)), "")


def _is_refused(key: str, value: Any, databases: Container[str]) -> bool:
    if key in _JOINING_STAGES and isinstance(value, Mapping):
        elsewhere = value.get("from") if key != "$unionWith" else value
        return isinstance(elsewhere, Mapping) and "db" in elsewhere
    return key in WRITING_STAGES or (key == "$db" and value not in databases)


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value at any depth: a stage must not hide in a nested pipeline."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Mapping):
            yield from current.items()
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
