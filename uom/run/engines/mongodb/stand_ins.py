"""Stages that an imitation gets wrong, asked of it in the other form that MongoDB documents as equal.

`{$count: "n"}` is documented as `{$group: {_id: null, n: {$sum: 1}}}` and `{$project: {_id: 0}}`; of no documents both
give none, where SecantusDB gives a zero. The recorded command stays what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_count(command: Mapping[str, Any]) -> Mapping[str, Any]:
    """The command with each `$count` in its long form; the same object when there is none."""
    pipeline = command.get("pipeline")
    if not isinstance(pipeline, list):
        return command
    replaced = _pipeline(pipeline)
    return command if replaced == pipeline else {**command, "pipeline": replaced}


def _pipeline(stages: list[Any]) -> list[Any]:
    return [other for stage in stages for other in _stage(stage)]


def _stage(stage: Any) -> list[Any]:
    if not isinstance(stage, Mapping) or len(stage) != 1:
        return [stage]
    ((name, body),) = stage.items()
    if name == "$count" and isinstance(body, str) and body and not body.startswith("$") and "." not in body:
        return [{"$group": {"_id": None, body: {"$sum": 1}}}, {"$project": {"_id": 0}}] if body != "_id" else [stage]
    if name in ("$lookup", "$unionWith") and isinstance(body, Mapping) and isinstance(body.get("pipeline"), list):
        return [{name: {**body, "pipeline": _pipeline(body["pipeline"])}}]
    if name == "$facet" and isinstance(body, Mapping):
        inner = {key: _pipeline(value) if isinstance(value, list) else value for key, value in body.items()}
        return [{name: inner}]
    return [stage]
