"""Arithmetic, conversions and functions of numbers."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from bson import Decimal128

from uom.model.diagnostics import Refusal
from uom.model.expressions import Arithmetic, ArithmeticOp, Convert, Expr, Fn, Negate
from uom.model.program import Rounding
from uom.model.types import (
    FLOATS,
    INTEGER_RANGE,
    EntityType,
    EnumType,
    Kind,
    ScalarType,
    Type,
    as_nullable,
    describe,
    is_integer,
    is_number,
)
from uom.write.mongodb.expressions import evaluate, register, scalar
from uom.write.mongodb.functions import Call, null_safe, once, plain, writes
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson
from uom.write.mongodb.values import EntityValue, ScalarValue, Value

plain(
    {
        Fn.ABS: "$abs",
        Fn.FLOOR: "$floor",
        Fn.CEILING: "$ceil",
        Fn.TRUNCATE: "$trunc",
        Fn.SQRT: "$sqrt",
        Fn.POW: "$pow",
        Fn.EXP: "$exp",
        Fn.LOG10: "$log10",
    }
)

_OPERATORS = {ArithmeticOp.ADD: "$add", ArithmeticOp.SUB: "$subtract", ArithmeticOp.MUL: "$multiply"}


@register(Arithmetic)
def _arithmetic(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Arithmetic)
    left, right = _unwrapped(node)
    operands = [scalar(left, scope), scalar(right, scope)]
    type_ = as_nullable(node.type, any(nullable for _, nullable in operands))
    trees = [tree for tree, _ in operands]
    if not is_number(node.type):
        return ScalarValue(_time_arithmetic(node, trees), type_, scope.rows, hint)
    assert isinstance(node.type, ScalarType)
    if node.type.kind is Kind.FLOAT:
        raise Refusal(
            "float arithmetic", "MongoDB computes with 64 bits, C# with 32", node.place, "Use double or decimal."
        )
    return ScalarValue(_number_arithmetic(node.op, node.type.kind, trees), type_, scope.rows, hint)


def _number_arithmetic(op: ArithmeticOp, kind: Kind, trees: list[Bson]) -> Bson:
    if op is ArithmeticOp.DIV:
        return _division(kind, trees)
    if op is ArithmeticOp.MOD:
        return {"$mod": trees}
    operator = _OPERATORS[op]
    first = trees[0]
    if op is not ArithmeticOp.SUB and isinstance(first, dict) and operator in first:
        return {operator: [*first[operator], trees[1]]}
    return {operator: trees}


def _division(kind: Kind, trees: list[Bson]) -> Bson:
    if kind in FLOATS or kind is Kind.DECIMAL:
        return {"$divide": trees}
    if kind in (Kind.LONG, Kind.ULONG, Kind.UINT):
        # a double has 53 bits only; 34 decimal digits hold the quotient of any two 64-bit numbers exactly enough
        return {"$toLong": {"$trunc": {"$divide": [{"$toDecimal": trees[0]}, trees[1]]}}}
    return {"$toInt": {"$trunc": {"$divide": trees}}}


def _unwrapped(node: Arithmetic) -> tuple[Expr, Expr]:
    """`price * (decimal)quantity`: MongoDB widens the integer itself when the other side is a decimal or double."""
    left, right = node.left, node.right
    if node.op is ArithmeticOp.MOD or not isinstance(node.type, ScalarType):
        return left, right
    if node.type.kind not in (Kind.DECIMAL, Kind.DOUBLE):
        return left, right
    if _widened_integer(left, node.type.kind) and not _widened_integer(right, node.type.kind):
        assert isinstance(left, Convert)
        return left.operand, right
    if _widened_integer(right, node.type.kind) and not _widened_integer(left, node.type.kind):
        assert isinstance(right, Convert)
        return left, right.operand
    return left, right


def _widened_integer(node: Expr, kind: Kind) -> bool:
    if not isinstance(node, Convert) or not is_integer(node.operand.type):
        return False
    assert isinstance(node.operand.type, ScalarType)
    return kind is Kind.DECIMAL or node.operand.type.kind not in (Kind.LONG, Kind.ULONG)


def _time_arithmetic(node: Arithmetic, trees: list[Bson]) -> Bson:
    """Spans are ticks of 100 ns, dates count milliseconds."""
    left, right = _kind(node.left.type), _kind(node.right.type)
    if left is Kind.TIMESPAN and right is Kind.TIMESPAN and node.op in (ArithmeticOp.ADD, ArithmeticOp.SUB):
        return {_OPERATORS[node.op]: trees}
    if left is Kind.DATETIME and right is Kind.TIMESPAN and node.op in (ArithmeticOp.ADD, ArithmeticOp.SUB):
        milliseconds = {"$toLong": {"$divide": [trees[1], 10_000]}}
        return {_OPERATORS[node.op]: [trees[0], milliseconds]}
    raise Refusal(
        node.op.value, f"{describe(node.left.type)} and {describe(node.right.type)} cannot be combined", node.place
    )


def _kind(type_: Type) -> Kind | None:
    return type_.kind if isinstance(type_, ScalarType) else None


@register(Negate)
def _negate(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Negate)
    tree, nullable = scalar(node.operand, scope)
    return ScalarValue({"$multiply": [tree, -1]}, as_nullable(node.type, nullable), scope.rows, hint)


# -- conversions -----------------------------------------------------------------------------------------------------


@register(Convert)
def _convert(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Convert)
    value = evaluate(node.operand, scope, hint)
    if isinstance(value, EntityValue) and isinstance(node.type, EntityType):
        return replace(value, entity=node.type.name)
    if not isinstance(value, ScalarValue):
        return value
    tree, nullable = scalar(node.operand, scope, hint)
    converted = _converted(tree, nullable, node, scope)
    type_ = as_nullable(node.type, nullable)
    if converted is tree:
        return ScalarValue(value.expr, type_, value.home, value.hint)
    return ScalarValue(converted, type_, scope.rows, hint)


def _converted(tree: Bson, nullable: bool, node: Convert, scope: Scope) -> Bson:
    source, target = node.operand.type, node.type
    if isinstance(source, EnumType) or isinstance(target, EnumType):
        return _enum_conversion(tree, source, target, node)
    if not isinstance(source, ScalarType) or not isinstance(target, ScalarType):
        return tree
    if source.kind is target.kind:
        return tree
    if not is_number(source) or not is_number(target):
        raise Refusal("cast", f"{describe(source)} to {describe(target)} has no translation", node.place)
    if target.kind is Kind.DECIMAL:
        return _to_decimal(tree, nullable, source.kind, scope)
    if target.kind is Kind.DOUBLE:
        return tree if source.kind is Kind.FLOAT else {"$toDouble": tree}
    if target.kind is Kind.FLOAT:
        if source.kind in (Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT):
            return {"$toDouble": tree}
        raise Refusal("(float)", "MongoDB has no 32-bit floating point numbers", node.place, "Use double.")
    return _to_integer(tree, source.kind, target.kind)


def _to_integer(tree: Bson, source: Kind, target: Kind) -> Bson:
    """Widening costs nothing; out of range is an error in the source's database as it is in `$toInt`."""
    low, high = INTEGER_RANGE[target]
    if source in INTEGER_RANGE:
        source_low, source_high = INTEGER_RANGE[source]
        if low <= source_low and source_high <= high:
            return tree
    return {"$toInt": tree} if low >= -(2**31) and high < 2**31 else {"$toLong": tree}


