"""Operators of C# expressions: arithmetic, comparison, logic, `??`, `?:`, casts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    ArithmeticOp,
    Bitwise,
    BitwiseOp,
    Comparison,
    Const,
    Fn,
    Function,
    LogicalOp,
    Negate,
    SqlNot,
)
from uom.model.types import (
    INTEGER_RANGE,
    INTEGERS,
    NUMBERS,
    TIMESPAN,
    EnumType,
    Kind,
    NullType,
    ScalarType,
    Type,
    as_nullable,
    describe,
)
from uom.model.walk import free_variables
from uom.read.csharp.syntax import child, named, text_of
from uom.read.efcore.comparing import boolean, compare, negated, truth
from uom.read.efcore.folding import arithmetic, convert, logical
from uom.read.efcore.lowering import evaluate_scalar, to_scalar
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.texts import concat
from uom.read.efcore.typing_rules import no_operator, numeric_pair, unary_promoted
from uom.read.efcore.values import Choice, Rows, Scalar, Value

_COMPARISONS = {c.value: c for c in Comparison}
_ARITHMETIC = {o.value: o for o in ArithmeticOp}
_DATES = frozenset({Kind.DATETIME, Kind.DATETIMEOFFSET})

Binary = Callable[[Session, Scalar, Scalar, Place], Scalar]


def apply_binary(session: Session, sign: str, left: Value, right: Value, place: Place) -> Value:
    """An operator on values; a value still to be chosen when the method runs makes the result one, too."""
    for index, side in enumerate((left, right)):
        if isinstance(side, Choice):
            then, other = ((side.then, right), (side.otherwise, right)) if index == 0 else (
                (left, side.then), (left, side.otherwise)
            )  # fmt: skip
            return Choice(
                side.test,
                apply_binary(session, sign, *then, place),
                apply_binary(session, sign, *other, place),
            )
    if sign in ("==", "!="):
        null_test = _null_test_of_rows(sign, left, right)
        if null_test is not None:
            return null_test
    a, b = to_scalar(left, place, sign), to_scalar(right, place, sign)
    if sign in _COMPARISONS:
        return compare(session, _COMPARISONS[sign], a, b, place)
    if sign in _BINARY:
        return _BINARY[sign](session, a, b, place)
    raise Refusal(sign, "the operator is not supported in a query", place, "Rewrite it with plain operators.")


def _null_test_of_rows(sign: str, left: Value, right: Value) -> Value | None:
    """A query or list is never null."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Rows) and isinstance(other, Scalar) and isinstance(other.static, NullType):
            return boolean(Const(sign == "!=", ScalarType(Kind.BOOL)))
    return None


def add(session: Session, left: Scalar, right: Scalar, place: Place) -> Scalar:
    if _is_text(left) or _is_text(right):
        return concat([left, right], place)
    return _calculate(session, "+", left, right, place)


def _is_text(value: Scalar) -> bool:
    return isinstance(value.static, ScalarType) and value.static.kind is Kind.STRING


def subtract(session: Session, left: Scalar, right: Scalar, place: Place) -> Scalar:
    a, b = left.static, right.static
    if isinstance(a, ScalarType) and isinstance(b, ScalarType) and a.kind in _DATES and a.kind is b.kind:
        if isinstance(left.expr, Const) and isinstance(right.expr, Const):
            x, y = left.expr.value, right.expr.value
            if isinstance(x, datetime) and isinstance(y, datetime):
                return Scalar(Const(x - y, TIMESPAN, place), TIMESPAN)
        nullable = left.expr.type.nullable or right.expr.type.nullable
        function = Function(Fn.DATE_DIFF, (left.expr, right.expr), as_nullable(TIMESPAN, nullable), place)
        return Scalar(function, as_nullable(TIMESPAN, a.nullable or b.nullable))
    return _calculate(session, "-", left, right, place)


def _calculate(session: Session, sign: str, left: Scalar, right: Scalar, place: Place) -> Scalar:
    shifted = _shift_time(sign, left, right, place)
    if shifted is not None:
        return shifted
    for side, other in ((left, right), (right, left)):
        if isinstance(side.static, NullType):
            return Scalar(Const(None, as_nullable(other.static), place), as_nullable(other.static))
    pair = numeric_pair(left, right, place, sign)
    nullable = pair.left.type.nullable or pair.right.type.nullable
    result = as_nullable(pair.static, nullable)
    return Scalar(arithmetic(_ARITHMETIC[sign], pair.left, pair.right, result, session.checked), pair.static)


def _shift_time(sign: str, left: Scalar, right: Scalar, _place: Place) -> Scalar | None:
    """DateTime +/- TimeSpan and TimeSpan +/- TimeSpan."""
    a, b = left.static, right.static
    if not (isinstance(a, ScalarType) and isinstance(b, ScalarType) and b.kind is Kind.TIMESPAN):
        return None
    if a.kind not in (*_DATES, Kind.TIMESPAN) or sign not in "+-":
        return None
    nullable = left.expr.type.nullable or right.expr.type.nullable
    result = arithmetic(_ARITHMETIC[sign], left.expr, right.expr, as_nullable(a, nullable))
    return Scalar(result, as_nullable(a, a.nullable or b.nullable))


def _plain(sign: str) -> Binary:
    return lambda session, left, right, place: _calculate(session, sign, left, right, place)


