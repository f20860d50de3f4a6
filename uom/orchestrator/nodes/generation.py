"""`generate_translation_node`: the compiler translates; a model is asked for what it refuses, or for everything."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.asking import Answers, ask_for_queries, ask_for_schema, is_asked, open_methods
from uom.orchestrator.compiling import Prepared, absolute, arguments_text, compiled, prepared, source_code, target_of
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.engines import warm_in_background
from uom.orchestrator.model_queries import with_all, with_model_schema
from uom.orchestrator.pauses import no_pauses
from uom.orchestrator.projects import SOURCE_ENTRY, TARGET_ENTRY, Programs, programs_of, with_probe
from uom.orchestrator.routes import MAX_TRANSLATION_LOOPS
from uom.orchestrator.state import State, TranslationType
from uom.orchestrator.usage import add_usage
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.translation import Translation


async def generate_translation_node(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """Writes the code of both sides into the state.

    Where no model is asked, another try would give the same bytes: the loop count goes to its cap at once.
    """
    context = resolve(runtime.context, config)
    try:
        draft = await asyncio.to_thread(_draft, state, context)
        answers = await _ask(state, context, draft)
        update = await asyncio.to_thread(_written, state, context, draft, answers)
    except INPUT_PROBLEMS as problem:
        return {**_NOTHING, **_last_try(f"The compiler: {said(problem)}")}
    if answers is None:
        reason = "" if context.translator != "llm" else "translator=llm needs a model, and none is configured."
        return {**update, **_last_try(reason)}
    notes = [AIMessage("\n".join(answers.notes), name="model")] if answers.notes else []
    count = MAX_TRANSLATION_LOOPS if answers.is_hopeless else state.translation_loop_count + 1
    return {**update, "translation_loop_count": count, "translation_messages": notes, "usage": answers.usage}


def _last_try(note: str) -> dict[str, Any]:
    messages = [AIMessage(note, name="compiler")] if note else []
    return {"translation_loop_count": MAX_TRANSLATION_LOOPS, "translation_messages": messages}


@dataclass(frozen=True, slots=True)
class _Draft:
    """What the compiler made of the input. `code` has a probe in it where only the schema is wanted."""

    code: str
    data_file: str
    translation: Translation
    units: tuple[Prepared, ...]


@no_pauses()
def _draft(state: State, context: Context) -> _Draft:
    code, target = source_code(state), target_of(state)
    if state.translation_type is TranslationType.SCHEMA:
        code = with_probe(code, compiled(code, target).program.schemas)
    translation = compiled(code, target)
    if translation.units:
        warm_in_background(context, target)
    data_file = state.data_file or absolute(context.data_file)
    return _Draft(code, data_file, translation, prepared(code, data_file, state.call_arguments, target))


async def _ask(state: State, context: Context, draft: _Draft) -> Answers | None:
    """None: no model takes part, or there is nothing to ask one for."""
    if not is_asked(context):
        return None
    methods = open_methods(state, context, draft.translation, draft.units)
    schema = context.translator == "llm" and state.translation_type is not TranslationType.QUERY
    if not methods and not schema:
        return None
    answers = await ask_for_queries(state, context, draft.translation, methods)
    for unit in draft.units if schema and not _schema_is_proven(state) and not answers.is_hopeless else ():
        found = await ask_for_schema(state, context, draft.translation, unit)
        answers.schema += found.schema
        answers.notes += found.notes
        answers.is_hopeless = found.is_hopeless
        answers.usage = add_usage(answers.usage, found.usage)
    return answers


def _schema_is_proven(state: State) -> bool:
    """Classes that were compiled and filled once are kept."""
    results = state.target_query_validation_results
    return bool(state.model_schema) and results is not None and results.passed


def _written(state: State, context: Context, draft: _Draft, answers: Answers | None) -> dict[str, Any]:
    queries, schema = dict(state.model_queries), state.model_schema
    if answers is not None:
        queries |= answers.queries
        schema = answers.schema or schema
    alone = context.translator == "llm" and state.translation_type is not TranslationType.SCHEMA
    units = with_model_schema(with_all(draft.units, queries, draft.translation, alone), schema)
    programs = programs_of(units, draft.code, draft.data_file, context)
    update = {
        **_as_state(programs),
        "call_arguments": state.call_arguments or arguments_text(draft.units),
        "data_file": draft.data_file,
        "model_queries": queries,
        "model_schema": schema,
    }
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