def _to_decimal(tree: Bson, nullable: bool, source: Kind, scope: Scope) -> Bson:
    """`$toDecimal` of a double keeps 15 significant digits as C# does; a float has 7."""
    if source is not Kind.FLOAT:
        return {"$toDecimal": tree}

    def seven_digits(value: Bson) -> Bson:
        magnitude = {"$floor": {"$log10": {"$abs": value}}}
        places = {"$subtract": [6, {"$toInt": magnitude}]}
        rounded = {"$round": [{"$toDecimal": value}, places]}
        cases = {"$cond": [{"$eq": [value, 0]}, Decimal128("0"), rounded]}
        return {"$cond": [{"$gt": [value, None]}, cases, None]} if nullable else cases

    return once(tree, seven_digits, scope)


def _enum_conversion(tree: Bson, source: Type, target: Type, node: Convert) -> Bson:
    enum = source if isinstance(source, EnumType) else target
    assert isinstance(enum, EnumType)
    if isinstance(source, EnumType) and isinstance(target, EnumType):
        if as_nullable(source, False) != as_nullable(target, False):
            raise Refusal("cast", "enums of different storage", node.place)
        return tree
    if all(enum.stored_value(number) == number for _, number in enum.members):
        return tree
    pairs = [(number, enum.stored_value(number)) for _, number in enum.members]
    if source is enum:
        pairs = [(stored, number) for number, stored in pairs]  # type: ignore[misc]
    branches = [{"case": {"$eq": [tree, old]}, "then": new} for old, new in pairs]
    return {"$switch": {"branches": branches, "default": None}}


