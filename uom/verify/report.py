"""How far each query got, and the evidence for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from uom.model.diagnostics import Diagnostic, Place
from uom.run.engines.target import EngineInfo, Recorded
from uom.verify.canonical import Canonical, Rows
from uom.verify.compare import Difference, Missing, show
from uom.verify.strength import Strength

PRODUCTS = {"mongodb": "Spring Data MongoDB", "neo4j": "Spring Data Neo4j"}
"""What is written for each target."""


class Level(StrEnum):
    """The ladder. DIFFERENT stands beside EQUIVALENT: both were executed and compared."""

    REFUSED = "refused"
    TRANSLATED = "translated"
    COMPILED = "compiled"
    EXECUTED = "executed"
    EQUIVALENT = "equivalent"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class CallEvidence:
    """One execution with one set of arguments, on both sides."""

    arguments: Mapping[str, Any]
    rows: int
    source_millis: int
    target_millis: int
    sha256: str = ""
    commands: tuple[Recorded, ...] = ()
    difference: Difference | None = None
    problem: str = ""
    source: str = ""
    """What produced the source side of this call."""
    source_problem: str = ""
    """Why it was not the engine that was asked for."""


@dataclass(frozen=True, slots=True)
class QueryReport:
    """The verdict on one query method. `reason` says why it is not equivalent."""

    id: str
    level: Level
    place: Place
    reason: str = ""
    remedy: str = ""
    java: str = ""
    calls: tuple[CallEvidence, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    csharp: str = ""
    java_text: str = ""
    strength: Strength | None = None
    """What the comparison could tell; None where nobody asked."""

    @property
    def rows(self) -> int:
        return sum(c.rows for c in self.calls)


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds of wall time by phase."""

    phases: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        return sum(ms for _, ms in self.phases)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run of `uom verify` found out. `source` names what stood for the source side."""

    queries: tuple[QueryReport, ...]
    source: str
    engine: EngineInfo | None
    data_name: str = ""
    data_sha256: str = ""
    row_counts: Mapping[str, int] = field(default_factory=dict)
    timings: Timings = field(default_factory=Timings)
    memory_kb: Mapping[str, int] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    """What is to be said about the input as a whole, e.g. that a part of it cannot be read."""
    target: str = "mongodb"
    left_out: tuple[str, ...] = ()
    """What of the C# did not compile here and was not run."""

    def strength(self) -> Strength:
        """Of all queries together."""
        known = [q.strength for q in self.queries if q.strength is not None]
        return Strength(sum(s.tried for s in known), sum(s.caught for s in known), ())

    def counts(self) -> dict[str, int]:
        return {level.value: sum(q.level is level for q in self.queries) for level in Level}

    @property
    def all_equivalent(self) -> bool:
        return all(q.level is Level.EQUIVALENT for q in self.queries)


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain JSON values: the evidence file, and `--json`."""
    return {
        "sum": report.counts(),
        "source": report.source,
        "source_left_out": list(report.left_out),
        "target": report.target,
        "engine": _engine(report.engine),
        "data": {"file": report.data_name, "sha256": report.data_sha256, "rows": dict(report.row_counts)},
        "timings_ms": dict(report.timings.phases),
        "memory_kb": dict(report.memory_kb),
        "diagnostics": [str(d) for d in report.diagnostics],
        "queries": {q.id: _query(q) for q in report.queries},
    }


def _engine(engine: EngineInfo | None) -> dict[str, str] | None:
    return None if engine is None else {"name": engine.name, "version": engine.version, "grade": engine.grade}


def _query(query: QueryReport) -> dict[str, Any]:
    return {
        "level": query.level.value,
        "place": str(query.place),
        "reason": query.reason,
        "remedy": query.remedy,
        "java": query.java,
        "csharp_text": query.csharp,
        "java_text": query.java_text,
        "diagnostics": [str(d) for d in query.diagnostics],
        "calls": [_call(c) for c in query.calls],
        "mutants": None
        if query.strength is None
        else {
            "tried": query.strength.tried,
            "caught": query.strength.caught,
            "survivors": list(query.strength.survivors),
        },
    }


def _call(call: CallEvidence) -> dict[str, Any]:
    return {
        "arguments": {name: show(value) for name, value in call.arguments.items()},
        "rows": call.rows,
        "source_ms": call.source_millis,
        "target_ms": call.target_millis,
        "target_sha256": call.sha256,
        "commands": [c.evidence() for c in call.commands],
        "difference": _difference(call.difference),
        "problem": call.problem,
        "source": call.source,
        "source_problem": call.source_problem,
    }


def _difference(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "path": difference.path,
        "what": difference.what,
        "source": _plain(difference.expected),
        "target": _plain(difference.actual),
        "type": difference.type,
        "row": _plain(difference.row),
    }


def _plain(value: Canonical) -> Any:
    if isinstance(value, Missing):
        return "no such row"
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | Rows):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no number for it
    return value if isinstance(value, str | int | float | bool) or value is None else show(value)


def sum_line(report: Report) -> str:
    """`14 equivalent, 1 refused`."""
    counts = report.counts()
    order: Sequence[Level] = (
        Level.EQUIVALENT,
        Level.DIFFERENT,
        Level.EXECUTED,
        Level.COMPILED,
        Level.TRANSLATED,
        Level.REFUSED,
    )
    return ", ".join(f"{counts[level.value]} {level.value}" for level in order if counts[level.value]) or "no queries"
