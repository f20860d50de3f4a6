"""Expressions that Java computes itself: bound parameters, and what a method does with the results of its queries."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch

from uom.model.diagnostics import Refusal
from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Coalesce,
    Compare,
    Comparison,
    Concat,
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    IsNull,
    Logical,
    LogicalOp,
    Negate,
    New,
    Not,
    Parameter,
    Property,
    Subquery,
)
from uom.model.program import Rounding, Semantics
from uom.model.types import (
    FLOATS,
    EntityType,
    EnumType,
    Kind,
    RecordType,
    ScalarType,
    Type,
    describe,
    is_integer,
    is_string,
)
from uom.write.mongodb.java.literals import java_literal
from uom.write.mongodb.java.source import Imports
from uom.write.mongodb.java.types import JavaModel, is_primitive
from uom.write.names import java_parameter_name, java_property_name


@dataclass(frozen=True, slots=True)
class ClientContext:
    """`locals` maps the sub-queries of the method to the Java variables (or calls) that hold their results."""

    imports: Imports
    model: JavaModel
    semantics: Semantics
    hint: str
    locals: Mapping[Subquery, str] = field(default_factory=dict)


def client_expression(node: Expr, context: ClientContext) -> str:
    """Java text. Raises Refusal for what Java would compute differently."""
    try:
        return _write(node, context)
    except Refusal as refusal:
        raise refusal.at(node.place) from None


def nested(node: Expr, context: ClientContext) -> str:
    """The text as an operand: in parentheses unless it is one piece."""
    text = client_expression(node, context)
    return text if _is_atomic(text) else f"({text})"


def _is_atomic(text: str) -> bool:
    depth = 0
    quoted = False
    for position, char in enumerate(text):
        if char == '"' and text[position - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == " " and depth == 0:
            return text.startswith("new ") and text.count(" ") == 1
    return True


@singledispatch
def _write(node: Expr, context: ClientContext) -> str:
    raise Refusal(type(node).__name__, "cannot be computed in Java", remedy="Move it into the query.")


@_write.register
def _parameter(node: Parameter, context: ClientContext) -> str:
    return java_parameter_name(node.name)


@_write.register
def _const(node: Const, context: ClientContext) -> str:
    return java_literal(node.value, node.type, context.imports, context.model)


@_write.register
def _subquery(node: Subquery, context: ClientContext) -> str:
    return context.locals[node]


@_write.register
def _property(node: Property, context: ClientContext) -> str:
    if node.target.type.nullable:
        raise Refusal(node.name, "the object may be null")
    owner = nested(node.target, context)
    name = java_property_name(node.name)
    if isinstance(node.target.type, RecordType):
        return f"{owner}.{name}()"
    if isinstance(node.target.type, EntityType):
        boolean = isinstance(node.type, ScalarType) and node.type.kind is Kind.BOOL and not node.type.nullable
        return f"{owner}.{'is' if boolean else 'get'}{name[0].upper()}{name[1:]}()"
    raise Refusal(node.name, "cannot be read in Java")


@_write.register
def _new(node: New, context: ClientContext) -> str:
    name = context.model.java_type(node.type, context.imports, context.hint)
    return f"new {name}({', '.join(client_expression(arg, context) for arg in node.args)})"


# -- logic -----------------------------------------------------------------------------------------------------------


@_write.register
def _compare(node: Compare, context: ClientContext) -> str:
    left, right = node.left, node.right
    if node.op in (Comparison.EQ, Comparison.NE):
        text = _equality(left, right, context)
        return (
            f"!({text})"
            if node.op is Comparison.NE and " " in text
            else f"!{text}"
            if node.op is Comparison.NE
            else text
        )
    if left.type.nullable or right.type.nullable:
        guards = [f"{nested(side, context)} != null" for side in (left, right) if side.type.nullable]
        return " && ".join([*guards, _ordered(node, context)])
    return _ordered(node, context)


def _equality(left: Expr, right: Expr, context: ClientContext) -> str:
    a, b = nested(left, context), nested(right, context)
    if isinstance(left.type, EnumType) or (is_primitive(left.type) and is_primitive(right.type)):
        return f"{a} == {b}"
    if _kind(left.type) in (Kind.DECIMAL, Kind.ULONG):
        if left.type.nullable or right.type.nullable:
            raise Refusal("==", "two decimals of which one may be null")
        return f"{a}.compareTo({b}) == 0"
    return f"{context.imports.use('java.util.Objects')}.equals({a}, {b})"


def _ordered(node: Compare, context: ClientContext) -> str:
    a, b = nested(node.left, context), nested(node.right, context)
    if _is_java_number(node.left.type):
        return f"{a} {node.op.value} {b}"
    if isinstance(node.left.type, ScalarType) and node.left.type.kind not in (Kind.STRING, Kind.GUID, Kind.BOOL):
        return f"{a}.compareTo({b}) {node.op.value} 0"
    raise Refusal(node.op.value, f"{describe(node.left.type)} is ordered differently in Java")


@_write.register
def _logical(node: Logical, context: ClientContext) -> str:
    operands = [_strict(part, context) for part in (node.left, node.right)]
    return {LogicalOp.AND: " && ", LogicalOp.OR: " || ", LogicalOp.XOR: " ^ "}[node.op].join(operands)


@_write.register
def _not(node: Not, context: ClientContext) -> str:
    if isinstance(node.operand, IsNull):
        return f"{nested(node.operand.operand, context)} != null"
    if isinstance(node.operand, Not) and not node.operand.operand.type.nullable:
        return client_expression(node.operand.operand, context)
    return f"!{_strict(node.operand, context)}"


def _strict(node: Expr, context: ClientContext) -> str:
    """A nullable bool counts as false when null."""
    if node.type.nullable:
        return f"Boolean.TRUE.equals({client_expression(node, context)})"
    return nested(node, context)


@_write.register
def _is_null(node: IsNull, context: ClientContext) -> str:
    if not _can_be_null_in_java(node.operand.type):
        return "false"
    return f"{nested(node.operand, context)} == null"


def _can_be_null_in_java(type_: Type) -> bool:
    return not is_primitive(type_)


@_write.register
def _conditional(node: Conditional, context: ClientContext) -> str:
    parts = [_strict(node.test, context), nested(node.then, context), nested(node.otherwise, context)]
    return f"{parts[0]} ? {parts[1]} : {parts[2]}"


@_write.register
def _coalesce(node: Coalesce, context: ClientContext) -> str:
    if not node.left.type.nullable and not is_string(node.left.type):
        return client_expression(node.left, context)
    left, right = nested(node.left, context), nested(node.right, context)
    if not _is_name(left):
        if node.right.type.nullable:
            raise Refusal("??", "its right side may be null too")
        return f"{context.imports.use('java.util.Objects')}.requireNonNullElse({left}, {right})"
    return f"{left} != null ? {left} : {right}"


def _is_name(text: str) -> bool:
    return text.isidentifier()


# -- numbers and text ------------------------------------------------------------------------------------------------

_DECIMAL_METHODS = {
    ArithmeticOp.ADD: "add",
    ArithmeticOp.SUB: "subtract",
    ArithmeticOp.MUL: "multiply",
    ArithmeticOp.MOD: "remainder",
}


@_write.register
def _arithmetic(node: Arithmetic, context: ClientContext) -> str:
    if node.left.type.nullable or node.right.type.nullable:
        raise Refusal(node.op.value, "an operand may be null")
    left, right = nested(node.left, context), nested(node.right, context)
    if _is_java_number(node.type):
        return f"{left} {node.op.value} {right}"
    if _kind(node.type) is not Kind.DECIMAL:
        raise Refusal(node.op.value, f"{describe(node.type)} has no such operator in Java")
    if node.op is ArithmeticOp.DIV:
        digits = context.imports.use("java.math.MathContext")
        return f"{left}.divide({right}, {digits}.DECIMAL128)"
    return f"{left}.{_DECIMAL_METHODS[node.op]}({right})"


@_write.register
def _negate(node: Negate, context: ClientContext) -> str:
    operand = nested(node.operand, context)
    if node.operand.type.nullable:
        raise Refusal("-", "the operand may be null")
    return f"-{operand}" if _is_java_number(node.type) else f"{operand}.negate()"


@_write.register
def _convert(node: Convert, context: ClientContext) -> str:
    source, target = _kind(node.operand.type), _kind(node.type)
    text = client_expression(node.operand, context)
    if source is target or source is None or target is None:
        if isinstance(node.operand.type, EnumType) != isinstance(node.type, EnumType):
            raise Refusal("cast", "between an enum and a number")
        return text
    if node.operand.type.nullable:
        raise Refusal("cast", "the number may be null")
    operand = nested(node.operand, context)
    if target is Kind.DECIMAL and is_integer(node.operand.type):
        return f"{context.imports.use('java.math.BigDecimal')}.valueOf({text})"
    if target is Kind.DOUBLE:
        return f"(double) {operand}" if _is_java_number(node.operand.type) else f"{operand}.doubleValue()"
    if target in (Kind.INT, Kind.LONG) and is_integer(node.operand.type):
        java = "int" if target is Kind.INT else "long"
        return f"({java}) {operand}"
    raise Refusal("cast", f"{describe(node.operand.type)} to {describe(node.type)} in Java")


@_write.register
def _concat(node: Concat, context: ClientContext) -> str:
    parts = []
    for part in node.parts:
        text = nested(part, context)
        parts.append(f'{context.imports.use("java.util.Objects")}.toString({text}, "")' if part.type.nullable else text)
    return " + ".join(parts)


@_write.register
def _function(node: Function, context: ClientContext) -> str:
    writer = _FUNCTIONS.get(node.fn)
    if writer is None:
        raise Refusal(node.fn.value, "cannot be computed in Java")
    if any(arg.type.nullable for arg in node.args) and node.fn not in _TAKES_NULL:
        raise Refusal(node.fn.value, "an argument may be null")
    return writer(node, context)


def _round(node: Function, context: ClientContext) -> str:
    number, *digits = node.args
    places = digits[0].value if digits and isinstance(digits[0], Const) else 0
    if _kind(number.type) is not Kind.DECIMAL:
        raise Refusal("Round", "only decimals are rounded in Java")
    mode = "HALF_EVEN" if context.semantics.rounding is Rounding.TO_EVEN else "HALF_UP"
    return f"{nested(number, context)}.setScale({places}, {context.imports.use('java.math.RoundingMode')}.{mode})"


def _now(node: Function, context: ClientContext) -> str:
    """The local wall clock, taken as UTC, as the source's database stored it."""
    local, zone = (context.imports.use(f"java.time.{name}") for name in ("LocalDateTime", "ZoneOffset"))
    return f"{local}.now().toInstant({zone}.UTC)"


