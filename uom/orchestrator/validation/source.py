"""The C# side: EF Core where there is a dotnet, else the reference interpreter, which is named as such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from uom.orchestrator.compiling import Prepared, data_of
from uom.orchestrator.context import Context
from uom.orchestrator.engines import ENGINES, Engines, source_server
from uom.orchestrator.files import split_files
from uom.orchestrator.pauses import release
from uom.orchestrator.state import FrameworkEnum, QuerySample, QueryValidationResults
from uom.orchestrator.validation.evidence import Evidence, sample
from uom.run.dotnet.project import Server
from uom.run.dotnet.results import SourceOutcome
from uom.verify.canonical import Unreadable, of_java
from uom.verify.dotnet_source import DotnetSource
from uom.verify.pruning import run_what_compiles
from uom.verify.shapes import Shape
from uom.verify.source import PendingCall, ReferenceSource, SourceEngine

_OUTCOMES = "outcomes.json"


@dataclass(frozen=True, slots=True)
class CSharpProgram:
    """One unit's program for `dotnet`, empty where the interpreter stands for it. `code` is the user's C#."""

    code: str
    files: Mapping[str, str]
    data_file: str = ""
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB


def reference_of(prepared: Prepared) -> ReferenceSource:
    return ReferenceSource(prepared.unit.schema, prepared.database, prepared.unit.semantics)


def dotnet_of(prepared: Prepared, code: str, data_file: str, server: Server) -> DotnetSource:
    """EF Core as the source of a unit, with nothing run yet."""
    sources = tuple(split_files(code).items())
    return DotnetSource(prepared.unit.schema, data_of(data_file), sources, reference_of(prepared), None, server)


def pending(prepared: Prepared) -> list[PendingCall]:
    """Every call, as source engines want them."""
    return [
        PendingCall(f"{p.method.id}-{i}", p.method, arguments, prepared.shapes[p.method.id])
        for p in prepared.planned
        for i, arguments in enumerate(prepared.sets[p.method.id])
    ]


def run_source(
    program: CSharpProgram, prepared: Prepared, evidence: Evidence, context: Context, engines: Engines = ENGINES
) -> QueryValidationResults:
    """Compiles and runs the C#. Calls that cannot be made that way are interpreted, and the output says why.

    Raises EnvironmentFailure when its database cannot be had.
    """
    evidence.clear()
    server = source_server(context)
    if server is None or not program.files:
        return evidence.write(_interpreted(reference_of(prepared), prepared))
    source = dotnet_of(prepared, program.code, program.data_file, server)
    labels = [c.label for c in pending(prepared)]
    source.problems.update(source.program(pending(prepared)).problems)
    with engines.source_lock:
        files = {**program.files, "tables.json": source.tables()}
        limit = float(context.sandbox_execution_timeout)
        source.take(run_what_compiles(engines.dotnet(context), files, limit), labels)
    outcomes = {label: _kept(outcome, evidence) for label, outcome in source.outcomes.items()}
    evidence.put(_OUTCOMES, {"server": server.value, "outcomes": outcomes, "problems": source.problems})
    return evidence.write(_ran(source, prepared))


def read_source(evidence: Evidence, prepared: Prepared, code: str, data_file: str) -> SourceEngine:
    """The source engine with what a finished run found; the interpreter finds the same again."""
    if not (evidence.folder / _OUTCOMES).exists():
        return reference_of(prepared)
    content = evidence.get(_OUTCOMES)
    source = dotnet_of(prepared, code, data_file, Server(content["server"]))
    source.outcomes.update({label: _found(fields, evidence) for label, fields in content["outcomes"].items()})
    source.problems.update(content["problems"])
    return source


def _kept(outcome: SourceOutcome, evidence: Evidence) -> dict[str, Any]:
    """What `_found` makes an outcome of again; its rows are in a file of their own."""
    is_list = isinstance(outcome.value, list)
    name = evidence.put_rows(outcome.value if is_list else [outcome.value])
    return {
        "rows": name,
        "is_list": is_list,
        "error": outcome.error,
        "message": outcome.message,
        "millis": outcome.millis,
    }


def _found(kept: Mapping[str, Any], evidence: Evidence) -> SourceOutcome:
    rows = evidence.get_rows(kept["rows"])
    value = rows if kept["is_list"] else rows[0]
    return SourceOutcome(value, kept["error"], kept["message"], kept["millis"])


def _ran(source: DotnetSource, prepared: Prepared) -> QueryValidationResults:
    samples = {
        call.label: _outcome_sample(source.outcomes[call.label], call.shape)
        if call.label in source.outcomes
        else _reference_sample(source.reference, call)
        for call in pending(prepared)
    }
    problems = [f"{label}: {problem}" for label, problem in list(source.problems.items())[:5]]
    notes = "\n".join([*problems, *(f"left out: {part}" for part in source.left_out[:5])])
    return QueryValidationResults(
        True, samples, engine=source.name if source.outcomes else source.reference.name, output=notes
    )


def _interpreted(source: SourceEngine, prepared: Prepared) -> QueryValidationResults:
    samples = {call.label: _reference_sample(source, call) for call in pending(prepared)}
    return QueryValidationResults(True, samples, engine=source.name)


def _outcome_sample(outcome: SourceOutcome, shape: Shape) -> QuerySample:
    """In the same form as the Java side's, whatever form each value has in JSON."""
    if outcome.error:
        return sample(0, None, None, f"{outcome.error}: {outcome.message}")
    try:
        return _edges(of_java(outcome.value, shape, lambda name: name))
    except Unreadable:
        return _edges(outcome.value)


def _reference_sample(source: SourceEngine, call: PendingCall) -> QuerySample:
    result = source.call(call.label, call.method, call.arguments, call.shape)
    if result.exception or result.failed:
        return sample(0, None, None, result.exception or result.failed)
    found = _edges(result.value)
    release(result.value)
    return found


def _edges(value: object) -> QuerySample:
    rows = value if isinstance(value, list) else [value]
    return sample(len(rows), rows[0] if rows else None, rows[-1] if rows else None)
