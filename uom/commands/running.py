"""What `uom run` and `uom resume` share: the graph runs here, and its outcome is printed here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uom.commands import console
from uom.commands.project import write_project

if TYPE_CHECKING:
    from uom.orchestrator.frameworks import FrameworkEnum
    from uom.orchestrator.runner import Outcome, Runner
    from uom.orchestrator.usage import NodeUsage
    from uom.orchestrator.verdicts import Finding

EXIT_CODES = {"accepted": 0, "accepted_unproven": 0, "rejected": 1, "waiting": 1, "unfinished": 1, "incomplete": 2}


def start_engines(text: str, target: FrameworkEnum | None, settings: dict[str, Any], quiet: bool) -> None:
    """Starts what the validation of this text will need, before the graph is loaded, which takes as long."""
    from uom.orchestrator.context import resolve
    from uom.orchestrator.conversation import code_blocks, destination_in
    from uom.orchestrator.engines import ENGINES, warm_in_background

    framework = target if target and code_blocks(text) else destination_in(text)
    if framework is not None:
        ENGINES.progress = console.progress_printer(quiet)
        warm_in_background(resolve(settings), framework)


def check_rows(text: str, target: FrameworkEnum | None, data_file: str) -> None:
    """Raises DataProblem for rows that do not fit the entities: no translation can mend that, so that none is made."""
    from uom.orchestrator.compiling import TARGETS, prepared, source_code
    from uom.orchestrator.conversation import read_conversation
    from uom.orchestrator.state import State
    from uom.read.csharp.syntax import InputProblem

    found = read_conversation(text)
    framework = target or found.destination_target
    code = source_code(State(source_schema_code=found.source_schema_code, source_query_code=found.source_query_code))
    if framework in TARGETS and code.strip():
        with contextlib.suppress(InputProblem):  # a model may find what the rules do not
            prepared(code, data_file, "", framework)


def execute(work: Callable[[Runner], Awaitable[Outcome]], settings: dict[str, Any], quiet: bool) -> Outcome:
    """Opens the threads and runs `work`; whatever was started is stopped again."""
    from uom.orchestrator.checkpointer import open_threads
    from uom.orchestrator.context import resolve
    from uom.orchestrator.engines import ENGINES
    from uom.orchestrator.runner import Runner
    from uom.run.sandboxes.watching import end_children

    context = resolve(settings)
    ENGINES.progress = console.progress_printer(quiet)
    screen = console.errors()

    def show(event: dict[str, Any]) -> None:
        if event.get("phase") == "end":
            screen.print(f"{event['seconds']:8.2f} s  {event['node']}", markup=False)

    async def run() -> Outcome:
        try:
            async with open_threads() as threads:
                return await work(Runner(threads, context, (lambda _: None) if quiet else show, settings))
        except asyncio.CancelledError:
            if not quiet:
                screen.print("stopping", markup=False)
            end_children()  # what threads of ours wait for ends with them
            raise

    try:
        return asyncio.run(run())
    finally:
        ENGINES.close()


def finish(outcome: Outcome, output: Path | None, as_json: bool) -> int:
    """Prints and writes the outcome; the exit code says how it ended."""
    if output is not None and outcome.values.get("translated_schema_code"):
        write_project(output, _project(outcome), evidence(outcome))
    with console.while_read():
        if as_json:
            console.print_json(evidence(outcome))
        else:
            out = console.output()
            for line in lines(outcome, output):
                out.print(line, markup=False, soft_wrap=True)
    return EXIT_CODES[outcome.status]


def evidence(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain JSON values. Every query of the input is in it, also those that were refused."""
    from uom.orchestrator.validation.evidence import plain
    from uom.orchestrator.verdicts import judge

    values = outcome.values
    state = outcome.state()
    source, target = (values.get(f"{side}_query_validation_results") for side in ("source", "target"))
    verdict = judge(state)
    return {
        "thread": outcome.thread,
        "status": outcome.status,
        "explanation": outcome.explanation,
        "source": source.engine if source else "",
        "target": target.engine if target else "",
        "loops": {
            "extraction": values.get("extraction_loop_count", 0),
            "translation": values.get("translation_loop_count", 0),
        },
        "unread": list(verdict.unread),
        "queries": {f.query: _query(f, outcome) for f in verdict.findings},
        "usage": {node: plain(vars(u)) for node, u in (values.get("usage") or {}).items()},
        "question": plain(outcome.question) if outcome.question else None,
    }


