"""`extract_input`: from what the user wrote to the fields of the state."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.asking import is_asked
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.conversation import read_conversation
from uom.orchestrator.extracting import NODE, ask_what_is_wanted
from uom.orchestrator.routes import MAX_EXTRACTION_LOOPS, has_inputs
from uom.orchestrator.state import State

_NAMES = {
    "source_schema_code": "the C# entities and DbContext, in a fenced block",
    "source_query_code": "the C# queries, in a fenced block",
    "translation_type": "C# code",
    "source_target": "the framework of the C# (e.g. EF Core)",
    "destination_target": "the target (Spring Data MongoDB or Spring Data Neo4j)",
}


async def extract_input(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """Rules first, then a model where there is one; what a client gave as fields is kept.

    The last attempt that fails says in the conversation what is missing.
    """
    context = resolve(runtime.context, config)
    text = _user_text(state.messages)
    update = _new(state, (await asyncio.to_thread(read_conversation, text)).found())
    usage = {}
    if is_asked(context) and text.strip() and not has_inputs(replace(state, **update)):
        found, asked = await ask_what_is_wanted(text, context)
        update = {**_new(state, found), **update}
        usage = {NODE: asked.usage()}
    known = replace(state, **update)
    update |= {"extraction_loop_count": state.extraction_loop_count + 1, "usage": usage}
    if update["extraction_loop_count"] < MAX_EXTRACTION_LOOPS or has_inputs(known):
        return update
    said = missing_inputs(known)
    return {**update, "explanation_message": said, "messages": [AIMessage(said)]}


def _user_text(messages: Sequence[AnyMessage]) -> str:
    """What the user said, in order. Nobody else's words are instructions."""
    return "\n\n".join(m.text for m in messages if isinstance(m, HumanMessage))


def _new(state: State, found: dict[str, Any]) -> dict[str, Any]:
    """What the state does not have yet."""
    return {name: value for name, value in found.items() if getattr(state, name) is None}


def missing_inputs(state: State) -> str:
    """What the user has to add."""
    missing = [text for name, text in _NAMES.items() if getattr(state, name) is None]
    return f"The translation cannot begin. Please add {', and '.join(dict.fromkeys(missing))}."
