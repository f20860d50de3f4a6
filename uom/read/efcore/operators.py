"""Operators of C# expressions: arithmetic, comparison, logic, `??`, `?:`, casts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Bitwise,
    BitwiseOp,
    Coalesce,
    Comparison,
    Concat,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    LogicalOp,
    Negate,
)
from uom.model.types import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    STRING,
    TIMESPAN,
    EntityType,
    EnumType,
    Kind,
    NullType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    describe,
    same_ignoring_null,
)
from uom.read.csharp.precedence import Match, Operand, Operation, Ternary, regrouped
from uom.read.csharp.syntax import child, named, text_of
from uom.read.efcore.comparing import boolean, compare, negated, truth
from uom.read.efcore.folding import arithmetic, convert, default_of, is_false, is_null_const, is_true, logical
from uom.read.efcore.lowering import branch_type, coerce, conditional, evaluate_scalar, to_scalar
from uom.read.efcore.merging import filtered_when
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.typing_rules import common_type, literal_fits, no_operator, numeric_pair, unary_promoted, widens
from uom.read.efcore.values import Choice, Rows, Scalar, Value

_COMPARISONS = {c.value: c for c in Comparison}
_ARITHMETIC = {o.value: o for o in ArithmeticOp}
_LONG_CHAIN = 32
_IS = re.compile(rb"\bis\b")
_DATES = frozenset({Kind.DATETIME, Kind.DATETIMEOFFSET})

Binary = Callable[[Session, Scalar, Scalar, Place], Scalar]


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
        from uom.read.efcore.branches import required

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


def add(session: Session, left: Scalar, right: Scalar, place: Place) -> Scalar:
    if _is_text(left) or _is_text(right):
        return concat([left, right], place)
    return _calculate(session, "+", left, right, place)


def concat(parts: list[Scalar], place: Place | None) -> Scalar:
    """C# concatenation: null is empty text, anything else is turned into text."""
    flat: list[Expr] = []
    for part in parts:
        if isinstance(part.static, NullType) or is_null_const(part.expr):
            continue
        if isinstance(part.expr, Concat):
            flat.extend(part.expr.parts)
        else:
            flat.append(to_text(part, place))
    merged: list[Expr] = []
    for expr in flat:
        previous = merged[-1] if merged else None
        if isinstance(expr, Const) and isinstance(previous, Const):
            merged[-1] = Const(str(previous.value) + str(expr.value), STRING, previous.place)
        else:
            merged.append(expr)
    if not merged or all(isinstance(e, Const) for e in merged):
        return Scalar(merged[0] if merged else Const("", STRING, place), STRING)
    return Scalar(Concat(tuple(merged), place), STRING)


def to_text(part: Scalar, place: Place | None) -> Expr:
    """The value as C#'s `ToString()` gives it."""
    type_ = part.static
    if isinstance(type_, ScalarType) and type_.kind is Kind.STRING:
        return part.expr
    if isinstance(part.expr, Const):
        text = constant_text(part.expr)
        if text is not None:
            return Const(text, STRING, part.expr.place)
    if isinstance(type_, ScalarType) and type_.kind in (*INTEGERS, Kind.CHAR, Kind.BOOL, Kind.GUID):
        return Function(Fn.TO_STRING, (part.expr,), as_nullable(STRING, part.expr.type.nullable), place)
    if isinstance(type_, EnumType) and _stored_by_name(part.expr.type):
        return Function(Fn.TO_STRING, (part.expr,), as_nullable(STRING, part.expr.type.nullable), place)
    raise Refusal(
        "ToString()",
        f"the text of a {describe(type_)} depends on the database or the culture",
        place,
        "Select the value itself and format it afterwards.",
    )


def _stored_by_name(type_: Type) -> bool:
    """Whether the text of an enum is its member's name also to the database."""
    return not isinstance(type_, EnumType) or all(name == stored for name, stored in type_.stored)


