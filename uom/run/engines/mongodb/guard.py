"""Which commands may pass while translated code is verified: reads, and what a driver needs to talk at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from uom.run.engines.mongodb.recording import READS

HANDSHAKES = frozenset({"hello", "ismaster"})
SESSION = HANDSHAKES | frozenset(
    """
    ping buildinfo getparameter connectionstatus endsessions killcursors saslstart saslcontinue authenticate logout
    refreshsessions hostinfo serverstatus
    """.split()
)
WRITING_STAGES = frozenset({"$out", "$merge"})


def refusal_of(command: Mapping[str, Any]) -> str:
    """Why a command must not pass: its name, or the stage that writes; "" when it only reads."""
    name = next(iter(command), "")
    lowered = name.lower()
    if lowered in SESSION:
        return ""
    if lowered not in READS:
        return name or "an empty command"
    # everything but the collection's name is looked through: explain holds a command, stages hold pipelines
    return next((key for key in _keys(command) if key in WRITING_STAGES), "")


def _keys(value: Any) -> Iterator[str]:
    """Every key at any depth: a writing stage must not hide in a nested pipeline."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Mapping):
            yield from current
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
