"""Symbolic values as MongoDB expressions: what `$project`, `$push` or `$group` write into a document."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from uom.model.diagnostics import Refusal
from uom.write.mongodb.grouped import accumulated
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson, child_path, or_null
from uom.write.mongodb.values import (
    ComplexValue,
    EntityValue,
    GroupingValue,
    ListValue,
    RecordValue,
    ScalarValue,
    Value,
    moved,
)
from uom.write.names import java_property_name


@singledispatch
def render(value: Value, scope: Scope) -> Bson:
    """The value as one expression over the documents of `scope.rows`."""
    raise Refusal(type(value).__name__, "cannot be written into a document")


@render.register
def _scalar(value: ScalarValue, scope: Scope) -> Bson:
    return scope.rows.bring(value.expr, value.home, value.hint)


@render.register
def _entity(value: EntityValue, scope: Scope) -> Bson:
    """The entity's document; at the root it is written field by field, because the root also holds lookups."""
    if value.includes:
        raise Refusal("Include", "loaded navigations of an entity inside a projection are not supported")
    if value.at != "$$ROOT" or value.home is not scope.rows:
        return scope.rows.bring(value.at, value.home, "row")
    names = scope.locations.stored_names(value.entity)
    return {name: child_path(value.at, name) for name in names}


@render.register
def _complex(value: ComplexValue, scope: Scope) -> Bson:
    return scope.rows.bring(value.at, value.home, "part")


@render.register
def _record(value: RecordValue, scope: Scope) -> Bson:
    if value.at is not None and value.at != "$$ROOT":
        return scope.rows.bring(value.at, value.home, "row")
    document = {java_property_name(name): render(part, scope) for name, part in value.fields}
    if len(document) != len(value.fields):
        raise Refusal("new", "two fields get the same name in Java")
    if value.presence is None:
        return document
    presence = scope.rows.bring(value.presence, value.home, "row")
    return {"$cond": [{"$gt": [presence, None]}, document, None]}


@render.register
def _list(value: ListValue, scope: Scope) -> Bson:
    array = scope.rows.bring(value.at, value.home, "items")
    if not isinstance(value.item, ScalarValue) or value.item.expr == "$$ROOT":
        return array
    name, _ = scope.item_variable()
    item = moved(value.item, f"$${name}", scope.rows)
    assert isinstance(item, ScalarValue)
    inner = or_null(item.expr) if item.type.nullable else item.expr
    return {"$map": {"input": array, "as": name, "in": inner}}


@render.register
def _grouping(value: GroupingValue, scope: Scope) -> Bson:
    return {"key": render(value.key, scope), "items": render(collected(value, scope), scope)}


def collected(value: GroupingValue, scope: Scope) -> ListValue:
    """The elements of a group as an array: already there, or pushed together by the `$group`."""
    if value.elements is not None:
        return value.elements
    before = value.home.before
    assert before is not None
    document = render(value.item, scope.on(before))
    if isinstance(value.item, ScalarValue) and value.item.type.nullable:
        document = or_null(document)
    path = accumulated(value.home, "items", {"$push": document})
    return ListValue(path, as_item(value.item), value.home)


def as_item(value: Value) -> Value:
    """The value as if its rendered form were the root of a document."""
    return stored_at(value, "$$ROOT", value.home)


def stored_at(value: Value, path: str, home: Rows) -> Value:
    """Where a value is after its rendered form was written to `path`."""
    match value:
        case ScalarValue():
            return replace(value, expr=path, home=home)
        case EntityValue() | ComplexValue():
            return replace(value, at=path, home=home)
        case ListValue(item=item):
            inner = replace(item, expr="$$ROOT") if isinstance(item, ScalarValue) else item
            return ListValue(path, inner, home)
        case RecordValue(fields=fields, presence=presence):
            inside = tuple(
                (name, stored_at(part, child_path(path, java_property_name(name)), home)) for name, part in fields
            )
            return replace(value, fields=inside, home=home, at=path, presence=path if presence is not None else None)
        case GroupingValue(key=key, elements=elements, item=item):
            listed = stored_at(elements, child_path(path, "items"), home) if elements else None
            listed = listed or ListValue(child_path(path, "items"), as_item(item), home)
            assert isinstance(listed, ListValue)
            return replace(value, key=stored_at(key, child_path(path, "key"), home), elements=listed, home=home)
