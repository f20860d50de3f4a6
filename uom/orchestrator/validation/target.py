"""The Java side: compile the project, run its entry point on a database of its own, keep every row."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from uom.data.content import Content, content_for
from uom.orchestrator.compiling import Prepared
from uom.orchestrator.context import Context
from uom.orchestrator.engines import ENGINES, Engines
from uom.orchestrator.pauses import release
from uom.orchestrator.state import FrameworkEnum, QuerySample, QueryValidationResults
from uom.orchestrator.validation.evidence import Evidence, sample
from uom.orchestrator.validation.isolation import java_runner
from uom.run.engines.target import TargetEngine
from uom.run.failures import EnvironmentFailure
from uom.run.java.portable import JavaRunner
from uom.run.java.results import DamagedResults, QueryOutcome, ResultsReader
from uom.run.java.worker import JavaRun, RunStatus
from uom.verify.canonical import Unreadable, of_java
from uom.verify.shapes import ListShape, Shape
from uom.verify.target import CallResult
from uom.write.names import java_property_name

_COMMANDS = "commands.json"
_PRODUCTS = {
    FrameworkEnum.JAVA_SPRING_DATA_MONGODB: "Spring Data MongoDB",
    FrameworkEnum.JAVA_SPRING_DATA_NEO4J: "Spring Data Neo4j",
}


@dataclass(frozen=True, slots=True)
class JavaProject:
    """One unit's files and how to run them. `written_by_us`: the compiler wrote every byte of it."""

    files: Mapping[str, str]
    main_class: str
    written_by_us: bool
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB
    release: int = 25


@dataclass(frozen=True, slots=True)
class TargetRows:
    """What a project is run on, and where what it returns is kept. Without `prepared` the database is empty."""

    prepared: Prepared | None
    evidence: Evidence


def run_target(
    project: JavaProject, every: Sequence[TargetRows], context: Context, engines: Engines = ENGINES
) -> list[QueryValidationResults]:
    """Compiles and runs on all rows in turn, or says why not; after a run that fails, no other one is made.

    Raises EnvironmentFailure when Java or the database cannot be had, NoSandbox for foreign code without one, and
    DataProblem for rows that the target cannot hold.
    """
    engine = engines.target(context, project.target)
    runs: list[JavaRun] = []
    with engines.target_lock:
        with java_runner(project.written_by_us, project.target, context, engines) as runner:
            for rows in every:
                runs.append(_run_on(rows, project, runner, engine, context))
                if runs[-1].status is not RunStatus.OK:
                    break
        # Foreign code has ended by now: nobody changes what is read.
        return [
            rows.evidence.write(_results(run, rows, engine, project)) for run, rows in zip(runs, every, strict=False)
        ]


def _run_on(
    rows: TargetRows, project: JavaProject, runner: JavaRunner, engine: TargetEngine, context: Context
) -> JavaRun:
    evidence = rows.evidence
    content = _content(rows.prepared)
    evidence.clear()
    with engine.fresh_database(content) as database:
        _forget(content)
        args = [engine.relay_uri, database, str(evidence.folder)]
        limit = float(context.sandbox_execution_timeout)
        run = runner.run(project.files, project.main_class, args, project.release, limit)
        engine.check()
    if run.status is RunStatus.OK:
        labels = [c.label for c in rows.prepared.calls()] if rows.prepared is not None else _labels(evidence)
        evidence.put(_COMMANDS, {label: _recorded(label, engine) for label in labels})
    return run


def _labels(evidence: Evidence) -> list[str]:
    with suppress(EnvironmentFailure):  # it is said when the rows are read
        return list(ResultsReader(evidence.folder).outcomes)
    return []


def _content(prepared: Prepared | None) -> Content:
    if prepared is None:
        return {}
    unit = prepared.unit
    return content_for(prepared.database, unit.schema, unit.mapping, unit.semantics, prepared.data_name)


def _forget(content: Content) -> None:
    """They are in the database now."""
    for documents in content.values() if isinstance(content, dict) else ():
        release(documents)


