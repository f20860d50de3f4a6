"""`generate_translation_node`: the compiler translates; a model is asked for what it refuses, or for everything."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.compiling import absolute, arguments_text, compiled, prepared, source_code
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.engines import warm_in_background
from uom.orchestrator.projects import SOURCE_ENTRY, TARGET_ENTRY, Programs, programs_of, with_probe
from uom.orchestrator.routes import MAX_TRANSLATION_LOOPS
from uom.orchestrator.state import FrameworkEnum, State, TranslationType
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said


async def generate_translation_node(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """Writes the code of both sides into the state.

    The compiler gives the same again, so without a model one try is all: the loop count goes to its cap.
    """
    context = resolve(runtime.context, config)
    try:
        update = await asyncio.to_thread(_compile, state, context)
    except INPUT_PROBLEMS as problem:
        update = {**_NOTHING, "translation_messages": [AIMessage(f"The compiler: {said(problem)}", name="compiler")]}
    return {**update, "translation_loop_count": MAX_TRANSLATION_LOOPS}


def _compile(state: State, context: Context) -> dict[str, Any]:
    code, target = source_code(state), state.destination_target or FrameworkEnum.JAVA_SPRING_DATA_MONGODB
    if state.translation_type is TranslationType.SCHEMA:
        code = with_probe(code, compiled(code, target).program.schemas)
    if compiled(code, target).units:
        warm_in_background(context)
    data_file = state.data_file or absolute(context.data_file)
    units = prepared(code, data_file, state.call_arguments, target)
    programs = programs_of(units, code, data_file, context)
    arguments = state.call_arguments or arguments_text(units)
    update = {**_as_state(programs), "call_arguments": arguments, "data_file": data_file}
    return {**update, "translated_query_code": None} if state.translation_type is TranslationType.SCHEMA else update


def _as_state(programs: Programs) -> dict[str, Any]:
    return {
        "translated_schema_code": programs.translated_schema,
        "translated_query_code": programs.translated_query,
        "source_validation_schema_code": programs.source_schema,
        "source_validation_harness_code": programs.source_harness,
        "source_validation_entry_type_name": SOURCE_ENTRY,
        "target_validation_schema_code": programs.target_schema,
        "target_validation_harness_code": programs.target_harness,
        "target_validation_entry_type_name": TARGET_ENTRY,
    }


_NOTHING: dict[str, Any] = {"translated_schema_code": None, "translated_query_code": None}
