"""Runs translated Java against an engine and collects rows, commands and failures per query.

One method that does not compile never takes others down: it is left out and the rest is compiled again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uom.run.engines.target import Recorded, TargetEngine
from uom.run.java.harness import HarnessedBundle, Invocation, harness
from uom.run.java.portable import JavaRunner
from uom.run.java.results import ResultsReader
from uom.run.java.worker import JavaDiagnostic, JavaRun, RunStatus
from uom.run.scratch import make_scratch, remove_scratch
from uom.translation import Unit
from uom.write.mongodb import java_call

_COMPILE_ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a translated method with literal argument values; `label` is unique in a run."""

    label: str
    method_id: str
    arguments: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call gave. `shape` is list, value or null; `rows` are JSON values. `failure` names an exception.

    `compile_error` is set when the method never ran.
    """

    label: str
    rows: tuple[Any, ...] = ()
    shape: str = ""
    failure: str = ""
    compile_error: str = ""
    millis: int = 0
    sha256: str = ""
    commands: tuple[Recorded, ...] = ()
    refused_commands: tuple[str, ...] = ()

    @property
    def value(self) -> Any:
        """The result as one JSON value."""
        return list(self.rows) if self.shape == "list" else self.rows[0] if self.rows else None


@dataclass(frozen=True, slots=True)
class TargetRun:
    results: Mapping[str, CallResult]
    compile_ms: int
    run_ms: int
    fault: str = ""
    """Why the whole bundle gave nothing, if it did."""
    dropped: Mapping[str, str] = field(default_factory=dict)


def run_target(
    unit: Unit,
    calls: Sequence[Call],
    worker: JavaRunner,
    engine: TargetEngine,
    database: str,
    limit_seconds: float = 30.0,
) -> TargetRun:
    """Compiles the unit and makes all calls against `database`. Raises EnvironmentFailure when Java cannot start."""
    dropped: dict[str, str] = {}
    compile_ms = 0
    for _ in range(_COMPILE_ATTEMPTS):
        wanted = [c for c in calls if c.method_id not in dropped and unit.java_method(c.method_id) is not None]
        if not wanted:
            return TargetRun(_not_compiled(calls, dropped), compile_ms, 0, dropped=dropped)
        harnessed = harness(unit.bundle, [_invocation(unit, c) for c in wanted], limit_seconds)
        folder = make_scratch("results")
        try:
            args = [engine.relay_uri, database, str(folder)]
            run = worker.run(
                harnessed.files, harnessed.main_class, args, unit.options.java, limit_seconds * 4 + len(wanted)
            )
            compile_ms += run.compile_ms
            if run.status is RunStatus.COMPILE_ERROR:
                blamed = _blame(run.diagnostics, unit, harnessed, wanted)
                if not blamed:
                    return TargetRun(_all_failed(calls, _first_error(run)), compile_ms, 0, _first_error(run))
                dropped.update(blamed)
                unit = unit.without(dropped)
                continue
            results = _collect(folder, wanted, engine, run)
        finally:
            remove_scratch(folder)
        results.update(_not_compiled(calls, dropped))
        return TargetRun(results, compile_ms, run.run_ms, dropped=dropped)
    return TargetRun(_not_compiled(calls, dropped), compile_ms, 0, "the bundle does not compile", dropped)


def _invocation(unit: Unit, call: Call) -> Invocation:
    method = unit.java_method(call.method_id)
    assert method is not None
    return Invocation(call.label, java_call(method, call.arguments))


def _blame(
    diagnostics: Iterable[JavaDiagnostic], unit: Unit, harnessed: HarnessedBundle, calls: Sequence[Call]
) -> dict[str, str]:
    """The methods that errors lie in, with the first error of each."""
    blamed: dict[str, str] = {}
    by_label = {c.label: c.method_id for c in calls}
    for d in diagnostics:
        if d.severity != "error":
            continue
        label = harnessed.label_at(d.file, d.line)
        owner = by_label.get(label) if label is not None else None
        for method in unit.bundle.methods:
            if d.file.endswith(method.file) and method.first_line <= d.line <= method.last_line:
                owner = method.id
        if owner is not None:
            blamed.setdefault(owner, f"{d.file}:{d.line}:{d.column}: {d.message}")
    return blamed


def _first_error(run: JavaRun) -> str:
    found = next((d for d in run.diagnostics if d.severity == "error"), None)
    return f"{found.file}:{found.line}:{found.column}: {found.message}" if found is not None else "unknown error"


def _collect(folder: Path, calls: Sequence[Call], engine: TargetEngine, run: JavaRun) -> dict[str, CallResult]:
    if run.status is not RunStatus.OK and not (folder / "results.json").exists():
        reason = f"the run ended with {run.status.value}: {(run.trace or run.stderr).strip()[:300]}"
        return _all_failed(calls, reason)
    reader = ResultsReader(folder)
    results: dict[str, CallResult] = {}
    for call in calls:
        commands = tuple(engine.take(call.label))
        refused = tuple(engine.take_refused(call.label))
        outcome = reader.outcomes.get(call.label)
        if outcome is None:
            results[call.label] = CallResult(call.label, failure="it never ran", commands=commands)
        elif outcome.error is not None:
            failure = f"{outcome.error.type}: {outcome.error.message}"
            results[call.label] = CallResult(
                call.label, failure=failure, millis=outcome.millis, commands=commands, refused_commands=refused
            )
        else:
            rows = tuple(reader.rows(call.label))
            results[call.label] = CallResult(
                call.label, rows, outcome.shape, "", "", outcome.millis, outcome.sha256, commands, refused
            )
    return results


def _not_compiled(calls: Sequence[Call], dropped: Mapping[str, str]) -> dict[str, CallResult]:
    return {c.label: CallResult(c.label, compile_error=dropped[c.method_id]) for c in calls if c.method_id in dropped}


def _all_failed(calls: Sequence[Call], reason: str) -> dict[str, CallResult]:
    return {c.label: CallResult(c.label, failure=reason) for c in calls}
