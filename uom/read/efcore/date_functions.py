"""Members and methods of dates, times, spans and Guids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Comparison, Const, Convert, Expr, Fn, Function, LogicalOp
from uom.model.types import DATETIME, DOUBLE, INT, TIMESPAN, Kind, ScalarType, as_nullable
from uom.read.csharp.enums import DAY_OF_WEEK
from uom.read.efcore.comparing import boolean, compare
from uom.read.efcore.entities import guard_client
from uom.read.efcore.folding import add_months, logical
from uom.read.efcore.functions import as_kind, function, scalars
from uom.read.efcore.operators import apply_binary
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import InstanceCall, Session, StaticCall
from uom.read.efcore.values import Argument, Scalar, Value

DATEONLY, TIMEONLY = ScalarType(Kind.DATEONLY), ScalarType(Kind.TIMEONLY)
GUID, OFFSET = ScalarType(Kind.GUID), ScalarType(Kind.DATETIMEOFFSET)
_PARTS: dict[str, tuple[Fn, Callable[[datetime], int]]] = {
    "Year": (Fn.YEAR, lambda d: d.year),
    "Month": (Fn.MONTH, lambda d: d.month),
    "Day": (Fn.DAY, lambda d: d.day),
    "DayOfYear": (Fn.DAY_OF_YEAR, lambda d: d.timetuple().tm_yday),
    "Hour": (Fn.HOUR, lambda d: d.hour),
    "Minute": (Fn.MINUTE, lambda d: d.minute),
    "Second": (Fn.SECOND, lambda d: d.second),
    "Millisecond": (Fn.MILLISECOND, lambda d: d.microsecond // 1000),
}
_SPANS: dict[str, tuple[Fn, ScalarType]] = {
    "Days": (Fn.SPAN_DAYS, INT),
    "Hours": (Fn.SPAN_HOURS, INT),
    "Minutes": (Fn.SPAN_MINUTES, INT),
    "Seconds": (Fn.SPAN_SECONDS, INT),
    "TotalDays": (Fn.TOTAL_DAYS, DOUBLE),
    "TotalHours": (Fn.TOTAL_HOURS, DOUBLE),
    "TotalMinutes": (Fn.TOTAL_MINUTES, DOUBLE),
    "TotalSeconds": (Fn.TOTAL_SECONDS, DOUBLE),
    "TotalMilliseconds": (Fn.TOTAL_MILLISECONDS, DOUBLE),
}
_UNITS: dict[str, tuple[Fn, str]] = {
    "AddDays": (Fn.ADD_DAYS, "days"),
    "AddHours": (Fn.ADD_HOURS, "hours"),
    "AddMinutes": (Fn.ADD_MINUTES, "minutes"),
    "AddSeconds": (Fn.ADD_SECONDS, "seconds"),
    "AddMilliseconds": (Fn.ADD_MILLISECONDS, "milliseconds"),
}


def part(name: str) -> Callable[[Session, Scalar, Node, Scope], Value]:
    fn, compute = _PARTS[name]

    def read(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
        if isinstance(target.expr, Const) and isinstance(target.expr.value, datetime):
            return Scalar(Const(compute(target.expr.value), INT), INT)
        return function(fn, INT, [target.expr], session.place(node, scope))

    return read


def day_of_week(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    number = function(Fn.DAY_OF_WEEK, INT, [target.expr], place)
    nullable = target.expr.type.nullable
    return Scalar(Convert(number.expr, as_nullable(DAY_OF_WEEK, nullable), place), DAY_OF_WEEK)


def midnight(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
    if isinstance(target.expr, Const) and isinstance(target.expr.value, datetime) and target.static == DATETIME:
        day = target.expr.value.replace(hour=0, minute=0, second=0, microsecond=0)
        return Scalar(Const(day, DATETIME), DATETIME)
    return function(Fn.DATE, DATETIME, [target.expr], session.place(node, scope))


def time_of_day(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
    return function(Fn.TIME_OF_DAY, TIMESPAN, [target.expr], session.place(node, scope))


def span_part(name: str) -> Callable[[Session, Scalar, Node, Scope], Value]:
    fn, type_ = _SPANS[name]

    def read(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
        return function(fn, type_, [target.expr], session.place(node, scope))

    return read


def add_unit(name: str) -> InstanceCall:
    """`AddDays(14)`: the number may have a fraction."""
    fn, unit = _UNITS[name]

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (amount,) = scalars(session, arguments, (1,), name, place)
        guard_client(session, target, f"{name}()", place)
        number = _whole_or_double(amount, target, name, place)
        value = target.expr.value if isinstance(target.expr, Const) else None
        if isinstance(number, Const) and isinstance(value, date):
            folded = _shifted(value, number.value, unit)
            if folded is not None:
                return Scalar(Const(folded, as_nullable(target.static, False), place), target.static)
        return function(fn, as_nullable(target.static, False), [target.expr, number], place)

    return call


def _whole_or_double(amount: Scalar, target: Scalar, name: str, place: Place) -> Expr:
    """An int stays an int: C# would make it a double, which changes nothing but the looks."""
    if isinstance(amount.static, ScalarType) and amount.static.kind is Kind.INT:
        return amount.expr
    if isinstance(target.static, ScalarType) and target.static.kind is Kind.DATEONLY:
        return as_kind(amount, Kind.INT, name, place)
    return as_kind(amount, Kind.DOUBLE, name, place)


