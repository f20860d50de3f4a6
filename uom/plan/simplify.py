"""Constant folding and boolean simplification, exact under C#'s two-valued logic. Meaning never changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Coalesce,
    Compare,
    Comparison,
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    In,
    IsNull,
    Logical,
    LogicalOp,
    Negate,
    New,
    Not,
)
from uom.model.program import Semantics
from uom.model.queries import Aggregate, Exists, Filter, Forall, Map, OrderBy, Query
from uom.model.types import BOOL, TIMESPAN, as_nullable, same_ignoring_null
from uom.model.walk import transform
from uom.reference.arithmetic import csharp_arithmetic, csharp_converted, csharp_negated
from uom.reference.scalars import compare as compare_values
from uom.reference.values import QueryError

TRUE = Const(True, BOOL)
FALSE = Const(False, BOOL)


def simplify(body: Expr, semantics: Semantics) -> Expr:
    """Folds constants, drops always-true filters and double negations."""

    def change(node: Any) -> Any:
        rule = RULES.get(type(node))
        return rule(node, semantics) if rule is not None else node

    result: Expr = transform(body, change)
    return result


def _logical(node: Logical, _: Semantics) -> Expr:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(one, Const):
            continue
        truth = one.value is True
        if node.op is LogicalOp.AND:
            return other if truth else replace(FALSE, place=node.place)
        if node.op is LogicalOp.OR:
            return replace(TRUE, place=node.place) if truth else other
    return node


def _not(node: Not, _: Semantics) -> Expr:
    operand = node.operand
    if isinstance(operand, Const):
        return Const(operand.value is not True, BOOL, node.place)
    if isinstance(operand, Not) and not operand.operand.type.nullable:
        return operand.operand
    if isinstance(operand, Compare) and operand.op in _OPPOSITE:
        return replace(operand, op=_OPPOSITE[operand.op])
    return node


_OPPOSITE = {Comparison.EQ: Comparison.NE, Comparison.NE: Comparison.EQ}


def _compare(node: Compare, semantics: Semantics) -> Expr:
    left, right = node.left, node.right
    if isinstance(left, Const) and isinstance(right, Const):
        if left.value is None or right.value is None:
            both = left.value is None and right.value is None
            truth = both if node.op is Comparison.EQ else not both if node.op is Comparison.NE else False
        else:
            truth = compare_values(node.op, left.value, right.value, left.type, semantics)
        return Const(truth, BOOL, node.place)
    for constant, other in ((left, right), (right, left)):
        if isinstance(constant, Const) and constant.value is None:
            if node.op is Comparison.EQ:
                return _is_null(IsNull(other, node.place), semantics)
            if node.op is Comparison.NE:
                return _not(Not(_is_null(IsNull(other, node.place), semantics), node.place), semantics)
            return Const(False, BOOL, node.place)
        if isinstance(constant, Const) and isinstance(other, Conditional) and _is_null_unless_there(other):
            return _compared_if_there(node, other, semantics)
    return node


def _is_null_unless_there(node: Conditional) -> bool:
    """`x == null ? null : f(x)`, which is what `x?.F` means."""
    then = node.then
    return isinstance(node.test, IsNull) and isinstance(then, Const) and then.value is None


def _compared_if_there(node: Compare, other: Conditional, semantics: Semantics) -> Expr:
    """With a constant, which is not null: false where there is nothing, but for `!=`, which is true."""
    value = other.otherwise
    compared = replace(node, left=value) if node.left is other else replace(node, right=value)
    inner = _compare(compared, semantics)
    if node.op is Comparison.NE:
        return Logical(LogicalOp.OR, other.test, inner)
    return Logical(LogicalOp.AND, _not(Not(other.test), semantics), inner)


def _is_null(node: IsNull, _: Semantics) -> Expr:
    operand = node.operand
    if isinstance(operand, Const):
        return Const(operand.value is None, BOOL, node.place)
    if isinstance(operand, New):
        return Const(False, BOOL, node.place)
    if isinstance(operand, Convert):
        return replace(node, operand=operand.operand)
    return node


def _conditional(node: Conditional, _: Semantics) -> Expr:
    if isinstance(node.test, Const):
        return node.then if node.test.value is True else node.otherwise
    return node


def _coalesce(node: Coalesce, _: Semantics) -> Expr:
    if isinstance(node.left, Const):
        return node.right if node.left.value is None else node.left
    return node


def _arithmetic(node: Arithmetic, _: Semantics) -> Expr:
    """What needs no row is computed by C#, wherever it stands."""
    if isinstance(node.left, Const) and isinstance(node.right, Const):
        if node.left.value is None or node.right.value is None:
            return Const(None, node.type, node.place)
        try:
            return Const(csharp_arithmetic(node, node.left.value, node.right.value), node.type, node.place)
        except (QueryError, TypeError):
            return node
    return _day_numbers(node)