def _utc_now(node: Function, context: ClientContext) -> str:
    return f"{context.imports.use('java.time.Instant')}.now()"


def _today(node: Function, context: ClientContext) -> str:
    day, zone = (context.imports.use(f"java.time.{name}") for name in ("LocalDate", "ZoneOffset"))
    return f"{day}.now().atStartOfDay({zone}.UTC).toInstant()"


def _null_or_empty(node: Function, context: ClientContext) -> str:
    text = nested(node.args[0], context)
    check = "isBlank" if node.fn is Fn.IS_NULL_OR_WHITE_SPACE else "isEmpty"
    return f"{text} == null || {text}.{check}()"


def _method(pattern: str) -> Callable[[Function, ClientContext], str]:
    def write(node: Function, context: ClientContext) -> str:
        return pattern.format(*(nested(arg, context) for arg in node.args))

    return write


def _extreme(node: Function, context: ClientContext) -> str:
    first, second = (client_expression(arg, context) for arg in node.args)
    name = "max" if node.fn is Fn.GREATEST else "min"
    if _is_java_number(node.type):
        return f"Math.{name}({first}, {second})"
    return f"{nested(node.args[0], context)}.{name}({second})"


def _add_time(node: Function, context: ClientContext) -> str:
    date, amount = node.args
    if not is_integer(amount.type) and not (isinstance(amount, Const) and float(str(amount.value)).is_integer()):
        raise Refusal(node.fn.value, "a fraction of a unit cannot be added in Java")
    count = str(int(float(str(amount.value)))) if isinstance(amount, Const) else nested(amount, context)
    zone = context.imports.use("java.time.ZoneOffset")
    unit = {Fn.ADD_DAYS: "Days", Fn.ADD_MONTHS: "Months", Fn.ADD_YEARS: "Years", Fn.ADD_HOURS: "Hours",
            Fn.ADD_MINUTES: "Minutes", Fn.ADD_SECONDS: "Seconds"}[node.fn]  # fmt: skip
    if _kind(date.type) is Kind.DATEONLY:
        return f"{nested(date, context)}.plus{unit}({count})"
    return f"{nested(date, context)}.atOffset({zone}.UTC).plus{unit}({count}).toInstant()"


