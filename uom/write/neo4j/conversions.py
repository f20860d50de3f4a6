"""Casts: between numbers, and between an enum and its number."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.expressions import Convert
from uom.model.types import EnumType, Kind, ScalarType, Type, as_nullable, describe, is_integer
from uom.write.neo4j import decimals
from uom.write.neo4j.expressions import evaluate, register
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import Level, Text, binary, call, integer, literal
from uom.write.neo4j.values import Scalar, Value


@register(Convert)
def _convert(node: Convert, scope: Scope, hint: str) -> Value:
    value = evaluate(node.operand, scope, hint)
    if not isinstance(value, Scalar):
        return value
    source, target = node.operand.type, node.type
    if isinstance(source, EnumType) or isinstance(target, EnumType):
        return _enum_conversion(value, source, target)
    if not isinstance(source, ScalarType) or not isinstance(target, ScalarType) or source.kind is target.kind:
        return replace(value, type=target)
    writer = _CONVERSIONS.get(target.kind, _to_integer)
    if not (_is_number(source) and _is_number(target)):
        raise Refusal("cast", f"{describe(source)} to {describe(target)} has no translation")
    return writer(value, source, target, scope)


def _is_number(type_: ScalarType) -> bool:
    return is_integer(type_) or type_.kind in (Kind.DECIMAL, Kind.DOUBLE, Kind.FLOAT)


def _to_decimal(value: Scalar, source: ScalarType, target: ScalarType, scope: Scope) -> Value:
    if is_integer(source):
        return decimals.of_integer(value.text, target)
    if source.kind is Kind.DOUBLE:
        raise Refusal("(decimal)", "a double has no fixed number of digits after the point")
    return Scalar(_seven_digits(value, scope), target, _SINGLE_SCALE)


_SINGLE_SCALE = 7


def _seven_digits(value: Scalar, scope: Scope) -> Text:
    """`(decimal)x` of a float keeps 7 significant digits. Where they are not all within 7 places after the point, the

    division by zero ends the query: an error rather than a wrong number.
    """
    x, unit = value.text, integer(10**_SINGLE_SCALE)
    places = Text(f"6 - toInteger(floor(log10(abs({x}))))", Level.ADD)
    rounded = Text(f"CASE {x} WHEN 0 THEN 0.0 ELSE {call('round', x, places)} END")
    digits = scope.rows.let(rounded, "digits")
    whole = call("toInteger", call("round", binary(digits, "*", unit, Level.MULTIPLY)))
    number = scope.rows.let(whole, "number")
    check = binary(binary(number, "/", Text(f"{unit}.0"), Level.MULTIPLY), "=", digits, Level.COMPARE)
    return binary(number, "/", call("toInteger", check), Level.MULTIPLY)


def _to_double(value: Scalar, source: ScalarType, target: ScalarType, scope: Scope) -> Value:
    if value.scale is not None:
        return Scalar(decimals.to_double(value), target)
    return Scalar(value.text if source.kind is Kind.FLOAT else call("toFloat", value.text), target)


def _to_single(value: Scalar, source: ScalarType, target: ScalarType, scope: Scope) -> Value:
    if source.kind in (Kind.SBYTE, Kind.BYTE, Kind.SHORT, Kind.USHORT):
        return Scalar(call("toFloat", value.text), target)
    raise Refusal("(float)", "Neo4j has no 32-bit floating point numbers", remedy="Use double.")


def _to_integer(value: Scalar, source: ScalarType, target: ScalarType, scope: Scope) -> Value:
    if value.scale is not None:
        return Scalar(decimals.whole_part(value), target)
    return Scalar(value.text if is_integer(source) else call("toInteger", value.text), target)


_CONVERSIONS = {
    Kind.DECIMAL: _to_decimal,
    Kind.ULONG: _to_decimal,
    Kind.DOUBLE: _to_double,
    Kind.FLOAT: _to_single,
}


def _enum_conversion(value: Scalar, source: Type, target: Type) -> Value:
    enum = source if isinstance(source, EnumType) else target
    assert isinstance(enum, EnumType)
    if isinstance(source, EnumType) and isinstance(target, EnumType):
        if as_nullable(source, False) != as_nullable(target, False):
            raise Refusal("cast", "enums of different storage")
        return replace(value, type=target)
    if all(enum.stored_value(number) == number for _, number in enum.members):
        return replace(value, type=target)
    pairs = [(integer(number), literal(number, enum)) for _, number in enum.members]
    if source is enum:
        pairs = [(stored, number) for number, stored in pairs]
    whens = " ".join(f"WHEN {old} THEN {new}" for old, new in pairs)
    return Scalar(Text(f"CASE {value.text} {whens} END"), target)
