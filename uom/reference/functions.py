"""What each function of the algebra means, on values that are not null unless the function says otherwise."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from uom.model.defaults import WHITE_SPACE
from uom.model.expressions import Fn
from uom.model.program import Rounding, Semantics
from uom.model.types import FLOATS, EnumType, Kind, ScalarType, Type
from uom.reference import csharp_numbers
from uom.reference.values import QueryError

CSHARP = Semantics(rounding=Rounding.TO_EVEN, double_rounding=Rounding.TO_EVEN)
"""What a method computes itself, around its queries, is C#: text is compared exactly, Math.Round rounds to even."""


def case_folded(text: str, semantics: Semantics) -> str:
    return text if semantics.case_sensitive else text.casefold()


_CLASSES = {"Z": 0, "C": 0, "P": 1, "S": 2, "N": 3, "L": 4, "M": 5}


def sort_text(text: str, semantics: Semantics) -> tuple[object, ...] | str:
    """What text sorts by. Where case is ignored the order is a linguistic one: base letters first, then accents;

    blanks, punctuation, symbols and digits come before letters.
    """
    if semantics.case_sensitive:
        return text
    bases: list[tuple[int, str]] = []
    accents: list[tuple[int, str]] = []
    for c in unicodedata.normalize("NFD", text.casefold()):
        category = unicodedata.category(c)[0]
        if category == "M":
            accents.append((len(bases), c))
        else:
            bases.append((_CLASSES[category], c))
    return (tuple(bases), tuple(accents))


def like(text: str, pattern: str, escape: str | None, semantics: Semantics) -> bool:
    """SQL LIKE with `%` and `_`."""
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        c = pattern[position]
        if escape is not None and c == escape and position + 1 < len(pattern):
            position += 1
            parts.append(re.escape(pattern[position]))
        else:
            parts.append(".*" if c == "%" else "." if c == "_" else re.escape(c))
        position += 1
    flags = re.DOTALL if semantics.case_sensitive else re.DOTALL | re.IGNORECASE
    return re.fullmatch("".join(parts), text, flags) is not None


def substring(text: str, start: int, length: int | None = None) -> str:
    if start < 0 or (length is not None and length < 0):
        raise QueryError("ArgumentOutOfRangeException", "Substring with a negative argument")
    return text[start:] if length is None else text[start : start + length]


def rounded(value: Any, digits: int, semantics: Semantics) -> Any:
    """Math.Round on decimals and doubles, midpoints as the source's database has them.

    To even rounds C# itself, which does a double in a way of its own: 1.355 to two digits is 1.36.
    """
    if not isinstance(value, float | Decimal):
        return value
    rounding = semantics.double_rounding if isinstance(value, float) else semantics.rounding
    if rounding is Rounding.TO_EVEN:
        return csharp_numbers.rounded(value, digits)
    unit = Decimal(1).scaleb(-digits)
    if isinstance(value, Decimal):
        return value.quantize(unit, ROUND_HALF_UP, _EXACT)
    if not math.isfinite(value):
        return value
    # To digits a database rounds the number that people read: 1.355 is a midpoint, though its double is a little less.
    read = Decimal(f"{value:.15g}") if digits > 0 else Decimal(value)
    return float(read.quantize(unit, ROUND_HALF_UP, _EXACT))


_EXACT = Context(prec=400)
"""No digit of a double or decimal is lost in it."""


def _quantized(value: Any, mode: str) -> Any:
    if isinstance(value, Decimal):
        return value.to_integral_value(rounding=mode)
    if isinstance(value, float) and math.isfinite(value):
        return float(Decimal(value).to_integral_value(rounding=mode))
    return value


def add_months(value: Any, months: int) -> Any:
    total = value.year * 12 + value.month - 1 + int(months)
    year, month = divmod(total, 12)
    last = [
        31,
        29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ]
    return value.replace(year=year, month=month + 1, day=min(value.day, last[month]))


def _span(unit: str) -> Callable[..., Any]:
    return lambda value, amount: value + timedelta(**{unit: float(amount)})


def _whole(span: timedelta, unit: timedelta) -> int:
    """Whole units toward zero."""
    quotient = abs(span) // unit
    return -quotient if span < timedelta(0) else quotient


