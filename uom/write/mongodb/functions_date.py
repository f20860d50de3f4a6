"""Dates and spans. A DateTime is a BSON date read as UTC; a TimeSpan counts ticks of 100 ns."""

from __future__ import annotations

from datetime import date

from bson import Int64

from uom.model.diagnostics import Refusal
from uom.model.expressions import Fn, Function
from uom.model.types import Kind, ScalarType
from uom.write.mongodb.expressions import literal, scalar
from uom.write.mongodb.functions import Call, Operand, null_safe, writes
from uom.write.mongodb.tree import Bson

_PARTS = {
    Fn.YEAR: "$year",
    Fn.MONTH: "$month",
    Fn.DAY: "$dayOfMonth",
    Fn.DAY_OF_YEAR: "$dayOfYear",
    Fn.HOUR: "$hour",
    Fn.MINUTE: "$minute",
    Fn.SECOND: "$second",
    Fn.MILLISECOND: "$millisecond",
}
_UNITS = {
    Fn.ADD_YEARS: "year",
    Fn.ADD_MONTHS: "month",
    Fn.ADD_DAYS: "day",
    Fn.ADD_HOURS: "hour",
    Fn.ADD_MINUTES: "minute",
    Fn.ADD_SECONDS: "second",
    Fn.ADD_MILLISECONDS: "millisecond",
}
_MILLISECONDS = {"day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1000, "millisecond": 1}


@writes(*_PARTS)
def _part(call: Call) -> Bson:
    return {_PARTS[call.node.fn]: _wall_clock(call, call.args[0])}


def _wall_clock(call: Call, operand: Operand) -> Bson:
    """Parts of a DateTimeOffset depend on its offset, which is not stored."""
    if isinstance(operand.type, ScalarType) and operand.type.kind is Kind.DATETIMEOFFSET:
        raise call.refuse("the offset of a DateTimeOffset is not stored, so its local time is not known")
    return operand.tree


@writes(Fn.DAY_OF_WEEK)
def _day_of_week(call: Call) -> Bson:
    return {"$subtract": [{"$dayOfWeek": _wall_clock(call, call.args[0])}, 1]}


@writes(Fn.DATE, Fn.TO_DATE)
def _date(call: Call) -> Bson:
    return {"$dateTrunc": {"date": _wall_clock(call, call.args[0]), "unit": "day"}}


@writes(Fn.TIME_OF_DAY)
def _time_of_day(call: Call) -> Bson:
    moment = _wall_clock(call, call.args[0])
    return {"$multiply": [{"$subtract": [moment, {"$dateTrunc": {"date": moment, "unit": "day"}}]}, 10_000]}


@writes(*_UNITS)
def _add(call: Call) -> Bson:
    start, amount = call.args
    unit = _UNITS[call.node.fn]
    value = amount.constant
    if unit in ("year", "month") or (isinstance(value, int | float) and float(value).is_integer()):
        count = int(value) if isinstance(value, int | float) else amount.tree
        return {"$dateAdd": {"startDate": start.tree, "unit": unit, "amount": count}}
    # C# rounds the product to whole milliseconds
    return {"$add": [start.tree, {"$round": {"$multiply": [amount.tree, _MILLISECONDS[unit]]}}]}


@writes(Fn.DAY_NUMBER)
def _day_number(call: Call) -> Bson:
    first = literal(date(1, 1, 1), ScalarType(Kind.DATEONLY))
    return {"$toInt": {"$divide": [{"$subtract": [call.args[0].tree, first]}, _MILLISECONDS["day"]]}}


@writes(Fn.DATE_DIFF)
def _difference(call: Call) -> Bson:
    left, right = call.args
    return {"$multiply": [{"$subtract": [left.tree, right.tree]}, 10_000]}


@writes(Fn.MAKE_DATE)
def _make_date(call: Call) -> Bson:
    names = ("year", "month", "day", "hour", "minute", "second")
    parts = {name: arg.tree for name, arg in zip(names, call.args, strict=False)}
    return null_safe(call.args, {"$dateFromParts": parts})


_SPAN_PARTS = {
    Fn.SPAN_DAYS: (86_400_000, 0),
    Fn.SPAN_HOURS: (3_600_000, 24),
    Fn.SPAN_MINUTES: (60_000, 60),
    Fn.SPAN_SECONDS: (1000, 60),
}
_TOTALS = {
    Fn.TOTAL_DAYS: 86_400_000,
    Fn.TOTAL_HOURS: 3_600_000,
    Fn.TOTAL_MINUTES: 60_000,
    Fn.TOTAL_SECONDS: 1000,
    Fn.TOTAL_MILLISECONDS: 1,
}


@writes(*_SPAN_PARTS)
def _span_part(call: Call) -> Bson:
    unit, modulus = _SPAN_PARTS[call.node.fn]
    whole: Bson = {"$trunc": {"$divide": _over(call, unit)}}
    return {"$toInt": {"$mod": [whole, modulus]} if modulus else whole}


@writes(*_TOTALS)
def _total(call: Call) -> Bson:
    over = _over(call, _TOTALS[call.node.fn])
    return {"$divide": over} if over[1] != 1 else {"$toDouble": over[0]}


def _over(call: Call, unit: int) -> list[Bson]:
    """[span, unit] in one measure: milliseconds when the span is the difference of two dates, else ticks."""
    node = call.node.args[0]
    if isinstance(node, Function) and node.fn is Fn.DATE_DIFF:
        dates = [scalar(arg, call.scope)[0] for arg in node.args]
        return [{"$subtract": dates}, unit]
    ticks = unit * 10_000
    return [call.args[0].tree, ticks if ticks < 2**31 else Int64(ticks)]


@writes(Fn.NOW, Fn.UTC_NOW, Fn.TODAY)
def _clock(call: Call) -> Bson:
    raise Refusal(call.node.fn.value, "the clock is read in Java and cannot be combined like this", call.node.place)
