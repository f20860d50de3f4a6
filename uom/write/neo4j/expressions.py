"""Expressions of the algebra as Cypher: one function per node type, found by dispatch.

`evaluate` gives any value, `scalar` a single one, `truth` a condition. A condition that is not `exact` may be null
where it stands for false, which a WHERE cannot tell apart and which reads better.
"""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import singledispatch

from uom.model.diagnostics import Refusal
from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Bitwise,
    BitwiseOp,
    Coalesce,
    Concat,
    Conditional,
    Const,
    Downcast,
    Expr,
    Negate,
    New,
    Parameter,
    Property,
    SqlConcat,
    Var,
)
from uom.model.types import (
    BOOL,
    ComplexType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    describe,
    is_integer,
)
from uom.write.java.binding import is_bindable
from uom.write.names import java_parameter_name
from uom.write.neo4j import decimals
from uom.write.neo4j.layouts import ScalarLayout
from uom.write.neo4j.scope import Scope, first_parameter
from uom.write.neo4j.text import (
    NULL,
    Level,
    Text,
    binary,
    case,
    coalesced,
    integer,
    is_null,
    literal,
    member,
)
from uom.write.neo4j.values import Group, Items, Node, Part, Record, Scalar, Value


def evaluate(node: Expr, scope: Scope, hint: str = "value") -> Value:
    """The value of an expression. `hint` names what has to be given a name. Raises Refusal."""
    try:
        if is_bindable(node):
            return bound(node, scope)
        return _write(node, scope, hint)
    except Refusal as refusal:
        raise refusal.at(node.place) from None


def scalar(node: Expr, scope: Scope, hint: str = "value") -> Scalar:
    value = evaluate(node, scope, hint)
    if not isinstance(value, Scalar):
        raise Refusal(describe(node.type), "a single value is needed here", node.place)
    return value


def truth(node: Expr, scope: Scope, exact: bool = False) -> Text:
    """A condition; `exact` ones are never null."""
    writer = _CONDITIONS.get(type(node))
    try:
        if writer is not None and not is_bindable(node):
            return writer(node, scope, exact)
    except Refusal as refusal:
        raise refusal.at(node.place) from None
    value = scalar(node, scope)
    return coalesced(value.text, "false") if exact and value.nullable else value.text


_CONDITIONS: dict[type, Callable[..., Text]] = {}


def condition(*types: type) -> Callable[[Callable[..., Text]], Callable[..., Text]]:
    """Registers a writer of conditions: (node, scope, exact) -> text."""

    def register_all(writer: Callable[..., Text]) -> Callable[..., Text]:
        for one in types:
            _CONDITIONS[one] = writer
            _write.register(one, _as_value)
        return writer

    return register_all


def _as_value(node: Expr, scope: Scope, hint: str) -> Value:
    return Scalar(truth(node, scope, exact=True), BOOL)


def set_condition(cls: type, writer: Callable[..., Text]) -> None:
    """A writer of conditions for a node that has a writer of values, too."""
    _CONDITIONS[cls] = writer


@singledispatch
def _write(node: Expr, scope: Scope, hint: str) -> Value:
    raise Refusal(type(node).__name__, "has no Cypher translation")


