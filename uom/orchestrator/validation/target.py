"""The Java side: compile the project, run its entry point on a database of its own, keep every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from uom.run.java.results import QueryOutcome, ResultsReader
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


def run_target(
    project: JavaProject,
    prepared: Prepared | None,
    evidence: Evidence,
    context: Context,
    engines: Engines = ENGINES,
) -> QueryValidationResults:
    """Compiles and runs, or says why not. `prepared` has the rows to load; without it the database is empty.

    Raises EnvironmentFailure when Java or the database cannot be had, NoSandbox for foreign code without one, and
    DataProblem for rows that the target cannot hold.
    """
    engine = engines.target(context, project.target)
    content = _content(prepared)
    evidence.clear()
    with (
        java_runner(project.written_by_us, project.target, context, engines) as runner,
        engines.target_lock,
        engine.fresh_database(content) as database,
    ):
        _forget(content)
        args = [engine.relay_uri, database, str(evidence.folder)]
        limit = float(context.sandbox_execution_timeout)
        run = runner.run(project.files, project.main_class, args, project.release, limit)
        engine.check()
        return evidence.write(_results(run, evidence, engine, project, prepared))


def _content(prepared: Prepared | None) -> Content:
    if prepared is None:
        return {}
    unit = prepared.unit
    return content_for(prepared.database, unit.schema, unit.mapping, unit.semantics, prepared.data_name)


def _forget(content: Content) -> None:
    """They are in the database now."""
    for documents in content.values() if isinstance(content, dict) else ():
        release(documents)


def _results(
    run: JavaRun, evidence: Evidence, engine: TargetEngine, project: JavaProject, prepared: Prepared | None
) -> QueryValidationResults:
    if run.status is RunStatus.COMPILE_ERROR:
        errors = [f"{d.file}:{d.line}:{d.column}: {d.message}" for d in run.diagnostics if d.severity == "error"]
        return QueryValidationResults(False, output="\n".join(errors) or "it does not compile", engine=str(engine.info))
    if run.status is not RunStatus.OK:
        output = f"the run ended with {run.status.value}: {(run.trace or run.stderr or run.stdout).strip()}"
        return QueryValidationResults(False, output=output, engine=str(engine.info))
    reader = ResultsReader(evidence.folder)
    evidence.put(_COMMANDS, {label: _recorded(label, engine) for label in reader.outcomes})
    shapes = prepared.shapes if prepared is not None else {}
    samples = {label: _sample(o, shapes.get(label.rpartition("-")[0])) for label, o in reader.outcomes.items()}
    return QueryValidationResults(True, samples, engine=f"{_PRODUCTS[project.target]} on {engine.info}")


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