def constant_text(const: Const) -> str | None:
    value, type_ = const.value, const.type
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(type_, EnumType):
        return next((n for n, v in type_.members if v == value), str(value))
    if isinstance(value, int | str):
        return str(value)
    if isinstance(type_, ScalarType) and type_.kind in (Kind.DECIMAL, Kind.GUID):
        return f"{value:f}" if type_.kind is Kind.DECIMAL else str(value)
    return None


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


def _calculate(_session: Session, sign: str, left: Scalar, right: Scalar, place: Place) -> Scalar:
    shifted = _shift_time(sign, left, right, place)
    if shifted is not None:
        return shifted
    for side, other in ((left, right), (right, left)):
        if isinstance(side.static, NullType):
            return Scalar(Const(None, as_nullable(other.static), place), as_nullable(other.static))
    pair = numeric_pair(left, right, place, sign)
    nullable = pair.left.type.nullable or pair.right.type.nullable
    return Scalar(arithmetic(_ARITHMETIC[sign], pair.left, pair.right, as_nullable(pair.static, nullable)), pair.static)


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
        return negated(value)
    if sign in ("-", "+"):
        return _signed(value, sign == "-", place)
    raise Refusal(sign, "the operator is not supported in a query", place, "Rewrite it with plain operators.")


def _signed(value: Scalar, minus: bool, place: Place) -> Scalar:
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
    if isinstance(operand, Const) and operand.value is not None:
        return Scalar(Const(-operand.value, operand.type, place), static)  # type: ignore[operator]
    return Scalar(Negate(operand, operand.type, place), static)


def postfix(session: Session, node: Node, scope: Scope) -> Value:
    """`x!` says something to the compiler only; `x++` is refused."""
    if text_of(node.children[-1]) == "!" or (not node.children[-1].is_named and node.children[-1].type == "!"):
        return session.eval_as(named(node)[0], scope, session.target_of(node))
    sign = text_of(node.children[-1])
    raise Refusal(sign, "a query cannot change variables", session.place(node, scope), "Compute the value beforehand.")


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


