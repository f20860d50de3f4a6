"""A whole query as a pipeline: operators, then the terminal, then the shape in which the rows are handed out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from uom.model.diagnostics import Diagnostic, Refusal, Severity
from uom.model.expressions import Compare, Expr, Fn, Function, In, Not, SqlCompare, SqlIn
from uom.model.mapping import DocumentMapping
from uom.model.program import Semantics
from uom.model.queries import (
    Aggregate,
    Contains,
    Exists,
    Filter,
    Forall,
    Map,
    Pick,
    PickKind,
    Query,
)
from uom.model.schema import Schema
from uom.model.types import BOOL, Type, is_string
from uom.model.walk import Node, walk
from uom.write.mongodb import functions_date, functions_number, functions_text, groups, joins, sets, sql_logic
from uom.write.mongodb.aggregates import aggregate_value, empty_value, without_default
from uom.write.mongodb.includes import load_includes
from uom.write.mongodb.lookups import containing, picked_source
from uom.write.mongodb.operators import skip_to, unordered
from uom.write.mongodb.pipelines import compile_rows, settle
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope, Translation
from uom.write.mongodb.stored import default_of
from uom.write.mongodb.tidy import tidied
from uom.write.mongodb.tree import Bson, Stage
from uom.write.mongodb.values import EntityValue, GroupingValue, RecordValue, Value

_REGISTERED = (functions_date, functions_number, functions_text, groups, joins, sets, sql_logic)


class Finish(Enum):
    """What becomes of the documents: all of them are the result (`ROWS`); the first one (`FIRST`); the only one

    (`SINGLE`); the field `value` of the only document (`SCALAR`); whether there is one (`EXISTS`) or none (`NONE`).
    """

    ROWS = "rows"
    FIRST = "first"
    SINGLE = "single"
    SCALAR = "scalar"
    EXISTS = "exists"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A pipeline over `collection`. `row` says where each result document holds the row; `type` is the row's C# type.

    `or_default`: without a document the result is `default` (stored form), else an error. `collation` asks for
    case-insensitive comparison of the whole aggregation.
    """

    collection: str
    stages: tuple[Stage, ...]
    row: Value
    type: Type
    finish: Finish
    or_default: bool = True
    default: Bson = None
    ignore_case: bool = False
    required: bool = False
    """The rows are single values, and one that is null is an error."""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def row_is_document(self) -> bool:
        """True when a result document is the row; false when its field `value` is."""
        row = self.row
        if isinstance(row, GroupingValue):
            return True
        return getattr(row, "at", None) == "$$ROOT" and isinstance(row, EntityValue | RecordValue)


def compile_query(query: Query, schema: Schema, mapping: DocumentMapping, semantics: Semantics) -> CompiledQuery:
    """Compiles a query without outer variables.

    Raises:
        Refusal: the query has no translation whose meaning is certain.
    """
    translation = Translation(schema, mapping, semantics)
    scope = Scope(translation, Rows(""))
    writer = _TERMINALS.get(type(query), _rows)
    draft = writer(query, scope)
    if semantics.ignore_trailing_blanks and any(_compares_text(node) for node in walk(query)):
        translation.note(
            Severity.CONVENTION, "==", "SQL Server ignores trailing blanks of text, MongoDB does not: trim the data"
        )
    rows = draft.rows
    if rows.start().correlation is not None or rows.lets:
        raise Refusal("variable", "the query depends on a row that does not exist here")
    return CompiledQuery(
        rows.start().collection,
        tuple(tidied(rows.all_stages())),
        rows.row,
        draft.type,
        draft.finish,
        draft.or_default,
        draft.default,
        not semantics.case_sensitive,
        _is_required(query.source if isinstance(query, Pick) else query),
        tuple(translation.diagnostics),
    )


def _is_required(rows: Query) -> bool:
    return isinstance(rows, Map) and isinstance(rows.selector.body, Function) and rows.selector.body.fn is Fn.VALUE


def _compares_text(node: Node) -> bool:
    return isinstance(node, Compare | SqlCompare | In | SqlIn) and any(is_string(c.type) for c in _operands(node))


def _operands(node: Compare | SqlCompare | In | SqlIn) -> tuple[Expr, ...]:
    return (node.left, node.right) if isinstance(node, Compare | SqlCompare) else (node.item,)


@dataclass(frozen=True, slots=True)
class _Draft:
    rows: Rows
    type: Type
    finish: Finish
    or_default: bool = True
    default: Bson = None


def _rows(query: Query, scope: Scope) -> _Draft:
    rows = compile_rows(query, scope)
    _hand_out(rows, scope)
    return _Draft(rows, query.element, Finish.ROWS)


def _hand_out(rows: Rows, scope: Scope) -> None:
    """The last reshaping; loaded navigations are attached to root entities only."""
    includes = rows.row.includes if isinstance(rows.row, EntityValue) else ()
    settled = settle(rows, scope)
    if not includes:
        return
    if not isinstance(settled, EntityValue) or settled.at != "$$ROOT":
        raise Refusal("Include", "navigations of an entity that may be missing cannot be loaded")
    load_includes(rows, includes, scope)


def _pick(query: Pick, scope: Scope) -> _Draft:
    rows = compile_rows(picked_source(query), scope)
    if query.kind is PickKind.ELEMENT_AT:
        assert query.index is not None
        skip_to(rows, query.index)
    single = query.kind is PickKind.SINGLE
    rows.add("$limit", 2 if single else 1)
    _hand_out(rows, scope)
    finish = Finish.SINGLE if single else Finish.FIRST
    return _Draft(rows, query.element, finish, query.or_default, default_of(query.element))


def _aggregate(query: Aggregate, scope: Scope) -> _Draft:
    query, default = without_default(query)
    rows = compile_rows(unordered(query.source), scope)
    aggregate_value(query, rows, scope)
    empty = empty_value(query) if default is None else default
    or_default = empty is not None or query.element.nullable
    return _Draft(rows, query.element, Finish.SCALAR, or_default, empty)


def _exists(query: Exists, scope: Scope) -> _Draft:
    return _existence(query.source, scope, Finish.EXISTS)


def _forall(query: Forall, scope: Scope) -> _Draft:
    predicate = query.predicate
    counter = Filter(query.source, type(predicate)(predicate.var, Not(predicate.body)), query.source.element)
    return _existence(counter, scope, Finish.NONE)


def _contains(query: Contains, scope: Scope) -> _Draft:
    return _existence(containing(query), scope, Finish.EXISTS)


def _existence(source: Query, scope: Scope, finish: Finish) -> _Draft:
    rows = compile_rows(unordered(source), scope)
    rows.add("$limit", 1)
    return _Draft(rows, BOOL, finish)


_TERMINALS: dict[type, Callable[[Any, Scope], _Draft]] = {
    Pick: _pick,
    Aggregate: _aggregate,
    Exists: _exists,
    Forall: _forall,
    Contains: _contains,
}