def _date_part(node: Function, context: ClientContext) -> str:
    zone = context.imports.use("java.time.ZoneOffset")
    part = {Fn.YEAR: "getYear()", Fn.MONTH: "getMonthValue()", Fn.DAY: "getDayOfMonth()"}[node.fn]
    date = nested(node.args[0], context)
    return f"{date}.{part}" if _kind(node.args[0].type) is Kind.DATEONLY else f"{date}.atOffset({zone}.UTC).{part}"


def _date(node: Function, context: ClientContext) -> str:
    unit = context.imports.use("java.time.temporal.ChronoUnit")
    return f"{nested(node.args[0], context)}.truncatedTo({unit}.DAYS)"


def _to_string(node: Function, context: ClientContext) -> str:
    (value,) = node.args
    if is_integer(value.type) or is_string(value.type):
        return f"String.valueOf({client_expression(value, context)})"
    raise Refusal("ToString", f"{describe(value.type)} is written differently in Java")


_TAKES_NULL = frozenset({Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE})
_ADDITIONS = (Fn.ADD_DAYS, Fn.ADD_MONTHS, Fn.ADD_YEARS, Fn.ADD_HOURS, Fn.ADD_MINUTES, Fn.ADD_SECONDS)
_FUNCTIONS: dict[Fn, Callable[[Function, ClientContext], str]] = {
    Fn.ROUND: _round,
    Fn.NOW: _now,
    Fn.UTC_NOW: _utc_now,
    Fn.TODAY: _today,
    Fn.IS_NULL_OR_EMPTY: _null_or_empty,
    Fn.IS_NULL_OR_WHITE_SPACE: _null_or_empty,
    Fn.TRIM: _method("{0}.strip()"),
    Fn.LENGTH: _method("{0}.length()"),
    Fn.UPPER: _method("{0}.toUpperCase(java.util.Locale.ROOT)"),
    Fn.LOWER: _method("{0}.toLowerCase(java.util.Locale.ROOT)"),
    Fn.LEAST: _extreme,
    Fn.GREATEST: _extreme,
    Fn.DATE: _date,
    Fn.TO_STRING: _to_string,
    Fn.ABS: lambda node, context: (
        f"Math.abs({client_expression(node.args[0], context)})"
        if _is_java_number(node.type)
        else f"{nested(node.args[0], context)}.abs()"
    ),
    **dict.fromkeys(_ADDITIONS, _add_time),
    **dict.fromkeys((Fn.YEAR, Fn.MONTH, Fn.DAY), _date_part),
}


def _kind(type_: Type) -> Kind | None:
    return type_.kind if isinstance(type_, ScalarType) else None


def _is_java_number(type_: Type) -> bool:
    """Types whose operators Java has: int, long, double."""
    kind = _kind(type_)
    return kind in FLOATS or (kind is not None and is_integer(type_) and kind is not Kind.ULONG)