def register(cls: type) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Adds a node type from another module."""
    return _write.register(cls)


# values that are there ----------------------------------------------------------------------------------------------


def bound(node: Expr, scope: Scope) -> Value:
    """A parameter of the statement, computed by Java."""
    hint = bind_hint(node)
    if isinstance(node.type, SequenceType):
        element = node.type.element
        scale = decimals.PARAMETER_SCALE if decimals.is_decimal(element) else None
        text = scope.writing.bind(node, hint, scale)
        return Items(text, ScalarLayout(element, scale))
    scale = decimals.PARAMETER_SCALE if decimals.is_decimal(node.type) else None
    return Scalar(scope.writing.bind(node, hint, scale), node.type, scale)


def bound_at(node: Expr, scope: Scope, scale: int, rounding: str) -> Scalar:
    """A decimal parameter at the scale of the column that it meets."""
    return Scalar(scope.writing.bind(node, bind_hint(node), scale, rounding), node.type, scale)


def bind_hint(node: Expr) -> str:
    name = first_parameter(node, "")
    return java_parameter_name(name) if name else "now"


@register(Const)
def _const(node: Const, scope: Scope, hint: str) -> Value:
    if node.value is not None and decimals.is_decimal(node.type):
        assert isinstance(node.value, Decimal | int)
        return decimals.constant(node.value, node.type)
    scale = 0 if decimals.is_decimal(node.type) else None
    if isinstance(node.type, RecordType) and node.value is None:
        fields = tuple((f.name, _const(Const(None, as_nullable(f.type)), scope, hint)) for f in node.type.fields)
        return Record(fields, node.type, Text("false"))
    return Scalar(literal(node.value, node.type), node.type, scale)


@register(Parameter)
def _parameter(node: Parameter, scope: Scope, hint: str) -> Value:
    raise Refusal(node.name, f"a parameter of type {describe(node.type)} cannot be passed to Neo4j")


@register(Var)
def _var(node: Var, scope: Scope, hint: str) -> Value:
    return scope.lookup(node)


@register(Property)
def _property(node: Property, scope: Scope, hint: str) -> Value:
    return member_of(evaluate(node.target, scope, hint), node.name, node.type, scope)


def member_of(target: Value, name: str, type_: Type, scope: Scope) -> Value:
    """A member of an entity, a complex value, a record; the key of a group."""
    match target:
        case Node(nullable=nullable):
            return _stored(target, name, as_nullable(type_, type_.nullable or nullable), scope, nullable)
        case Part(owner=owner, path=path, nullable=nullable):
            inner = as_nullable(type_, type_.nullable or nullable)
            return _stored(owner, f"{path}.{name}", inner, scope, nullable)
        case Record(present=present):
            value = target.field(name)
            return value.as_nullable() if present is not None and isinstance(value, Scalar) else value
        case Group(key=key):
            return key
    raise Refusal(name, "the value has no such member")


def _stored(owner: Node, path: str, type_: Type, scope: Scope, nullable: bool) -> Value:
    if isinstance(type_, ComplexType):
        return Part(owner, path, type_.name, nullable or type_.nullable)
    if isinstance(type_, SequenceType):
        raise Refusal(path, "a collection of owned values is not part of the graph")
    found = scope.graph.stored(owner.entity, path)
    return Scalar(member(owner.text, found.name), type_, found.scale)


@register(Downcast)
def _downcast(node: Downcast, scope: Scope, hint: str) -> Value:
    target = evaluate(node.operand, scope, hint)
    if not isinstance(target, Node):
        raise Refusal("cast", f"of {describe(node.operand.type)}")
    return replace(target, entity=node.entity, nullable=True)


@register(New)
def _new(node: New, scope: Scope, hint: str) -> Value:
    parts = zip(node.type.fields, node.args, strict=True)
    return Record(tuple((f.name, evaluate(a, scope, f.name)) for f, a in parts), node.type)


# choices ------------------------------------------------------------------------------------------------------------


@register(Conditional)
def _conditional(node: Conditional, scope: Scope, hint: str) -> Value:
    test = truth(node.test, scope)
    then, otherwise = evaluate(node.then, scope, hint), evaluate(node.otherwise, scope, hint)
    if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
        a, b, scale, over = _together(then, otherwise)
        return Scalar(case([(test, a)], b), node.type, scale, over)
    if isinstance(then, Record) and isinstance(otherwise, Record):
        return _choice_of_records(test, then, otherwise, node.type)
    if isinstance(then, Record) and _is_null(otherwise):
        opposite = truth(_not(node.test), scope, exact=True)
        return replace(then, present=_and(opposite_of(opposite), then.present), type=node.type)
    if isinstance(otherwise, Record) and _is_null(then):
        return replace(otherwise, present=_and(truth(_not(node.test), scope, exact=True), otherwise.present))
    raise Refusal("?:", f"a choice between values of type {describe(node.type)}")


def opposite_of(text: Text) -> Text:
    return Text(f"NOT {text.at(Level.COMPARE)}", Level.NOT)


def _not(node: Expr) -> Expr:
    from uom.model.expressions import Not

    return Not(node)


def _and(first: Text, second: Text | None) -> Text:
    return first if second is None else binary(first, "AND", second, Level.AND)


def _is_null(value: Value) -> bool:
    return (isinstance(value, Scalar) and value.text == NULL) or (
        isinstance(value, Record) and value.present is not None and value.present.cypher == "false"
    )


def _choice_of_records(test: Text, then: Record, otherwise: Record, type_: Type) -> Record:
    fields = []
    for name, value in then.fields:
        other = otherwise.field(name)
        if not isinstance(value, Scalar) or not isinstance(other, Scalar):
            raise Refusal("?:", f"a choice between objects whose {name} is no single value")
        a, b, scale, over = _together(value, other)
        either_null = value.nullable or other.nullable
        fields.append((name, Scalar(case([(test, a)], b), as_nullable(value.type, either_null), scale, over)))
    here, there = then.present or Text("true"), otherwise.present or Text("true")
    present = None if then.present is None and otherwise.present is None else case([(test, here)], there)
    assert isinstance(type_, RecordType)
    return Record(tuple(fields), type_, present)


def _together(left: Scalar, right: Scalar) -> tuple[Text, Text, int | None, Text | None]:
    """Two values in one form."""
    if left.scale is None or right.scale is None:
        return left.text, right.text, left.scale if left.scale is not None else right.scale, None
    if left.over is not None and right.text.cypher.lstrip("-").isdigit() and right.over is None:
        scale = max(left.scale, right.scale)
        a = decimals.times_ten(left.text, scale - left.scale)
        b = decimals.times_ten(right.text, scale - right.scale)
        # the divisor is the number of rows, 0 where the other value is taken: one there
        return a, b, scale, case([(binary(left.over, "=", integer(0), Level.COMPARE), integer(1))], left.over)
    a, b, scale = decimals.aligned(left, right)
    return a, b, scale, None


@register(Coalesce)
def _coalesce(node: Coalesce, scope: Scope, hint: str) -> Value:
    left, right = evaluate(node.left, scope, hint), evaluate(node.right, scope, hint)
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        raise Refusal("??", f"between values of type {describe(node.type)}")
    if not left.nullable:
        return left
    if left.counted and left.over is not None and left.scale is not None and right.scale is not None and not right.over:
        # an average of nothing: the divisor is 0
        scale = max(left.scale, right.scale)
        nothing = binary(left.over, "=", integer(0), Level.COMPARE)
        dividend = case(
            [(nothing, decimals.times_ten(right.text, scale - right.scale))],
            decimals.times_ten(left.text, scale - left.scale),
        )
        return Scalar(dividend, node.type, scale, case([(nothing, integer(1))], left.over), left.counted)
    a, b, digits, _ = _together(left, right)
    return Scalar(coalesced(a, b), node.type, digits)


# arithmetic ---------------------------------------------------------------------------------------------------------


@register(Arithmetic)
def _arithmetic(node: Arithmetic, scope: Scope, hint: str) -> Value:
    left, right = scalar(node.left, scope, hint), scalar(node.right, scope, hint)
    if decimals.is_decimal(node.type):
        return decimals.arithmetic(node, left, right)
    kind = node.type.kind if isinstance(node.type, ScalarType) else None
    if kind in (Kind.DATETIME, Kind.DATETIMEOFFSET):
        moved = binary(left.text, node.op.value, _duration(right.text), Level.ADD)
        # a duration is made of no null
        return Scalar(case([(is_null(right.text), NULL)], moved) if right.nullable else moved, node.type)
    if kind is Kind.FLOAT:
        raise Refusal(node.op.value, "Neo4j has no 32-bit floating point numbers", remedy="Cast to double first.")
    if not (is_integer(node.type) or kind in (Kind.DOUBLE, Kind.TIMESPAN)):
        raise Refusal(node.op.value, f"of {describe(node.type)}")
    level = Level.ADD if node.op in (ArithmeticOp.ADD, ArithmeticOp.SUB) else Level.MULTIPLY
    if node.op is ArithmeticOp.DIV and kind is Kind.DOUBLE:
        # an integer literal or value would divide as integers do
        return Scalar(binary(_float(left, node.left), "/", right.text, level), node.type)
    return Scalar(binary(left.text, node.op.value, right.text, level), node.type)


def _float(value: Scalar, node: Expr) -> Text:
    return value.text


def _duration(ticks: Text) -> Text:
    """A TimeSpan, which is stored as ticks of 100 ns."""
    return Text(f"duration({{milliseconds: {binary(ticks, '/', integer(10_000), Level.MULTIPLY)}}})")


@register(Negate)
def _negate(node: Negate, scope: Scope, hint: str) -> Value:
    operand = scalar(node.operand, scope, hint)
    return replace(operand, text=decimals.negative(operand.text), type=node.type)


@register(Bitwise)
def _bitwise(node: Bitwise, scope: Scope, hint: str) -> Value:
    """Cypher has no such operators: `x & mask` for a constant mask is the sum of the bits that are set in both."""
    left, right = node.left, node.right
    if isinstance(left, Const):
        left, right = right, left
    mask = right.value if isinstance(right, Const) else None
    if node.op is not BitwiseOp.AND or not isinstance(mask, int) or isinstance(mask, bool) or mask < 0:
        raise Refusal(node.op.value, "Cypher has no operators on bits")
    value = scalar(left, scope, hint)
    bits = [1 << n for n in range(mask.bit_length()) if mask >> n & 1]
    parts = [_times(bit_of(value.text, bit), bit) for bit in bits] or [integer(0)]
    text = parts[0]
    for part in parts[1:]:
        text = binary(text, "+", part, Level.ADD)
    return Scalar(text, node.type)


def bit_of(value: Text, bit: int) -> Text:
    """0 or 1, for numbers that are not negative."""
    shifted = value if bit == 1 else binary(value, "/", integer(bit), Level.MULTIPLY)
    return binary(shifted, "%", integer(2), Level.MULTIPLY)


def _times(text: Text, factor: int) -> Text:
    return text if factor == 1 else binary(text, "*", integer(factor), Level.MULTIPLY)


# text ---------------------------------------------------------------------------------------------------------------


@register(Concat)
def _concat(node: Concat, scope: Scope, hint: str) -> Value:
    parts = [scalar(part, scope, hint) for part in node.parts]
    texts = [coalesced(p.text, "''") if p.nullable else p.text for p in parts]
    return Scalar(_added(texts), node.type)


@register(SqlConcat)
def _sql_concat(node: SqlConcat, scope: Scope, hint: str) -> Value:
    return Scalar(_added([scalar(part, scope, hint).text for part in node.parts]), node.type)


def _added(texts: list[Text]) -> Text:
    text = texts[0]
    for part in texts[1:]:
        text = binary(text, "+", part, Level.ADD)
    return text
