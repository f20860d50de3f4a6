"""Operators that end in one value: aggregates, First and its kin, Any, All, Contains."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any

from uom.model import queries as q
from uom.model.defaults import default_of
from uom.model.program import Semantics
from uom.model.queries import AggregateKind, PickKind, Query
from uom.model.types import Kind, ScalarType, Type
from uom.reference.arithmetic import DECIMAL_DIGITS, fitted
from uom.reference.scalars import Environment, evaluate, is_true, sort_value
from uom.reference.values import QueryError, Value

if TYPE_CHECKING:
    from uom.reference.interpreter import Run


def _aggregate(node: q.Aggregate, env: Environment, run: Run) -> Value:
    rows = run.rows(node.source, env)
    if node.kind is AggregateKind.COUNT:
        return len(rows)
    selector = node.selector
    values = rows if selector is None else [run.apply(selector, r, env) for r in rows]
    type_ = selector.body.type if selector is not None else _row_type(node.source)
    return aggregate(node.kind, [v for v in values if v is not None], type_, node.element, run.semantics)


def _row_type(query: Query) -> Type:
    return query.element


def aggregate(kind: AggregateKind, values: list[Any], type_: Type, result: Type, semantics: Semantics) -> Value:
    """One value over values that are not null; what nothing gives is said at `queries.Aggregate`."""
    if kind is AggregateKind.SUM:
        with localcontext() as context:
            context.prec = DECIMAL_DIGITS
            zero: Any = default_of(ScalarType(result.kind)) if isinstance(result, ScalarType) else 0
            return fitted(sum(values, zero), result)
    if not values:
        if result.nullable:
            return None
        raise QueryError("InvalidOperationException", "Sequence contains no elements")
    if kind is AggregateKind.AVERAGE:
        return average(values, result)
    choose = min if kind is AggregateKind.MIN else max
    return choose(values, key=lambda v: sort_value(v, type_, semantics))  # type: ignore[arg-type, return-value]


def average(values: list[Any], result: Type) -> Value:
    if isinstance(result, ScalarType) and result.kind is Kind.DECIMAL:
        with localcontext() as context:
            context.prec = DECIMAL_DIGITS
            return sum(values, Decimal(0)) / len(values)
    return fitted(float(sum(values)) / len(values), result)


def _pick(node: q.Pick, env: Environment, run: Run) -> Value:
    rows = run.rows(node.source, env)
    if node.kind is PickKind.SINGLE and len(rows) > 1:
        raise QueryError("InvalidOperationException", "Sequence contains more than one element")
    index = 0
    if node.kind is PickKind.LAST:
        index = len(rows) - 1
    elif node.kind is PickKind.ELEMENT_AT and node.index is not None:
        value = evaluate(node.index, env, run)
        assert isinstance(value, int)
        index = value
    if 0 <= index < len(rows):
        return rows[index]
    if node.or_default:
        return default_of(node.element)
    if node.kind is PickKind.ELEMENT_AT:
        raise QueryError("ArgumentOutOfRangeException", "Index was out of range")
    raise QueryError("InvalidOperationException", "Sequence contains no elements")


def _exists(node: q.Exists, env: Environment, run: Run) -> bool:
    return bool(run.rows(node.source, env))


def _forall(node: q.Forall, env: Environment, run: Run) -> bool:
    return all(is_true(run.apply(node.predicate, r, env)) for r in run.rows(node.source, env))


def _contains(node: q.Contains, env: Environment, run: Run) -> bool:
    item = run.key(evaluate(node.item, env, run))
    return any(run.key(r) == item for r in run.rows(node.source, env))


TERMINALS: dict[type, Callable[[Any, Environment, Run], Value]] = {
    q.Aggregate: _aggregate,
    q.Pick: _pick,
    q.Exists: _exists,
    q.Forall: _forall,
    q.Contains: _contains,
}
