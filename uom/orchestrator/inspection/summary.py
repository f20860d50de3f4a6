"""Puts together what was found, bounded in size."""

from __future__ import annotations

import asyncio

from uom.orchestrator.context import Context
from uom.orchestrator.inspection.from_code import describe_code
from uom.orchestrator.state import FrameworkEnum
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said

MAX_CHARACTERS = 8_000


async def inspect_schema(code: str, target: FrameworkEnum | None, context: Context) -> str:  # noqa: ARG001
    """The text for `State.schema_context`."""
    chosen = target or FrameworkEnum.JAVA_SPRING_DATA_MONGODB
    try:
        lines = ["From the code:", *await asyncio.to_thread(describe_code, code, chosen)]
    except INPUT_PROBLEMS as problem:
        lines = [f"The code has no schema that could be read: {said(problem)}"]
    return bounded(lines)


def bounded(lines: list[str]) -> str:
    """Whole lines up to MAX_CHARACTERS, and how many were left out."""
    kept: list[str] = []
    used = 0
    for number, line in enumerate(lines):
        text = line if len(line) <= 600 else f"{line[:600]}..."
        if used + len(text) > MAX_CHARACTERS:
            return "\n".join([*kept, f"({len(lines) - number} more lines left out)"])
        kept.append(text)
        used += len(text) + 1
    return "\n".join(kept)
