"""The Java side: compile the project, run its entry point on a database of its own, keep every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bson import json_util

from uom.data.documents import documents
from uom.model.mapping import DocumentMapping
from uom.orchestrator.compiling import Prepared
from uom.orchestrator.context import Context
from uom.orchestrator.engines import ENGINES, Engines
from uom.orchestrator.state import QuerySample, QueryValidationResults
from uom.orchestrator.validation.evidence import Evidence, sample
from uom.orchestrator.validation.isolation import java_runner
from uom.run.engines.mongodb.faults import faults_touched
from uom.run.engines.mongodb.recording import RecordedCommand
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.java.results import QueryOutcome, ResultsReader
from uom.run.java.worker import JavaRun, RunStatus
from uom.verify.canonical import Unreadable, of_java
from uom.verify.shapes import ListShape, Shape
from uom.verify.target import CallResult
from uom.write.mongodb import java_property_name

_COMMANDS = "commands.json"


@dataclass(frozen=True, slots=True)
class JavaProject:
    """One unit's files and how to run them. `written_by_us`: the compiler wrote every byte of it."""

    files: Mapping[str, str]
    main_class: str
    written_by_us: bool
    release: int = 25


def run_target(
    project: JavaProject,
    prepared: Prepared | None,
    evidence: Evidence,
    context: Context,
    engines: Engines = ENGINES,
) -> QueryValidationResults:
    """Compiles and runs, or says why not. `prepared` has the rows to load; without it the database is empty.

    Raises EnvironmentFailure when Java or MongoDB cannot be had, or foreign code has no sandbox.
    """
    runner = java_runner(project.written_by_us, context, engines)
    engine = engines.mongodb(context)
    content = _content(prepared) if prepared is not None else {}
    evidence.clear()
    with engines.target_lock, engine.fresh_database(content) as database:
        args = [engine.relay_uri, database, str(evidence.folder)]
        limit = float(context.sandbox_execution_timeout)
        run = runner.run(project.files, project.main_class, args, project.release, limit)
        engine.check()
        return evidence.write(_results(run, evidence, engine, prepared))


def _results(
    run: JavaRun, evidence: Evidence, engine: MongoEngine, prepared: Prepared | None
) -> QueryValidationResults:
    if run.status is RunStatus.COMPILE_ERROR:
        errors = [f"{d.file}:{d.line}:{d.column}: {d.message}" for d in run.diagnostics if d.severity == "error"]
        return QueryValidationResults(False, output="\n".join(errors) or "it does not compile", engine=str(engine.info))
    if run.status is not RunStatus.OK:
        output = f"the run ended with {run.status.value}: {(run.trace or run.stderr or run.stdout).strip()}"
        return QueryValidationResults(False, output=output, engine=str(engine.info))
    reader = ResultsReader(evidence.folder)
    evidence.put(_COMMANDS, json_util.dumps({label: _recorded(label, engine) for label in reader.outcomes}))
    shapes = prepared.shapes if prepared is not None else {}
    samples = {
        label: _sample(outcome, shapes.get(label.rpartition("-")[0])) for label, outcome in reader.outcomes.items()
    }
    return QueryValidationResults(True, samples, engine=f"Spring Data MongoDB on {engine.info}")


def _recorded(label: str, engine: MongoEngine) -> dict[str, object]:
    """What the query really asked, and what of that this engine is known to get wrong."""
    commands = engine.relay.take(label)
    return {
        "faults": faults_touched(engine.info, commands),
        "refused": engine.relay.take_refused(label),
        "commands": [[c.name, c.database, c.command, c.returned, c.error] for c in commands],
    }


def _sample(outcome: QueryOutcome, shape: Shape | None) -> QuerySample:
    """Edge rows with the C# names of their members, so that both sides' samples can be laid side by side."""
    error = f"{outcome.error.type}: {outcome.error.message}" if outcome.error is not None else ""
    element = shape.element if isinstance(shape, ListShape) and outcome.shape == "list" else shape
    return sample(outcome.count, _named(outcome.first_sample, element), _named(outcome.last_sample, element), error)


def _named(value: object, shape: Shape | None) -> object:
    try:
        return value if shape is None or value is None else of_java(value, shape, java_property_name)
    except Unreadable:
        return value


@dataclass(frozen=True, slots=True)
class KeptTarget:
    """The rows of a finished run, read again. `faults` by label."""

    results: Mapping[str, CallResult]
    faults: Mapping[str, Sequence[str]]


def read_target(evidence: Evidence) -> KeptTarget:
    """Raises EnvironmentFailure when rows are missing or are not those that were written."""
    reader = ResultsReader(evidence.folder)
    recorded = json_util.loads((evidence.folder / _COMMANDS).read_text(encoding="utf-8"))
    results = {label: _kept(reader, label, recorded[label]) for label in reader.outcomes}
    return KeptTarget(results, {label: list(entry["faults"]) for label, entry in recorded.items()})


def _kept(reader: ResultsReader, label: str, recorded: Mapping[str, list[list[object]]]) -> CallResult:
    outcome = reader.outcomes[label]
    commands = tuple(RecordedCommand(*fields) for fields in recorded["commands"])  # type: ignore[arg-type]
    refused = tuple(map(str, recorded["refused"]))
    if outcome.error is not None:
        failure = f"{outcome.error.type}: {outcome.error.message}"
        return CallResult(label, failure=failure, millis=outcome.millis, commands=commands, refused_commands=refused)
    rows = tuple(reader.rows(label))
    return CallResult(label, rows, outcome.shape, "", "", outcome.millis, outcome.sha256, commands, refused)


def _content(prepared: Prepared) -> dict[str, list[dict[str, Any]]]:
    mapping = prepared.unit.mapping
    assert isinstance(mapping, DocumentMapping)
    return documents(prepared.database, prepared.unit.schema, mapping)
