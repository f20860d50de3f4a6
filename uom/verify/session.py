"""`uom verify`: both sides are run with the same rows and arguments, and every row is compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from uom.data.content import content_for, losses_in
from uom.data.rows import DataFile, build_database, unknown_tables
from uom.model.diagnostics import Diagnostic
from uom.model.expressions import Arithmetic, ArithmeticOp, Const
from uom.model.program import QueryMethod
from uom.model.queries import Aggregate, AggregateKind, Filter, OrderBy, Scan, Take
from uom.model.schema import Schema
from uom.model.types import Kind, ScalarType
from uom.model.walk import walk
from uom.plan.planner import Planned
from uom.reference.values import Database
from uom.run.engines.target import Recorded, TargetEngine
from uom.run.java.portable import JavaRunner
from uom.translation import RefusedQuery, Translation, Unit
from uom.verify.arguments import argument_sets
from uom.verify.canonical import Unreadable, of_java
from uom.verify.compare import Comparer, Difference
from uom.verify.defects import Defect, attempt
from uom.verify.report import CallEvidence, Level, QueryReport, Report, Timings
from uom.verify.shapes import Shape, shape_of
from uom.verify.source import REFERENCE_NAME, PendingCall, ReferenceSource, SourceEngine, SourceResult
from uom.verify.strength import Strength, strength_of
from uom.verify.target import Call, CallResult, run_target
from uom.write.java.steps import may_stay_silent
from uom.write.mongodb import java_property_name

Listener = Callable[[QueryReport], None]
SourceFactory = Callable[[Unit, Database], SourceEngine]
Doubts = Callable[[Sequence[Recorded]], Sequence[str]]

EXCEPTIONS = {
    "InvalidCastException": ("MappingInstantiationException", "NullPointerException"),
    "InvalidOperationException": (
        "MappingInstantiationException",
        "NullPointerException",
        "NoSuchElementException",
        "IllegalStateException",
        "InvalidDataAccess",
        "IncorrectResultSize",
        "NoSuchRecordException",
    ),
    "ArgumentException": ("IllegalStateException",),
    "ArgumentNullException": ("NullPointerException",),
    "ArgumentOutOfRangeException": (
        "IndexOutOfBoundsException",
        "NoSuchElementException",
        "IllegalArgumentException",
        "DateTimeException",
    ),
    "OverflowException": ("ArithmeticException",),
    "DivideByZeroException": ("ArithmeticException", "UncategorizedMongoDbException", "DataAccess", "ClientException"),
}
"""Which Java exceptions answer to which .NET exception."""


@dataclass
class Session:
    """One verification. `source_for` makes the source side of a unit; by default the reference interpreter."""

    worker: JavaRunner
    engine: TargetEngine
    data: DataFile
    source_for: SourceFactory = field(default=lambda unit, db: ReferenceSource(unit.schema, db, unit.semantics))
    limit_seconds: float = 30.0
    phases: dict[str, int] = field(default_factory=dict)
    source_names: dict[str, None] = field(default_factory=dict)
    row_counts: dict[str, int] = field(default_factory=dict)
    losses: list[Diagnostic] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    strength_seconds: float = 0.0
    """How long to look for wrong translations that the rows cannot tell from the right one, while others work."""

    def verify(self, translation: Translation, listen: Listener = lambda _: None) -> Report:
        """Reports on every method of the translation, in source order. Raises DataProblem for unfitting data."""
        reports: dict[str, QueryReport] = {}
        for refused in translation.refused:
            reports[refused.id] = refusal_report(refused)
            listen(reports[refused.id])
        self.losses += unknown_tables(self.data, translation.program.schemas)
        for unit in translation.units:
            for report in self.verify_unit(unit):
                reports[report.id] = report
                listen(report)
        ordered = [
            replace(reports[i], csharp=translation.csharp(i), java_text=translation.java(i))
            for i in dict.fromkeys(translation.method_ids())
            if i in reports
        ]
        return Report(
            tuple(ordered),
            " and ".join(self.source_names) or REFERENCE_NAME,
            self.engine.info,
            self.data.name,
            row_counts=dict(self.row_counts),
            timings=Timings(tuple(self.phases.items())),
            diagnostics=tuple(dict.fromkeys(self.losses)),
            target=self.engine.kind,
            left_out=tuple(self.left_out),
        )

    def verify_unit(self, unit: Unit) -> list[QueryReport]:
        database = build_database(self.data, unit.schema, unit.entities())
        self.losses += losses_in(database, unit.mapping)
        self.row_counts.update({name: len(rows) for name, rows in database.rows.items()})
        wanted = [p for p in unit.planned if unit.java_method(p.method.id) is not None]
        tried = {
            p.method.id: attempt(partial(argument_sets, p.method, unit.schema, database, unit.semantics))
            for p in wanted
        }
        sets = {name: found for name, found in tried.items() if not isinstance(found, Defect)}
        planned = [p for p in wanted if p.method.id in sets]
        calls = [
            Call(f"{p.method.id}-{i}", p.method.id, tuple(s[q.name] for q in p.method.parameters))
            for p in planned
            for i, s in enumerate(sets[p.method.id])
        ]
        source = self.source_for(unit, database)
        shapes = {p.method.id: shape_of(p.method.body, unit.schema) for p in planned}
        pending = [
            PendingCall(f"{p.method.id}-{i}", p.method, s, shapes[p.method.id])
            for p in planned
            for i, s in enumerate(sets[p.method.id])
        ]
        reference = ReferenceSource(unit.schema, database, unit.semantics)
        with ThreadPoolExecutor(2) as pool:
            preparing = pool.submit(source.prepare, pending)
            measuring = pool.submit(self.strengths, planned, reference, sets, shapes)
            with self.phase("load rows"):
                content = content_for(database, unit.schema, unit.mapping, unit.semantics, self.data.name)
            with self.phase("target"), self.engine.fresh_database(content) as name:
                run = run_target(unit, calls, self.worker, self.engine, name, self.limit_seconds)
                self.engine.check()
            with self.phase("source and comparison"):
                preparing.result()
                self.left_out += source.left_out
                judged = [self.judge(p, unit, sets[p.method.id], run.results, source, database) for p in planned]
                known = measuring.result()
                judged = [replace(r, strength=known.get(r.id)) for r in judged]
        judged += [report_without_calls(unit, p.method, tried[p.method.id]) for p in wanted if p.method.id not in sets]
        self.source_names.update(dict.fromkeys(c.source for r in judged for c in r.calls if c.source))
        return judged

    def strengths(
        self,
        planned: Sequence[Planned],
        reference: ReferenceSource,
        sets: Mapping[str, Sequence[Mapping[str, Any]]],
        shapes: Mapping[str, Shape],
    ) -> dict[str, Strength]:
        """By query, what its comparison can tell; each gets an equal share of the time that is left."""
        found: dict[str, Strength] = {}
        end = time.monotonic() + self.strength_seconds
        for number, p in enumerate(planned if self.strength_seconds else ()):
            now = time.monotonic()
            deadline = now + max(0.0, end - now) / (len(planned) - number)
            measure = partial(strength_of, p.method, reference, sets[p.method.id], shapes[p.method.id], deadline)
            if not isinstance(strength := attempt(measure), Defect):  # a verdict does not depend on it
                found[p.method.id] = strength
        return found

    @contextmanager
    def phase(self, name: str):  # type: ignore[no-untyped-def]
        started = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0) + round((time.perf_counter() - started) * 1000)

    def judge(
        self,
        planned: Planned,
        unit: Unit,
        sets: Sequence[dict[str, object]],
        results: Mapping[str, CallResult],
        source: SourceEngine,
        database: Database,
    ) -> QueryReport:
        return judge_query(planned, unit, sets, results, source, database, self.engine.doubts, self.engine.remedy)


def judge_query(
    planned: Planned,
    unit: Unit,
    sets: Sequence[Mapping[str, object]],
    results: Mapping[str, CallResult],
    source: SourceEngine,
    database: Database,
    doubts: Doubts,
    remedy: str = "Name a real server for full proof.",
) -> QueryReport:
    """One query's calls, compared row by row. `results` by label; `database` has the rows that both sides were given;
    `doubts` says what the engine gets wrong in them."""
    found = attempt(partial(_judged, planned, unit, sets, results, source, database, doubts, remedy))
    if isinstance(found, Defect):
        return _report(unit, planned.method, Level.EXECUTED, f"its rows were not compared: {found.text}")
    return found


def report_without_calls(unit: Unit, method: QueryMethod, why: object) -> QueryReport:
    """A query for which no arguments could be chosen."""
    reason = why.text if isinstance(why, Defect) else "there are none"
    return _report(unit, method, Level.TRANSLATED, f"no arguments were chosen for it: {reason}")


def _judged(
    planned: Planned,
    unit: Unit,
    sets: Sequence[Mapping[str, object]],
    results: Mapping[str, CallResult],
    source: SourceEngine,
    database: Database,
    doubts: Doubts,
    remedy: str,
) -> QueryReport:
    method = planned.method
    shape = shape_of(method.body, unit.schema)
    outcomes = []
    asked = any(results[f"{method.id}-{number}"].commands for number in range(len(sets)))
    for number, arguments in enumerate(sets):
        result = results[f"{method.id}-{number}"]
        if result.compile_error:
            return _report(unit, method, Level.TRANSLATED, f"does not compile: {result.compile_error}")
        answer = source.call(f"{method.id}-{number}", method, arguments, shape)
        outcomes.append(_outcome(method, arguments, result, answer, shape, asked))
    found = _verdict(unit, method, outcomes, doubts, remedy)
    empty = _read_in_vain(method, unit.schema, database)
    if found.level is Level.EQUIVALENT and empty:
        reason = f"there are no rows in {empty}, so that nothing could differ"
        return replace(found, level=Level.EXECUTED, reason=reason, remedy="Add rows to the data.")
    if found.level is Level.EQUIVALENT and not any(o.rows for o in outcomes):
        reason = "no call returned a row, so that nothing could differ"
        return replace(found, level=Level.EXECUTED, reason=reason, remedy="Add rows that it finds to the data.")
    return found


def _read_in_vain(method: QueryMethod, schema: Schema, database: Database) -> str:
    """The entities that it reads, where all of them are empty."""
    read = list(dict.fromkeys(node.entity for node in walk(method.body) if isinstance(node, Scan)))
    families = {name: set(schema.descendants(name)) for name in read}
    rows = (row.entity for every in database.rows.values() for row in every)
    there = {entity for entity in rows if any(entity in family for family in families.values())}
    return ", ".join(read) if read and not there else ""


def refusal_report(refused: RefusedQuery) -> QueryReport:
    """A query without an artifact."""
    d = refused.reason
    return QueryReport(
        refused.id,
        Level.REFUSED,
        d.place or refused.place,
        f"{d.construct}: {d.reason}",
        d.remedy,
        diagnostics=refused.diagnostics,
    )


def _report(
    unit: Unit,
    method: QueryMethod,
    level: Level,
    reason: str = "",
    calls: Sequence[CallEvidence] = (),
    remedy: str = "",
) -> QueryReport:
    java = unit.java_method(method.id)
    place = f"{java.file}:{java.first_line}-{java.last_line}" if java is not None else ""
    diagnostics = (*method.diagnostics, *(java.diagnostics if java is not None else ()))
    return QueryReport(
        method.id, level, method.place, reason, remedy, place, tuple(calls), tuple(dict.fromkeys(diagnostics))
    )


def _outcome(
    method: QueryMethod,
    arguments: Mapping[str, Any],
    result: CallResult,
    source: SourceResult,
    shape: Shape,
    asked: bool,
) -> CallEvidence:
    """One call judged: a difference, or a problem that kept it from being compared, or neither.

    `asked`: some call of the method asked the database.
    """

    def evidence(rows: int = 0, difference: Difference | None = None, problem: str = "") -> CallEvidence:
        return CallEvidence(
            arguments,
            rows,
            source.millis,
            result.millis,
            result.sha256,
            result.commands,
            difference,
            problem,
            source.engine,
            source.problem,
        )

    if source.failed:
        return evidence(problem=source.failed)
    if (source.exception or result.failure) and not (source.exception and result.failure):
        return evidence(problem=_compare_exceptions(source.exception, result.failure))
    silent = _may_stay_silent(method, result) or (asked and may_stay_silent(method.body))
    if not result.commands and not silent:
        return evidence(problem="the translated method never asked the database")
    if source.exception:
        return evidence(problem=_compare_exceptions(source.exception, result.failure))
    try:
        actual = of_java(result.value, shape, java_property_name)
    except Unreadable as problem:
        return evidence(problem=f"the result has another shape: {problem}")
    difference = Comparer(inexact=is_inexact(method)).compare(source.value, actual, shape)
    return evidence(len(result.rows) if result.shape != "null" else 0, difference)


def _compare_exceptions(source: str, target: str) -> str:
    """ "" when both sides fail in the same way."""
    if source and target:
        thrown = target.partition(":")[0]  # a message may say anything
        if any(name in thrown for name in EXCEPTIONS.get(source, ())):
            return ""
        return f"the source throws {source}, the target {target}"
    if source:
        return f"the source throws {source}, the target returns"
    return f"the target throws {target}"


def _may_stay_silent(method: QueryMethod, result: CallResult) -> bool:
    """A page of no rows, or a condition that is never true, need not be asked for; the answer is then nothing."""
    return (
        not result.failure
        and result.value in ([], None, 0, False)
        and any(
            isinstance(n, Take) or (isinstance(n, Filter) and isinstance(n.predicate.body, Const))
            for n in walk(method.body)
        )
    )


def is_inexact(method: QueryMethod) -> bool:
    """Whether decimals come out of a division or an average, whose last digits are the database's choice."""
    for node in walk(method.body):
        match node:
            case Arithmetic(op=ArithmeticOp.DIV, type=ScalarType(kind=Kind.DECIMAL)):
                return True
            case Aggregate(kind=AggregateKind.AVERAGE, element=ScalarType(kind=Kind.DECIMAL)):
                return True
    return False


