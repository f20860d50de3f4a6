"""Functions that Java computes itself."""
# ruff: noqa: ARG001  (every function has the table's signature)

from __future__ import annotations

from collections.abc import Callable

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function
from uom.model.program import Rounding
from uom.model.types import Kind, describe, is_integer, is_string
from uom.write.java.client import (
    ClientContext,
    client_expression,
    is_java_number,
    kind_of,
    nested,
    register,
)


@register(Function)
def _function(node: Expr, context: ClientContext) -> str:
    assert isinstance(node, Function)
    writer = _FUNCTIONS.get(node.fn)
    if writer is None:
        raise Refusal(node.fn.value, "cannot be computed in Java")
    if any(arg.type.nullable for arg in node.args) and node.fn not in _TAKES_NULL:
        raise Refusal(node.fn.value, "an argument may be null")
    return writer(node, context)


def _round(node: Function, context: ClientContext) -> str:
    number, *digits = node.args
    places = digits[0].value if digits and isinstance(digits[0], Const) else 0
    if kind_of(number.type) is Kind.DOUBLE:
        return _rounded_double(number, places, context)
    if kind_of(number.type) is not Kind.DECIMAL:
        raise Refusal("Round", "only decimals and doubles are rounded in Java")
    mode = "HALF_EVEN"  # what C# does outside the database
    return f"{nested(number, context)}.setScale({places}, {context.imports.use('java.math.RoundingMode')}.{mode})"


def _rounded_double(number: Expr, places: object, context: ClientContext) -> str:
    """What the double really is, rounded as the source's database does it."""
    decimal, mode = (context.imports.use(f"java.math.{name}") for name in ("BigDecimal", "RoundingMode"))
    way = "HALF_EVEN" if context.semantics.double_rounding is Rounding.TO_EVEN else "HALF_UP"
    text = client_expression(number, context)
    return f"new {decimal}({text}).setScale({places}, {mode}.{way}).doubleValue()"


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
    return f"{text} == null || {text}.isEmpty()"


def _white_space(method: str) -> Callable[[Function, ClientContext], str]:
    """Java's own strip() and isBlank() know no fixed space, which .NET does."""

    def write(node: Function, context: ClientContext) -> str:
        context.helpers.add("WhiteSpace")
        name = context.imports.use(f"{context.model.base_package}.WhiteSpace")
        return f"{name}.{method}({client_expression(node.args[0], context)})"

    return write


def _method(pattern: str) -> Callable[[Function, ClientContext], str]:
    def write(node: Function, context: ClientContext) -> str:
        return pattern.format(*(nested(arg, context) for arg in node.args))

    return write


def _letter_case(node: Function, context: ClientContext) -> str:
    """Java's own methods turn ß into SS, and a final Σ into ς; neither databases nor .NET do."""
    case = "UPPER" if node.fn in (Fn.UPPER, Fn.UPPER_INVARIANT) else "LOWER"
    method = "of" if node.fn in (Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT) else "inDatabase"
    context.helpers.add("LetterCase")
    name = context.imports.use(f"{context.model.base_package}.LetterCase")
    return _unless_null(node.args[0], context, lambda text: f"{name}.{case}.{method}({text})")


def _unless_null(node: Expr, context: ClientContext, use: Callable[[str], str]) -> str:
    """Null for null, as in the database."""
    text = client_expression(node, context)
    return f"{nested(node, context)} == null ? null : {use(text)}" if node.type.nullable else use(text)


def _format_fixed(node: Function, context: ClientContext) -> str:
    value, digits, grouped = node.args
    if not isinstance(digits, Const) or not isinstance(grouped, Const):
        raise Refusal("ToString", "the format is not a constant")
    context.helpers.add("Numbers")
    name = context.imports.use(f"{context.model.base_package}.Numbers")
    method = "grouped" if grouped.value else "fixed"
    return _unless_null(value, context, lambda text: f"{name}.{method}({text}, {digits.value})")


def _value(node: Function, context: ClientContext) -> str:
    return f"{context.imports.use('java.util.Objects')}.requireNonNull({client_expression(node.args[0], context)})"


def _extreme(node: Function, context: ClientContext) -> str:
    first, second = (client_expression(arg, context) for arg in node.args)
    name = "max" if node.fn is Fn.GREATEST else "min"
    if is_java_number(node.type):
        return f"Math.{name}({first}, {second})"
    return f"{nested(node.args[0], context)}.{name}({second})"


def _add_time(node: Function, context: ClientContext) -> str:
    if kind_of(node.args[0].type) is Kind.DATEONLY:
        return f"{nested(node.args[0], context)}{_plus(node, context)}"
    return f"{_in_utc(node, context)}.toInstant()"


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


def _date_part(node: Function, context: ClientContext) -> str:
    zone = context.imports.use("java.time.ZoneOffset")
    part = {Fn.YEAR: "getYear()", Fn.MONTH: "getMonthValue()", Fn.DAY: "getDayOfMonth()",
            Fn.DAY_OF_YEAR: "getDayOfYear()"}[node.fn]  # fmt: skip
    date = nested(node.args[0], context)
    return f"{date}.{part}" if kind_of(node.args[0].type) is Kind.DATEONLY else f"{date}.atOffset({zone}.UTC).{part}"


def _date(node: Function, context: ClientContext) -> str:
    unit = context.imports.use("java.time.temporal.ChronoUnit")
    return f"{nested(node.args[0], context)}.truncatedTo({unit}.DAYS)"


def _to_date(node: Function, context: ClientContext) -> str:
    zone = context.imports.use("java.time.ZoneOffset")
    return f"{context.imports.use('java.time.LocalDate')}.ofInstant({client_expression(node.args[0], context)}, {zone}.UTC)"


def _make_date(node: Function, context: ClientContext) -> str:
    made = _made(node, context)
    is_day = kind_of(node.type) is Kind.DATEONLY
    return made if is_day else f"{made}.toInstant({context.imports.use('java.time.ZoneOffset')}.UTC)"


def _made(node: Function, context: ClientContext) -> str:
    """A LocalDate or LocalDateTime; Java refuses a date that does not exist, as C# does."""
    parts = [client_expression(arg, context) for arg in node.args]
    day = f"{context.imports.use('java.time.LocalDate')}.of({', '.join(parts[:3])})"
    if kind_of(node.type) is Kind.DATEONLY:
        return day
    return day + (f".atTime({', '.join(parts[3:])})" if parts[3:] else ".atStartOfDay()")


def _to_string(node: Function, context: ClientContext) -> str:
    (value,) = node.args
    if is_integer(value.type) or is_string(value.type):
        return f"String.valueOf({client_expression(value, context)})"
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
_FUNCTIONS: dict[Fn, Callable[[Function, ClientContext], str]] = {
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
    Fn.ABS: lambda node, context: (
        f"Math.abs({client_expression(node.args[0], context)})"
        if is_java_number(node.type)
        else f"{nested(node.args[0], context)}.abs()"
    ),
    **dict.fromkeys(_ADDITIONS, _add_time),
    **dict.fromkeys((Fn.YEAR, Fn.MONTH, Fn.DAY, Fn.DAY_OF_YEAR), _date_part),
}
