"""Concat, Union, Except and Intersect with `$unionWith`; both sides are first brought into the same layout."""

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.queries import SetKind, SetOperation
from uom.model.types import as_nullable
from uom.write.mongodb.lookups import unconditional
from uom.write.mongodb.operators import distinct
from uom.write.mongodb.pipelines import compile_rows, compiles, group_key, settle
from uom.write.mongodb.render import stored_at
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson
from uom.write.mongodb.values import ComplexValue, EntityValue, RecordValue, ScalarValue, Value


@compiles(SetOperation)
def _set_operation(query: SetOperation, scope: Scope) -> Rows:
    return united(query.kind, compile_rows(query.left, scope), compile_rows(query.right, scope), scope)


def united(kind: SetKind, left: Rows, right: Rows, scope: Scope) -> Rows:
    """The set operation over two pipelines, in the left one."""
    settle(left, scope)
    settle(right, scope)
    if right.start().correlation is not None or right.lets:
        raise Refusal(kind.value, "the second part uses a row of the outer query, which $unionWith cannot see")
    left.row = _widened(left.row, right.row, left)
    if kind in (SetKind.CONCAT, SetKind.UNION):
        _union(left, right)
        left.reshaped(left.fields | right.fields)
        return left if kind is SetKind.CONCAT else _distinct_union(left, scope)
    return _compared(kind, left, right, scope)


def _union(left: Rows, right: Rows) -> None:
    stages = [unconditional(stage).document for stage in right.all_stages()]
    left.add(
        "$unionWith", {"coll": right.start().collection, "pipeline": stages} if stages else right.start().collection
    )


def _distinct_union(rows: Rows, scope: Scope) -> Rows:
    return distinct(rows, scope)


def _compared(kind: SetKind, left: Rows, right: Rows, scope: Scope) -> Rows:
    """Marks each side, groups equal rows, and keeps the groups seen on the wanted sides."""
    side = left.fresh("side")
    left.add("$set", {side: "left"})
    right.add("$set", {side: "right"})
    row = left.row
    group: dict[str, Bson] = {"_id": _identity(row, scope.on(left)), "sides": {"$addToSet": f"${side}"}}
    if isinstance(row, EntityValue):
        group["row"] = {"$first": "$$ROOT"}
    _union(left, right)
    left.add("$group", group)
    left.add("$match", {"sides": ["left"] if kind is SetKind.EXCEPT else {"$size": 2}})
    if isinstance(row, EntityValue):
        left.add("$replaceRoot", {"newRoot": "$row"})
        left.add("$unset", side)
        left.reshaped(left.fields - {side})
    else:
        left.reshaped(["_id", "sides"])
        left.row = stored_at(row, "$_id", left)
    return left


def _identity(row: Value, scope: Scope) -> Bson:
    """Entities are equal when their keys are, other rows when all their fields are."""
    return "$_id" if isinstance(row, EntityValue) and not row.nullable else group_key(row, scope)


def _widened(left: Value, right: Value, home: Rows) -> Value:
    """The left layout, nullable wherever the right side may deliver null."""
    match left, right:
        case ScalarValue(), ScalarValue():
            return replace(left, type=as_nullable(left.type)) if right.type.nullable else left
        case EntityValue(), EntityValue():
            if left.entity != right.entity:
                raise Refusal("Union", "the two parts have rows of different entities")
            return left
        case ComplexValue(), ComplexValue():
            return replace(left, nullable=left.nullable or right.nullable)
        case RecordValue(), RecordValue():
            parts = zip(left.fields, right.fields, strict=True)
            fields = tuple((name, _widened(a, b, home)) for (name, a), (_, b) in parts)
            return replace(left, fields=fields, presence=left.presence or (right.presence and left.at))
    raise Refusal("Union", "rows of this kind cannot be combined")
