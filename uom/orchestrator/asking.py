"""Which queries a model is asked for, and what is kept of its answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AnyMessage

from uom.orchestrator.compiling import Prepared
from uom.orchestrator.context import Context
from uom.orchestrator.files import is_safe, join_files
from uom.orchestrator.model_queries import AnyMethod, class_name_of, unproven_methods
from uom.orchestrator.models import Asked, ask
from uom.orchestrator.prompting import BATCH, Question, Wanted, answer_model, messages, wanted_query
from uom.orchestrator.state import State, TranslationType
from uom.orchestrator.usage import NodeUsage, add_usage
from uom.translation import Translation

NODE = "generate_translation_node"


@dataclass
class Answers:
    """What a round of questions gave: Java by query, schema classes, and a line for each thing that went wrong."""

    queries: dict[str, str] = field(default_factory=dict)
    schema: str = ""
    notes: list[str] = field(default_factory=list)
    usage: dict[str, NodeUsage] = field(default_factory=dict)
    is_hopeless: bool = False
    """The model's server cannot be had or lets nobody in: to ask again would change nothing."""

    def count(self, asked: Asked[Any]) -> None:
        self.usage = add_usage(self.usage, {NODE: asked.usage()})
        self.is_hopeless = self.is_hopeless or asked.is_hopeless


def is_asked(context: Context) -> bool:
    """Whether a model takes part in this run at all."""
    return context.translator != "compiler" and context.has_model


Open = tuple[AnyMethod, Prepared]


def open_methods(state: State, context: Context, translation: Translation, units: Sequence[Prepared]) -> list[Open]:
    """Queries for a model to write, or to write again: what the compiler refused, or all, without those proven.

    What nothing can prove is asked for until it compiles: a person may want it.
    """
    if state.translation_type is TranslationType.SCHEMA:
        return []
    methods: list[Open] = [(p.method, unit) for unit in units for p in unit.planned]
    methods += [(m, unit) for unit in units for m in unproven_methods(translation, unit.unit)]
    if context.translator != "llm":
        methods = [(m, unit) for m, unit in methods if unit.unit.java_method(m.id) is None]
    diffs = state.query_equivalence_deep_diffs or {}
    proven = {q for q, diff in diffs.items() if diff.equivalent and q in state.model_queries}
    blamed = _with_own_errors(state)
    sound = set(state.model_queries) - blamed if blamed else set()
    unproven = {m.id for unit in units for m in unproven_methods(translation, unit.unit)}
    settled = (unproven & set(state.model_queries)) - blamed
    return [(m, unit) for m, unit in methods if m.id not in proven | sound | settled]


def _with_own_errors(state: State) -> set[str]:
    """Queries whose own file does not compile: the others are not asked for again."""
    results = state.target_query_validation_results
    if results is None or results.passed:
        return set()
    return {q for q in state.model_queries if _names_file(q, results.output)}


def _names_file(query: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(class_name_of(query))}\.java", text) is not None


def finding_about(query: str, state: State) -> str:
    """What was found about a model's last try at a query."""
    diff = (state.query_equivalence_deep_diffs or {}).get(query)
    if diff is not None:
        return f"{diff.level}: {diff.reason} {diff.first_diff or ''}".strip()
    results = state.target_query_validation_results
    if results is None or results.passed or query not in state.model_queries:
        return ""
    own = [line for line in results.output.splitlines() if _names_file(query, line)]
    return "It does not compile:\n" + "\n".join(own) if own else results.output


def reviewer_feedback(history: Sequence[AnyMessage]) -> str:
    """The last words of a person about this translation."""
    return next((m.text for m in reversed(history) if m.name == "reviewer"), "")


async def ask_for_queries(state: State, context: Context, translation: Translation, methods: Iterable[Open]) -> Answers:
    """Five at a time, one question after the other; an answer for something else is left out and noted."""
    answers = Answers()
    by_unit: dict[int, tuple[Prepared, list[Wanted]]] = {}
    for method, unit in methods:
        refused = unit.unit.java_method(method.id) is None
        wanted = wanted_query(method, unit, translation, finding_about(method.id, state), refused)
        by_unit.setdefault(id(unit), (unit, []))[1].append(wanted)
    feedback = reviewer_feedback(state.translation_messages)
    for unit, wanted_of_unit in by_unit.values():
        for start in range(0, len(wanted_of_unit), BATCH):
            batch = wanted_of_unit[start : start + BATCH]
            question = Question(unit.unit, state.schema_context, translation.mapping_text(), batch, feedback)
            asked: Asked[Any] = await ask(context, messages(question), answer_model(False, True), NODE)
            answers.count(asked)
            _take(asked, {w.contract.query: w for w in batch}, answers)
            if answers.is_hopeless:
                return answers
    return answers


def _take(asked: Asked[Any], batch: Mapping[str, Wanted], answers: Answers) -> None:
    if asked.value is None:
        answers.notes.append(f"{', '.join(batch)}: the model gave no answer ({asked.problem})")
        return
    given = {entry.query: entry.java for entry in asked.value.translated_query_code}
    for query, wanted in batch.items():
        code = given.get(query, "")
        problem = wanted.contract.problem(code) if code.strip() else "it is not in the model's answer"
        if problem:
            answers.notes.append(f"{query}: {problem}")
        else:
            answers.queries[query] = code


async def ask_for_schema(state: State, context: Context, translation: Translation, unit: Prepared) -> Answers:
    """The entity classes, under the paths that the compiler gave them; anything else is left out and noted."""
    answers = Answers()
    files = {path: text for path, text in unit.unit.bundle.files if "/model/" in path}
    feedback = reviewer_feedback(state.translation_messages)
    question = Question(unit.unit, state.schema_context, translation.mapping_text(), (), feedback, files)
    asked: Asked[Any] = await ask(context, messages(question), answer_model(True, False), NODE)
    answers.count(asked)
    if asked.value is None:
        answers.notes.append(f"schema: the model gave no answer ({asked.problem})")
        return answers
    given = {f.path: f.java for f in asked.value.translated_schema_code if f.path in files and is_safe(f.path)}
    if missing := sorted(set(files) - set(given)):
        answers.notes.append(f"schema: not in the model's answer: {', '.join(missing)}")
    answers.schema = join_files(given)
    return answers
