"""The schema alone: its classes are compiled, and some documents of each are read into them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.compiling import compiled, source_code, target_of
from uom.orchestrator.context import Context
from uom.orchestrator.nodes.evaluation import final_message
from uom.orchestrator.nodes.query_validation import VALIDATORS, run_tools, validation_call
from uom.orchestrator.projects import TARGET_ENTRY, with_probe
from uom.orchestrator.state import State, TranslationType
from uom.orchestrator.tools.reports import results_in
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.orchestrator.verdicts import unread_parts


async def prep_schema_validation(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001
    """A call of the validator that fits the target."""
    target = target_of(state)
    code = source_code(state)
    with suppress(*INPUT_PROBLEMS):  # the validator says it better
        code = await asyncio.to_thread(lambda: with_probe(code, compiled(code, target).program.schemas))
    shared = {"source_code": code, "arguments": state.call_arguments, "data_file": state.data_file, "target": target}
    if target.is_dotnet:
        args = {**shared, "schema_code": state.target_validation_schema_code or ""}
        call = validation_call("validate_dotnet_code", args)
    else:
        args = {
            **shared,
            "schema_code": state.translated_schema_code or "",
            "harness_code": state.target_validation_schema_code or "",
            "entry_type_name": state.target_validation_entry_type_name or TARGET_ENTRY,
        }
        call = validation_call("validate_java_code", args)
    return {"translation_messages": [AIMessage("", tool_calls=[call])], "schema_validation_passed": None}


async def validate_schema_node(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001
    """Compiled, and every class could be filled: passed. Otherwise the diagnostics stay in the loop's own thread."""
    answers = await run_tools(VALIDATORS, state, config)
    results = results_in(answers[-1].text)
    failed = {label: s.error for label, s in results.queries.items() if s.error}
    unfit = await asyncio.to_thread(_unfit, state)
    passed = results.passed and not failed and not unfit
    update: dict[str, Any] = {"schema_validation_passed": passed, "translation_messages": list(answers)}
    if not passed:
        threw = [f"{label}: {error}" for label, error in failed.items()]
        reasons = "\n".join(filter(None, [results.output, *threw, *unfit]))
        text = f"REJECTED: the schema is not valid.\n{reasons}"
        update["translation_messages"].append(HumanMessage(text, name="evaluation"))
        return {**update, "explanation_message": text}
    if state.translation_type is TranslationType.BOTH:
        return update
    count = len(results.queries)
    text = f"ACCEPTED: the schema compiles, and documents of {count} entities were read into its classes ({results.engine})."
    return {**update, "explanation_message": text, "messages": [final_message(text, state)]}


def _unfit(state: State) -> list[str]:
    """What of the input is not in the schema that was compiled: entities that are not supported, unread parts."""
    try:
        translation = compiled(source_code(state), target_of(state))
    except INPUT_PROBLEMS as problem:
        return [said(problem)]
    found = []
    for entity in (entity for schema in translation.program.schemas for entity in schema.entities):
        members = [(p.name, p.unsupported) for p in entity.properties]
        members += [(c.name, c.unsupported) for c in entity.complexes]
        found += [f"{entity.name}: {entity.unsupported}"] if entity.unsupported else []
        found += [f"{entity.name}.{name}: {reason}" for name, reason in members if reason]
    return [*found, *unread_parts(translation)]
