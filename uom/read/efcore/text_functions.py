"""Members and methods of `string` and `char`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Comparison, Const, Expr, Fn, Subquery
from uom.model.queries import Values
from uom.model.types import BOOL, INT, STRING, Kind, ScalarType, SequenceType
from uom.read.efcore.binding import evaluated
from uom.read.efcore.comparing import boolean, compare, three_way
from uom.read.efcore.entities import guard_client
from uom.read.efcore.folding import FALSE, TRUE
from uom.read.efcore.formats import formatted
from uom.read.efcore.functions import as_kind, function, scalars, total
from uom.read.efcore.lowering import finished, to_scalar
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import InstanceCall, Session, StaticCall, depends_on_row
from uom.read.efcore.texts import concat, to_text
from uom.read.efcore.values import Argument, Rows, Scalar, Value

CHAR = ScalarType(Kind.CHAR)


def _folded(fn: Fn, *values: Expr) -> Const | None:
    """Functions of constants that Python computes exactly as C# does."""
    texts = [v.value for v in values if isinstance(v, Const)]
    if len(texts) != len(values) or not all(isinstance(t, str) for t in texts):
        return None
    compute = _FOLD.get(fn)
    answer = compute(*texts) if compute is not None else None
    if answer is None:
        return None
    return Const(answer, BOOL if isinstance(answer, bool) else INT if isinstance(answer, int) else STRING)


_FOLD: dict[Fn, Callable[..., str | bool | int | None]] = {
    Fn.TRIM: lambda s: s.strip(),
    Fn.TRIM_START: lambda s: s.lstrip(),
    Fn.TRIM_END: lambda s: s.rstrip(),
    Fn.UPPER: lambda s: s.upper() if len(s.upper()) == len(s) else None,
    Fn.LOWER: lambda s: s.lower() if len(s.lower()) == len(s) else None,
    Fn.UPPER_INVARIANT: lambda s: s.upper() if len(s.upper()) == len(s) and not set(s) & {"ı", "ſ"} else None,
    Fn.LOWER_INVARIANT: lambda s: s.lower() if len(s.lower()) == len(s) else None,
    Fn.LENGTH: lambda s: len(s.encode("utf-16-le")) // 2,
    Fn.REPLACE: lambda s, old, new: s.replace(old, new) if old else None,
    Fn.CONTAINS: lambda s, part: part in s,
    Fn.STARTS_WITH: lambda s, part: s.startswith(part),
    Fn.ENDS_WITH: lambda s, part: s.endswith(part),
}


def plain(fn: Fn, name: str) -> InstanceCall:
    """A method without arguments: `ToUpper()`, `Trim()`."""

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        scalars(session, arguments, (0,), name, place)
        guard_client(session, target, f"{name}()", place)
        folded = _folded(fn, target.expr)
        if folded is not None:
            return Scalar(folded, STRING)
        wanted = fn if depends_on_row(target.expr) else _IN_CSHARP.get(fn, fn)
        return function(wanted, STRING, [target.expr], place)

    return call


_IN_CSHARP = {Fn.UPPER: Fn.UPPER_INVARIANT, Fn.LOWER: Fn.LOWER_INVARIANT}
"""What EF Core computes itself, because it needs no row."""


def on_client(fn: Fn, name: str) -> InstanceCall:
    """`ToLowerInvariant()`: EF Core knows no SQL for it, so it runs as C# on the rows, or not at all."""
    simple = plain(fn, name)

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        if depends_on_row(target.expr):
            session.runs_on_client(f"{name}()", target.expr, session.place(node, scope))
        return simple(session, target, arguments, node, scope)

    return call


def search(fn: Fn, name: str) -> InstanceCall:
    """`Contains`, `StartsWith`, `EndsWith`: a null on either side is false."""

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (part,) = scalars(session, arguments, (1,), name, place) if len(arguments) == 1 else _refuse(
            session, arguments, name, place
        )  # fmt: skip
        guard_client(session, target, f"{name}()", place)
        text = to_text(part, place) if part.static == CHAR else as_kind(part, Kind.STRING, name, place)
        if part.static == CHAR and session.schema.provider == "postgres" and depends_on_row(target.expr):
            session.runs_on_client(f"{name}(char)", target.expr, place)
        folded = _folded(fn, target.expr, text)
        return boolean(folded) if folded is not None else total(fn, BOOL, [target.expr, text], place)

    return call


def _refuse(session: Session, arguments: Sequence[Argument], name: str, place: Place) -> list[Scalar]:
    scalars(session, arguments, (1, 2, 3), name, place)
    raise Refusal(f"{name}()", "this overload is not supported", place, "Use the overload with one argument.")


