"""The C# side for real: the user's methods, EF Core, and the embedded PostgreSQL, over the same rows."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from uom.data.rows import DataFile, find_table, owned_collections
from uom.model.program import PROVIDER_SEMANTICS, QueryMethod
from uom.model.schema import ComplexProperty, Entity, Property, Schema
from uom.model.types import Kind, ScalarType
from uom.plan.casts import means_the_same
from uom.read.csharp.declarations import compile_sources
from uom.read.csharp.syntax import parse
from uom.read.csharp.types import nullable_annotations
from uom.reference.values import Value
from uom.run.dotnet.project import Server, SourceCall, TableRows, project_files, source_path, tables_file
from uom.run.dotnet.results import CompileError, DotnetRunner, SourceOutcome
from uom.verify.canonical import Unreadable, of_java
from uom.verify.compare import Comparer
from uom.verify.csharp_calls import call_of, context_class
from uom.verify.csharp_literals import NotCallable
from uom.verify.defects import Defect, attempt
from uom.verify.pruning import NOT_HERE, PrunedRun, library_text, run_what_compiles
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, Shape
from uom.verify.source import PendingCall, ReferenceSource, SourceResult
from uom.verify.ties import with_ties

_NOT_ANNOTATED = "#nullable disable\n"


@dataclass(frozen=True, slots=True)
class SourceProgram:
    """`files` by path, `labels` of the calls in it, and for each other call why it is not."""

    files: Mapping[str, str]
    labels: tuple[str, ...]
    problems: Mapping[str, str]


@dataclass
class DotnetSource:
    """Runs all calls in one program; `problems` says why where that was not possible."""

    schema: Schema
    data: DataFile
    sources: Sequence[tuple[str, str]]
    reference: ReferenceSource
    runner: DotnetRunner | None
    """None where what ran is put in by `take`."""
    server: Server = Server.POSTGRES
    limit_seconds: float = 300.0
    outcomes: dict[str, SourceOutcome] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By call: dependencies that its class was made without."""
    left_out: list[str] = field(default_factory=list)
    lines_before: int = 0
    """How many lines the user's files have before their first one in the program."""

    @property
    def name(self) -> str:
        return "EF Core on SQL Server" if self.server is Server.SQL_SERVER else "EF Core on PostgreSQL"

    def prepare(self, calls: Sequence[PendingCall]) -> None:
        """Builds the program with all calls and runs it. Where it cannot be built, `problem_of` says so per call."""
        program = self.program(calls)
        self.problems.update(program.problems)
        if not program.labels:
            return
        assert self.runner is not None
        files = {**program.files, "tables.json": self.tables()}
        self.take(run_what_compiles(self.runner, files, self.limit_seconds), program.labels)

    def program(self, calls: Sequence[PendingCall]) -> SourceProgram:
        """The program's files, without the rows; and why some calls are not in it."""
        parsed = [parse(name, text) for name, text in self.sources]
        compilation = compile_sources(parsed)
        context = compilation.find_type(self.schema.context)
        if context is None:
            return SourceProgram({}, (), {c.label: "there is no DbContext class in the input" for c in calls})
        try:
            made, missing = context_class(compilation, context)
        except NotCallable as error:
            return SourceProgram({}, (), {c.label: str(error) for c in calls})
        source_calls, problems = [], {}
        for call in calls:
            try:
                made_call = partial(call_of, compilation, context, call.method, call.arguments)
                found = attempt(made_call, expected=NotCallable)
            except NotCallable as error:
                problems[call.label] = str(error)
                continue
            if isinstance(found, Defect):
                problems[call.label] = found.text
                continue
            source_calls.append(SourceCall(call.label, found.text, shape_json(call.shape)))
            self.without[call.label] = (*missing, *found.without)
        namespaces = sorted({t.namespace for t in compilation.all_types()})
        # The program is compiled with annotations, which make columns required: EF Core must read what was read here.
        head = "" if nullable_annotations(compilation.sources) else _NOT_ANNOTATED
        texts = [(source.name, head + library_text(source)) for source in parsed]
        self.lines_before = head.count("\n")
        files = project_files(texts, made, namespaces, source_calls, self.server, self._stands_in)
        return SourceProgram(files, tuple(c.label for c in source_calls), problems)

    @property
    def _stands_in(self) -> bool:
        return self.reference.semantics != PROVIDER_SEMANTICS[self.server.value]

    def tables(self) -> str:
        """The rows as the program loads them: its file tables.json."""
        return tables_file(table_rows(self.schema, self.data, self.server))

    def take(self, found: PrunedRun, labels: Sequence[str]) -> None:
        """What a run of the program found, for `call`."""
        run = found.run
        self.left_out += map(self._told, found.left_out)
        if run.problem or run.errors:
            reason = run.problem or f"the C# does not compile: {self._told(run.errors[0])}"
            self.problems.update(dict.fromkeys(labels, reason))
        for label, outcome in run.outcomes.items():
            problem = self._unfit(label, outcome)
            if problem:
                self.problems[label] = problem
            else:
                self.outcomes[label] = outcome

    def _unfit(self, label: str, outcome: SourceOutcome) -> str:
        """Why an outcome is not that of the user's code, "" where it is."""
        if outcome.error == NOT_HERE:
            return f"its C# needs what is not here: {outcome.message}"
        if outcome.error == "NullReferenceException" and (without := self.without.get(label)):
            return f"its C# may need what is not here: {', '.join(without)}"
        return ""

    def _told(self, error: CompileError) -> str:
        """With the user's name of the file, and the line in it."""
        names = {source_path(number): name for number, (name, _) in enumerate(self.sources)}
        if error.file not in names:
            return str(error)
        return str(replace(error, file=names[error.file], line=error.line - self.lines_before))

    def call(self, label: str, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape) -> SourceResult:
        outcome = self.outcomes.get(label)
        reference = self.reference.call(label, method, arguments, shape)
        if outcome is None:
            problem = self.problems.get(label, "it never ran")
            return replace(reference, problem=problem)
        if not self.stands_for_source(label, method, arguments, shape, reference):
            reason = f"{self.name} orders nulls, compares text or rounds differently from the source's database here"
            return replace(reference, problem=reason)
        if outcome.error:
            return SourceResult(None, outcome.error, outcome.millis, self.name)
        try:
            value = of_java(outcome.value, shape, lambda name: name)
        except Unreadable as problem:
            return SourceResult(
                None, "", outcome.millis, self.name, f"the rows of EF Core have another shape: {problem}"
            )
        return SourceResult(with_ties(value, reference.value, shape), "", outcome.millis, self.name)

    def stands_for_source(
        self, label: str, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape, reference: SourceResult
    ) -> bool:
        """Whether the query means the same on this server as on the database that the code was written for."""
        behind = PROVIDER_SEMANTICS[self.server.value]
        if self.reference.semantics == behind:
            return True
        if not means_the_same(method.body, self.reference.semantics, behind):
            return False
        there = replace(self.reference, semantics=behind).call(label, method, arguments, shape)
        if there.exception or reference.exception:
            return there.exception == reference.exception
        return Comparer(inexact=True).compare(reference.value, there.value, shape) is None