def to_text(value: Any, type_: Type) -> str:
    """ToString in the invariant culture."""
    if isinstance(type_, EnumType):
        names = {number: name for name, number in reversed(type_.members)}
        return names.get(value, str(value))
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def parse_number(text: str, type_: Type) -> Any:
    try:
        assert isinstance(type_, ScalarType)
        if type_.kind is Kind.DECIMAL:
            return Decimal(text.strip())
        return float(text) if type_.kind in FLOATS else int(text.strip())
    except (ValueError, ArithmeticError) as error:
        raise QueryError("FormatException", f"'{text}' is not a number") from error


def _sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def _log(value: Any, base: Any = None) -> float:
    return math.log(value) if base is None else math.log(value, base)


def _upper(text: str) -> str:
    """Letter by letter, as databases do it: ß stays what it is."""
    return "".join(u if len(u := c.upper()) == 1 else c for c in text)


def _lower(text: str) -> str:
    return text.replace("İ", "i").lower()


def _format_fixed(value: Decimal, digits: int, grouped: bool) -> str:
    scale = Decimal(1).scaleb(-digits)
    rounded_value = value.quantize(scale, ROUND_HALF_UP, _EXACT)
    return format(
        rounded_value.copy_abs() if rounded_value == 0 else rounded_value, f"{',' if grouped else ''}.{digits}f"
    )


def _midnight(value: Any) -> Any:
    return value.replace(hour=0, minute=0, second=0, microsecond=0) if isinstance(value, datetime) else value


def _time_of_day(value: Any) -> timedelta:
    return timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)


def _make_date(*parts: Any) -> datetime:
    try:
        return datetime(*parts)
    except ValueError as error:
        raise QueryError("ArgumentOutOfRangeException", str(error)) from error


SIMPLE: dict[Fn, Callable[..., Any]] = {
    Fn.UPPER: _upper,
    Fn.LOWER: _lower,
    Fn.UPPER_INVARIANT: lambda s: "".join(c if c in "ıſ" else _upper(c) for c in s),
    Fn.LOWER_INVARIANT: lambda s: "".join(c if c == "İ" else _lower(c) for c in s),
    Fn.FORMAT_FIXED: _format_fixed,
    Fn.SUBSTRING: substring,
    Fn.CHAR_AT: lambda s, i: s[i] if 0 <= i < len(s) else "",
    Fn.PAD_LEFT: lambda s, width, c=" ": s.rjust(width, c),
    Fn.PAD_RIGHT: lambda s, width, c=" ": s.ljust(width, c),
    Fn.ABS: abs,
    Fn.FLOOR: lambda x: _quantized(x, ROUND_FLOOR),
    Fn.CEILING: lambda x: _quantized(x, ROUND_CEILING),
    Fn.TRUNCATE: lambda x: _quantized(x, ROUND_DOWN),
    Fn.SQRT: lambda x: math.sqrt(x) if x >= 0 else math.nan,
    Fn.POW: lambda x, y: float(x) ** float(y),
    Fn.EXP: math.exp,
    Fn.LOG: _log,
    Fn.LOG10: math.log10,
    Fn.SIGN: _sign,
    Fn.LEAST: min,
    Fn.GREATEST: max,
    Fn.YEAR: lambda d: d.year,
    Fn.MONTH: lambda d: d.month,
    Fn.DAY: lambda d: d.day,
    Fn.DAY_OF_YEAR: lambda d: d.timetuple().tm_yday,
    Fn.DAY_OF_WEEK: lambda d: (d.weekday() + 1) % 7,
    Fn.HOUR: lambda d: d.hour,
    Fn.MINUTE: lambda d: d.minute,
    Fn.SECOND: lambda d: d.second,
    Fn.MILLISECOND: lambda d: d.microsecond // 1000,
    Fn.DATE: _midnight,
    Fn.TIME_OF_DAY: _time_of_day,
    Fn.TO_DATE: lambda d: d.date(),
    Fn.DAY_NUMBER: lambda d: d.toordinal() - 1,
    Fn.ADD_YEARS: lambda d, n: add_months(d, 12 * n),
    Fn.ADD_MONTHS: add_months,
    Fn.ADD_DAYS: _span("days"),
    Fn.ADD_HOURS: _span("hours"),
    Fn.ADD_MINUTES: _span("minutes"),
    Fn.ADD_SECONDS: _span("seconds"),
    Fn.ADD_MILLISECONDS: _span("milliseconds"),
    Fn.DATE_DIFF: lambda a, b: a - b,
    Fn.MAKE_DATE: _make_date,
    Fn.SPAN_DAYS: lambda s: _whole(s, timedelta(days=1)),
    Fn.SPAN_HOURS: lambda s: int(math.fmod(_whole(s, timedelta(hours=1)), 24)),
    Fn.SPAN_MINUTES: lambda s: int(math.fmod(_whole(s, timedelta(minutes=1)), 60)),
    Fn.SPAN_SECONDS: lambda s: int(math.fmod(_whole(s, timedelta(seconds=1)), 60)),
    Fn.TOTAL_DAYS: lambda s: s / timedelta(days=1),
    Fn.TOTAL_HOURS: lambda s: s / timedelta(hours=1),
    Fn.TOTAL_MINUTES: lambda s: s / timedelta(minutes=1),
    Fn.TOTAL_SECONDS: lambda s: s / timedelta(seconds=1),
    Fn.TOTAL_MILLISECONDS: lambda s: s / timedelta(milliseconds=1),
    Fn.HAS_FLAG: lambda value, flag: value & flag == flag,
}


