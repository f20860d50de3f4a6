"""Format strings of dates and whole numbers that can be spelled out with plain functions."""

from __future__ import annotations

import re

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import Conditional, Const, Expr, Fn, Function, IsNull
from uom.model.types import BOOL, INT, INTEGERS, STRING, Kind, ScalarType, as_nullable
from uom.read.efcore.session import Session
from uom.read.efcore.texts import concat
from uom.read.efcore.values import Scalar

_TOKEN = re.compile(r"(?P<part>([yMdHmsf])\2*)|(?P<culture>[/:])|'[^']*'|\\.|[^\w/:%]+|[TZ_]")
_PARTS: dict[str, tuple[Fn, int]] = {
    "yyyy": (Fn.YEAR, 4),
    "MM": (Fn.MONTH, 2),
    "dd": (Fn.DAY, 2),
    "HH": (Fn.HOUR, 2),
    "mm": (Fn.MINUTE, 2),
    "ss": (Fn.SECOND, 2),
    "fff": (Fn.MILLISECOND, 3),
    "M": (Fn.MONTH, 1),
    "d": (Fn.DAY, 1),
    "H": (Fn.HOUR, 1),
    "m": (Fn.MINUTE, 1),
    "s": (Fn.SECOND, 1),
}
_DATES = frozenset({Kind.DATETIME, Kind.DATEONLY})
_FIXED = re.compile(r"([NnFf])(\d?)|(#,##)?0(\.(0+))?")
_ZERO_PADDED = re.compile(r"[dD](\d{1,2})|(0{1,9})")


def formatted(session: Session, value: Scalar, pattern: str, place: Place | None) -> Scalar:
    """The text of a value in a format. EF Core formats on the client, so a filter cannot contain it."""
    session.client_only(f'ToString("{pattern}")', place, "Compare the value itself, not its text.")
    type_ = value.static
    if isinstance(type_, ScalarType) and type_.kind in _DATES:
        return _date(session, value, pattern, place)
    fixed = _fixed(session, value, pattern, place)
    if fixed is not None:
        return fixed
    match = _ZERO_PADDED.fullmatch(pattern)
    if isinstance(type_, ScalarType) and type_.kind in INTEGERS and match is not None:
        width = int(match.group(1)) if match.group(1) else len(match.group(2))
        if type_.kind in (Kind.BYTE, Kind.USHORT, Kind.UINT, Kind.ULONG):
            return Scalar(_padded(value.expr, width, place), STRING)
    raise Refusal(
        f'ToString("{pattern}")',
        "the result depends on the culture or the format has no counterpart",
        place,
        "Select the value itself and format it where it is shown.",
    )


def _fixed(session: Session, value: Scalar, pattern: str, place: Place | None) -> Scalar | None:
    """`N2`, `F2`, `0.00`, `#,##0.00` of a decimal."""
    match = _FIXED.fullmatch(pattern)
    if match is None or not isinstance(value.static, ScalarType) or value.static.kind is not Kind.DECIMAL:
        return None
    letter, count, group, _, zeros = match.groups()
    digits = int(count) if count else 2 if letter else len(zeros or "")
    grouped = letter in ("N", "n") or group is not None
    _as_invariant(session, pattern, place)
    arguments = (value.expr, Const(digits, INT, place), Const(grouped, BOOL, place))
    type_ = as_nullable(STRING, value.expr.type.nullable)
    return Scalar(Function(Fn.FORMAT_FIXED, arguments, type_, place), STRING)


def _date(session: Session, value: Scalar, pattern: str, place: Place | None) -> Scalar:
    """`yyyy-MM`: parts of the date with leading zeros."""
    parts: list[Scalar] = []
    at = 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        token = match.group() if match is not None else ""
        known = _PARTS.get(token)
        if match is None or len(pattern) < 2 or (match["part"] and known is None):
            raise Refusal(
                f'ToString("{pattern}")',
                "the format depends on the culture or is not supported",
                place,
                "Use yyyy, MM, dd, HH, mm, ss and marks between them, or format where it is shown.",
            )
        at = match.end()
        if match["culture"]:
            _as_invariant(session, pattern, place)
        if known is not None:
            part = Function(known[0], (value.expr,), as_nullable(INT, value.expr.type.nullable), place)
            parts.append(Scalar(_padded(part, known[1], place), STRING))
        else:
            text = token[1:-1] if token.startswith("'") else token.removeprefix("\\")
            parts.append(Scalar(Const(text, STRING, place), STRING))
    whole = concat(parts, place)
    if not value.expr.type.nullable:
        return whole
    nothing = Const(None, as_nullable(STRING), place)
    return Scalar(Conditional(IsNull(value.expr, place), nothing, whole.expr, as_nullable(STRING), place), STRING)


def _as_invariant(session: Session, pattern: str, place: Place | None) -> None:
    session.note(
        Severity.CONVENTION,
        f'ToString("{pattern}")',
        "the text is that of the invariant culture; C# would ask the current one",
        place,
        "Run the C# with the invariant culture, or format where the text is shown.",
    )


def _padded(number: Expr, width: int, place: Place | None) -> Expr:
    text_type = as_nullable(STRING, number.type.nullable)
    text = Function(Fn.TO_STRING, (number,), text_type, place)
    if width == 1:
        return text
    zero = Const("0", ScalarType(Kind.CHAR), place)
    return Function(Fn.PAD_LEFT, (text, Const(width, INT, place), zero), text_type, place)
