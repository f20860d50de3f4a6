"""Functions that Java computes itself."""
# ruff: noqa: ARG001  (every function has the table's signature)

from __future__ import annotations

from collections.abc import Callable

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function
from uom.model.program import Rounding
from uom.model.types import INT, Kind, describe, is_integer, is_string
from uom.write.java.client import (
    ClientContext,
    client_expression,
    is_java_number,
    java,
    kind_of,
    nested,
    register,
)
from uom.write.java.client_numbers import dot_net_math, of_database
from uom.write.java.precedence import Java, Level, conditional, is_null, joined


@register(Function)
def _function(node: Expr, context: ClientContext) -> Java:
    assert isinstance(node, Function)
    writer = _FUNCTIONS.get(node.fn)
    if writer is None:
        raise Refusal(node.fn.value, "cannot be computed in Java")
    if any(arg.type.nullable for arg in node.args) and node.fn not in _TAKES_NULL:
        raise Refusal(node.fn.value, "an argument may be null")
    return writer(node, context)


def _round(node: Function, context: ClientContext) -> Java:
    """As C# does it outside the database, but for what depends on a row: that is rounded as the database rounds."""
    number = node.args[0]
    places: Expr = node.args[1] if len(node.args) > 1 else Const(0, INT)
    if kind_of(number.type) not in (Kind.DOUBLE, Kind.DECIMAL):
        raise Refusal("Round", "only decimals and doubles are rounded in Java")
    away = of_database(node) and context.semantics.double_rounding is Rounding.AWAY_FROM_ZERO
    if kind_of(number.type) is Kind.DOUBLE and away:
        return _half_up(number, places, context)
    if kind_of(number.type) is Kind.DECIMAL:
        if of_database(node):
            raise Refusal("Round", "the database rounds the decimal")
        if isinstance(places, Const) and isinstance(places.value, int) and 0 <= places.value <= 28:
            mode = f"{context.imports.use('java.math.RoundingMode')}.HALF_EVEN"
            return Java(f"{nested(number, context)}.setScale({places.value}, {mode})")
    texts = f"{client_expression(number, context)}, {client_expression(places, context)}"
    return Java(f"{dot_net_math(context)}.round({texts})")


def _half_up(number: Expr, places: Expr, context: ClientContext) -> Java:
    """What the double really is, rounded as the source's database does it."""
    decimal, mode = (context.imports.use(f"java.math.{name}") for name in ("BigDecimal", "RoundingMode"))
    text, scale = client_expression(number, context), client_expression(places, context)
    return Java(f"new {decimal}({text}).setScale({scale}, {mode}.HALF_UP).doubleValue()")


_WHOLE = {Fn.FLOOR: "FLOOR", Fn.CEILING: "CEILING", Fn.TRUNCATE: "DOWN"}


def _whole_number(node: Function, context: ClientContext) -> Java:
    """Math.Floor and its kin."""
    number = node.args[0]
    if kind_of(number.type) is Kind.DECIMAL:
        mode = f"{context.imports.use('java.math.RoundingMode')}.{_WHOLE[node.fn]}"
        return Java(f"{nested(number, context)}.setScale(0, {mode})")
    if kind_of(number.type) is not Kind.DOUBLE:
        raise Refusal(node.fn.value, f"{describe(number.type)} has no such function in Java")
    owner, name = {
        Fn.FLOOR: ("Math", "floor"), Fn.CEILING: ("Math", "ceil"), Fn.TRUNCATE: (dot_net_math(context), "truncate")
    }[node.fn]  # fmt: skip
    return Java(f"{owner}.{name}({client_expression(number, context)})")


def _abs(node: Function, context: ClientContext) -> Java:
    """Of the smallest integer there is none: .NET throws."""
    number = node.args[0]
    if not is_java_number(node.type):
        return Java(f"{nested(number, context)}.abs()")
    name = "absExact" if is_integer(node.type) else "abs"
    return Java(f"Math.{name}({client_expression(number, context)})")


def _now(node: Function, context: ClientContext) -> Java:
    """The local wall clock, taken as UTC, as the source's database stored it."""
    local, zone = (context.imports.use(f"java.time.{name}") for name in ("LocalDateTime", "ZoneOffset"))
    return Java(f"{local}.now().toInstant({zone}.UTC)")


def _utc_now(node: Function, context: ClientContext) -> Java:
    return Java(f"{context.imports.use('java.time.Instant')}.now()")


