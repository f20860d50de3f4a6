"""Aggregates over all rows of a pipeline or over the elements of a group, as `$group` accumulators."""

from __future__ import annotations

from dataclasses import replace

from bson import Decimal128, Int64

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Lambda
from uom.model.queries import Aggregate, AggregateKind, DefaultIfEmpty
from uom.model.types import EnumType, Kind, ScalarType, Type, describe
from uom.write.mongodb.expressions import evaluate
from uom.write.mongodb.render import render
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.stored import default_of, query_constant
from uom.write.mongodb.tree import Bson
from uom.write.mongodb.values import ScalarValue, Value

_OPERATORS = {
    AggregateKind.SUM: "$sum",
    AggregateKind.AVERAGE: "$avg",
    AggregateKind.MIN: "$min",
    AggregateKind.MAX: "$max",
}


def without_default(query: Aggregate) -> tuple[Aggregate, Bson]:
    """`Max` over DefaultIfEmpty is the default for no rows: (the aggregate without it, that default or None)."""
    source = query.source
    if not isinstance(source, DefaultIfEmpty):
        return query, None
    if query.kind is AggregateKind.COUNT or query.selector is not None:
        raise Refusal("DefaultIfEmpty", "is supported in joins and before Sum, Average, Min and Max of values")
    default = _default_row(source)
    if default is not None and source.source.element.nullable:
        raise Refusal("DefaultIfEmpty", "a default for values that may be null is not supported", source.place)
    return replace(query, source=source.source), default


def _default_row(source: DefaultIfEmpty) -> Bson:
    if source.default is None:
        return default_of(source.element)
    if not isinstance(source.default, Const):
        raise Refusal("DefaultIfEmpty", "the default must be a constant", source.place)
    return query_constant(source.default.value, source.default.type)


def aggregate_value(query: Aggregate, rows: Rows, scope: Scope) -> None:
    """Reduces the rows to one document with the field `value`, or to none when there are no rows."""
    accumulator: Bson = {"$sum": 1}
    if query.kind is not AggregateKind.COUNT:
        value = selected(query.selector, rows.row, scope.on(rows))
        check_aggregate(query.kind, value)
        accumulator = {_OPERATORS[query.kind]: render(value, scope.on(rows))}
    rows.add("$group", {"_id": None, "value": accumulator})
    rows.reshaped(["_id", "value"])
    rows.row = ScalarValue("$value", query.element, rows)


def selected(selector: Lambda | None, row: Value, scope: Scope) -> Value:
    return row if selector is None else evaluate(selector.body, scope.bind(selector.var, row))


def check_aggregate(kind: AggregateKind, value: Value) -> None:
    """Refuses what MongoDB would add up or order differently."""
    if not isinstance(value, ScalarValue):
        raise Refusal(kind.value, "only single values can be aggregated")
    type_ = value.type
    if kind in (AggregateKind.MIN, AggregateKind.MAX):
        if (isinstance(type_, EnumType) and type_.stored) or _kind(type_) in (Kind.GUID, Kind.BYTES):
            raise Refusal(kind.value, f"the order of {describe(type_)} differs between databases")
    elif _kind(type_) in (Kind.DATETIME, Kind.STRING, Kind.BOOL, None):
        raise Refusal(kind.value, f"{describe(type_)} cannot be added up")


def operator_of(kind: AggregateKind) -> str:
    return _OPERATORS[kind]


def empty_value(query: Aggregate) -> Bson:
    """The aggregate of no rows: 0 for COUNT and SUM, else null (which C# turns into an error for plain types)."""
    if query.kind is AggregateKind.COUNT:
        return 0
    if query.kind is AggregateKind.SUM:
        return zero_of(query.element)
    return None


def zero_of(type_: Type) -> Bson:
    kind = _kind(type_)
    zeros: dict[Kind, Bson] = {
        Kind.DECIMAL: Decimal128("0"),
        Kind.DOUBLE: 0.0,
        Kind.FLOAT: 0.0,
        Kind.LONG: Int64(0),
        Kind.TIMESPAN: Int64(0),
    }
    return zeros.get(kind, 0) if kind else 0


def _kind(type_: Type) -> Kind | None:
    return type_.kind if isinstance(type_, ScalarType) else None
