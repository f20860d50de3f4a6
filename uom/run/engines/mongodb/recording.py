"""What a relay keeps of the commands that went through it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bson import json_util

from uom.run.engines.mongodb.observing.learning import Knowledge
from uom.run.engines.mongodb.observing.shapes import Shape
from uom.run.engines.relaying import MOST_KEPT, LabelledRecorder

__all__ = ["MOST_KEPT", "READS", "TOO_MANY", "RecordedCommand", "Recorder"]

READS = frozenset({"find", "aggregate", "count", "distinct", "getmore", "explain", "listindexes", "listcollections"})
TOO_MANY = "(more commands)"
"""The name of the last command of a label that sent more than are kept."""
_NOT_KEPT = frozenset({"lsid", "$db", "$clusterTime", "$readPreference", "apiVersion", "apiStrict"})


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A read that went through. `command` lacks session and cluster fields; `error` is the server's message or "".

    `counted_nothing`: the pipeline ends in `$count` and the reply's document says 0. `collections` are the shapes of
    the database's collections as far as they were loaded by us. `stood_in`: `$count` was asked in its long form.
    """

    name: str
    database: str
    command: dict[str, Any]
    returned: int
    error: str = ""
    counted_nothing: bool = False
    stood_in: bool = False
    collections: Mapping[str, Shape] = field(default_factory=dict, repr=False, compare=False)

    def evidence(self) -> dict[str, Any]:
        """As plain JSON values."""
        text = json_util.dumps(self.command, json_options=json_util.RELAXED_JSON_OPTIONS)
        return {"command": json.loads(text), "returned": self.returned, "error": self.error}


class Recorder(LabelledRecorder[RecordedCommand]):
    """Shared by all connections of one relay; read from other threads."""

    def __init__(self) -> None:
        super().__init__()
        self.knowledge = Knowledge()

    def record(self, name: str, command: dict[str, Any], reply: Mapping[str, Any], stood_in: bool = False) -> None:
        bare = {key: value for key, value in command.items() if key not in _NOT_KEPT}
        database = str(command.get("$db", ""))
        error = "" if reply.get("ok") else str(reply.get("errmsg", "no reply"))
        recorded = RecordedCommand(
            name,
            database,
            bare,
            _returned(reply),
            error,
            _counted_nothing(command, reply),
            stood_in,
            self.knowledge.of(database),
        )
        self.keep(self.label, recorded, RecordedCommand(TOO_MANY, database, {}, 0))


def _batch(reply: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    cursor = reply.get("cursor")
    if cursor is None:
        return None
    batch = cursor.get("firstBatch")
    return list(batch if batch is not None else cursor.get("nextBatch") or [])


def _returned(reply: Mapping[str, Any]) -> int:
    batch = _batch(reply)
    if batch is not None:
        return len(batch)
    if "values" in reply:
        return len(reply["values"])
    return int(reply.get("n", 0) or 0)


def _counted_nothing(command: Mapping[str, Any], reply: Mapping[str, Any]) -> bool:
    pipeline = command.get("pipeline")
    if not isinstance(pipeline, list) or not pipeline or not isinstance(pipeline[-1], Mapping):
        return False
    field_name = pipeline[-1].get("$count")
    batch = _batch(reply)
    return bool(field_name is not None and batch and batch[0].get(str(field_name)) == 0)
