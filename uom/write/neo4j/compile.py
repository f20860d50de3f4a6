"""A whole query as a statement: operators, then the terminal, then the columns in which the rows are handed out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from uom.model.defaults import default_of
from uom.model.diagnostics import Diagnostic
from uom.model.expressions import Const
from uom.model.mapping import GraphMapping
from uom.model.program import Semantics
from uom.model.queries import Aggregate, AggregateKind, Contains, Exists, Forall, Pick, PickKind, Query, Take
from uom.model.schema import Schema
from uom.model.types import BOOL, INT, Type, as_nullable
from uom.write.neo4j import (
    conversions,
    functions,
    functions_date,
    functions_like,
    functions_number,
    groups,
    joins,
    logic,
    sets,
    subqueries,
)
from uom.write.neo4j.clauses import Return, statement
from uom.write.neo4j.includes import loaded_columns
from uom.write.neo4j.layouts import Layout, NodeLayout, RecordLayout, ScalarLayout
from uom.write.neo4j.operators import compile_rows
from uom.write.neo4j.packing import free_key, pack
from uom.write.neo4j.rows import Rows, sort_texts
from uom.write.neo4j.scope import Bind, Scope, Writing
from uom.write.neo4j.text import Text
from uom.write.neo4j.tidy import tidied
from uom.write.neo4j.values import Group, Node, Record, Value

_REGISTERED = (
    conversions,
    functions,
    functions_date,
    functions_like,
    functions_number,
    groups,
    joins,
    logic,
    sets,
    subqueries,
)


class Finish(Enum):
    """What becomes of the records: all of them are the result (`ROWS`), the first one (`FIRST`), the only one

    (`SINGLE`), or the one value that an aggregate gives (`SCALAR`).
    """

    ROWS = "rows"
    FIRST = "first"
    SINGLE = "single"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A statement. `layout` says how a record is read: its columns are the fields of a record, or (with `column`) one

    column holds the row. `or_default`: without a record the result is `default`, else an error.
    """

    statement: str
    binds: tuple[Bind, ...]
    layout: Layout
    column: str
    type: Type
    finish: Finish
    or_default: bool = True
    default: object = None
    diagnostics: tuple[Diagnostic, ...] = ()


def compile_query(query: Query, schema: Schema, mapping: GraphMapping, semantics: Semantics) -> CompiledQuery:
    """Compiles a query without outer variables.

    Raises:
        Refusal: the query has no translation whose meaning is certain.
    """
    writing = Writing(schema, mapping, semantics)
    scope = Scope(writing, Rows(writing.names))
    draft = _TERMINALS.get(type(query), _rows)(query, scope)
    clauses = tidied(scope.rows.all_clauses())
    return replace(
        draft, statement=statement(clauses), binds=tuple(writing.binds), diagnostics=tuple(writing.diagnostics)
    )


def _draft(
    layout: Layout, column: str, type_: Type, finish: Finish, or_default: bool = True, default: object = None
) -> CompiledQuery:
    return CompiledQuery("", (), layout, column, type_, finish, or_default, default)


def _rows(query: Query, scope: Scope) -> CompiledQuery:
    row = compile_rows(query, scope)
    layout, column = hand_out(row, scope)
    return _draft(layout, column, query.element, Finish.ROWS)


def hand_out(row: Value, scope: Scope) -> tuple[Layout, str]:
    """The RETURN: a record's fields as columns, an entity with what it brings along, or one value."""
    rows = scope.rows
    if isinstance(row, Group):
        row = row.group.whole()
    taken = _sorted_by(rows)
    items: list[tuple[Text, str]] = []
    layout: Layout
    column = ""
    if isinstance(row, Record) and row.present is None:
        fields = []
        for name, value in row.fields:
            key = free_key(name, taken)
            text, inner = pack(value, scope)
            items.append((text, key))
            fields.append((name, key, inner))
        layout = RecordLayout(row.type, tuple(fields))  # type: ignore[arg-type]
    elif isinstance(row, Node) and row.includes and not row.nullable:
        key = row.variable if row.variable.isidentifier() else free_key(scope.graph.hint(row.entity), taken)
        taken.add(key)
        loaded = loaded_columns(row, scope, taken)
        items = [(row.text, key), *((text, name) for _, name, text, _ in loaded)]
        layout = NodeLayout(row.entity, False, key, tuple((n, k, lay) for n, k, _, lay in loaded))
    else:
        text, layout = pack(row, scope)
        column = row.variable if isinstance(row, Node) and row.variable.isidentifier() else "value"
        items = [(text, column)]
    rows.close_group()
    rows.clauses.append(Return(items, sort=sort_texts(rows.sort), skip=rows.skip, limit=rows.limit))
    return layout, column


def _sorted_by(rows: Rows) -> set[str]:
    """The variables that the order needs: a column of that name would hide one."""
    text = " ".join(item.text.cypher for item in rows.sort)
    return {name for name in rows.visible() if re.search(rf"\b{re.escape(name)}\b", text)}


def _pick(query: Pick, scope: Scope) -> CompiledQuery:
    single = query.kind is PickKind.SINGLE
    source = Take(subqueries.picked(query), Const(2 if single else 1, INT), query.source.element)
    row = compile_rows(source, scope)
    layout, column = hand_out(row, scope)
    finish = Finish.SINGLE if single else Finish.FIRST
    return _draft(layout, column, query.element, finish, query.or_default, default_of(query.element))


def _aggregate(query: Aggregate, scope: Scope) -> CompiledQuery:
    if query.kind is AggregateKind.COUNT:
        subqueries.counted(query, scope, "count")
        return _draft(ScalarLayout(query.element), "count", query.element, Finish.SCALAR, False)
    value = subqueries.aggregated(query, scope, "value")
    last = scope.rows.clauses[-1]
    assert isinstance(last, Return)
    or_default = query.element.nullable and query.kind is not AggregateKind.SUM
    # Of no rows it is null, which is read as no value, so that it fails as First does.
    read = query.element if query.kind is AggregateKind.SUM else as_nullable(query.element)
    if value.over is not None:
        last.items = [(Text(f"[{last.items[0][0]}, {last.items[1][0]}]"), "average")]
        layout = ScalarLayout(read, value.scale, ratio=True, counted=True)
        return _draft(layout, "average", query.element, Finish.SCALAR, or_default)
    return _draft(ScalarLayout(read, value.scale), last.items[0][1], query.element, Finish.SCALAR, or_default)


def _exists(query: Exists | Forall | Contains, scope: Scope) -> CompiledQuery:
    found = subqueries.existence(query, scope)
    scope.rows.clauses.append(Return([(found, "found")]))
    return _draft(ScalarLayout(BOOL), "found", BOOL, Finish.SCALAR, False)


_TERMINALS: dict[type, Callable[[Any, Scope], CompiledQuery]] = {
    Pick: _pick,
    Aggregate: _aggregate,
    Exists: _exists,
    Forall: _exists,
    Contains: _exists,
}