def _results(run: JavaRun, rows: TargetRows, engine: TargetEngine, project: JavaProject) -> QueryValidationResults:
    if run.status is RunStatus.COMPILE_ERROR:
        wrong = [d for d in run.diagnostics if d.severity == "error"]
        firsts = {d.file: d for d in reversed(wrong)}.values()  # what is cut off later must not be all of a file's
        ordered = dict.fromkeys([*reversed(firsts), *wrong])
        errors = [f"{d.file}:{d.line}:{d.column}: {d.message}" for d in ordered]
        return QueryValidationResults(False, output="\n".join(errors) or "it does not compile", engine=str(engine.info))
    if run.status is not RunStatus.OK:
        output = f"the run ended with {run.status.value}: {(run.trace or run.stderr or run.stdout).strip()}"
        return QueryValidationResults(False, output=output, engine=str(engine.info))
    try:
        reader = ResultsReader(rows.evidence.folder)
        for label in reader.outcomes if not project.written_by_us else ():
            _check(reader, label, rows.evidence)
    except DamagedResults as damaged:
        return QueryValidationResults(False, output=str(damaged), engine=str(engine.info))
    shapes = rows.prepared.shapes if rows.prepared is not None else {}
    samples = {label: _sample(o, shapes.get(label.rpartition("-")[0])) for label, o in reader.outcomes.items()}
    return QueryValidationResults(True, samples, engine=f"{_PRODUCTS[project.target]} on {engine.info}")


def _check(reader: ResultsReader, label: str, evidence: Evidence) -> None:
    """Raises DamagedResults when rows are not those that our harness wrote, or nobody called for them."""
    if label not in evidence.get(_COMMANDS):
        raise DamagedResults(f"{label} was not called")
    if reader.outcomes[label].error is None:
        deque(reader.rows(label), maxlen=0)


def _recorded(label: str, engine: TargetEngine) -> dict[str, Any]:
    """What the query really asked, and why that may prove nothing on this engine."""
    asked = engine.take(label)
    return {
        "doubts": list(engine.doubts(asked)),
        "remedy": engine.remedy,
        "refused": list(engine.take_refused(label)),
        "asked": [c.evidence() for c in asked],
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
class Asked:
    """A recorded command, read again."""

    content: Mapping[str, Any]

    @property
    def returned(self) -> int:
        return int(self.content.get("returned", 0))

    @property
    def error(self) -> str:
        return str(self.content.get("error", ""))

    def evidence(self) -> dict[str, Any]:
        return dict(self.content)


@dataclass(frozen=True, slots=True)
class KeptTarget:
    """The rows of a finished run, read again. `doubts` by label."""

    results: Mapping[str, CallResult]
    doubts: Mapping[str, Sequence[str]]
    remedy: str = ""


def read_target(evidence: Evidence) -> KeptTarget:
    """Raises EnvironmentFailure when rows are missing or are not those that were written."""
    reader = ResultsReader(evidence.folder)
    recorded = evidence.get(_COMMANDS)
    results = {label: _kept(reader, label, recorded[label]) for label in reader.outcomes}
    remedy = next((entry["remedy"] for entry in recorded.values()), "")
    return KeptTarget(results, {label: entry["doubts"] for label, entry in recorded.items()}, remedy)


def _kept(reader: ResultsReader, label: str, recorded: Mapping[str, Any]) -> CallResult:
    outcome = reader.outcomes[label]
    asked = tuple(Asked(entry) for entry in recorded["asked"])
    refused = tuple(map(str, recorded["refused"]))
    if outcome.error is not None:
        failure = f"{outcome.error.type}: {outcome.error.message}"
        return CallResult(label, failure=failure, millis=outcome.millis, commands=asked, refused_commands=refused)
    rows = tuple(reader.rows(label))
    return CallResult(label, rows, outcome.shape, "", "", outcome.millis, outcome.sha256, asked, refused)
