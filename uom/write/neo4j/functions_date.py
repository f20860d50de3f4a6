"""Functions of dates and spans. DateTime is a local date and time, a TimeSpan an integer of 100 ns ticks."""

from __future__ import annotations

from uom.model.expressions import Fn
from uom.model.types import Kind, ScalarType
from uom.write.neo4j.functions import Call, Writer, unless_null, writes
from uom.write.neo4j.text import Level, Text, binary, call, integer, member, string
from uom.write.neo4j.values import Scalar

_FIELDS = {
    Fn.YEAR: "year", Fn.MONTH: "month", Fn.DAY: "day", Fn.DAY_OF_YEAR: "ordinalDay", Fn.HOUR: "hour",
    Fn.MINUTE: "minute", Fn.SECOND: "second", Fn.MILLISECOND: "millisecond",
}  # fmt: skip
_UNITS = {
    Fn.ADD_YEARS: "years", Fn.ADD_MONTHS: "months", Fn.ADD_DAYS: "days", Fn.ADD_HOURS: "hours",
    Fn.ADD_MINUTES: "minutes", Fn.ADD_SECONDS: "seconds", Fn.ADD_MILLISECONDS: "milliseconds",
}  # fmt: skip
_TICKS = {
    "milliseconds": 10_000,
    "seconds": 10_000_000,
    "minutes": 600_000_000,
    "hours": 36_000_000_000,
    "days": 864_000_000_000,
}


def _kind(call_: Call) -> Kind | None:
    type_ = call_.args[0].type
    return type_.kind if isinstance(type_, ScalarType) else None


def _wall_clock(call_: Call) -> Text:
    """Parts of a DateTimeOffset depend on its offset, which is not stored."""
    if _kind(call_) is Kind.DATETIMEOFFSET and call_.scope.semantics.offsets:
        raise call_.refuse("the offset of a DateTimeOffset is not stored, so its local time is not known")
    return call_.text()


def _field(name: str) -> Writer:
    return lambda call_: call_.result(member(_wall_clock(call_), name))


for _fn, _name in _FIELDS.items():
    writes(_fn)(_field(_name))


@writes(Fn.DAY_OF_WEEK)
def _day_of_week(call_: Call) -> Scalar:
    """Monday is 1 in Cypher and Sunday 7; in C# Sunday is 0."""
    return call_.result(binary(member(_wall_clock(call_), "dayOfWeek"), "%", integer(7), Level.MULTIPLY))


@writes(Fn.DATE)
def _date(call_: Call) -> Scalar:
    function = "datetime" if _kind(call_) is Kind.DATETIMEOFFSET else "localdatetime"
    return call_.result(unless_null(call_, call(f"{function}.truncate", string("day"), _wall_clock(call_))))


@writes(Fn.TO_DATE)
def _to_date(call_: Call) -> Scalar:
    return call_.result(call("date", _wall_clock(call_)))


@writes(Fn.DAY_NUMBER)
def _day_number(call_: Call) -> Scalar:
    first = call("date", string("0001-01-01"))
    return call_.result(member(call("duration.inDays", first, call_.text()), "days"))


@writes(Fn.TIME_OF_DAY)
def _time_of_day(call_: Call) -> Scalar:
    value = _wall_clock(call_)
    seconds = Text(f"{value}.hour * 3600 + {value}.minute * 60 + {value}.second", Level.ADD)
    ticks = binary(seconds, "*", integer(10_000_000), Level.MULTIPLY)
    rest = binary(member(value, "millisecond"), "*", integer(10_000), Level.MULTIPLY)
    return call_.result(binary(ticks, "+", rest, Level.ADD))


def _added(unit: str) -> Writer:
    def write(call_: Call) -> Scalar:
        if call_.args[1].scale is not None:
            raise call_.refuse("a decimal number of units")
        span = Text(f"duration({{{unit}: {call_.text(1)}}})")
        return call_.result(unless_null(call_, binary(call_.text(), "+", span, Level.ADD)))

    return write


for _fn, _unit in _UNITS.items():
    writes(_fn)(_added(_unit))


@writes(Fn.DATE_DIFF)
def _difference(call_: Call) -> Scalar:
    span = call("duration.inSeconds", call_.text(1), call_.text())
    return call_.result(binary(member(span, "milliseconds"), "*", integer(_TICKS["milliseconds"]), Level.MULTIPLY))


@writes(Fn.MAKE_DATE)
def _make_date(call_: Call) -> Scalar:
    names = ("year", "month", "day", "hour", "minute", "second")
    parts = ", ".join(f"{name}: {arg.text}" for name, arg in zip(names, call_.args, strict=False))
    type_ = call_.node.type
    function = "date" if isinstance(type_, ScalarType) and type_.kind is Kind.DATEONLY else "localdatetime"
    return call_.result(Text(f"{function}({{{parts}}})"))


def _part(unit: str, limit: int | None) -> Writer:
    """Whole units toward zero, within the next larger one."""

    def write(call_: Call) -> Scalar:
        whole = binary(call_.text(), "/", integer(_TICKS[unit]), Level.MULTIPLY)
        return call_.result(whole if limit is None else binary(whole, "%", integer(limit), Level.MULTIPLY))

    return write


for _fn, _unit, _limit in (
    (Fn.SPAN_DAYS, "days", None),
    (Fn.SPAN_HOURS, "hours", 24),
    (Fn.SPAN_MINUTES, "minutes", 60),
    (Fn.SPAN_SECONDS, "seconds", 60),
):
    writes(_fn)(_part(_unit, _limit))


def _total(unit: str) -> Writer:
    return lambda call_: call_.result(binary(call("toFloat", call_.text()), "/", integer(_TICKS[unit]), Level.MULTIPLY))


for _fn, _unit in (
    (Fn.TOTAL_DAYS, "days"),
    (Fn.TOTAL_HOURS, "hours"),
    (Fn.TOTAL_MINUTES, "minutes"),
    (Fn.TOTAL_SECONDS, "seconds"),
    (Fn.TOTAL_MILLISECONDS, "milliseconds"),
):
    writes(_fn)(_total(_unit))