def _contains(semantics: Semantics, text: str, part: str) -> bool:
    return case_folded(part, semantics) in case_folded(text, semantics)


def _index_of(semantics: Semantics, text: str, part: str) -> int:
    return case_folded(text, semantics).find(case_folded(part, semantics))


def _length(semantics: Semantics, text: str) -> int:
    """SQL Server's LEN does not count trailing blanks."""
    return len(text.rstrip(" ") if semantics.ignore_trailing_blanks else text)


def _replace(semantics: Semantics, text: str, old: str, new: str) -> str:
    if not old:
        return text
    flags = re.NOFLAG if semantics.case_sensitive else re.IGNORECASE
    return re.sub(re.escape(old), lambda _: new, text, flags=flags)


def _white_space(semantics: Semantics) -> str:
    return WHITE_SPACE if semantics.trimmed is None else semantics.trimmed


IN_CSHARP = frozenset({Fn.ROUND, Fn.TRIM, Fn.TRIM_START, Fn.TRIM_END, Fn.IS_NULL_OR_WHITE_SPACE})
"""What EF Core computes itself, as C# does, where it needs no row."""

WITH_SEMANTICS: dict[Fn, Callable[..., Any]] = {
    Fn.TRIM: lambda s, text: text.strip(_white_space(s)),
    Fn.TRIM_START: lambda s, text: text.lstrip(_white_space(s)),
    Fn.TRIM_END: lambda s, text: text.rstrip(_white_space(s)),
    Fn.IS_NULL_OR_WHITE_SPACE: lambda s, text: text.strip(_white_space(s)) == "",
    Fn.LENGTH: _length,
    Fn.REPLACE: _replace,
    Fn.CONTAINS: _contains,
    Fn.STARTS_WITH: lambda s, text, part: case_folded(text, s).startswith(case_folded(part, s)),
    Fn.ENDS_WITH: lambda s, text, part: case_folded(text, s).endswith(case_folded(part, s)),
    Fn.INDEX_OF: _index_of,
    Fn.LIKE: lambda s, text, pattern, escape=None: like(text, pattern, escape, s),
    Fn.ROUND: lambda s, x, digits=0: rounded(x, digits, s),
}

TRUE_ON_NULL = frozenset({Fn.IS_NULL_OR_WHITE_SPACE})
FALSE_ON_NULL = frozenset({Fn.CONTAINS, Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.LIKE})


def _value(x: Any) -> Any:
    if x is None:
        raise QueryError("InvalidOperationException", "Nullable object must have a value")
    return x


NULL_TOLERANT: dict[Fn, Callable[..., Any]] = {
    Fn.IS_NULL_OR_EMPTY: lambda s: s is None or s == "",
    Fn.VALUE: _value,
    Fn.JOIN: lambda separator, *items: join_texts(separator or "", items),
}

CLOCK: dict[Fn, Callable[[datetime], datetime]] = {
    Fn.NOW: lambda now: now,
    Fn.UTC_NOW: lambda now: now,
    Fn.TODAY: lambda now: now.replace(hour=0, minute=0, second=0, microsecond=0),
}


def join_texts(separator: str, items: Sequence[Any]) -> str:
    """string.Join: of the items of one list, or of the arguments themselves; null counts as empty text."""
    parts = [part for item in items for part in (item if isinstance(item, list) else [item])]
    return separator.join("" if part is None else str(part) for part in parts)


def wall_clock() -> datetime:
    """Now, to the millisecond, as the UTC wall clock."""
    now = datetime.now(UTC).replace(tzinfo=None)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def comparable(value: Any) -> Any:
    """Dates of mixed kinds compared as what they share; all else unchanged."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value