_OPEN_CHOICE = (
    "The C# leaves open which of the rows that tie it takes: order them by something unique, and verify again."
)


def _chooses_among_ties(method: QueryMethod) -> bool:
    """Whether the C# cuts where the planner had to add an order, so that its database may take other rows."""
    return any(isinstance(n, OrderBy) and any(key.tie_breaker for key in n.keys) for n in walk(method.body))


def _verdict(
    unit: Unit, method: QueryMethod, outcomes: Sequence[CallEvidence], doubts: Doubts, remedy: str
) -> QueryReport:
    for outcome in outcomes:
        if outcome.difference is not None:
            choice = _OPEN_CHOICE if _chooses_among_ties(method) else ""
            return _report(unit, method, Level.DIFFERENT, f"{outcome.difference}.", outcomes, choice)
    problems = [o.problem for o in outcomes if o.problem]
    if problems:
        thrown = [p for p in problems if p.startswith("the source throws")]
        unproven = [p for p in problems if p.startswith("the reference interpreter failed")]
        level = Level.DIFFERENT if thrown else Level.EXECUTED if unproven else Level.COMPILED
        return _report(unit, method, level, problems[0], outcomes)
    found = doubts([c for o in outcomes for c in o.commands])
    if found:
        return _report(unit, method, Level.EXECUTED, "rows agree, but " + "; ".join(found), outcomes, remedy)
    return _report(unit, method, Level.EQUIVALENT, "", outcomes)
