"""The dispatcher from a query to the pipeline that yields its rows, and the reshaping that several operators need."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import TypeVar

from uom.model.diagnostics import Refusal
from uom.model.queries import Query
from uom.write.mongodb.members import member
from uom.write.mongodb.render import render, stored_at
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson, is_field_path, is_path, or_null
from uom.write.mongodb.values import (
    ComplexValue,
    EntityValue,
    GroupingValue,
    RecordValue,
    ScalarValue,
    Value,
    is_settled,
)
from uom.write.names import java_property_name

Compiler = TypeVar("Compiler", bound=Callable[..., Rows])


def compile_rows(query: Query, scope: Scope) -> Rows:
    """The pipeline of a query. `scope.rows` is the enclosing pipeline; one without a collection at the top level."""
    try:
        return _compile(query, scope)
    except Refusal as refusal:
        raise refusal.at(query.place if hasattr(query, "place") else None) from None


@singledispatch
def _compile(query: Query, scope: Scope) -> Rows:
    raise Refusal(type(query).__name__, "has no translation to MongoDB")


def compiles(cls: type) -> Callable[[Compiler], Compiler]:
    """Registers the translation of one operator."""

    def keep(function: Compiler) -> Compiler:
        _compile.register(cls)(function)
        return function

    return keep


def enclosing(scope: Scope) -> Rows | None:
    """The pipeline whose `$lookup` will run what is compiled now; None at the top level."""
    return scope.rows if scope.rows.collection else None


def steady(rows: Rows, scope: Scope) -> Value:
    """The row without computed parts: they are written into the documents first, so that each is computed once."""
    if not is_settled(rows.row):
        settle(rows, scope)
    return rows.row


def settle(rows: Rows, scope: Scope) -> Value:
    """Reduces the documents to just the row. Records keep their field names, single values are called `value`."""
    row, inner = rows.row, scope.on(rows)
    if isinstance(row, EntityValue) and not row.nullable and is_path(row.at):
        return _settle_entity(rows, row)
    if isinstance(row, RecordValue) and row.presence is None:
        return _settle_record(rows, row, inner)
    if isinstance(row, GroupingValue):
        return _project(rows, row, {"key": render(row.key, inner), "items": render(row, inner)["items"]}, "$$ROOT")
    return _project(rows, row, {"value": render(row, inner)}, "$value")


def _settle_entity(rows: Rows, row: EntityValue) -> Value:
    if row.at != "$$ROOT":
        rows.add("$replaceRoot", {"newRoot": row.at})
        rows.reshaped([])
        rows.row = stored_at(row, "$$ROOT", rows)
    elif rows.helpers:
        rows.add("$unset", rows.helpers[0] if len(rows.helpers) == 1 else list(rows.helpers))
        rows.reshaped(rows.fields - set(rows.helpers))
    return rows.row


def _settle_record(rows: Rows, row: RecordValue, inner: Scope) -> Value:
    document: dict[str, Bson] = {}
    for name, part in row.fields:
        field = java_property_name(name)
        if field in document:
            raise Refusal(name, "two fields get the same name in Java")
        document[field] = render(part, inner)
    return _project(rows, row, document, "$$ROOT")


def _project(rows: Rows, row: Value, document: dict[str, Bson], path: str) -> Value:
    taken = {name.split(".")[0] for name in rows.fields}
    projection: dict[str, Bson] = {"_id": 0}
    for name, tree in document.items():
        projection[name] = _projected(name, tree, name in taken)
    rows.add("$project", projection)
    rows.row = stored_at(row, path, rows)
    rows.reshaped(document)
    return rows.row


def _projected(name: str, tree: Bson, exists: bool) -> Bson:
    """In a projection 1 and true mean "keep", and a sub-document is merged into one that is already there."""
    if tree == f"${name}":
        return 1
    if isinstance(tree, dict):
        plain = bool(tree) and not next(iter(tree)).startswith("$")
        return {"$mergeObjects": [tree]} if plain and exists else _plain_literals(tree) if plain else tree
    return tree if isinstance(tree, str | list) else {"$literal": tree}


def _plain_literals(tree: dict[str, Bson]) -> Bson:
    """The same for the fields of a nested projection."""
    return {name: _projected("", item, False) for name, item in tree.items()}


def group_key(value: Value, scope: Scope) -> Bson:
    """The value as a `$group` key: equal rows get equal keys, and missing counts as null."""
    match value:
        case ScalarValue(type=type_):
            tree = render(value, scope)
            return or_null(tree) if type_.nullable and tree is not None else tree
        case RecordValue(presence=None, fields=fields):
            return {java_property_name(name): group_key(part, scope) for name, part in fields}
        case RecordValue(presence=presence):
            document = {java_property_name(name): group_key(part, scope) for name, part in value.fields}
            return {"$cond": [{"$gt": [presence, None]}, document, None]}
        case ComplexValue():
            return _complex_key(value, scope)
        case EntityValue():
            return or_null(render(value, scope)) if value.nullable else render(value, scope)
    raise Refusal("Distinct", "rows that hold lists cannot be compared as a whole")


def _complex_key(value: ComplexValue, scope: Scope) -> Bson:
    document: dict[str, Bson] = {}
    for mapped in value.members:
        if not is_field_path(value.at):
            raise Refusal(value.name, "cannot be compared as a whole here")
        document[mapped.path] = group_key(member(value, mapped.property, scope.locations), scope)
    return {"$cond": [{"$gt": [value.at, None]}, document, None]} if value.nullable else document