def cast(session: Session, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    type_node, value_node = child(node, "type"), child(node, "value")
    if type_node is None or value_node is None:
        raise Refusal("cast", f"'{text_of(node)[:60]}' is not understood", place)
    target = session.resolve(type_node, scope)
    value = session.eval_as(value_node, scope, target)
    return cast_value(session, value, target, text_of(type_node), place)


def cast_value(session: Session, value: Value, target: Type | None, written: str, place: Place) -> Value:
    if isinstance(value, Choice):
        return Choice(
            value.test,
            cast_value(session, value.then, target, written, place),
            cast_value(session, value.otherwise, target, written, place),
        )
    if not isinstance(value, Scalar) or isinstance(target, SequenceType):
        return value
    if target is None:
        if written in ("object", "Object", "dynamic"):
            return value
        raise Refusal(f"({written})", "the type is not known from the input", place, "Add its declaration.")
    if isinstance(value.static, NullType):
        return Scalar(Const(None, as_nullable(target), place), as_nullable(target))
    if isinstance(target, ScalarType | EnumType) and isinstance(value.static, ScalarType | EnumType):
        return Scalar(converted(session, value, target, written, place), target)
    if isinstance(target, EntityType) and isinstance(value.static, EntityType):
        return cast_entity(session, value, target, place)
    if same_ignoring_null(target, value.static):
        return value
    raise Refusal(f"({written})", f"a {describe(value.static)} cannot be cast to it", place, "Remove the cast.")


def cast_entity(session: Session, value: Scalar, target: EntityType, place: Place) -> Scalar:
    """A cast up the hierarchy changes nothing; a cast down cannot be expressed row by row."""
    assert isinstance(value.static, EntityType)
    if value.static.name in session.schema.descendants(target.name):
        return value
    raise Refusal(
        f"({target.name})",
        "casting a row to a derived entity is not supported",
        place,
        f"Use OfType<{target.name}>() instead.",
    )


def converted(session: Session, value: Scalar, target: ScalarType | EnumType, written: str, place: Place) -> Expr:
    """An explicit conversion between numbers, enums, char; anything else has no C# cast."""
    source = value.static
    if same_ignoring_null(source, target) or (
        isinstance(source, EnumType) and isinstance(target, EnumType) and source.name == target.name
    ):
        return value.expr
    numeric = NUMBERS | {Kind.CHAR}
    source_ok = isinstance(source, EnumType) or (isinstance(source, ScalarType) and source.kind in numeric)
    target_ok = isinstance(target, EnumType) or target.kind in numeric
    if not (source_ok and target_ok):
        if isinstance(source, ScalarType) and isinstance(target, ScalarType) and widens(source.kind, target.kind):
            return Convert(value.expr, as_nullable(target, value.expr.type.nullable), place)
        raise Refusal(f"({written})", f"a {describe(source)} cannot be cast to it", place, "Remove the cast.")
    if isinstance(value.expr.type, EnumType) and value.expr.type.stored and not isinstance(value.expr, Const):
        raise Refusal(
            f"({written})",
            f"{value.expr.type.name} is stored as text, so the database cannot cast it to a number",
            place,
            "Compare with the enum's members instead.",
        )
    _whole_number(session, value, target, written, place)
    return convert(value.expr, as_nullable(target, False))


def declaration(session: Session, node: Node, scope: Scope) -> Value:
    """`f(a * b)`: the grammar takes the argument for a declaration of `b` as a pointer to `a`."""
    type_node, name = child(node, "type"), child(node, "name")
    place = session.place(node, scope)
    inner = child(type_node, "type") if type_node is not None and type_node.type == "pointer_type" else None
    if inner is None or name is None:
        raise Refusal("out", f"'{text_of(node)[:60]}' declares a variable", place, "Declare it beforehand.")
    return apply_binary(session, "*", session.eval(inner, scope), session.eval(name, scope), place)


_WHOLE = (Fn.FLOOR, Fn.CEILING, Fn.TRUNCATE, Fn.ROUND)


def _whole_number(session: Session, value: Scalar, target: ScalarType | EnumType, written: str, place: Place) -> None:
    """`(int)price`: C# and SQL Server cut the fraction off, PostgreSQL rounds."""
    source = value.static
    fraction = isinstance(source, ScalarType) and source.kind in (*FLOATS, Kind.DECIMAL)
    whole = isinstance(target, EnumType) or target.kind in INTEGERS
    known = isinstance(value.expr, Const) or (isinstance(value.expr, Function) and value.expr.fn in _WHOLE)
    if not fraction or not whole or known or session.position is Position.STATEMENT:
        return
    remedy = "Use Math.Truncate, Math.Floor or Math.Round before the cast."
    if session.schema.provider == "postgres":
        raise Refusal(f"({written})", "PostgreSQL rounds here where C# cuts the fraction off", place, remedy)
    session.note(Severity.CONVENTION, f"({written})", "the fraction is cut off, as C# and SQL Server do", place, remedy)


def default(session: Session, node: Node, scope: Scope) -> Value:
    type_node = child(node, "type")
    target = session.resolve(type_node, scope) if type_node is not None else session.target_of(node)
    if target is None:
        return Scalar(Const(None, NullType()), NullType())
    return Scalar(default_of(target), target)


def as_expression(session: Session, node: Node, scope: Scope) -> Value:
    """`x as int?` of a value that is one already; `as` on entities is a cast."""
    type_node, value_node = child(node, "right"), child(node, "left")
    place = session.place(node, scope)
    if type_node is None or value_node is None:
        raise Refusal("as", f"'{text_of(node)[:60]}' is not understood", place)
    target = session.resolve(type_node, scope)
    return cast_value(session, session.eval(value_node, scope), target, f"as {text_of(type_node)}", place)


HANDLERS = {
    "binary_expression": binary,
    "prefix_unary_expression": prefix,
    "postfix_unary_expression": postfix,
    "conditional_expression": ternary,
    "cast_expression": cast,
    "default_expression": default,
    "declaration_expression": declaration,
    "as_expression": as_expression,
}

__all__ = ["FLOATS", "HANDLERS", "Arithmetic", "coalesced", "to_text"]
