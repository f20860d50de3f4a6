"""`&&`, `||`, `??`, `?:` and conditions that had to be grouped anew."""

from __future__ import annotations

import re

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Coalesce,
    Const,
    Expr,
    LogicalOp,
)
from uom.model.types import (
    EnumType,
    ScalarType,
    SequenceType,
    as_nullable,
)
from uom.read.csharp.precedence import Match, Operand, Operation, Ternary, regrouped
from uom.read.csharp.syntax import child, text_of
from uom.read.efcore.comparing import boolean, truth
from uom.read.efcore.folding import convert, is_false, is_null_const, is_true, logical
from uom.read.efcore.lowering import branch_type, coerce, conditional, evaluate_scalar, to_scalar
from uom.read.efcore.merging import filtered_when
from uom.read.efcore.operators import apply_binary
from uom.read.efcore.requiring import required
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.typing_rules import common_type, literal_fits
from uom.read.efcore.values import Choice, Rows, Scalar, Value

_LONG_CHAIN = 32


_IS = re.compile(rb"\bis\b")


def evaluate_operand(session: Session, operand: Operand, scope: Scope) -> Value:
    """A condition that had to be grouped anew, or an operand of one."""
    match operand:
        case Match():
            return session.tables.matches(session, operand, scope)
        case Operation():
            return _operation(session, operand, scope)
        case Ternary(test=test, then=then, otherwise=otherwise):
            place = session.place(_first_node(test), scope)
            condition = truth(session, to_scalar(evaluate_operand(session, test, scope), place, "?:"), place, "?:")
            if is_true(condition) or is_false(condition):
                return evaluate_operand(session, then if is_true(condition) else otherwise, scope)
            first = evaluate_operand(session, then, scope)
            return choose(session, condition, first, evaluate_operand(session, otherwise, scope), place)
        case _:
            return session.eval(operand, scope)


def _operation(session: Session, operation: Operation, scope: Scope) -> Value:
    sign = operation.operator
    place = session.place(_first_node(operation.left), scope)
    if sign == "??":
        raise Refusal("??", "it follows a pattern without parentheses", place, "Put the test in parentheses.")
    first = evaluate_operand(session, operation.left, scope)
    if sign not in ("&&", "||"):
        return apply_binary(session, sign, first, evaluate_operand(session, operation.right, scope), place)
    test = truth(session, to_scalar(first, place, sign), place, sign)
    if (sign == "&&" and is_false(test)) or (sign == "||" and is_true(test)):
        return boolean(test)
    other = truth(session, to_scalar(evaluate_operand(session, operation.right, scope), place, sign), place, sign)
    return boolean(logical(LogicalOp.AND if sign == "&&" else LogicalOp.OR, test, other))


def _first_node(operand: Operand) -> Node:
    """The operand that comes first in the text."""
    while not isinstance(operand, Node):
        operand = operand.left if isinstance(operand, Operation) else (
            operand.test if isinstance(operand, Ternary) else operand.subject
        )  # fmt: skip
    return operand


def short_circuit(session: Session, sign: str, node: Node, scope: Scope, place: Place) -> Value:
    """`&&` and `||`; once an operand decides, the ones after it may not even be evaluated."""
    op = LogicalOp.AND if sign == "&&" else LogicalOp.OR
    operands: list[Expr] = []
    for operand in _chain_of(sign, node):
        expr = truth(session, evaluate_scalar(session, operand, scope, sign), place, sign)
        if (sign == "&&" and is_false(expr)) or (sign == "||" and is_true(expr)):
            return boolean(expr)
        operands.append(expr)
    return boolean(_balanced(op, operands))


def _chain_of(sign: str, node: Node) -> list[Node]:
    """The operands of `a && b && c` in order, without recursion: generated code has long chains."""
    found: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operator = child(current, "operator")
        right = child(current, "right")
        if operator is None or text_of(operator) != sign or right is None:
            break
        found.append(right)
        current = child(current, "left")
    if current is not None:
        found.append(current)
    return found[::-1]


def _balanced(op: LogicalOp, operands: list[Expr]) -> Expr:
    """One condition of many; a long chain becomes a balanced tree so that no pass runs out of stack."""
    if len(operands) <= _LONG_CHAIN:
        result = operands[0]
        for operand in operands[1:]:
            result = logical(op, result, operand)
        return result
    middle = len(operands) // 2
    return logical(op, _balanced(op, operands[:middle]), _balanced(op, operands[middle:]))


