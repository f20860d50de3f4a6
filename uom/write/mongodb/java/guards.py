"""`Take(size)` of no rows: Java returns at once, so that no stage has to say "nothing"."""

from __future__ import annotations

from dataclasses import replace

from uom.model.expressions import Const, Fn, Function
from uom.model.types import INT
from uom.write.mongodb.compile import CompiledQuery, Finish
from uom.write.mongodb.tree import Bind, Stage

_OPPOSITE = {"$gt": "<=", "$gte": "<"}
_FROM_NOTHING = frozenset({"$unionWith"})
"""Stages that yield rows even when none come in."""


def without_guards(compiled: CompiledQuery) -> tuple[CompiledQuery, list[tuple[Bind, str]]]:
    """The query without its `$match`es on values alone, and what must hold for no rows: (value, comparison with 0).

    Only for queries whose rows are the result, and only where no later stage adds rows.
    """
    if compiled.finish is not Finish.ROWS:
        return compiled, []
    guards: list[tuple[Bind, str]] = []
    stages: list[Stage] = []
    for number, stage in enumerate(compiled.stages):
        found = _guard(stage)
        if found is None or any(later.operator in _FROM_NOTHING for later in compiled.stages[number:]):
            stages.append(stage)
        elif found not in guards:
            guards.append(found)
    positive = [bind for bind, opposite in guards if opposite == "<="]
    return replace(compiled, stages=tuple(_plain_limit(stage, positive) for stage in stages)), guards


def _guard(stage: Stage) -> tuple[Bind, str] | None:
    if stage.operator != "$match" or stage.when is not None:
        return None
    match stage.body:
        case {"$expr": dict() as test} if len(stage.body) == len(test) == 1:
            ((operator, operands),) = test.items()
            if operator in _OPPOSITE and isinstance(operands, list) and isinstance(operands[0], Bind):
                return (operands[0], _OPPOSITE[operator]) if operands[1:] == [0] else None
    return None


def _plain_limit(stage: Stage, positive: list[Bind]) -> Stage:
    """`Math.max(size, 1)` is `size` once it is known to be positive."""
    for bind in positive:
        at_least_one = Function(Fn.GREATEST, (bind.expr, Const(1, INT)), bind.expr.type)
        if stage.operator == "$limit" and isinstance(stage.body, Bind) and stage.body.expr == at_least_one:
            return Stage({"$limit": bind}, stage.when)
    return stage