def _today(node: Function, context: ClientContext) -> Java:
    day, zone = (context.imports.use(f"java.time.{name}") for name in ("LocalDate", "ZoneOffset"))
    return Java(f"{day}.now().atStartOfDay({zone}.UTC).toInstant()")


def _null_or_empty(node: Function, context: ClientContext) -> Java:
    text = java(node.args[0], context)
    return joined("||", Level.OR, [is_null(text), Java(f"{text.piece}.isEmpty()")])


def _white_space(method: str) -> Callable[[Function, ClientContext], Java]:
    """Java's own strip() and isBlank() know no fixed space, which .NET does."""

    def write(node: Function, context: ClientContext) -> Java:
        context.helpers.add("WhiteSpace")
        name = context.imports.use(f"{context.model.base_package}.WhiteSpace")
        return Java(f"{name}.{method}({client_expression(node.args[0], context)})")

    return write


def _method(pattern: str) -> Callable[[Function, ClientContext], Java]:
    def write(node: Function, context: ClientContext) -> Java:
        return Java(pattern.format(*(nested(arg, context) for arg in node.args)))

    return write


def _letter_case(node: Function, context: ClientContext) -> Java:
    """Java's own methods turn ß into SS, and a final Σ into ς; neither databases nor .NET do."""
    case = "UPPER" if node.fn in (Fn.UPPER, Fn.UPPER_INVARIANT) else "LOWER"
    method = "of" if node.fn in (Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT) else "inDatabase"
    context.helpers.add("LetterCase")
    name = context.imports.use(f"{context.model.base_package}.LetterCase")
    return _unless_null(node.args[0], context, lambda text: f"{name}.{case}.{method}({text})")


def _unless_null(node: Expr, context: ClientContext, use: Callable[[Java], str]) -> Java:
    """Null for null, as in the database."""
    text = java(node, context)
    return conditional(is_null(text), Java("null"), Java(use(text))) if node.type.nullable else Java(use(text))


def _format_fixed(node: Function, context: ClientContext) -> Java:
    value, digits, grouped = node.args
    if not isinstance(digits, Const) or not isinstance(grouped, Const):
        raise Refusal("ToString", "the format is not a constant")
    context.helpers.add("Numbers")
    name = context.imports.use(f"{context.model.base_package}.Numbers")
    method = "grouped" if grouped.value else "fixed"
    return _unless_null(value, context, lambda text: f"{name}.{method}({text}, {digits.value})")


def _value(node: Function, context: ClientContext) -> Java:
    name = context.imports.use("java.util.Objects")
    return Java(f"{name}.requireNonNull({client_expression(node.args[0], context)})")


def _extreme(node: Function, context: ClientContext) -> Java:
    first, second = (client_expression(arg, context) for arg in node.args)
    name = "max" if node.fn is Fn.GREATEST else "min"
    if is_java_number(node.type):
        return Java(f"Math.{name}({first}, {second})")
    return Java(f"{nested(node.args[0], context)}.{name}({second})")


def _add_time(node: Function, context: ClientContext) -> Java:
    if kind_of(node.args[0].type) is Kind.DATEONLY:
        return Java(f"{nested(node.args[0], context)}{_plus(node, context)}")
    return Java(f"{_in_utc(node, context)}.toInstant()")


def _plus(node: Function, context: ClientContext) -> str:
    """`.plusMonths(1)`."""
    amount = node.args[1]
    if not is_integer(amount.type) and not (isinstance(amount, Const) and float(str(amount.value)).is_integer()):
        raise Refusal(node.fn.value, "a fraction of a unit cannot be added in Java")
    if node.fn is Fn.ADD_MILLISECONDS:
        return f".plus({_count(amount, context)}, {context.imports.use('java.time.temporal.ChronoUnit')}.MILLIS)"
    unit = {Fn.ADD_DAYS: "Days", Fn.ADD_MONTHS: "Months", Fn.ADD_YEARS: "Years", Fn.ADD_HOURS: "Hours",
            Fn.ADD_MINUTES: "Minutes", Fn.ADD_SECONDS: "Seconds"}[node.fn]  # fmt: skip
    return f".plus{unit}({_count(amount, context)})"


def _count(amount: Expr, context: ClientContext) -> str:
    return str(int(float(str(amount.value)))) if isinstance(amount, Const) else client_expression(amount, context)


