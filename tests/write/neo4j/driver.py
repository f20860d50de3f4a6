"""Runs compiled statements through the Python driver and reads the rows as the interpreter would give them."""

from __future__ import annotations

from datetime import timedelta
from decimal import Context, Decimal, localcontext
from typing import Any
from uuid import UUID

import neo4j
from neo4j.graph import Node, Relationship
from neo4j.time import Date, DateTime, Time

from uom.model.types import EnumType, Kind, ScalarType, SequenceType, Type
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import QueryError
from uom.write.neo4j import CompiledQuery, Finish
from uom.write.neo4j.functions_like import like_regex
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.layouts import Layout, ListLayout, NodeLayout, PartLayout, RecordLayout, ScalarLayout
from uom.write.neo4j.scope import Bind

_CUTS = {"CEILING": "ROUND_CEILING", "FLOOR": "ROUND_FLOOR"}


def parameters(compiled: CompiledQuery, run: Run) -> dict[str, Any]:
    """What Java would pass."""
    return {bind.name: _bound(bind, run) for bind in compiled.binds}


def _bound(bind: Bind, run: Run) -> Any:
    if bind.when is not None and evaluate(bind.when, {}, run) is not True:
        return None
    found: Any = evaluate(bind.expr, {}, run)
    if isinstance(found, list | tuple):
        assert isinstance(bind.type, SequenceType)
        return [_passed(v, bind.type.element, bind) for v in found]
    return _passed(found, bind.type, bind)


def _passed(value: Any, type_: Type, bind: Bind) -> Any:
    if value is None:
        return None
    if bind.like is not None:
        return ("(?siu)" if bind.like.ignore_case else "(?s)") + like_regex(value, bind.like.escape)
    if isinstance(type_, EnumType):
        return type_.stored_value(value)
    if bind.scale is not None:
        number = Decimal(value).scaleb(bind.scale)
        return int(number.to_integral_value(rounding=_CUTS.get(bind.rounding)))
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1) * 10
    return str(value) if isinstance(value, UUID) else value


def result(compiled: CompiledQuery, session: neo4j.Session, run: Run, graph: Graph) -> Any:
    """What the Java method would return."""
    records = list(session.run(compiled.statement, parameters(compiled, run)))

    def row(record: neo4j.Record) -> Any:
        return read(compiled.layout, record[compiled.column] if compiled.column else record, graph)

    found = [row(r) for r in records]
    if compiled.finish is Finish.ROWS:
        return found
    if len(found) > 1 or (not found and not compiled.or_default):
        raise QueryError("InvalidOperationException", "number of rows")
    if not found:
        return compiled.default
    if compiled.finish is Finish.SCALAR and found[0] is None and not compiled.or_default:
        raise QueryError("InvalidOperationException", "nothing")
    return found[0]


def read(layout: Layout, value: Any, graph: Graph) -> Any:
    """The C# value of one packed value."""
    if value is None:
        return None
    match layout:
        case ScalarLayout(type=type_, scale=scale, ratio=True):
            assert scale is not None
            dividend, divisor = value
            if dividend is None or divisor is None or (divisor == 0 and layout.counted and type_.nullable):
                return None
            if divisor == 0:
                raise QueryError("InvalidOperationException" if layout.counted else "DivideByZeroException", "nothing")
            with localcontext(Context(prec=34)):
                return Decimal(dividend).scaleb(-scale) / divisor
        case ScalarLayout(type=type_, scale=scale):
            return plain(value, type_, scale)
        case NodeLayout(entity=entity, key=key, loaded=loaded):
            found = _entity(entity, value[key] if key else value, graph)
            for name, column, inner in loaded:
                there = read(inner, value[column], graph)
                if there is not None:
                    found[name] = there
            return found
        case PartLayout(fields=fields) | RecordLayout(fields=fields):
            return {name: read(inner, value[key], graph) for name, key, inner in fields}
        case ListLayout(item=item):
            return [read(item, one, graph) for one in value]


def _entity(name: str, row: Node | Relationship, graph: Graph) -> dict[str, Any]:
    concrete = name
    if isinstance(row, Node):
        fitting = [n for n in graph.schema.descendants(name) if (m := graph.node(n)) and m.label in row.labels]
        concrete = max(fitting, key=lambda n: len(list(graph.lineage(n))), default=name)
    found = {p.name: _stored(concrete, p.name, p.type, row, graph) for p in graph.properties(concrete)}
    for part in graph.complexes(concrete):
        shape = graph.schema.complex(part.complex_name)
        inner = {p.name: _stored(concrete, f"{part.name}.{p.name}", p.type, row, graph) for p in shape.properties}
        nothing = part.nullable and all(v is None for v in inner.values())
        found[part.name] = None if nothing else inner
    return found


def _stored(entity: str, path: str, type_: Type, row: Any, graph: Graph) -> Any:
    mapped = graph.stored(entity, path)
    return plain(row.get(mapped.name), type_, mapped.scale)


def plain(value: Any, type_: Type, scale: int | None) -> Any:
    if value is None:
        return None
    if isinstance(type_, EnumType):
        return type_.number_of(value)
    if scale is not None:
        return Decimal(value).scaleb(-scale)
    if isinstance(type_, ScalarType):
        if type_.kind is Kind.TIMESPAN:
            return timedelta(microseconds=int(value) // 10)
        if type_.kind is Kind.GUID:
            return UUID(value)
    if isinstance(value, DateTime | Date | Time):
        return value.to_native()
    return value
