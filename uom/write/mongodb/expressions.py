"""Scalar expressions in MongoDB's expression form (`$expr`, `$project`, `$group`), one function per node.

`evaluate` gives the symbolic value of any node; `expression` its MongoDB expression; `truth` an expression that is
truthy exactly when the node is true (MongoDB counts null and missing as false in `$and`, `$or`, `$not`, `$cond`).
Null logic is explicit: BSON would compare null as the smallest value and tell missing from null.
"""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch

from uom.model.diagnostics import Refusal
from uom.model.expressions import (
    Bitwise,
    BitwiseOp,
    Coalesce,
    Compare,
    Comparison,
    Concat,
    Conditional,
    Const,
    Downcast,
    Expr,
    In,
    IsNull,
    IsOfType,
    Logical,
    LogicalOp,
    New,
    Not,
    Parameter,
    Property,
    SqlLogical,
    Var,
)
from uom.model.types import BOOL, STRING, EnumType, Kind, ScalarType, Type, as_nullable, describe
from uom.write.java.binding import is_bindable
from uom.write.mongodb.binding import bound_expression
from uom.write.mongodb.letter_case import FoldedSearch, folded_equality, unfolded
from uom.write.mongodb.members import member
from uom.write.mongodb.render import render
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.stored import query_constant
from uom.write.mongodb.tree import Bson, child_path, is_path, or_null
from uom.write.mongodb.values import ComplexValue, EntityValue, ListValue, RecordValue, ScalarValue, Value
from uom.write.names import java_property_name

COMPARISONS = {
    Comparison.EQ: "$eq",
    Comparison.NE: "$ne",
    Comparison.LT: "$lt",
    Comparison.LE: "$lte",
    Comparison.GT: "$gt",
    Comparison.GE: "$gte",
}
NEGATED = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
}


def evaluate(node: Expr, scope: Scope, hint: str = "value") -> Value:
    """The symbolic value of a node; lookups that it needs are added to the pipeline. `hint` names what it may add."""
    if is_bindable(node):
        return ScalarValue(bound_expression(node), node.type, scope.rows, hint)
    try:
        return _evaluate(node, scope, hint)
    except Refusal as refusal:
        raise refusal.at(node.place) from None


def expression(node: Expr, scope: Scope, hint: str = "value") -> Bson:
    return render(evaluate(node, scope, hint), scope)


def scalar(node: Expr, scope: Scope, hint: str = "value") -> tuple[Bson, bool]:
    """(expression, whether it may be null or missing) of a scalar node."""
    value = evaluate(node, scope, hint)
    if not isinstance(value, ScalarValue):
        raise Refusal(describe(node.type), "a single value is needed here, not an object or a list", node.place)
    return render(value, scope), value.type.nullable


def literal(value: object, type_: Type) -> Bson:
    """A constant in expression position."""
    stored = query_constant(value, type_)
    return {"$literal": stored} if isinstance(stored, str) and stored.startswith("$") else stored


@singledispatch
def _evaluate(node: Expr, scope: Scope, hint: str) -> Value:
    raise Refusal(type(node).__name__, "has no translation to MongoDB")


def register(cls: type) -> Callable[[Callable[[Expr, Scope, str], Value]], Callable[[Expr, Scope, str], Value]]:
    """Adds a node type from another module (functions, numbers, sub-queries)."""
    return _evaluate.register(cls)


@_evaluate.register
def _const(node: Const, scope: Scope, hint: str) -> Value:
    type_ = as_nullable(node.type, node.value is None)
    return ScalarValue(literal(node.value, node.type), type_, scope.rows, hint)


@_evaluate.register
def _parameter(node: Parameter, scope: Scope, hint: str) -> Value:
    raise Refusal(node.name, f"a parameter of type {describe(node.type)} cannot be used inside a query")


@_evaluate.register
def _var(node: Var, scope: Scope, hint: str) -> Value:
    return scope.lookup(node)


@_evaluate.register
def _property(node: Property, scope: Scope, hint: str) -> Value:
    return member(evaluate(node.target, scope), node.name, scope.locations, node.place)


@_evaluate.register
def _new(node: New, scope: Scope, hint: str) -> Value:
    fields = tuple(
        (f.name, evaluate(arg, scope, java_property_name(f.name)))
        for f, arg in zip(node.type.fields, node.args, strict=True)
    )
    return RecordValue(node.type, fields, scope.rows)


# -- comparisons -----------------------------------------------------------------------------------------------------


@_evaluate.register
def _compare(node: Compare, scope: Scope, hint: str) -> Value:
    if node.op in (Comparison.EQ, Comparison.NE):
        if not scope.translation.semantics.case_sensitive:
            node = replace(node, left=unfolded(node.left), right=unfolded(node.right))
        elif (folded := folded_equality(node.left, node.right)) is not None:
            found = folded_match(folded, scope, hint)
            return found if node.op is Comparison.EQ else flag({"$not": [found.expr]}, scope, hint)
    left, left_null = scalar(node.left, scope)
    right, right_null = scalar(node.right, scope)
    check_comparable(node.op, node.left.type)
    return flag(csharp_comparison(node.op, (left, left_null), (right, right_null)), scope, hint)


