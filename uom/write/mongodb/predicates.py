"""Predicates in MongoDB's query form (`{country: "UK"}`), which can use indexes.

`query_form` gives None wherever a query operator would not mean exactly the same; then `$expr` says it. Query
operators treat a missing field as null, and compare only values of one kind: `$lt` never finds null.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from uom.model.expressions import (
    Compare,
    Comparison,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    In,
    IsNull,
    IsOfType,
    Logical,
    LogicalOp,
    Not,
    Parameter,
    Property,
    SqlCompare,
    SqlIn,
    SqlLogical,
    SqlNot,
    Subquery,
    Var,
)
from uom.model.types import INTEGER_RANGE, EnumType, Kind, ScalarType, Type
from uom.write.java.binding import is_bindable
from uom.write.mongodb.binding import bound
from uom.write.mongodb.expressions import COMPARISONS, NEGATED, check_comparable, evaluate, flattened, type_test
from uom.write.mongodb.letter_case import folded_equality, folded_search, unfolded
from uom.write.mongodb.patterns import like_regex, text_regex
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.stored import query_constant
from uom.write.mongodb.tree import Bind, Bson, is_field_path
from uom.write.mongodb.values import ComplexValue, EntityValue, RecordValue, ScalarValue

Query = dict[str, Bson]

_MIRRORED = {
    Comparison.EQ: Comparison.EQ,
    Comparison.NE: Comparison.NE,
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}


def conjuncts(predicate: Expr) -> list[Expr]:
    """The parts of a predicate that must all be true."""
    if isinstance(predicate, Logical | SqlLogical) and predicate.op is LogicalOp.AND:
        return [found for part in flattened(predicate) for found in conjuncts(part)]
    return [predicate]


def query_form(node: Expr, scope: Scope, negated: bool = False) -> Query | None:
    """The query that finds exactly the rows for which the node is true (`negated`: is not true); None if there is none."""
    writer = _WRITERS.get(type(node))
    return writer(node, scope, negated) if writer and not is_bindable(node) else None


def merged(queries: list[Query]) -> Query:
    """All of them in one document."""
    result: Query = {}
    for query in queries:
        if any(key.startswith("$") and key in result for key in query) or not all(
            _compatible(result.get(key), value) for key, value in query.items() if key in result
        ):
            return {"$and": [part for part in queries if part]}
        for key, value in query.items():
            result[key] = {**result[key], **value} if key in result else value
    return result


def _compatible(old: Bson, new: Bson) -> bool:
    """Two conditions on one field can share a document when they use different operators."""
    return (
        isinstance(old, dict)
        and isinstance(new, dict)
        and not set(old) & set(new)
        and "$regex" not in old
        and "$regex" not in new
    )


def field_of(node: Expr, scope: Scope) -> tuple[str, bool] | None:
    """(path, nullable) of a node that is a stored field of the current document."""
    while isinstance(node, Convert) and _transparent(node):
        node = node.operand
    if not isinstance(node, Property | Var) or is_bindable(node):
        return None
    value = evaluate(node, scope)
    if not isinstance(value, ScalarValue) or value.home is not scope.rows or not is_field_path(value.expr):
        return None
    return value.expr[1:], value.type.nullable


def _transparent(node: Convert) -> bool:
    """Casts that leave the stored value as it is."""
    source, target = node.operand.type, node.type
    if isinstance(source, EnumType) or isinstance(target, EnumType):
        return (
            (
                isinstance(source, EnumType)
                and isinstance(target, EnumType)
                and (source.name, source.stored) == (target.name, target.stored)
            )
            or _numeric_enum(source)
            or _numeric_enum(target)
        )
    if not isinstance(source, ScalarType) or not isinstance(target, ScalarType):
        return False
    return source.kind is target.kind or _widens(source.kind, target.kind)


def _numeric_enum(type_: Type) -> bool:
    return isinstance(type_, EnumType) and all(type_.stored_value(number) == number for _, number in type_.members)


def _widens(source: Kind, target: Kind) -> bool:
    """Every value of the source is the same number in the target."""
    if source in INTEGER_RANGE and target in INTEGER_RANGE:
        (low, high), (target_low, target_high) = INTEGER_RANGE[source], INTEGER_RANGE[target]
        return target_low <= low and high <= target_high
    if target is Kind.DECIMAL:
        return source in INTEGER_RANGE
    return target is Kind.DOUBLE and (
        source is Kind.FLOAT or (source in INTEGER_RANGE and INTEGER_RANGE[source][1] < 2**32)
    )


def _operand(node: Expr) -> tuple[Bson, bool] | None:
    """(stored value, whether it may be null) of a constant or of what Java computes."""
    if isinstance(node, Const):
        return query_constant(node.value, node.type), node.value is None
    return (bound(node), node.type.nullable) if is_bindable(node) else None


# -- comparisons -----------------------------------------------------------------------------------------------------


def _compare(node: Compare | SqlCompare, scope: Scope, negated: bool) -> Query | None:
    folded = _case_folded(node, scope, negated)
    if folded is not None:
        return folded
    op, field, value = node.op, field_of(node.left, scope), _operand(node.right)
    if field is None:
        op, field, value = _MIRRORED[op], field_of(node.right, scope), _operand(node.left)
    if field is None or value is None:
        return None
    check_comparable(op, node.left.type)
    (path, nullable), (stored, may_be_null) = field, value
    if isinstance(node, SqlCompare):
        return None if may_be_null else _sql_comparison(op, path, stored, nullable, negated)
    if op in (Comparison.EQ, Comparison.NE):
        equal = (op is Comparison.EQ) is not negated
        return {path: stored if equal else {"$ne": stored}}
    return _ordered(op, path, stored, nullable, may_be_null, negated)


def _ordered(op: Comparison, path: str, stored: Bson, nullable: bool, may_be_null: bool, negated: bool) -> Query | None:
    if stored is None or (may_be_null and negated):
        return None
    if negated:
        return {path: {"$not": {COMPARISONS[op]: stored}} if nullable else {COMPARISONS[NEGATED[op]]: stored}}
    condition = {COMPARISONS[op]: stored}
    # `$lte: null` would find null
    return {path: {**condition, "$ne": None} if may_be_null else condition}


def _sql_comparison(op: Comparison, path: str, stored: Bson, nullable: bool, negated: bool) -> Query | None:
    """The stored value is not null; a null field makes the comparison unknown, hence not true."""
    if op is Comparison.EQ:
        return {path: {"$ne": stored} if negated else stored}
    if op is Comparison.NE:
        if not nullable:
            return {path: stored if negated else {"$ne": stored}}
        return {path: {"$in": [None, stored]} if negated else {"$nin": [None, stored]}}
    return _ordered(op, path, stored, nullable, False, negated)


def _case_folded(node: Compare | SqlCompare, scope: Scope, negated: bool) -> Query | None:
    """`x.ToLower() == "abc"`."""
    if not scope.translation.semantics.case_sensitive:
        left, right = unfolded(node.left), unfolded(node.right)
        return (
            None
            if left is node.left and right is node.right
            else _compare(replace(node, left=left, right=right), scope, negated)
        )
    if node.op not in (Comparison.EQ, Comparison.NE) or isinstance(node, SqlCompare):
        return None
    found = folded_equality(node.left, node.right)
    equal = (node.op is Comparison.EQ) is not negated
    return None if found is None else _regex(found.text, found.pattern, "", scope, not equal)


def _is_null(node: IsNull, scope: Scope, negated: bool) -> Query | None:
    if is_bindable(node.operand):
        return None
    value = evaluate(node.operand, scope)
    path: Bson = None
    match value:
        case ScalarValue(expr=expr):
            path = expr
        case EntityValue(at=at) | ComplexValue(at=at):
            path = at
        case RecordValue(presence=presence):
            path = presence
    if not is_field_path(path) or value.home is not scope.rows:
        return None
    return {path[1:]: {"$ne": None} if negated else None}


def _is_of_type(node: IsOfType, scope: Scope, negated: bool) -> Query | None:
    tested = type_test(node, scope)
    if tested is None or tested[1] is not scope.rows or not is_field_path(tested[0]):
        return None
    path, _, values = tested
    if len(values) == 1:
        return {path[1:]: {"$ne": values[0]} if negated else values[0]}
    return {path[1:]: {"$nin" if negated else "$in": list(values)}}


def _property(node: Property | Var, scope: Scope, negated: bool) -> Query | None:
    """A bool column as a predicate."""
    field = field_of(node, scope)
    if field is None:
        return None
    path, nullable = field
    return {path: True if not negated else {"$ne": True} if nullable else False}


def _in(node: In | SqlIn, scope: Scope, negated: bool) -> Query | None:
    field = field_of(node.item, scope)
    if field is None:
        return None
    if isinstance(node.values, Parameter):
        if isinstance(node, SqlIn):
            return None
        return {field[0]: {"$nin" if negated else "$in": bound(node.values)}}
    found = [_operand(value) for value in node.values]
    if any(one is None for one in found):
        return None
    values = [one[0] for one in found if one is not None and not (isinstance(node, SqlIn) and one[0] is None)]
    if isinstance(node, SqlIn) and any(one is not None and one[1] and one[0] is not None for one in found):
        return None
    return {field[0]: {"$nin" if negated else "$in": values}}


# -- logic -----------------------------------------------------------------------------------------------------------


def _not(node: Not, scope: Scope, negated: bool) -> Query | None:
    return query_form(node.operand, scope, not negated)


def _sql_not(node: SqlNot, scope: Scope, negated: bool) -> Query | None:
    """Pushes the negation inwards, where "false" and "not true" can be told apart."""
    operand = node.operand
    if isinstance(operand, SqlNot):
        return query_form(operand.operand, scope, negated)
    if isinstance(operand, SqlCompare):
        return query_form(SqlCompare(NEGATED[operand.op], operand.left, operand.right), scope, negated)
    if isinstance(operand, SqlLogical) and operand.op is not LogicalOp.XOR:
        op = LogicalOp.OR if operand.op is LogicalOp.AND else LogicalOp.AND
        return query_form(SqlLogical(op, SqlNot(operand.left), SqlNot(operand.right)), scope, negated)
    if isinstance(operand, IsNull | IsOfType | Compare | Logical | Not | In):
        return query_form(operand, scope, not negated)
    return None


def _logical(node: Logical | SqlLogical, scope: Scope, negated: bool) -> Query | None:
    if node.op is LogicalOp.XOR:
        return None
    parts = [query_form(part, scope, negated) for part in flattened(node)]
    found = [part for part in parts if part is not None]
    if len(found) != len(parts):
        return None
    return merged(found) if (node.op is LogicalOp.AND) is not negated else _any_of(found)


def _any_of(queries: list[Query]) -> Query:
    """`$or`; values of one field that may be equal are an `$in`."""
    fields = {key for query in queries for key in query}
    values = [value for query in queries for value in query.values()]
    if len(fields) == 1 and len(values) == len(queries) and not any(isinstance(v, dict | list) for v in values):
        (field,) = fields
        if not field.startswith("$"):
            return {field: {"$in": values}}
    return {"$or": queries}


# -- functions -------------------------------------------------------------------------------------------------------


def _function(node: Function, scope: Scope, negated: bool) -> Query | None:
    writer = _FUNCTIONS.get(node.fn)
    return writer(node, scope, negated) if writer else None


def _regex(text: Expr, pattern: Bson, options: str, scope: Scope, negated: bool) -> Query | None:
    field = field_of(text, scope)
    if field is None:
        return None
    if not scope.translation.semantics.case_sensitive and "i" not in options:
        options = "i" + options
    condition = {"$regex": pattern, **({"$options": options} if options else {})}
    return {field[0]: {"$not": condition} if negated else condition}


def _search(kind: str, node: Function, scope: Scope, negated: bool) -> Query | None:
    text, part = node.args
    if not scope.translation.semantics.case_sensitive:
        text, part = unfolded(text), unfolded(part)
    folded = folded_search(text, part, kind)
    if folded is not None:
        return _regex(folded.text, folded.pattern, "", scope, negated)
    if isinstance(part, Const) and isinstance(part.value, str):
        return _regex(text, text_regex(part.value, kind), "", scope, negated)
    if is_bindable(part):
        return _regex(text, Bind(part, part.type, kind), "", scope, negated)
    return None


def _like(node: Function, scope: Scope, negated: bool) -> Query | None:
    text, pattern, *escape = node.args
    if not isinstance(pattern, Const) or not isinstance(pattern.value, str):
        return None
    if escape and not (isinstance(escape[0], Const) and isinstance(escape[0].value, str)):
        return None
    mark = str(escape[0].value) if escape and isinstance(escape[0], Const) else ""
    return _regex(text, like_regex(pattern.value, mark, scope.translation.schema.provider), "s", scope, negated)


def _null_or_empty(node: Function, scope: Scope, negated: bool) -> Query | None:
    field = field_of(node.args[0], scope)
    return field and {field[0]: {"$nin" if negated else "$in": [None, ""]}}


def _has_flag(node: Function, scope: Scope, negated: bool) -> Query | None:
    field, flag = field_of(node.args[0], scope), _operand(node.args[1])
    if field is None or flag is None or not isinstance(flag[0], int) or flag[0] <= 0:
        return None
    condition = {"$bitsAllSet": flag[0]}
    return {field[0]: {"$not": condition} if negated else condition}


def _subquery(node: Subquery, scope: Scope, negated: bool) -> Query | None:
    """Exists and its kin: the looked-up array is compared with the empty one."""
    value = evaluate(node, scope)
    if not isinstance(value, ScalarValue) or value.home is not scope.rows or not isinstance(value.expr, dict):
        return None
    operator, operands = next(iter(value.expr.items()))
    if operator not in ("$eq", "$ne") or operands[1] != [] or not is_field_path(operands[0]):
        return None
    empty = (operator == "$eq") is not negated
    return {operands[0][1:]: [] if empty else {"$ne": []}}


_WRITERS: dict[type, Callable[[Any, Scope, bool], Query | None]] = {
    Compare: _compare,
    SqlCompare: _compare,
    IsNull: _is_null,
    IsOfType: _is_of_type,
    Property: _property,
    Var: _property,
    In: _in,
    SqlIn: _in,
    Not: _not,
    SqlNot: _sql_not,
    Logical: _logical,
    SqlLogical: _logical,
    Function: _function,
    Subquery: _subquery,
}
_FUNCTIONS: dict[Fn, Callable[[Function, Scope, bool], Query | None]] = {
    Fn.CONTAINS: partial(_search, "contains"),
    Fn.STARTS_WITH: partial(_search, "starts"),
    Fn.ENDS_WITH: partial(_search, "ends"),
    Fn.LIKE: _like,
    Fn.IS_NULL_OR_EMPTY: _null_or_empty,
    Fn.HAS_FLAG: _has_flag,
}
