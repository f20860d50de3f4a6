"""Runs compiled queries through the Python driver and reads the rows as the interpreter would give them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from bson import Decimal128

from tests.write.shop import DATABASE, SCHEMA
from uom.model.expressions import Expr
from uom.model.program import Semantics
from uom.model.types import EnumType, Kind, ScalarType, Type
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import Complex, Group, QueryError, Row
from uom.write.mongodb import CompiledQuery, Finish
from uom.write.mongodb.location import Locations
from uom.write.mongodb.patterns import text_regex
from uom.write.mongodb.stored import stored_constant
from uom.write.mongodb.tree import Bind, Bson, substitute_binds
from uom.write.mongodb.values import (
    ComplexValue,
    EntityValue,
    GroupingValue,
    ListValue,
    RecordValue,
    ScalarValue,
    Value,
)


def reference_run(semantics: Semantics, arguments: dict[str, Any]) -> Run:
    return Run(SCHEMA, DATABASE, semantics, arguments, datetime(2020, 1, 1))


def pipeline(compiled: CompiledQuery, run: Run) -> list[dict[str, Bson]]:
    """The stages with all values bound, conditional ones left out when their condition is false."""

    def value(bind: Bind) -> Bson:
        found = evaluate(bind.expr, {}, run)
        if bind.as_pattern:
            regex = text_regex(str(found), bind.as_pattern)
            return f"(?i:{regex})" if bind.letter_case is not None else regex
        if isinstance(found, list | tuple):
            return [stored_constant(item, bind.type.element) for item in found]  # type: ignore[union-attr]
        return stored_constant(found, bind.type)

    wanted = [s for s in compiled.stages if s.when is None or evaluate(s.when, {}, run) is True]
    return [substitute_binds(stage.document, value) for stage in wanted]


def result(compiled: CompiledQuery, database: Any, run: Run, locations: Locations) -> Any:
    """What the Java method would return."""
    found = list(database[compiled.collection].aggregate(pipeline(compiled, run)))
    match compiled.finish:
        case Finish.ROWS:
            return [read(compiled.row, d, locations) for d in found]
        case Finish.EXISTS:
            return bool(found)
        case Finish.NONE:
            return not found
        case Finish.SCALAR:
            value = read(compiled.row, found[0], locations) if found else None
            if value is None and compiled.or_default:
                return plain(compiled.default, compiled.type)
            if value is None:
                raise QueryError("InvalidOperationException", "nothing")
            return value
    if len(found) > 1 or (not found and not compiled.or_default):
        raise QueryError("InvalidOperationException", "number of rows")
    return read(compiled.row, found[0], locations) if found else plain(compiled.default, compiled.type)


def read(value: Value, document: Any, locations: Locations) -> Any:
    """The C# value of a row in a result document."""
    match value:
        case ScalarValue(expr=path, type=type_):
            return plain(at(document, path), type_)
        case EntityValue(at=path, entity=name):
            return _entity(name, at(document, path), locations)
        case ComplexValue(at=path, name=name, members=members):
            found = at(document, path)
            if found is None:
                return None
            shape = SCHEMA.complex(name)
            types = {p.name: p.type for p in shape.properties}
            return {m.property: plain(at(found, f"${m.path}"), types[m.property]) for m in members}
        case RecordValue(fields=fields, presence=presence):
            if presence is not None and at(document, presence) is None:
                return None
            return {name: read(part, document, locations) for name, part in fields}
        case ListValue(at=path, item=item):
            return [read(item, one, locations) for one in at(document, path) or []]
        case GroupingValue(key=key, elements=elements):
            assert elements is not None
            return {"Key": read(key, document, locations), "Items": read(elements, document, locations)}


def _entity(name: str, document: Any, locations: Locations) -> Any:
    if document is None:
        return None
    found = {
        p.name: plain(at(document, f"${locations.field(name, p.name).path}"), p.type)
        for p in locations.properties(name)
    }
    for part in locations.complexes(name):
        mapped = locations.field(name, part.name)
        inner = ComplexValue(part.complex_name, f"${mapped.path}", None, mapped.members)  # type: ignore[arg-type]
        found[part.name] = read(inner, document, locations)
    for navigation in locations.navigations(name):
        loaded = document.get(navigation.name[0].lower() + navigation.name[1:])
        if isinstance(loaded, list):
            found[navigation.name] = [_entity(navigation.target, one, locations) for one in loaded]
        elif loaded is not None:
            found[navigation.name] = _entity(navigation.target, loaded, locations)
    return found


def at(document: Any, path: str) -> Any:
    if path == "$$ROOT":
        return document
    for name in path[1:].split("."):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def plain(stored: Any, type_: Type) -> Any:
    if stored is None:
        return None
    if isinstance(type_, EnumType):
        return type_.number_of(stored)
    if isinstance(stored, Decimal128):
        stored = stored.to_decimal()
    if isinstance(type_, ScalarType):
        if type_.kind is Kind.TIMESPAN:
            return timedelta(microseconds=int(stored) // 10)
        if type_.kind is Kind.DECIMAL and isinstance(stored, int):
            return stored
    return stored.replace(tzinfo=None) if isinstance(stored, datetime) else stored


def comparable(value: Any) -> Any:
    """Interpreter values and ours in one form."""
    match value:
        case Row():
            return {
                k: comparable(v)
                for k, v in {**value.values, **{n: w for n, w in value.loaded.items() if w is not None}}.items()
            }
        case Complex():
            return {k: comparable(v) for k, v in value.values.items()}
        case Group():
            return {"Key": comparable(value.key), "Items": [comparable(v) for v in value.items]}
        case dict():
            return {k: comparable(v) for k, v in value.items()}
        case list() | tuple():
            return [comparable(v) for v in value]
    return value


def sorted_rows(rows: Any) -> Any:
    """For results whose order is not stated."""
    return sorted(rows, key=repr) if isinstance(rows, list) else rows


def attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except QueryError as error:
        return f"error: {error.exception}"


def body_value(body: Expr, run: Run) -> Any:
    return evaluate(body, {}, run)
