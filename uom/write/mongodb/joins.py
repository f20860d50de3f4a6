"""Join and SelectMany: `$lookup` and `$unwind`."""

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.expressions import Expr
from uom.model.queries import DefaultIfEmpty, FlatMap, Join, JoinKind, Query, SetKind
from uom.write.mongodb.arrays import array_of, is_array_query, unwindable
from uom.write.mongodb.expressions import evaluate
from uom.write.mongodb.lookups import add_lookup, correlate, unwind
from uom.write.mongodb.pipelines import compile_rows, compiles, settle, steady
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.sets import united
from uom.write.mongodb.values import RecordValue, Value, moved
from uom.write.names import camel_case, java_property_name


@compiles(FlatMap)
def _flat_map(query: FlatMap, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    inner_query, keep = _inner(query.inner)
    outer_scope = scope.on(rows).bind(query.outer, rows.row)
    hint = _hint(query.inner_var.name)
    if is_array_query(inner_query, outer_scope):
        value = _unwound_list(inner_query, outer_scope, hint, keep)
    else:
        inner = compile_rows(inner_query, outer_scope)
        value = _attached(rows, inner, outer_scope, hint, keep)
    rows.row = evaluate(query.result, outer_scope.bind(query.inner_var, value))
    return rows


def _inner(query: Query) -> tuple[Query, bool]:
    """The inner query, and whether outer rows without inner ones are kept (DefaultIfEmpty)."""
    if not isinstance(query, DefaultIfEmpty):
        return query, False
    if query.default is not None:
        raise Refusal("DefaultIfEmpty", "a default value is not supported in a join", query.place)
    return query.source, True


def _hint(name: str) -> str:
    """Single letters say nothing to a reader of the pipeline."""
    name = java_property_name(camel_case("".join(char for char in name if char.isalnum())))
    return name if len(name) > 2 and name.isidentifier() else "joined"


def _unwound_list(query: Query, scope: Scope, hint: str, keep: bool) -> Value:
    rows = scope.rows
    items = array_of(query, scope)
    path = items.at
    if not unwindable(items):
        name = rows.helper(hint)
        rows.add("$set", {name: items.at})
        path = f"${name}"
    unwind(rows, path, keep)
    return moved(items.item, path, rows, nullable=keep)


def _attached(rows: Rows, inner: Rows, scope: Scope, hint: str, keep: bool) -> Value:
    """The inner rows under a field of the outer ones, one per row."""
    row = settle(inner, scope)
    name = java_property_name(camel_case(inner.start().collection)) if hint == "joined" else hint
    path = add_lookup(rows, inner, name)
    unwind(rows, path, keep)
    return moved(row, path, rows, nullable=keep)


@compiles(Join)
def _join(query: Join, scope: Scope) -> Rows:
    if query.kind is JoinKind.RIGHT:
        return _join(_swapped(query), scope)
    if query.kind is JoinKind.FULL:
        return _full_join(query, scope)
    rows = compile_rows(query.left, scope)
    left_scope = scope.on(rows).bind(query.left_var, rows.row)
    inner = _matching(query, left_scope)
    value = _attached(rows, inner, left_scope, _hint(query.right_var.name), query.kind is JoinKind.LEFT)
    rows.row = evaluate(query.result, left_scope.bind(query.right_var, value))
    return rows


def _swapped(query: Join) -> Join:
    """A right join is a left join seen from the other side."""
    return replace(
        query,
        kind=JoinKind.LEFT,
        left=query.right,
        right=query.left,
        left_var=query.right_var,
        right_var=query.left_var,
        keys=tuple((right, left) for left, right in query.keys),
    )


def _matching(query: Join, left_scope: Scope) -> Rows:
    """The right rows whose keys equal those of the left row."""
    inner = compile_rows(query.right, left_scope)
    right_scope = left_scope.on(inner).bind(query.right_var, steady(inner, left_scope))
    pairs = [(evaluate(left, left_scope, "key"), evaluate(right, right_scope, "key")) for left, right in query.keys]
    correlate(inner, [pair for left, right in pairs for pair in _scalar_pairs(left, right)], left_scope)
    return inner


def _scalar_pairs(left: Value, right: Value) -> list[tuple[Value, Value]]:
    """Composite keys are compared part by part."""
    if isinstance(left, RecordValue) and isinstance(right, RecordValue):
        parts = zip(left.fields, right.fields, strict=True)
        return [pair for (_, a), (_, b) in parts for pair in _scalar_pairs(a, b)]
    return [(left, right)]


def _full_join(query: Join, scope: Scope) -> Rows:
    """The left join, and the right rows without a partner."""
    left = _join(replace(query, kind=JoinKind.LEFT), scope)
    right = _without_partner(_swapped(query), query.result, scope)
    return united(SetKind.CONCAT, left, right, scope)


def _without_partner(query: Join, result: Expr, scope: Scope) -> Rows:
    rows = compile_rows(query.left, scope)
    left_scope = scope.on(rows).bind(query.left_var, rows.row)
    inner = _matching(query, left_scope)
    row = settle(inner, left_scope)
    path = add_lookup(rows, inner, _hint(query.right_var.name))
    rows.add("$match", {path[1:]: []})
    unwind(rows, path)
    missing = moved(row, path, rows, nullable=True)
    rows.row = evaluate(result, left_scope.bind(query.right_var, missing))
    return rows