def substring(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    guard_client(session, target, "Substring()", place)
    parts = [as_kind(a, Kind.INT, "Substring", place) for a in scalars(session, arguments, (1, 2), "Substring", place)]
    _only_on_server(session, "Substring", place)
    return function(Fn.SUBSTRING, STRING, [target.expr, *parts], place)


def _only_on_server(session: Session, name: str, place: Place) -> None:
    """In memory C# throws where a database gives back what there is."""
    if session.fetched is not None:
        raise Refusal(
            f"{name}()",
            "on fetched rows C# throws for short text, the database does not",
            place,
            "Move it into the query.",
        )


def index_of(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (part,) = scalars(session, arguments, (1,), "IndexOf", place)
    guard_client(session, target, "IndexOf()", place)
    text = to_text(part, place) if part.static == CHAR else as_kind(part, Kind.STRING, "IndexOf", place)
    return function(Fn.INDEX_OF, INT, [target.expr, text], place)


def replace(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    guard_client(session, target, "Replace()", place)
    parts = [
        to_text(a, place) if a.static == CHAR else as_kind(a, Kind.STRING, "Replace", place)
        for a in scalars(session, arguments, (2,), "Replace", place)
    ]
    folded = _folded(Fn.REPLACE, target.expr, *parts)
    return Scalar(folded, STRING) if folded is not None else function(Fn.REPLACE, STRING, [target.expr, *parts], place)


def pad(fn: Fn, name: str) -> InstanceCall:
    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        guard_client(session, target, f"{name}()", place)
        values = scalars(session, arguments, (1, 2), name, place)
        kinds = (Kind.INT, Kind.CHAR)
        parts = [as_kind(v, k, name, place) for v, k in zip(values, kinds, strict=False)]
        padded = function(fn, STRING, [target.expr, *parts], place)
        if not depends_on_row(target.expr):
            return padded
        if session.schema.provider == "sqlserver":
            session.runs_on_client(f"{name}()", target.expr, place)
        if session.schema.provider != "postgres":
            return padded
        # PostgreSQL's lpad and rpad cut text that is too long
        return function(Fn.SUBSTRING, STRING, [padded.expr, Const(0, INT, place), parts[0]], place)

    return call


def trim(fn: Fn, name: str) -> InstanceCall:
    simple = plain(fn, name)

    def call(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        if arguments:
            place = session.place(node, scope)
            raise Refusal(f"{name}(char)", "trimming other characters is not supported", place, "Use Replace.")
        return simple(session, target, arguments, node, scope)

    return call


def length(session: Session, target: Scalar, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    folded = _folded(Fn.LENGTH, target.expr)
    return Scalar(folded, INT) if folded is not None else function(Fn.LENGTH, INT, [target.expr], place)


def null_or_empty(fn: Fn, name: str) -> StaticCall:
    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments, (1,), name, place)
        if isinstance(value.expr, Const):
            text = value.expr.value
            empty = text is None or (isinstance(text, str) and not (text.strip() if "WHITE" in fn.name else text))
            return boolean(TRUE if empty else FALSE)
        return total(fn, BOOL, [as_kind(value, Kind.STRING, name, place)], place)

    return call


def join(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`string.Join(", ", items)`: items one by one, or the rows of a query."""
    place = session.place(node, scope)
    if len(arguments) < 2:
        raise Refusal("string.Join()", "this overload is not supported", place, "Pass a separator and the items.")
    separator = to_scalar(evaluated(session, arguments[0]), place, "Join")
    first = to_text(separator, place)
    items = [evaluated(session, a) for a in arguments[1:]]
    if len(items) == 1 and not isinstance(items[0], Scalar):
        rows = items[0]
        if isinstance(rows, Rows) and isinstance(rows.query, Values):
            parts = [to_text(Scalar(i, rows.static), place) for i in rows.query.items]
            return total(Fn.JOIN, STRING, [first, *parts], place)
        if isinstance(rows, Rows):
            query = finished(rows)
            if not (isinstance(rows.static, ScalarType) and rows.static.kind is Kind.STRING):
                raise Refusal("string.Join()", "only text can be joined", place, "Select text first.")
            return total(Fn.JOIN, STRING, [first, Subquery(query, SequenceType(query.element), place)], place)
    parts = [to_text(to_scalar(i, place, "Join"), place) for i in items]
    return total(Fn.JOIN, STRING, [first, *parts], place)


def concatenate(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    values = [evaluated(session, a) for a in arguments]
    if len(values) == 1 and isinstance(values[0], Rows):
        if not isinstance(values[0].query, Values):
            raise Refusal("string.Concat()", "a sequence of rows is not supported", place, "Use string.Join.")
        return concat([Scalar(i, values[0].static) for i in values[0].query.items], place)
    return concat([to_scalar(v, place, "Concat") for v in values], place)


_HOLE = re.compile(r"\{(\d+)(?::([^{}]*))?\}|\{\{|\}\}|[^{}]+")


def string_format(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`string.Format("{0} ({1:yyyy})", a, b)`: what an interpolation says, too."""
    place = session.place(node, scope)
    values = [to_scalar(evaluated(session, a), place, "Format") for a in arguments]
    pattern = values[0].expr.value if values and isinstance(values[0].expr, Const) else None
    if not isinstance(pattern, str) or "".join(m.group() for m in _HOLE.finditer(pattern)) != pattern:
        raise Refusal("string.Format()", "the format is not a constant that is understood", place, 'Use $"..".')
    parts: list[Scalar] = []
    for match in _HOLE.finditer(pattern):
        if match[1] is None:
            text = match.group().replace("{{", "{").replace("}}", "}")
            parts.append(Scalar(Const(text, STRING, place), STRING))
            continue
        if int(match[1]) + 1 >= len(values):
            raise Refusal("string.Format()", f"there is no value for {match.group()}", place, "Pass all values.")
        value = values[int(match[1]) + 1]
        if depends_on_row(value.expr):
            session.client_only("string.Format()", place, "Use + instead, or compare the values themselves.")
        parts.append(formatted(session, value, match[2], place) if match[2] else value)
    return concat(parts, place)


def string_compare(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`string.Compare(a, b)`: -1, 0 or 1 by the database's order of text."""
    place = session.place(node, scope)
    left, right = scalars(session, arguments, (2,), "string.Compare", place)
    return _three_way(session, left, right, place)


def compare_to(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (other,) = scalars(session, arguments, (1,), "CompareTo", place)
    return _three_way(session, target, other, place)


def _three_way(session: Session, left: Scalar, right: Scalar, place: Place) -> Scalar:
    if session.fetched is not None:
        raise Refusal("string.Compare()", "in memory text compares by culture", place, "Move it into the query.")
    a = as_kind(left, Kind.STRING, "Compare", place)
    b = as_kind(right, Kind.STRING, "Compare", place)
    return Scalar(three_way(a, b, place), INT)


def equals(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`a.Equals(b)`."""
    place = session.place(node, scope)
    (other,) = scalars(session, arguments, (1,), "Equals", place)
    return compare(session, Comparison.EQ, target, other, place)


def static_equals(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`string.Equals(a, b)`, `object.Equals(a, b)`."""
    place = session.place(node, scope)
    left, right = scalars(session, arguments, (2,), "Equals", place) if len(arguments) == 2 else _refuse(
        session, arguments, "Equals", place
    )  # fmt: skip
    return compare(session, Comparison.EQ, left, right, place)


def to_string(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    values = scalars(session, arguments, (0, 1, 2), "ToString", place)
    formats = [v.expr.value for v in values if isinstance(v.expr, Const) and isinstance(v.expr.value, str)]
    if formats:
        return formatted(session, target, formats[0], place)
    guard_client(session, target, "ToString()", place)
    return Scalar(to_text(target, place), STRING)


def first_char(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`name.FirstOrDefault()`, `name.First()` on text."""
    place = session.place(node, scope)
    scalars(session, arguments, (0,), "First", place)
    zero = Const(0, INT, place)
    return function(Fn.CHAR_AT, CHAR, [target.expr, zero], place)


INSTANCES: dict[tuple[str, str], InstanceCall] = {
    ("string", "ToUpper"): plain(Fn.UPPER, "ToUpper"),
    ("string", "ToUpperInvariant"): on_client(Fn.UPPER_INVARIANT, "ToUpperInvariant"),
    ("string", "ToLower"): plain(Fn.LOWER, "ToLower"),
    ("string", "ToLowerInvariant"): on_client(Fn.LOWER_INVARIANT, "ToLowerInvariant"),
    ("string", "Trim"): trim(Fn.TRIM, "Trim"),
    ("string", "TrimStart"): trim(Fn.TRIM_START, "TrimStart"),
    ("string", "TrimEnd"): trim(Fn.TRIM_END, "TrimEnd"),
    ("string", "Contains"): search(Fn.CONTAINS, "Contains"),
    ("string", "StartsWith"): search(Fn.STARTS_WITH, "StartsWith"),
    ("string", "EndsWith"): search(Fn.ENDS_WITH, "EndsWith"),
    ("string", "Substring"): substring,
    ("string", "IndexOf"): index_of,
    ("string", "Replace"): replace,
    ("string", "PadLeft"): pad(Fn.PAD_LEFT, "PadLeft"),
    ("string", "PadRight"): pad(Fn.PAD_RIGHT, "PadRight"),
    ("string", "CompareTo"): compare_to,
    ("string", "FirstOrDefault"): first_char,
    ("", "Equals"): equals,
    ("", "ToString"): to_string,
}
MEMBERS = {("string", "Length"): length}
STATICS: dict[tuple[str, str], StaticCall] = {
    ("string", "IsNullOrEmpty"): null_or_empty(Fn.IS_NULL_OR_EMPTY, "IsNullOrEmpty"),
    ("string", "IsNullOrWhiteSpace"): null_or_empty(Fn.IS_NULL_OR_WHITE_SPACE, "IsNullOrWhiteSpace"),
    ("string", "Join"): join,
    ("string", "Concat"): concatenate,
    ("string", "Format"): string_format,
    ("string", "Compare"): string_compare,
    ("string", "Equals"): static_equals,
    ("object", "Equals"): static_equals,
    ("Object", "Equals"): static_equals,
    ("Equals", "Equals"): static_equals,
}
STATIC_MEMBERS = {
    ("string", "Empty"): lambda: Scalar(Const("", STRING), STRING),
}
