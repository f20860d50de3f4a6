"""SQL's three-valued logic in expression form: "false" and "not true" are different things."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.expressions import Comparison, Expr, LogicalOp, SqlCompare, SqlConcat, SqlIn, SqlLogical, SqlNot
from uom.model.types import BOOL, as_nullable
from uom.write.mongodb.expressions import (
    COMPARISONS,
    FALSITIES,
    NEGATED,
    TRUTHS,
    check_comparable,
    falsity,
    flag,
    flattened,
    logical_truth,
    register,
    scalar,
    truth,
    value_list,
)
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson
from uom.write.mongodb.values import ScalarValue, Value


@register(SqlCompare)
def _sql_compare(node: Expr, scope: Scope, hint: str) -> Value:
    return _three_valued(node, scope, hint)


@register(SqlLogical)
def _sql_logical(node: Expr, scope: Scope, hint: str) -> Value:
    return _three_valued(node, scope, hint)


@register(SqlNot)
def _sql_not(node: Expr, scope: Scope, hint: str) -> Value:
    return _three_valued(node, scope, hint)


@register(SqlIn)
def _sql_in(node: Expr, scope: Scope, hint: str) -> Value:
    return _three_valued(node, scope, hint)


def _three_valued(node: Expr, scope: Scope, hint: str) -> Value:
    if isinstance(node, SqlCompare) and not (scalar(node.left, scope)[1] or scalar(node.right, scope)[1]):
        return flag(truth(node, scope), scope, hint)
    tree = {"$cond": [truth(node, scope), True, {"$cond": [falsity(node, scope), False, None]}]}
    return ScalarValue(tree, as_nullable(BOOL), scope.rows, hint)


def _sql_compare_truth(node: SqlCompare, scope: Scope) -> Bson:
    return _sql_comparison(node.op, node, scope)


def _sql_compare_falsity(node: SqlCompare, scope: Scope) -> Bson:
    return _sql_comparison(NEGATED[node.op], node, scope)


def _sql_comparison(op: Comparison, node: SqlCompare, scope: Scope) -> Bson:
    check_comparable(op, node.left.type)
    operands = [scalar(node.left, scope), scalar(node.right, scope)]
    compared = {COMPARISONS[op]: [tree for tree, _ in operands]}
    guards = [{"$gt": [tree, None]} for tree, nullable in operands if nullable]
    return {"$and": [*guards, compared]} if guards else compared


def _sql_logical_falsity(node: SqlLogical, scope: Scope) -> Bson:
    if node.op is LogicalOp.XOR:
        raise Refusal("XOR", "has no three-valued form here")
    operands = [falsity(part, scope) for part in flattened(node)]
    return {"$or" if node.op is LogicalOp.AND else "$and": operands}


def _sql_in_truth(node: SqlIn, scope: Scope) -> Bson:
    item, nullable = scalar(node.item, scope)
    found = {"$in": [item, value_list(node.values, scope)]}
    return {"$and": [{"$gt": [item, None]}, found]} if nullable else found


def _sql_in_falsity(node: SqlIn, scope: Scope) -> Bson:
    item, _ = scalar(node.item, scope)
    values = value_list(node.values, scope)
    return {"$and": [{"$gt": [item, None]}, {"$not": [{"$in": [item, values]}]}, {"$not": [{"$in": [None, values]}]}]}


@register(SqlConcat)
def _sql_concat(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, SqlConcat)
    return ScalarValue({"$concat": [scalar(part, scope)[0] for part in node.parts]}, node.type, scope.rows, hint)


TRUTHS.update(
    {
        SqlCompare: _sql_compare_truth,
        SqlLogical: logical_truth,
        SqlNot: lambda node, scope: falsity(node.operand, scope),
        SqlIn: _sql_in_truth,
    }
)
FALSITIES.update(
    {
        SqlCompare: _sql_compare_falsity,
        SqlLogical: _sql_logical_falsity,
        SqlNot: lambda node, scope: truth(node.operand, scope),
        SqlIn: _sql_in_falsity,
    }
)