def _bits(sign: str) -> Binary:
    logical_op = {"&": LogicalOp.AND, "|": LogicalOp.OR, "^": LogicalOp.XOR}[sign]
    bitwise_op = {"&": BitwiseOp.AND, "|": BitwiseOp.OR, "^": BitwiseOp.XOR}[sign]

    def apply(_session: Session, left: Scalar, right: Scalar, place: Place) -> Scalar:
        a, b = left.static, right.static
        if isinstance(a, ScalarType) and isinstance(b, ScalarType) and a.kind is Kind.BOOL and b.kind is Kind.BOOL:
            return boolean(logical(logical_op, left.expr, right.expr))
        return _bitwise(bitwise_op, left, right, place)

    return apply


def _bitwise(op: BitwiseOp, left: Scalar, right: Scalar, place: Place) -> Scalar:
    """Flags: enums of one kind, or integers promoted to one type."""
    a, b = left.static, right.static
    if isinstance(a, EnumType) and isinstance(b, EnumType) and a.name == b.name:
        type_: Type = left.expr.type if not isinstance(left.expr, Const) else right.expr.type
        static: Type = as_nullable(a, a.nullable or b.nullable)
        if isinstance(type_, EnumType) and type_.stored:
            raise Refusal(op.value, f"{a.name} is stored as text, which has no bits", place, "Store it as a number.")
        x, y = convert(left.expr, type_), convert(right.expr, type_)
    else:
        pair = numeric_pair(left, right, place, op.value)
        if not (isinstance(pair.static, ScalarType) and pair.static.kind in INTEGERS):
            raise no_operator(left, right, place, op.value)
        x, y, static, type_ = pair.left, pair.right, pair.static, pair.left.type
    if isinstance(x, Const) and isinstance(y, Const) and isinstance(x.value, int) and isinstance(y.value, int):
        value = {BitwiseOp.AND: x.value & y.value, BitwiseOp.OR: x.value | y.value, BitwiseOp.XOR: x.value ^ y.value}[
            op
        ]
        return Scalar(Const(value, as_nullable(type_, False), place), static)
    nullable = x.type.nullable or y.type.nullable
    return Scalar(Bitwise(op, x, y, as_nullable(type_, nullable), place), static)


_BINARY: dict[str, Binary] = {
    "+": add,
    "-": subtract,
    "*": _plain("*"),
    "/": _plain("/"),
    "%": _plain("%"),
    "&": _bits("&"),
    "|": _bits("|"),
    "^": _bits("^"),
}


def prefix(session: Session, node: Node, scope: Scope) -> Value:
    """`!x`, `-x`, `+x`."""
    place = session.place(node, scope)
    sign, operands = text_of(node.children[0]), named(node)
    if not operands:
        raise Refusal(sign, f"'{text_of(node)[:60]}' is not understood", place)
    if sign == "^":
        raise Refusal("^", "indexes from the end cannot be translated", place, "Use Last or Skip.")
    value = evaluate_scalar(session, operands[-1], scope, sign)
    if sign == "!":
        truth(session, value, place, sign)
        if isinstance(value.static, ScalarType) and value.static.nullable and free_variables(value.expr):
            return Scalar(SqlNot(value.expr, place), value.static)  # of a bool? that is null it is null
        return negated(value)
    if sign in ("-", "+"):
        return _signed(session, value, sign == "-", place)
    raise Refusal(sign, "the operator is not supported in a query", place, "Rewrite it with plain operators.")


def _signed(session: Session, value: Scalar, minus: bool, place: Place) -> Scalar:
    type_ = value.static
    if isinstance(type_, ScalarType) and type_.kind is Kind.TIMESPAN and minus:
        if isinstance(value.expr, Const) and isinstance(value.expr.value, timedelta):
            return Scalar(Const(-value.expr.value, TIMESPAN, place), TIMESPAN)
        return Scalar(Negate(value.expr, value.expr.type, place), type_)
    if not isinstance(type_, ScalarType) or type_.kind not in NUMBERS | {Kind.CHAR}:
        raise Refusal("-" if minus else "+", f"there is no such operator for {describe(type_)}", place)
    kind = unary_promoted(type_.kind, minus)
    operand = convert(value.expr, ScalarType(kind))
    static = ScalarType(kind, type_.nullable)
    if not minus:
        return Scalar(operand, static)
    if isinstance(operand, Const) and operand.value is not None and not _is_least(operand.value, kind):
        return Scalar(Const(-operand.value, operand.type, place), static)  # type: ignore[operator]
    return Scalar(Negate(operand, operand.type, place, session.checked), static)


def _is_least(value: object, kind: Kind) -> bool:
    """The smallest integer has no counterpart above zero."""
    return kind in INTEGER_RANGE and value == INTEGER_RANGE[kind][0] != 0


def postfix(session: Session, node: Node, scope: Scope) -> Value:
    """`x!` says something to the compiler only; `x++` is refused."""
    if text_of(node.children[-1]) == "!" or (not node.children[-1].is_named and node.children[-1].type == "!"):
        return session.eval_as(named(node)[0], scope, session.target_of(node))
    sign = text_of(node.children[-1])
    raise Refusal(sign, "a query cannot change variables", session.place(node, scope), "Compute the value beforehand.")


def declaration(session: Session, node: Node, scope: Scope) -> Value:
    """`f(a * b)`: the grammar takes the argument for a declaration of `b` as a pointer to `a`."""
    type_node, name = child(node, "type"), child(node, "name")
    place = session.place(node, scope)
    inner = child(type_node, "type") if type_node is not None and type_node.type == "pointer_type" else None
    if inner is None or name is None:
        raise Refusal("out", f"'{text_of(node)[:60]}' declares a variable", place, "Declare it beforehand.")
    return apply_binary(session, "*", session.eval(inner, scope), session.eval(name, scope), place)


HANDLERS = {
    "prefix_unary_expression": prefix,
    "postfix_unary_expression": postfix,
    "declaration_expression": declaration,
}