def _in_utc(node: Expr, context: ClientContext) -> str:
    """A DateTime as OffsetDateTime, which knows the calendar."""
    zone = context.imports.use("java.time.ZoneOffset")
    if isinstance(node, Function) and node.fn in _ADDITIONS:
        return f"{_in_utc(node.args[0], context)}{_plus(node, context)}"
    if isinstance(node, Function) and node.fn is Fn.MAKE_DATE:
        return f"{_made(node, context)}.atOffset({zone}.UTC)"
    return f"{nested(node, context)}.atOffset({zone}.UTC)"


def _date_part(node: Function, context: ClientContext) -> Java:
    zone = context.imports.use("java.time.ZoneOffset")
    part = {Fn.YEAR: "getYear()", Fn.MONTH: "getMonthValue()", Fn.DAY: "getDayOfMonth()",
            Fn.DAY_OF_YEAR: "getDayOfYear()"}[node.fn]  # fmt: skip
    date = nested(node.args[0], context)
    return Java(
        f"{date}.{part}" if kind_of(node.args[0].type) is Kind.DATEONLY else f"{date}.atOffset({zone}.UTC).{part}"
    )


def _date(node: Function, context: ClientContext) -> Java:
    unit = context.imports.use("java.time.temporal.ChronoUnit")
    return Java(f"{nested(node.args[0], context)}.truncatedTo({unit}.DAYS)")


def _to_date(node: Function, context: ClientContext) -> Java:
    zone = context.imports.use("java.time.ZoneOffset")
    return Java(
        f"{context.imports.use('java.time.LocalDate')}.ofInstant({client_expression(node.args[0], context)}, {zone}.UTC)"
    )


def _make_date(node: Function, context: ClientContext) -> Java:
    made = _made(node, context)
    is_day = kind_of(node.type) is Kind.DATEONLY
    return Java(made if is_day else f"{made}.toInstant({context.imports.use('java.time.ZoneOffset')}.UTC)")


def _made(node: Function, context: ClientContext) -> str:
    """A LocalDate or LocalDateTime; Java refuses a date that does not exist, as C# does."""
    parts = [client_expression(arg, context) for arg in node.args]
    day = f"{context.imports.use('java.time.LocalDate')}.of({', '.join(parts[:3])})"
    if kind_of(node.type) is Kind.DATEONLY:
        return day
    return day + (f".atTime({', '.join(parts[3:])})" if parts[3:] else ".atStartOfDay()")


def _to_string(node: Function, context: ClientContext) -> Java:
    (value,) = node.args
    if is_integer(value.type) or is_string(value.type):
        return Java(f"String.valueOf({client_expression(value, context)})")
    raise Refusal("ToString", f"{describe(value.type)} is written differently in Java")


_TAKES_NULL = frozenset(
    {
        Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE, Fn.VALUE, Fn.FORMAT_FIXED,
        Fn.UPPER, Fn.LOWER, Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT,
    }
)  # fmt: skip
_ADDITIONS = (
    Fn.ADD_DAYS,
    Fn.ADD_MONTHS,
    Fn.ADD_YEARS,
    Fn.ADD_HOURS,
    Fn.ADD_MINUTES,
    Fn.ADD_SECONDS,
    Fn.ADD_MILLISECONDS,
)
_FUNCTIONS: dict[Fn, Callable[[Function, ClientContext], Java]] = {
    Fn.ROUND: _round,
    Fn.NOW: _now,
    Fn.UTC_NOW: _utc_now,
    Fn.TODAY: _today,
    Fn.IS_NULL_OR_EMPTY: _null_or_empty,
    Fn.IS_NULL_OR_WHITE_SPACE: _white_space("isBlank"),
    Fn.TRIM: _white_space("trim"),
    Fn.LENGTH: _method("{0}.length()"),
    **dict.fromkeys((Fn.UPPER, Fn.LOWER, Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT), _letter_case),
    Fn.FORMAT_FIXED: _format_fixed,
    Fn.VALUE: _value,
    Fn.LEAST: _extreme,
    Fn.GREATEST: _extreme,
    Fn.DATE: _date,
    Fn.TO_DATE: _to_date,
    Fn.MAKE_DATE: _make_date,
    Fn.TO_STRING: _to_string,
    Fn.ABS: _abs,
    **dict.fromkeys(_WHOLE, _whole_number),
    **dict.fromkeys(_ADDITIONS, _add_time),
    **dict.fromkeys((Fn.YEAR, Fn.MONTH, Fn.DAY, Fn.DAY_OF_YEAR), _date_part),
}