def shape_json(shape: Shape) -> Any:
    """What the C# harness needs to know: lists as arrays, objects by member, scalars as null."""
    match shape:
        case ListShape(element=element):
            return [shape_json(element)]
        case ObjectShape(fields=fields):
            return {name: shape_json(inner) for name, inner in fields}
        case HierarchyShape(members=members):
            return {"$types": {name: shape_json(inner) for name, inner in members}}
    return None


def table_rows(schema: Schema, data: DataFile, server: Server = Server.POSTGRES) -> list[TableRows]:
    """The file's rows for every table that EF Core creates, with the columns that both know."""
    tables: dict[tuple[str | None, str], set[str]] = {}
    for entity in schema.entities:
        if not entity.unsupported:
            columns = tables.setdefault((entity.schema, entity.table or entity.name), set())
            columns |= _columns(entity)
            for _, owned in owned_collections([entity]):
                parts = tables.setdefault((owned.schema, owned.table or ""), set())
                parts |= {*owned.owner_columns, *(c for _, c in owned.columns)}
        for navigation in entity.navigations:
            join = navigation.join_table
            if join is not None and join.entity is None:
                joined = tables.setdefault((join.schema, join.table), set())
                joined |= {c for c, _ in (*join.source_columns, *join.target_columns)}
    found = []
    for (schema_name, table), columns in tables.items():
        rows = find_table(data, table, schema_name)
        if rows:
            present = sorted(columns & {c for row in rows for c in row})
            kinds = _column_kinds(schema, table) if server is Server.POSTGRES else {}
            name = f'"{schema_name}"."{table}"' if schema_name else f'"{table}"'
            found.append(
                TableRows(
                    name,
                    ", ".join(f'"{c}"' for c in present),
                    [{c: _spelled(r.get(c), kinds.get(c)) for c in present} for r in rows],
                )
            )
    return found


def _column_kinds(schema: Schema, table: str) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for entity in schema.entities:
        if (entity.table or entity.name) == table:
            kinds |= _kinds((p.column, p) for p in entity.properties)
        for part in entity.complexes:
            if table == (part.table if part.collection else entity.table or entity.name):
                kinds |= _kinds((column, _leaf(schema, part, path)) for path, column in part.columns)
                keys = zip(part.owner_columns, entity.key, strict=False)
                kinds |= _kinds((column, entity.property(key)) for column, key in keys)
    return kinds


def _kinds(columns: Iterable[tuple[str, Property | None]]) -> dict[str, Kind]:
    return {c: p.type.kind for c, p in columns if p is not None and isinstance(p.type, ScalarType)}


def _leaf(schema: Schema, part: ComplexProperty, path: str) -> Property | None:
    """The property at a dotted path within an owned value."""
    *parents, last = path.split(".")
    shape = schema.complex(part.complex_name)
    for name in parents:
        shape = schema.complex(next(c.complex_name for c in shape.complexes if c.name == name))
    return shape.property(last)


def _spelled(value: Any, kind: Kind | None) -> Any:
    """Spans and bytes as PostgreSQL reads them: it takes `1.02:03:04` for a day and two hundredths, base64 for text."""
    if kind is Kind.TIMESPAN and isinstance(value, str):
        found = re.fullmatch(r"(-?)(\d+)\.(\d+:.*)", value)
        return value if found is None else f"{found[1]}{found[2]} days {found[1]}{found[3]}"
    if kind is Kind.BYTES and isinstance(value, str):
        return "\\x" + base64.b64decode(value).hex()
    return value


def _columns(entity: Entity) -> set[str]:
    columns = {p.column for p in entity.properties}
    columns |= {c for complex_ in entity.complexes if not complex_.collection for _, c in complex_.columns}
    if entity.discriminator is not None:
        columns.add(entity.discriminator.column)
    return columns
