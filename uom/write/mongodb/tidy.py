"""Stages that do nothing are left out of a finished pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from uom.write.mongodb.tree import Bson, Stage

_KEEPING = frozenset({"$sort", "$match", "$skip", "$limit"})
"""Stages that hand documents on as they are."""


def tidied(stages: Sequence[Stage]) -> list[Stage]:
    """The pipeline without projections that keep all fields an earlier projection left."""
    found: list[Stage] = []
    fields: set[str] | None = None
    for stage in stages:
        if stage.operator == "$project":
            kept = _kept(stage.body)
            if stage.when is None and kept is not None and kept == fields:
                continue
            fields = _shape(stage.body) if stage.when is None else None
        elif stage.operator not in _KEEPING:
            fields = None
        found.append(stage)
    return found


def _kept(projection: dict[str, Bson]) -> set[str] | None:
    """The fields of a projection that only keeps; None when it computes or drops something else."""
    names = _shape(projection)
    if names is None or any(projection[name] is True or projection[name] != 1 for name in names):
        return None
    return names


def _shape(projection: dict[str, Bson]) -> set[str] | None:
    """The fields of its documents, without `_id`; None where paths go into sub-documents."""
    if projection.get("_id") != 0 or any("." in name for name in projection):
        return None
    return {name for name in projection if name != "_id"}
