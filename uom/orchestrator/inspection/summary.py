"""Puts together what MCP servers, databases and the code say, bounded in size and in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from uom.orchestrator.context import Context
from uom.orchestrator.inspection.from_code import describe_code
from uom.orchestrator.inspection.graph import describe_neo4j
from uom.orchestrator.inspection.mcp import describe_mongodb_mcp, describe_toolbox, listens
from uom.orchestrator.inspection.mongo import describe_mongodb
from uom.orchestrator.inspection.relational import describe_relational
from uom.orchestrator.state import FrameworkEnum
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.run.engines.mongodb.addresses import without_password

MAX_CHARACTERS = 8_000
_LONGEST_LINE = 600
PATIENCE_SECONDS = 3.0
"""For a server that does not answer."""
_ANSWER_SECONDS = 10.0
"""For one that does, but takes its time."""

Describe = Callable[[Context], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to look. `mcp`: a server in between, asked first; otherwise the database, asked when that is silent."""

    title: str
    setting: str
    describe: Describe
    mcp: bool = False


_SOURCE = (
    Place("MCP Toolbox", "db_toolbox_uri", describe_toolbox, mcp=True),
    Place("Relational database", "ms_sql_connection_string", describe_relational),
)
_TARGETS = {
    FrameworkEnum.JAVA_SPRING_DATA_MONGODB: (
        Place("MongoDB's MCP server", "mongodb_mcp_uri", describe_mongodb_mcp, mcp=True),
        Place("MongoDB", "mongodb_uri", describe_mongodb),
    ),
    FrameworkEnum.JAVA_SPRING_DATA_NEO4J: (Place("Neo4j", "neo4j_uri", describe_neo4j),),
}


async def inspect_schema(code: str, target: FrameworkEnum | None, context: Context) -> str:
    """The text for `State.schema_context`. A server that is dead costs three seconds and a line."""
    chosen = target or FrameworkEnum.JAVA_SPRING_DATA_MONGODB
    found = await asyncio.gather(
        _from_code(code, chosen), _side(_SOURCE, context), _side(_TARGETS.get(chosen, ()), context)
    )
    return bounded([line for part in found for line in part])


async def _from_code(code: str, target: FrameworkEnum) -> list[str]:
    try:
        return ["From the code:", *await asyncio.to_thread(describe_code, code, target)]
    except INPUT_PROBLEMS as problem:
        return [f"The code has no schema that could be read: {said(problem)}"]


async def _side(places: Sequence[Place], context: Context) -> list[str]:
    """The first place that answers; a line for each that was named and does not."""
    lines: list[str] = []
    for place in places:
        named = context.is_set(place.setting)
        if not named and not (place.mcp and await listens(str(getattr(context, place.setting)))):
            continue
        try:
            answer = await asyncio.wait_for(place.describe(context), _ANSWER_SECONDS)
        except Exception as error:  # whatever is wrong with a server must not end the run
            lines.append(f"{place.title} could not be asked: {reason(error)}")
            continue
        return [*lines, f"From {place.title}:", *(answer or ["(nothing there)"])]
    return lines


def reason(error: BaseException) -> str:
    """The first line, without passwords; of a group of errors the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = without_password(str(error).strip()).partition("\n")[0][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def bounded(lines: Sequence[str]) -> str:
    """Whole lines up to MAX_CHARACTERS, and how many were left out."""
    kept: list[str] = []
    used = 0
    for number, line in enumerate(lines):
        text = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
        if used + len(text) > MAX_CHARACTERS:
            return "\n".join([*kept, f"({len(lines) - number} more lines left out)"])
        kept.append(text)
        used += len(text) + 1
    return "\n".join(kept)
