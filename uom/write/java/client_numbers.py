"""Arithmetic and casts that Java computes itself, as .NET computes them.

Java's own operators do for int, long and double, which wrap around in both languages. What differs is in the helper
class `DotNetMath`: decimals of 96 bits, division of the smallest integer, rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from uom.model.diagnostics import Refusal
from uom.model.expressions import Arithmetic, ArithmeticOp, Const, Convert, Expr, Fn, Function, Negate, Subquery
from uom.model.queries import Aggregate, AggregateKind
from uom.model.types import FLOATS, EnumType, Kind, Type, describe, is_integer
from uom.model.walk import free_variables
from uom.write.java.client import ClientContext, client_expression, is_java_number, java, kind_of, nested, register
from uom.write.java.precedence import Java, Level, binary, cast

_NAMES = {
    ArithmeticOp.ADD: "add", ArithmeticOp.SUB: "subtract", ArithmeticOp.MUL: "multiply", ArithmeticOp.DIV: "divide",
    ArithmeticOp.MOD: "remainder",
}  # fmt: skip
_LEVELS = {ArithmeticOp.ADD: Level.ADD, ArithmeticOp.SUB: Level.ADD}


def dot_net_math(context: ClientContext) -> str:
    """The name of the helper class, which becomes part of the project."""
    context.helpers.add("DotNetMath")
    return context.imports.use(f"{context.model.base_package}.DotNetMath")


def of_database(node: Expr) -> bool:
    """Whether it depends on a row, so that the source computes it in its database: only Java has to do it here."""
    return bool(free_variables(node))


@register(Arithmetic)
def _arithmetic(node: Expr, context: ClientContext) -> Java:
    assert isinstance(node, Arithmetic)
    if node.left.type.nullable or node.right.type.nullable:
        raise Refusal(node.op.value, "an operand may be null")
    kind = kind_of(node.type)
    if kind is Kind.DECIMAL:
        return _decimal(node, context)
    if not is_java_number(node.type):
        raise Refusal(node.op.value, f"{describe(node.type)} has no such operator in Java")
    if kind in FLOATS:
        return _plain(node, context)
    return _integer(node, context)


def _plain(node: Arithmetic, context: ClientContext) -> Java:
    level = _LEVELS.get(node.op, Level.MULTIPLY)
    return binary(java(node.left, context), node.op.value, java(node.right, context), level)


def _integer(node: Arithmetic, context: ClientContext) -> Java:
    """int and long, and uint, which a Java long holds."""
    if node.op in (ArithmeticOp.DIV, ArithmeticOp.MOD):
        if kind_of(node.type) is Kind.UINT or _never_minus_one(node.right):
            return _plain(node, context)
        return Java(_called(dot_net_math(context), node, context))
    throws = node.checked or of_database(node)
    if kind_of(node.type) is Kind.UINT:
        if throws:
            raise Refusal(node.op.value, "Java has no uint that would notice an overflow")
        return Java(f"{_plain(node, context).at(Level.BITS)} & 0xFFFFFFFFL", Level.BITS)
    return Java(_called("Math", node, context, "Exact")) if throws else _plain(node, context)


def _called(owner: str, node: Arithmetic, context: ClientContext, suffix: str = "") -> str:
    operands = f"{client_expression(node.left, context)}, {client_expression(node.right, context)}"
    return f"{owner}.{_NAMES[node.op]}{suffix}({operands})"


def _never_minus_one(node: Expr) -> bool:
    """The smallest integer by -1 throws in .NET and is the smallest integer in Java."""
    match node:
        case Const(value=value):
            return value != -1
        case Subquery(query=Aggregate(kind=AggregateKind.COUNT)) | Function(fn=Fn.LENGTH):
            return True
        case Convert(operand=operand):
            return is_integer(operand.type) and _never_minus_one(operand)
    return False


# -- decimals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Digits:
    """At most so many before and after the point."""

    whole: int
    places: int

    @property
    def fit(self) -> bool:
        return self.whole + self.places <= 28


def _decimal(node: Arithmetic, context: ClientContext) -> Java:
    if of_database(node):
        raise Refusal(node.op.value, "the database computes decimals with other digits than Java")
    digits = _digits(node)
    if node.op is ArithmeticOp.MOD or (digits is not None and digits.fit):  # a remainder always fits
        return Java(f"{nested(node.left, context)}.{_NAMES[node.op]}({client_expression(node.right, context)})")
    return Java(_called(dot_net_math(context), node, context))


def _digits(node: Expr) -> _Digits | None:
    """What a decimal can have, where its type says so; what a database gives may have any."""
    match node:
        case Const(value=Decimal() as value):
            _, digits, exponent = value.as_tuple()
            places = max(-int(exponent), 0)
            return _Digits(max(len(digits) + int(exponent), 1), places)
        case Convert(operand=operand, type=type_) if kind_of(type_) is Kind.DECIMAL and is_integer(operand.type):
            return _Digits(20 if kind_of(operand.type) in (Kind.LONG, Kind.ULONG) else 10, 0)
        case Negate(operand=operand):
            return _digits(operand)
        case Arithmetic(op=op, left=left, right=right):
            return _combined(op, _digits(left), _digits(right))
    return None


def _combined(op: ArithmeticOp, a: _Digits | None, b: _Digits | None) -> _Digits | None:
    if a is None or b is None:
        return None
    match op:
        case ArithmeticOp.ADD | ArithmeticOp.SUB:
            return _Digits(max(a.whole, b.whole) + 1, max(a.places, b.places))
        case ArithmeticOp.MUL:
            return _Digits(a.whole + b.whole, a.places + b.places)
        case ArithmeticOp.MOD:
            return _Digits(b.whole, max(a.places, b.places))
    return None


# -- one operand -----------------------------------------------------------------------------------------------------


@register(Negate)
def _negate(node: Expr, context: ClientContext) -> Java:
    assert isinstance(node, Negate)
    if node.operand.type.nullable:
        raise Refusal("-", "the operand may be null")
    if not is_java_number(node.type):
        return Java(f"{nested(node.operand, context)}.negate()")
    if is_integer(node.type) and (node.checked or of_database(node)):
        return Java(f"Math.negateExact({client_expression(node.operand, context)})")
    return Java(f"-{nested(node.operand, context)}", Level.UNARY)


@register(Convert)
def _convert(node: Expr, context: ClientContext) -> Java:
    assert isinstance(node, Convert)
    source, target = kind_of(node.operand.type), kind_of(node.type)
    operand = java(node.operand, context)
    if source is target or source is None or target is None:
        if isinstance(node.operand.type, EnumType) != isinstance(node.type, EnumType):
            raise Refusal("cast", "between an enum and a number")
        return operand
    if node.operand.type.nullable:
        raise Refusal("cast", "the number may be null")
    if target is Kind.DECIMAL and is_integer(node.operand.type):
        name = context.imports.use("java.math.BigDecimal")
        return operand if source is Kind.ULONG else Java(f"{name}.valueOf({operand})")
    if target is Kind.DOUBLE:
        number = is_java_number(node.operand.type)
        return cast("double", operand) if number else Java(f"{operand.piece}.doubleValue()")
    if target in (Kind.INT, Kind.LONG) and is_java_number(node.operand.type):
        return _whole(node, target, operand)
    raise _no_cast(node.operand.type, node.type)


def _whole(node: Convert, target: Kind, operand: Java) -> Java:
    """A cast to int or long: of an integer its lowest bits, of a double what is nearest, as in .NET."""
    throws = node.checked or of_database(node)
    if kind_of(node.operand.type) in FLOATS and throws:
        raise _no_cast(node.operand.type, node.type)
    narrower = kind_of(node.operand.type) in (Kind.LONG, Kind.UINT) and target is Kind.INT
    if throws and narrower:
        return Java(f"Math.toIntExact({operand})")
    return cast("int" if target is Kind.INT else "long", operand)


def _no_cast(source: Type, target: Type) -> Refusal:
    return Refusal("cast", f"{describe(source)} to {describe(target)} in Java")
