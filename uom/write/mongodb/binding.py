"""Holes in stages for values that Java computes."""

from __future__ import annotations

from uom.model.expressions import Expr
from uom.model.types import Kind, RecordType, ScalarType, SequenceType, Type
from uom.write.mongodb.tree import Bind, Bson


def bound(node: Expr) -> Bson:
    """The hole for a bindable expression, as a query operator takes it."""
    return Bind(node, node.type)


def bound_expression(node: Expr) -> Bson:
    """The hole in expression position: text that starts with `$` and lists must not be taken for expressions."""
    hole = Bind(node, node.type)
    return {"$literal": hole} if _needs_literal(node.type) else hole


def _needs_literal(type_: Type) -> bool:
    if isinstance(type_, ScalarType):
        return type_.kind in (Kind.STRING, Kind.CHAR)
    return isinstance(type_, SequenceType | RecordType)