def _shifted(value: date, amount: object, unit: str) -> date | None:
    if not isinstance(amount, int | float) or isinstance(amount, bool):
        return None
    try:
        result = value + timedelta(**{unit: amount})
    except (OverflowError, ValueError):
        return None
    return result


def add_calendar(fn: Fn, months: int, name: str) -> InstanceCall:
    """`AddMonths`, `AddYears`: the day is clipped to the month's end."""

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (amount,) = scalars(session, arguments, (1,), name, place)
        guard_client(session, target, f"{name}()", place)
        number = as_kind(amount, Kind.INT, name, place)
        value = target.expr.value if isinstance(target.expr, Const) else None
        if isinstance(number, Const) and isinstance(number.value, int) and isinstance(value, date):
            folded = add_months(value, number.value * months)
            if folded is not None:
                return Scalar(Const(folded, as_nullable(target.static, False), place), target.static)
        return function(fn, as_nullable(target.static, False), [target.expr, number], place)

    return call


def add_span(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (span,) = scalars(session, arguments, (1,), "Add", place)
    return apply_binary(session, "+", target, span, place)


def subtract_method(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (other,) = scalars(session, arguments, (1,), "Subtract", place)
    return apply_binary(session, "-", target, other, place)


def new_datetime(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`new DateTime(y, m, d[, h, m, s[, ms]][, DateTimeKind])`."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (0, 1, 3, 4, 6, 7, 8), "new DateTime", place)
    if not values:
        return Scalar(Const(datetime(1, 1, 1), DATETIME, place), DATETIME)
    kind = values.pop() if getattr(values[-1].static, "name", "") == "DateTimeKind" else None
    numbers = [as_kind(v, Kind.INT, "new DateTime", place) for v in values]
    if len(numbers) not in (3, 6, 7) or (kind is not None and not isinstance(kind.expr, Const)):
        raise Refusal("new DateTime()", "this overload is not supported", place, "Give year, month and day.")
    if all(isinstance(n, Const) for n in numbers):
        parts = [int(n.value) for n in numbers if isinstance(n, Const)]  # type: ignore[call-overload]
        if len(parts) == 7:
            parts[6] *= 1000
        try:
            return Scalar(Const(datetime(*parts), DATETIME, place), DATETIME)
        except ValueError as error:
            raise Refusal("new DateTime()", f"there is no such date ({error})", place, "Correct the date.") from error
    if len(numbers) == 7:
        raise Refusal("new DateTime()", "milliseconds are not supported", place, "Leave them out.")
    return function(Fn.MAKE_DATE, DATETIME, numbers, place)


def new_dateonly(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    numbers = [
        as_kind(v, Kind.INT, "new DateOnly", place) for v in scalars(session, arguments, (3,), "new DateOnly", place)
    ]
    parts = [n.value for n in numbers if isinstance(n, Const) and isinstance(n.value, int)]
    if len(parts) < len(numbers):
        return function(Fn.MAKE_DATE, DATEONLY, numbers, place)
    try:
        return Scalar(Const(date(*parts), DATEONLY, place), DATEONLY)
    except ValueError as error:
        raise Refusal("new DateOnly()", f"there is no such date ({error})", place, "Correct the date.") from error


def new_timeonly(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    numbers = _constants(session, arguments, (2, 3), "new TimeOnly", place)
    try:
        return Scalar(
            Const(time(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 0), TIMEONLY, place), TIMEONLY
        )
    except ValueError as error:
        raise Refusal("new TimeOnly()", f"there is no such time ({error})", place, "Correct the time.") from error


def new_timespan(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    numbers = _constants(session, arguments, (3, 4), "new TimeSpan", place)
    days = numbers.pop(0) if len(numbers) == 4 else 0
    span = timedelta(days=days, hours=numbers[0], minutes=numbers[1], seconds=numbers[2])
    return Scalar(Const(span, TIMESPAN, place), TIMESPAN)


def new_offset(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    values = scalars(session, arguments, (1, 2, 7), "new DateTimeOffset", place)
    parts = [v.expr.value for v in values if isinstance(v.expr, Const)]
    whole = [p for p in parts[:6] if isinstance(p, int)]
    if len(parts) == 7 and len(whole) == 6 and parts[6] == timedelta():
        try:
            year, month, day, hour, minute, second = whole
            instant = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
            return Scalar(Const(instant, OFFSET, place), OFFSET)
        except ValueError as error:
            raise Refusal("new DateTimeOffset()", f"no such date ({error})", place, "Correct it.") from error
    if len(parts) == 2 and isinstance(parts[0], datetime) and parts[1] == timedelta():
        return Scalar(Const(parts[0].replace(tzinfo=UTC), OFFSET, place), OFFSET)
    raise Refusal("new DateTimeOffset()", "only constants in UTC are supported", place, "Use TimeSpan.Zero.")


def _constants(
    session: Session, arguments: Sequence[Argument], counts: Sequence[int], name: str, place: Place
) -> list[int]:
    values = scalars(session, arguments, counts, name, place)
    numbers = [v.expr.value for v in values if isinstance(v.expr, Const)]
    whole = [n for n in numbers if isinstance(n, int)]
    if len(whole) != len(values):
        raise Refusal(f"{name}()", "only constants are supported", place, "Pass the value as a parameter.")
    return whole


def span_from(unit: str, name: str) -> StaticCall:
    """`TimeSpan.FromDays(7)`."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments, (1,), f"TimeSpan.{name}", place)
        number = value.expr.value if isinstance(value.expr, Const) else None
        if not isinstance(number, int | float | Decimal):
            raise Refusal(f"TimeSpan.{name}()", "only constants are supported", place, "Pass the TimeSpan itself.")
        return Scalar(Const(timedelta(**{unit: float(number)}), TIMESPAN, place), TIMESPAN)

    return call


def parse_date(type_: ScalarType, name: str) -> StaticCall:
    """`DateTime.Parse("1998-01-01")`: only constants in ISO form, which no culture reads differently."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments[:1], (1,), name, place)
        text = value.expr.value if isinstance(value.expr, Const) else None
        try:
            if not isinstance(text, str) or len(text) < 10:
                raise ValueError("no ISO date")
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None:
                raise ValueError("it names a time zone")
        except ValueError as error:
            raise Refusal(
                f"{name}()", 'only constants like "1998-01-31" are supported', place, "Use the constructor."
            ) from error
        return Scalar(Const(moment.date() if type_ == DATEONLY else moment, type_, place), type_)

    return call


def parse_guid(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (value,) = scalars(session, arguments, (1,), "Guid.Parse", place)
    try:
        if not isinstance(value.expr, Const):
            raise ValueError("not a constant")
        return Scalar(Const(UUID(str(value.expr.value)), GUID, place), GUID)
    except ValueError as error:
        raise Refusal("Guid.Parse()", "only constant Guids are supported", place, "Pass a Guid.") from error


def date_from(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`DateOnly.FromDateTime(x)`."""
    place = session.place(node, scope)
    (value,) = scalars(session, arguments, (1,), "DateOnly.FromDateTime", place)
    if isinstance(value.expr, Const) and isinstance(value.expr.value, datetime):
        return Scalar(Const(value.expr.value.date(), DATEONLY, place), DATEONLY)
    return function(Fn.TO_DATE, DATEONLY, [as_kind(value, Kind.DATETIME, "DateOnly.FromDateTime", place)], place)


def day_number(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
    return function(Fn.DAY_NUMBER, INT, [target.expr], session.place(node, scope))


def is_between(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`TimeOnly.IsBetween(start, end)`: EF Core compares with both, also when the end comes first."""
    place = session.place(node, scope)
    start, end = scalars(session, arguments, (2,), "IsBetween", place)
    guard_client(session, target, "IsBetween()", place)
    after = compare(session, Comparison.GE, target, start, place).expr
    return boolean(logical(LogicalOp.AND, after, compare(session, Comparison.LT, target, end, place).expr))


def moment(fn: Fn, type_: ScalarType = DATETIME) -> Callable[[], Scalar]:
    return lambda: Scalar(Function(fn, (), type_), type_)


def fixed(value: object, type_: ScalarType) -> Callable[[], Scalar]:
    return lambda: Scalar(Const(value, type_), type_)


def new_guid(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    if arguments:
        return parse_guid(session, arguments, node, scope)
    raise Refusal("Guid.NewGuid()", "a random value cannot be verified", session.place(node, scope), "Pass a Guid.")


_DATE_KINDS = ("DateTime", "DateTimeOffset", "DateOnly")
MEMBERS = {
    **{(kind, name): part(name) for kind in _DATE_KINDS for name in _PARTS},
    **{("TimeOnly", name): part(name) for name in ("Hour", "Minute", "Second", "Millisecond")},
    **{(kind, "DayOfWeek"): day_of_week for kind in _DATE_KINDS},
    ("DateTime", "Date"): midnight,
    ("DateOnly", "DayNumber"): day_number,
    ("DateTime", "TimeOfDay"): time_of_day,
    **{("TimeSpan", name): span_part(name) for name in _SPANS},
}
INSTANCES: dict[tuple[str, str], InstanceCall] = {
    **{(kind, name): add_unit(name) for kind in _DATE_KINDS[:2] for name in _UNITS},
    ("DateOnly", "AddDays"): add_unit("AddDays"),
    **{(kind, "AddMonths"): add_calendar(Fn.ADD_MONTHS, 1, "AddMonths") for kind in _DATE_KINDS},
    **{(kind, "AddYears"): add_calendar(Fn.ADD_YEARS, 12, "AddYears") for kind in _DATE_KINDS},
    ("TimeOnly", "IsBetween"): is_between,
    ("DateTime", "Add"): add_span,
    ("DateTime", "Subtract"): subtract_method,
}
STATICS: dict[tuple[str, str], StaticCall] = {
    ("DateTime", ".ctor"): new_datetime,
    ("DateOnly", ".ctor"): new_dateonly,
    ("TimeOnly", ".ctor"): new_timeonly,
    ("TimeSpan", ".ctor"): new_timespan,
    ("DateTimeOffset", ".ctor"): new_offset,
    ("Guid", ".ctor"): new_guid,
    ("Guid", "Parse"): parse_guid,
    ("Guid", "NewGuid"): new_guid,
    ("DateTime", "Parse"): parse_date(DATETIME, "DateTime.Parse"),
    ("DateOnly", "Parse"): parse_date(DATEONLY, "DateOnly.Parse"),
    ("DateOnly", "FromDateTime"): date_from,
    **{
        ("TimeSpan", f"From{unit.capitalize()}"): span_from(unit, f"From{unit.capitalize()}")
        for unit in ("days", "hours", "minutes", "seconds", "milliseconds")
    },
}
STATIC_MEMBERS: dict[tuple[str, str], Callable[[], Scalar]] = {
    ("DateTime", "Now"): moment(Fn.NOW),
    ("DateTime", "UtcNow"): moment(Fn.UTC_NOW),
    ("DateTime", "Today"): moment(Fn.TODAY),
    ("DateTime", "MinValue"): fixed(datetime(1, 1, 1), DATETIME),
    ("DateTimeOffset", "UtcNow"): moment(Fn.UTC_NOW, OFFSET),
    ("DateTimeOffset", "Now"): moment(Fn.NOW, OFFSET),
    ("DateOnly", "MinValue"): fixed(date(1, 1, 1), DATEONLY),
    ("TimeSpan", "Zero"): fixed(timedelta(), TIMESPAN),
    ("Guid", "Empty"): fixed(UUID(int=0), GUID),
}
