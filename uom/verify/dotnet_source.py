"""The C# side for real: the user's methods, EF Core, and the embedded PostgreSQL, over the same rows."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from uom.data.rows import DataFile, find_table
from uom.model.program import PROVIDER_SEMANTICS, QueryMethod
from uom.model.schema import Entity, Schema
from uom.model.types import Kind, ScalarType
from uom.plan.casts import means_the_same
from uom.read.csharp.declarations import compile_sources
from uom.read.csharp.symbols import Compilation, MethodSymbol, ParameterSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import parse, text_of
from uom.reference.values import Value
from uom.run.dotnet.project import Server, SourceCall, TableRows, project_files, tables_file
from uom.run.dotnet.results import DotnetRun, DotnetRunner, SourceOutcome
from uom.verify.canonical import Rows, Unreadable, of_java
from uom.verify.compare import Comparer
from uom.verify.csharp_literals import DeclaredType, NotCallable, csharp_literal
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, Shape
from uom.verify.source import PendingCall, ReferenceSource, SourceResult


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
        self.take(self.runner.run(files, self.limit_seconds), program.labels)

    def program(self, calls: Sequence[PendingCall]) -> SourceProgram:
        """The program's files, without the rows; and why some calls are not in it."""
        compilation = compile_sources([parse(name, text) for name, text in self.sources])
        context = compilation.find_type(self.schema.context)
        if context is None:
            return SourceProgram({}, (), {c.label: "there is no DbContext class in the input" for c in calls})
        source_calls, problems = [], {}
        try:
            own_options = _takes_options(context)
        except NotCallable as error:
            return SourceProgram({}, (), {c.label: str(error) for c in calls})
        for call in calls:
            try:
                expression = call_expression(compilation, context, call.method, call.arguments)
                source_calls.append(SourceCall(call.label, expression, shape_json(call.shape)))
            except NotCallable as error:
                problems[call.label] = str(error)
        namespaces = sorted({t.namespace for t in compilation.all_types()})
        files = project_files(self.sources, context.full_name, namespaces, source_calls, own_options, self.server)
        return SourceProgram(files, tuple(c.label for c in source_calls), problems)

    def tables(self) -> str:
        """The rows as the program loads them: its file tables.json."""
        return tables_file(table_rows(self.schema, self.data, self.server))

    def take(self, run: DotnetRun, labels: Sequence[str]) -> None:
        """What a run of the program found, for `call`."""
        if run.problem or run.errors:
            reason = run.problem or f"the C# does not compile: {run.errors[0]}"
            self.problems.update(dict.fromkeys(labels, reason))
        self.outcomes.update(run.outcomes)

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
        return SourceResult(_with_ties(value, reference.value), "", outcome.millis, self.name)

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


def _with_ties(value: Any, reference: Any) -> Any:
    """EF Core's rows with what the algebra knows about ties: nothing else is taken from the reference."""
    if isinstance(value, Rows):
        items = reference if isinstance(reference, Rows) and len(reference) == len(value) else None
        if items is None:
            return Rows([_with_ties(v, None) for v in value], [len(value)] if not isinstance(reference, Rows) else None)
        ordered = items.ties is not None and all(size == 1 for size in items.ties)
        pairs = zip(value, items, strict=True) if ordered else ((v, None) for v in value)
        return Rows([_with_ties(v, r) for v, r in pairs], items.ties)
    if isinstance(value, dict):
        known = reference if isinstance(reference, dict) else {}
        return {k: _with_ties(v, known.get(k)) for k, v in value.items()}
    return value


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


def call_expression(
    compilation: Compilation, context: TypeSymbol, method: QueryMethod, arguments: Mapping[str, Value]
) -> str:
    """C# that calls the method; raises NotCallable when its class cannot be made from a context alone."""
    owner = compilation.find_type(method.container)
    if owner is None:
        raise NotCallable("the method stands outside any class")
    named = [m for m in owner.methods if m.name == method.name]
    symbol = next((m for m in named if m.place == method.place), None) or next(
        (m for m in named if _has_all(m, method)), None
    )
    if symbol is None:
        raise NotCallable("the method was not found again")
    if "private" in symbol.modifiers or "public" not in symbol.modifiers:
        raise NotCallable("the method is not public")
    texts = [_argument(compilation, context, p, owner, method, arguments) for p in symbol.parameters]
    if sum(len(m.parameters) == len(symbol.parameters) for m in named) > 1:
        texts = [_cast(t, p, compilation, owner) for t, p in zip(texts, symbol.parameters, strict=True)]
    given = ", ".join(texts)
    if symbol.is_static:
        return f"{owner.full_name}.{method.name}({given})"
    return f"new {owner.full_name}({_constructor_arguments(compilation, context, owner)}).{method.name}({given})"