def folded_match(search: FoldedSearch, scope: Scope, hint: str) -> ScalarValue:
    """Null is not found."""
    text, _ = scalar(search.text, scope)
    return flag({"$regexMatch": {"input": text, "regex": search.pattern}}, scope, hint)


def csharp_comparison(op: Comparison, left: tuple[Bson, bool], right: tuple[Bson, bool]) -> Bson:
    """C#'s meaning: null equals null, and an order with a null is false."""
    (a, a_null), (b, b_null) = left, right
    if op in (Comparison.EQ, Comparison.NE):
        both = a_null and b_null
        return {
            COMPARISONS[op]: [
                or_null(a) if both and not _is_null(a) else a,
                or_null(b) if both and not _is_null(b) else b,
            ]
        }
    compared = {COMPARISONS[op]: [a, b]}
    # null is smaller than any value in BSON: only a null on the smaller side could make the comparison true
    small, small_null = (a, a_null) if op in (Comparison.LT, Comparison.LE) else (b, b_null)
    return {"$and": [{"$gt": [small, None]}, compared]} if small_null else compared


def _is_null(tree: Bson) -> bool:
    return tree is None


def check_comparable(op: Comparison, type_: Type) -> None:
    """Orders that MongoDB defines differently are refused."""
    if op in (Comparison.EQ, Comparison.NE):
        return
    if isinstance(type_, EnumType) and any(isinstance(value, str) for _, value in type_.stored):
        raise Refusal(op.value, f"{type_.name} is stored as text, so its members have no numeric order in the database")
    if isinstance(type_, ScalarType) and type_.kind in (Kind.GUID, Kind.BOOL, Kind.BYTES):
        raise Refusal(op.value, f"the order of {describe(type_)} differs between databases")


@_evaluate.register
def _is_null_node(node: IsNull, scope: Scope, hint: str) -> Value:
    return flag(null_test(evaluate(node.operand, scope), scope), scope, hint)


def null_test(value: Value, scope: Scope) -> Bson:
    match value:
        case ScalarValue(type=type_):
            return {"$eq": [or_null(render(value, scope)), None]} if type_.nullable else False
        case EntityValue(nullable=False) | ComplexValue(nullable=False) | RecordValue(presence=None) | ListValue():
            return False
        case EntityValue(at=at, home=home) | ComplexValue(at=at, home=home) | RecordValue(presence=at, home=home):
            return {"$eq": [or_null(scope.rows.bring(at, home, "row")), None]}
    raise Refusal("null", "this value cannot be compared with null")


@_evaluate.register
def _is_of_type(node: IsOfType, scope: Scope, hint: str) -> Value:
    tested = type_test(node, scope)
    if tested is None:
        return flag(_negated(null_test(evaluate(node.operand, scope), scope)), scope, hint)
    path, home, values = tested
    field = scope.rows.bring(path, home, "type")
    return flag({"$in": [field, [literal(v, STRING) if isinstance(v, str) else v for v in values]]}, scope, hint)


def type_test(node: IsOfType, scope: Scope) -> tuple[str, Rows, list[str | int | bool]] | None:
    """(path of the discriminator, its home, wanted values); None when every row that is there is of the type."""
    value = evaluate(node.operand, scope)
    if not isinstance(value, EntityValue):
        raise Refusal(f"is {node.entity}", "the row is not a document of a hierarchy here")
    found = scope.locations.discriminator(node.entity)
    if found is None:
        return None
    path, values = found
    return child_path(value.at, path), value.home, values


@_evaluate.register
def _downcast(node: Downcast, scope: Scope, hint: str) -> Value:
    value = evaluate(node.operand, scope)
    if not isinstance(value, EntityValue):
        raise Refusal(f"({node.entity})", "the row is not a document of a hierarchy here")
    return replace(value, entity=node.entity, nullable=True)


# -- logic -----------------------------------------------------------------------------------------------------------


TRUTHS: dict[type, Callable[..., Bson]] = {}
FALSITIES: dict[type, Callable[..., Bson]] = {}
"""How nodes of SQL's three-valued logic are true, and false; filled by `sql_logic`."""


def truth(node: Expr, scope: Scope) -> Bson:
    """Truthy exactly when the node is true."""
    special = TRUTHS.get(type(node))
    return special(node, scope) if special and not is_bindable(node) else scalar(node, scope)[0]


def falsity(node: Expr, scope: Scope) -> Bson:
    """Truthy exactly when the node is false, which is not the same as "not true" in SQL's logic."""
    special = FALSITIES.get(type(node))
    if special:
        return special(node, scope)
    value, nullable = scalar(node, scope)
    return {"$eq": [value, False]} if nullable else {"$not": [value]}


@_evaluate.register
def _logical(node: Logical, scope: Scope, hint: str) -> Value:
    return flag(logical_truth(node, scope), scope, hint)


