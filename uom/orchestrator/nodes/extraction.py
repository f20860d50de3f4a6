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
from uom.orchestrator.routes import MAX_EXTRACTION_LOOPS, has_inputs, last_message_id, says_more
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

    The last attempt that fails says in the conversation what is missing. Where a translation was made already and the
    user says more, everything begins anew: of what was read, only what the conversation does not say again stays.
    """
    context = resolve(runtime.context, config)
    if says_more(state):
        return await _read_anew(state, context)
    return await _read(state, context)


async def _read_anew(state: State, context: Context) -> dict[str, Any]:
    """From what was said since: its code takes the place of all earlier code, its words that of earlier ones."""
    since = _said_since(state)
    found = (await asyncio.to_thread(read_conversation, _user_text(since))).found()
    has_code = not _CODE.isdisjoint(found)
    over = [name for name in _NAMES if name in found or (has_code and name in _CODE)]
    cleared: dict[str, Any] = {**dict.fromkeys(over), **_BEGINNING, "messages": since}
    update = await _read(replace(state, **cleared), context)
    return {**dict.fromkeys(over), **_BEGINNING, **update, "read_message_id": last_message_id(state)}


def _said_since(state: State) -> list[AnyMessage]:
    """Messages after the last that a translation was made for."""
    ids = [m.id for m in state.messages]
    after = ids.index(state.read_message_id) + 1 if state.read_message_id in ids else 0
    return list(state.messages[after:])


_CODE = frozenset({"source_schema_code", "source_query_code"})
_BEGINNING: dict[str, Any] = {
    "extraction_loop_count": 0,
    "translation_loop_count": 0,
    "translated_schema_code": None,
    "translated_query_code": None,
    "source_query_validation_results": None,
    "target_query_validation_results": None,
    "query_equivalence_deep_diffs": None,
    "schema_validation_passed": None,
    "evaluation_decision": None,
    "human_decision": None,
    "explanation_message": None,
    "model_queries": {},
    "model_schema": "",
    "call_arguments": "",
}
"""Nothing that was found about an earlier translation may be taken for this one's."""


async def _read(state: State, context: Context) -> dict[str, Any]:
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
    missing = list(dict.fromkeys(text for name, text in _NAMES.items() if getattr(state, name) is None))
    *others, last = missing
    return f"The translation cannot begin. Please add {'; '.join(others)}{'; and ' if others else ''}{last}."
