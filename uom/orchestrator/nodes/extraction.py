"""`extract_input`: from what the user wrote to the fields of the state."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.context import Context
from uom.orchestrator.conversation import read_conversation, user_text
from uom.orchestrator.routes import MAX_EXTRACTION_LOOPS, has_inputs
from uom.orchestrator.state import State

_NAMES = {
    "source_schema_code": "the C# entities and DbContext, in a fenced block",
    "source_query_code": "the C# queries, in a fenced block",
    "translation_type": "C# code",
    "source_target": "the framework of the C# (e.g. EF Core)",
    "destination_target": "the target (Spring Data MongoDB or Spring Data Neo4j)",
}


async def extract_input(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001
    """Rules first; what a client gave as fields is kept. The last attempt that fails says what is missing."""
    found = (await asyncio.to_thread(read_conversation, user_text(state.messages))).found()
    update = {name: value for name, value in found.items() if getattr(state, name) is None}
    attempts = state.extraction_loop_count + 1
    known = replace(state, **update)
    if attempts < MAX_EXTRACTION_LOOPS or has_inputs(known):
        return {**update, "extraction_loop_count": attempts}
    return {
        **update,
        "extraction_loop_count": attempts,
        "explanation_message": missing_inputs(known),
        "messages": [AIMessage(missing_inputs(known))],
    }


def missing_inputs(state: State) -> str:
    """What the user has to add."""
    missing = [text for name, text in _NAMES.items() if getattr(state, name) is None]
    return f"The translation cannot begin. Please add {', and '.join(dict.fromkeys(missing))}."