def _negate(node: Negate, _: Semantics) -> Expr:
    value: Any = node.operand.value if isinstance(node.operand, Const) else None
    if value is None:
        return node
    try:
        return Const(csharp_negated(node, value), node.type, node.place)
    except QueryError:
        return node


def _convert(node: Convert, _: Semantics) -> Expr:
    operand = node.operand
    if isinstance(operand, Const):
        if operand.value is None:
            return Const(None, node.type, node.place)
        try:
            return Const(csharp_converted(node, operand.value), node.type, node.place)
        except QueryError:
            return node
    if isinstance(operand, Convert) and same_ignoring_null(operand.type, node.type):
        return replace(node, operand=operand.operand) if same_ignoring_null(operand.operand.type, node.type) else node
    return node


def _in(node: In, _: Semantics) -> Expr:
    return Const(False, BOOL, node.place) if node.values == () else node


def _filter(node: Filter, _: Semantics) -> Query:
    if isinstance(node.when, Const):
        node = (
            replace(node, when=None)
            if node.when.value is True
            else replace(node, predicate=replace(node.predicate, body=TRUE))
        )
    return node.source if node.predicate.body == TRUE else node


def _exists(node: Exists, _: Semantics) -> Query:
    """Projections and orders do not matter to whether there is a row."""
    source = node.source
    while isinstance(source, Map | OrderBy):
        source = source.source
    return node if source is node.source else replace(node, source=source)


def _aggregate(node: Aggregate, _: Semantics) -> Query:
    """An order does not matter to an aggregate."""
    source = node.source
    while isinstance(source, OrderBy):
        source = source.source
    return node if source is node.source else replace(node, source=source)


def _forall(node: Forall, _: Semantics) -> Query:
    source = node.source
    while isinstance(source, OrderBy):
        source = source.source
    return node if source is node.source else replace(node, source=source)


def _day_numbers(node: Arithmetic) -> Expr:
    """`a.DayNumber - b.DayNumber` is the days between two dates."""
    match node:
        case Arithmetic(
            op=ArithmeticOp.SUB,
            left=Function(fn=Fn.DAY_NUMBER, args=(one,)),
            right=Function(fn=Fn.DAY_NUMBER, args=(other,)),
        ):
            span = Function(Fn.DATE_DIFF, (one, other), as_nullable(TIMESPAN, node.type.nullable), node.place)
            return Function(Fn.SPAN_DAYS, (span,), node.type, node.place)
    return node


RULES: dict[type, Any] = {
    Logical: _logical,
    Not: _not,
    Compare: _compare,
    IsNull: _is_null,
    Conditional: _conditional,
    Coalesce: _coalesce,
    Arithmetic: _arithmetic,
    Negate: _negate,
    Convert: _convert,
    In: _in,
    Filter: _filter,
    Exists: _exists,
    Aggregate: _aggregate,
    Forall: _forall,
}