def _cast(text: str, parameter: ParameterSymbol, compilation: Compilation, owner: TypeSymbol) -> str:
    """Among overloads `null` and `[]` say nothing about which one is meant."""
    if text not in ("null", "[]") or parameter.type_node is None:
        return text
    declared = DeclaredType(compilation, parameter.type_node, owner)
    name = declared.symbol.full_name if declared.symbol is not None else text_of(parameter.type_node).rstrip("?")
    return f"({name}{'?' if text == 'null' else ''}){text}"


def _has_all(symbol: MethodSymbol, method: QueryMethod) -> bool:
    return {p.name for p in method.parameters} <= {p.name for p in symbol.parameters}


def _is_context(compilation: Compilation, name: str) -> bool:
    symbol = compilation.find_type(name)
    if symbol is None:
        return name in ("DbContext",)
    return any("DbContext" in base for t in compilation.ancestry(symbol) for base in t.base_names())


def _argument(
    compilation: Compilation,
    context: TypeSymbol,
    parameter: ParameterSymbol,
    owner: TypeSymbol,
    method: QueryMethod,
    arguments: Mapping[str, Value],
) -> str:
    type_name = simple_name(parameter.type_node) if parameter.type_node is not None else ""
    implemented = {base for t in compilation.ancestry(context) for base in t.base_names()}
    if _is_context(compilation, type_name) or type_name == context.name or type_name in implemented:
        return "db"
    if type_name == "CancellationToken":
        return "default"
    known = next((p for p in method.parameters if p.name == parameter.name), None)
    if known is None:
        raise NotCallable(f"there is no value for its parameter {parameter.name}")
    return csharp_literal(arguments[parameter.name], known.type, DeclaredType(compilation, parameter.type_node, owner))


def _constructor_arguments(compilation: Compilation, context: TypeSymbol, owner: TypeSymbol) -> str:
    """Arguments for the first constructor that needs only a context (or an interface of it) and loggers."""
    candidates = [owner.primary] if owner.primary is not None else [c.parameters for c in owner.constructors] or [()]
    implemented = {name for t in compilation.ancestry(context) for name in t.base_names()}
    for parameters in candidates:
        names = [simple_name(p.type_node) if p.type_node is not None else "" for p in parameters]
        values = [_injected(compilation, owner, implemented, name) for name in names]
        if all(values):
            return ", ".join(v for v in values if v)
    raise NotCallable(f"{owner.name} cannot be made from a DbContext alone")


def _injected(compilation: Compilation, owner: TypeSymbol, implemented: set[str], name: str) -> str | None:
    if _is_context(compilation, name) or name in implemented:
        return "db"
    if name == "ILogger":
        return f"Microsoft.Extensions.Logging.Abstractions.NullLogger<{owner.full_name}>.Instance"
    return None


def _takes_options(context: TypeSymbol) -> bool:
    candidates = [context.primary] if context.primary is not None else [c.parameters for c in context.constructors]
    for parameters in candidates:
        names = [simple_name(p.type_node) if p.type_node is not None else "" for p in parameters]
        if names == ["DbContextOptions"]:
            return True
    if candidates and not any(len(p) == 0 for p in candidates):
        raise NotCallable(f"{context.name} needs more than DbContextOptions")
    return False


def table_rows(schema: Schema, data: DataFile, server: Server = Server.POSTGRES) -> list[TableRows]:
    """The file's rows for every table that EF Core creates, with the columns that both know."""
    tables: dict[tuple[str | None, str], set[str]] = {}
    for entity in schema.entities:
        if not entity.unsupported:
            columns = tables.setdefault((entity.schema, entity.table or entity.name), set())
            columns |= _columns(entity)
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
    return {
        p.column: p.type.kind
        for entity in schema.entities
        if (entity.table or entity.name) == table
        for p in entity.properties
        if isinstance(p.type, ScalarType)
    }


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