def coalesce(session: Session, left_node: Node, right_node: Node, node: Node, scope: Scope) -> Value:
    """`a ?? b`; `a ?? throw` asks for a row to be there."""
    place = session.place(node, scope)
    left = session.eval_as(left_node, scope, session.target_of(node))
    if right_node.type == "throw_expression":
        return required(session, left, place)
    if isinstance(left, Rows):
        return left
    a = to_scalar(left, place, "??")
    if is_null_const(a.expr):
        return session.eval_as(right_node, scope, session.target_of(node))
    if isinstance(a.expr, Const):
        return Scalar(a.expr, as_nullable(a.static, False))
    target = session.target_of(node) or as_nullable(a.static, False)
    b = to_scalar(session.eval_as(right_node, scope, target), place, "??")
    if isinstance(a.static, SequenceType):
        return a
    return coalesced(a, b, place)


def coalesced(a: Scalar, b: Scalar, place: Place | None) -> Scalar:
    bare = as_nullable(a.static, False)
    fits = isinstance(bare, ScalarType) and literal_fits(b.expr, bare.kind)
    static = as_nullable(bare, b.static.nullable) if fits else common_type(Scalar(a.expr, bare), b, place, "??")
    left = convert(a.expr, static) if isinstance(static, ScalarType | EnumType) else a.expr
    right = convert(b.expr, static) if isinstance(static, ScalarType | EnumType) else b.expr
    if is_null_const(b.expr):
        return Scalar(left, a.static)
    base = branch_type(left, right, static)
    if not a.expr.type.nullable and not a.static.nullable:
        return Scalar(left, static)
    return Scalar(Coalesce(left, right, as_nullable(base, right.type.nullable), place), static)


def ternary(session: Session, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    test_node, then_node, else_node = child(node, "condition"), child(node, "consequence"), child(node, "alternative")
    if test_node is None or then_node is None or else_node is None:
        raise Refusal("?:", f"'{text_of(node)[:60]}' is not understood", place)
    test = truth(session, evaluate_scalar(session, test_node, scope, "?:"), place, "?:")
    target = session.target_of(node)
    if is_true(test) or is_false(test):
        chosen = session.eval_as(then_node if is_true(test) else else_node, scope, target)
        other = else_node if is_true(test) else then_node
        return _typed_by(session, chosen, other, scope, place)
    for branch, other in ((then_node, else_node), (else_node, then_node)):
        if branch.type == "throw_expression":
            session.dropped_check(test, session.place(branch, scope))
            return session.eval_as(other, scope, target)
    then = session.eval_as(then_node, scope, target)
    otherwise = session.eval_as(else_node, scope, target)
    return choose(session, test, coerce(then, target), coerce(otherwise, target), place)


def _typed_by(session: Session, chosen: Value, other: Node, scope: Scope, place: Place) -> Value:
    """A constant test: the branch not taken still has a say in the type (`true ? 1 : 2.0`)."""
    if not isinstance(chosen, Scalar) or other.type == "throw_expression":
        return chosen
    try:
        alternative = session.eval(other, scope)
        if isinstance(alternative, Scalar):
            static = common_type(chosen, alternative, place, "?:")
            return coerce(chosen, static)
    except Refusal:
        pass
    return chosen


def choose(session: Session, test: Expr, then: Value, otherwise: Value, place: Place) -> Value:
    """A value decided by data or at run time: one Conditional for data, filters that hold only when the test does,

    a Choice for anything else.
    """
    if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
        return conditional(test, then, otherwise, place)
    if isinstance(then, Rows) and isinstance(otherwise, Rows):
        filtered = filtered_when(session, test, then, otherwise)
        if filtered is not None:
            return filtered
    session.choose(then, otherwise, place, "?:")
    return Choice(test, then, otherwise)


def binary(session: Session, node: Node, scope: Scope) -> Value:
    grouped = regrouped(node) if _IS.search(node.text or b"") else None
    if grouped is not None:
        return evaluate_operand(session, grouped, scope)
    left_node, right_node, operator = child(node, "left"), child(node, "right"), child(node, "operator")
    place = session.place(node, scope)
    if left_node is None or right_node is None or operator is None:
        raise Refusal("operator", f"'{text_of(node)[:60]}' is not understood", place)
    sign = text_of(operator)
    if sign == "??":
        return coalesce(session, left_node, right_node, node, scope)
    if sign in ("&&", "||"):
        return short_circuit(session, sign, node, scope, place)
    left = session.eval(left_node, scope)
    right = session.eval(right_node, scope)
    return apply_binary(session, sign, left, right, place)


HANDLERS = {"binary_expression": binary, "conditional_expression": ternary}