# -- functions -------------------------------------------------------------------------------------------------------


@writes(Fn.ROUND)
def _round(call: Call) -> Bson:
    number, *digits = call.args
    places = digits[0].constant if digits else 0
    if not isinstance(places, int) or not 0 <= places <= 20:
        raise call.refuse("the number of digits must be a constant between 0 and 20")
    kind = _kind(number.type)
    if kind is Kind.FLOAT:
        raise call.refuse("MongoDB has no 32-bit floating point numbers")
    semantics = call.scope.translation.semantics
    if (semantics.double_rounding if kind is Kind.DOUBLE else semantics.rounding) is Rounding.TO_EVEN:
        if kind is Kind.DOUBLE and places:
            return once(number.tree, lambda value: _by_power_of_ten(value, places), call.scope)
        return {"$round": [number.tree, places]}
    if kind is Kind.DOUBLE:
        rounded = once({"$toDecimal": number.tree}, lambda value: _half_away(value, places), call.scope)
        return {"$toDouble": rounded}
    return once(number.tree, lambda value: _half_away(value, places), call.scope)


def _by_power_of_ten(value: Bson, places: int) -> Bson:
    """What the source leaves to C#: it does not round the double itself, but the double times 10, 100, ..."""
    power = float(10**places)
    rounded = {"$divide": [{"$round": [{"$multiply": [value, power]}, 0]}, power]}
    return {"$cond": [{"$lt": [{"$abs": value}, 1e16]}, rounded, value]}


def _half_away(value: Bson, places: int) -> Bson:
    """`$round` rounds half to even; adding half a unit and cutting rounds half away from zero, exactly."""
    half = Decimal(5).scaleb(-places - 1)
    signed = {"$cond": [{"$lt": [value, 0]}, Decimal128(-half), Decimal128(half)]}
    return {"$trunc": [{"$add": [value, signed]}, places]}


@writes(Fn.LOG)
def _log(call: Call) -> Bson:
    trees = [arg.tree for arg in call.args]
    return {"$ln": trees[0]} if len(trees) == 1 else {"$log": trees}


@writes(Fn.SIGN)
def _sign(call: Call) -> Bson:
    return null_safe(call.args, {"$cmp": [call.args[0].tree, 0]})


@writes(Fn.LEAST, Fn.GREATEST)
def _extreme(call: Call) -> Bson:
    operator = "$min" if call.node.fn is Fn.LEAST else "$max"
    return null_safe(call.args, {operator: [arg.tree for arg in call.args]})


@writes(Fn.HAS_FLAG)
def _has_flag(call: Call) -> Bson:
    value, flag = call.args
    return null_safe(call.args, {"$eq": [{"$bitAnd": [value.tree, flag.tree]}, flag.tree]})