def logical_truth(node: Logical | SqlLogical, scope: Scope) -> Bson:
    operands = [truth(part, scope) for part in flattened(node)]
    if node.op is LogicalOp.XOR:
        return {"$ne": [_strict(part) for part in operands]}
    return {"$and" if node.op is LogicalOp.AND else "$or": operands}


def flattened(node: Logical | SqlLogical) -> list[Expr]:
    """`a && b && c` as [a, b, c]; exclusive or is left alone."""
    found: list[Expr] = []
    for part in (node.left, node.right):
        if node.op is not LogicalOp.XOR and isinstance(part, type(node)) and part.op is node.op:
            found.extend(flattened(part))
        else:
            found.append(part)
    return found


def _strict(tree: Bson) -> Bson:
    """Truthy values as true or false."""
    return {"$ifNull": [tree, False]} if is_path(tree) else tree


@_evaluate.register
def _not(node: Not, scope: Scope, hint: str) -> Value:
    return flag(_negated(truth(node.operand, scope)), scope, hint)


def _negated(tree: Bson) -> Bson:
    """Whether a looked-up array is empty, or a field null, reads better as such."""
    if isinstance(tree, dict) and len(tree) == 1:
        operator, operands = next(iter(tree.items()))
        if operator in ("$eq", "$ne") and operands[1] == []:
            return {"$ne" if operator == "$eq" else "$eq": operands}
        if operator == "$eq" and operands[1] is None and isinstance(operands[0], dict) and "$ifNull" in operands[0]:
            return {"$gt": [operands[0]["$ifNull"][0], None]}
    return {"$not": [tree]}


@_evaluate.register
def _in(node: In, scope: Scope, hint: str) -> Value:
    item, nullable = scalar(node.item, scope)
    return flag({"$in": [or_null(item) if nullable else item, value_list(node.values, scope)]}, scope, hint)


def value_list(values: tuple[Expr, ...] | Parameter, scope: Scope) -> Bson:
    if isinstance(values, Parameter):
        return bound_expression(values)
    return [
        or_null(tree) if nullable and tree is not None else tree
        for tree, nullable in (scalar(v, scope) for v in values)
    ]


@_evaluate.register
def _conditional(node: Conditional, scope: Scope, hint: str) -> Value:
    test = truth(node.test, scope)
    if not isinstance(node.type, ScalarType | EnumType):
        return _conditional_record(node, test, scope)
    then, then_null = scalar(node.then, scope, hint)
    otherwise, otherwise_null = scalar(node.otherwise, scope, hint)
    type_ = as_nullable(node.type, then_null or otherwise_null)
    return ScalarValue({"$cond": [test, then, otherwise]}, type_, scope.rows, hint)


def _conditional_record(node: Conditional, test: Bson, scope: Scope) -> Value:
    """`x == null ? null : new { ... }`: an object that is there only sometimes."""
    negated = isinstance(node.then, Const)
    other, built = (node.then, node.otherwise) if negated else (node.otherwise, node.then)
    value = evaluate(built, scope)
    if not isinstance(other, Const) or other.value is not None or not isinstance(value, RecordValue) or value.presence:
        raise Refusal("?:", "only a new object or null can be chosen", node.place)
    presence = {"$cond": [test, None, True] if negated else [test, True, None]}
    return replace(value, type=replace(value.type, nullable=True), presence=presence)


@_evaluate.register
def _coalesce(node: Coalesce, scope: Scope, hint: str) -> Value:
    left, nullable = scalar(node.left, scope, hint)
    if not nullable:
        return ScalarValue(left, as_nullable(node.type, False), scope.rows, hint)
    right, right_null = scalar(node.right, scope, hint)
    operands = [left, *right["$ifNull"]] if isinstance(right, dict) and "$ifNull" in right else [left, right]
    return ScalarValue({"$ifNull": operands}, as_nullable(node.type, right_null), scope.rows, hint)


@_evaluate.register
def _concat(node: Concat, scope: Scope, hint: str) -> Value:
    parts = [{"$ifNull": [tree, ""]} if nullable else tree for tree, nullable in (scalar(p, scope) for p in node.parts)]
    return ScalarValue({"$concat": parts}, node.type, scope.rows, hint)


@_evaluate.register
def _bitwise(node: Bitwise, scope: Scope, hint: str) -> Value:
    operands = [scalar(node.left, scope), scalar(node.right, scope)]
    operator = {BitwiseOp.AND: "$bitAnd", BitwiseOp.OR: "$bitOr", BitwiseOp.XOR: "$bitXor"}[node.op]
    type_ = as_nullable(node.type, any(nullable for _, nullable in operands))
    return ScalarValue({operator: [tree for tree, _ in operands]}, type_, scope.rows, hint)


def flag(tree: Bson, scope: Scope, hint: str) -> ScalarValue:
    return ScalarValue(tree, BOOL, scope.rows, hint)


def compare_nodes(left: Expr, right: Expr) -> Compare:
    """`left == right` in C#'s sense."""
    return Compare(Comparison.EQ, left, right)
