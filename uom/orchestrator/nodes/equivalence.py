"""What both sides returned is laid side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from uom.orchestrator.compiling import source_code, target_of
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.nodes.query_validation import run_tools, tool_call
from uom.orchestrator.state import QueryValidationResults, State
from uom.orchestrator.tools import check_query_equivalence
from uom.orchestrator.tools.query_validator import diffs_in

COMPARER = ToolNode([check_query_equivalence], messages_key="translation_messages")


async def prep_query_equivalence(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """One tool call with the JSON of both sides."""
    context = resolve(runtime.context, config)
    source, target = state.source_query_validation_results, state.target_query_validation_results
    assert source is not None and target is not None, "the gate lets only validated queries through"
    args = {
        "source_results": _samples(source),
        "target_results": _samples(target),
        "source_json_path": source.json_path,
        "target_json_path": target.json_path,
        "source_code": source_code(state),
        "arguments": state.call_arguments,
        "data_file": state.data_file,
        "target": target_of(state),
        "verdict": context.verdict,
    }
    return {"translation_messages": [AIMessage("", tool_calls=[tool_call("check_query_equivalence", args)])]}


async def check_query_equivalence_node(
    state: State,
    config: RunnableConfig,
    runtime: Runtime[Context],  # noqa: ARG001
) -> dict[str, Any]:
    """Runs the call; the findings are the state's."""
    answers = await run_tools(COMPARER, state, config)
    return {"translation_messages": answers, "query_equivalence_deep_diffs": diffs_in(answers[-1].text)}


def _samples(results: QueryValidationResults) -> dict[str, Any]:
    return {label: asdict(sample) for label, sample in results.queries.items()}
