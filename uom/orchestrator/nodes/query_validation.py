"""Both sides are compiled and run at the same time, each by its tool."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.runnables import RunnableConfig
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from uom.orchestrator.compiling import data_of, source_code, target_of
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.engines import source_server
from uom.orchestrator.projects import SOURCE_ENTRY, TARGET_ENTRY
from uom.orchestrator.state import QueryValidationResults, State
from uom.orchestrator.tools import validate_dotnet_code, validate_java_code
from uom.orchestrator.tools.reports import results_in
from uom.orchestrator.validation.problems import INPUT_PROBLEMS
from uom.run.cache import digest

VALIDATORS = ToolNode([validate_dotnet_code, validate_java_code], messages_key="translation_messages")


async def prep_query_validation(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """Two tool calls in one message. Each names its evidence, so that a node that runs again finds what is finished.

    The C# does not change from try to try: its evidence is named by what is run and on what, and found again by the
    next try.
    """
    shared = {
        "source_code": source_code(state),
        "arguments": state.call_arguments,
        "data_file": state.data_file,
        "target": target_of(state),
    }
    source = {
        "schema_code": state.source_validation_schema_code or "",
        "harness_code": state.source_validation_harness_code or "",
        "entry_type_name": state.source_validation_entry_type_name or SOURCE_ENTRY,
    }
    target = {
        "schema_code": state.translated_schema_code or "",
        "query_code": state.translated_query_code or "",
        "harness_code": state.target_validation_harness_code or "",
        "entry_type_name": state.target_validation_entry_type_name or TARGET_ENTRY,
    }
    behind = source_server(resolve(runtime.context, config))
    same = digest(*map(str, source.values()), *map(str, shared.values()), _rows_digest(state), str(behind))
    calls = [
        validation_call("validate_dotnet_code", {**source, **shared}, f"validate_dotnet_code-{same}"),
        validation_call("validate_java_code", {**target, **shared}),
    ]
    return {"translation_messages": [AIMessage("", tool_calls=calls)], **_CLEARED}


async def validate_query_node(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001
    """Runs the calls of the last message; what the tools found goes into the state, without rows."""
    answers = await run_tools(VALIDATORS, state, config)
    return {
        "translation_messages": answers,
        "source_query_validation_results": _of("validate_dotnet_code", answers),
        "target_query_validation_results": _of("validate_java_code", answers),
    }


_CLEARED: dict[str, Any] = {
    "source_query_validation_results": None,
    "target_query_validation_results": None,
    "query_equivalence_deep_diffs": None,
    "evaluation_decision": None,
}
"""Findings about an earlier translation must not be taken for this one's."""


def tool_call(name: str, args: dict[str, Any]) -> ToolCall:
    """A call as a model would write it."""
    return ToolCall(name=name, args=args, id=f"{name}-{uuid.uuid4().hex}", type="tool_call")


def validation_call(name: str, args: dict[str, Any], evidence: str = "") -> ToolCall:
    """One that keeps rows; `evidence` names where, by default like nothing before."""
    return tool_call(name, {**args, "call_id": evidence or f"{name}-{uuid.uuid4().hex}"})


def _rows_digest(state: State) -> str:
    with suppress(*INPUT_PROBLEMS):  # the validators say it better
        return data_of(state.data_file).sha256
    return ""


async def run_tools(tools: ToolNode, state: State, config: RunnableConfig) -> list[ToolMessage]:
    """The answers to the last message's calls."""
    found = await tools.ainvoke(state, config)
    answers: list[ToolMessage] = found["translation_messages"]
    return answers


def _of(name: str, answers: list[ToolMessage]) -> QueryValidationResults:
    answer = next((a for a in answers if a.name == name), None)
    return results_in(answer.text) if answer is not None else QueryValidationResults(False, output="it never ran")