def _query(finding: Finding, outcome: Outcome) -> dict[str, Any]:
    """One query: how far it came, and each call with its arguments and the number of rows on both sides."""
    from uom.orchestrator.validation.evidence import plain
    from uom.orchestrator.validation.values import loads

    values = outcome.values
    known = {"place": finding.place, "level": finding.level, "reason": finding.reason, "remedy": finding.remedy}
    diff = (values.get("query_equivalence_deep_diffs") or {}).get(finding.query)
    sets = loads(values["call_arguments"]).get(finding.query, ()) if values.get("call_arguments") else ()
    sides = {
        side: found.queries
        for side in ("source", "target")
        if (found := values.get(f"{side}_query_validation_results")) is not None
    }
    calls = [
        {
            "arguments": {name: plain(value) for name, value in arguments.items()},
            **{f"{side}_rows": queries[label].count for side, queries in sides.items() if label in queries},
        }
        for number, arguments in enumerate(sets)
        for label in (f"{finding.query}-{number}",)
    ]
    return {**(plain(vars(diff)) if diff is not None else {"equivalent": False}), **known, "calls": calls}


def lines(outcome: Outcome, output: Path | None) -> list[str]:
    """What a person reads at the end."""
    found = [outcome.explanation] if outcome.explanation else []
    if outcome.status == "waiting":
        found += ["", f"The translation waits for you: uom resume {outcome.thread} --accept", _or(outcome.thread)]
    if outcome.status == "unfinished":
        found.append(f"It stands before {', '.join(outcome.next)}: uom resume {outcome.thread}")
    if usage := outcome.values.get("usage"):
        found += ["", *usage_lines(usage)]
    found.append(f"thread {outcome.thread}" + (f", project and evidence.json in {output}" if output else ""))
    return found


def _or(thread: str) -> str:
    return f'                              or: uom resume {thread} --reject "what to do better"'


def usage_lines(usage: dict[str, NodeUsage]) -> list[str]:
    """Seconds and tokens per node."""
    asked = any(u.model_calls for u in usage.values())
    head = f"{'node':<30} {'visits':>6} {'seconds':>8}" + (f" {'tokens in':>10} {'out':>8}  model" if asked else "")
    rows = [head]
    for node, u in usage.items():
        row = f"{node:<30} {u.visits:>6} {u.seconds:>8.2f}"
        if asked:
            failures = ", ".join(f"{count} {kind}" for kind, count in u.failures.items())
            calls = f"{u.model_calls} calls" if u.model_calls else ""
            row += f" {u.input_tokens:>10} {u.output_tokens:>8}  {calls}{f', failed: {failures}' if failures else ''}"
        rows.append(row.rstrip())
    return rows


def _project(outcome: Outcome) -> dict[str, str]:
    """What a developer builds: the translated code and its pom, without our harness; and what explains it."""
    from uom.orchestrator.compiling import compiled, source_code, target_of
    from uom.orchestrator.files import is_safe, split_files
    from uom.orchestrator.projects import prefix_of_unit

    values, state = outcome.values, outcome.state()
    code = [values.get(n) or "" for n in ("translated_schema_code", "translated_query_code")]
    harness = split_files(values.get("target_validation_harness_code") or "", "harness")
    poms = {path: text for path, text in harness.items() if path.endswith(("pom.xml", "schema.cypher"))}
    translation = compiled(source_code(state), target_of(state))
    papers = {
        prefix_of_unit(unit, translation.units) + path: text
        for unit in translation.units
        for path, text in unit.bundle.files
        if path == "README.md"
    }
    if translation.units and not values.get("model_schema"):
        papers["mapping.yaml"] = translation.mapping_text()
    return {p: t for text in code for p, t in split_files(text, "Code.java").items() if is_safe(p)} | poms | papers
