"""`Math`, `Convert`, parsing, and other functions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const, Expr, Fn
from uom.model.types import (
    BOOL,
    DOUBLE,
    FLOATS,
    INT,
    INTEGER_RANGE,
    INTEGERS,
    NUMBERS,
    STRING,
    EnumType,
    Kind,
    ScalarType,
    as_nullable,
    describe,
)
from uom.read.efcore.comparing import three_way
from uom.read.efcore.conditions import coalesced
from uom.read.efcore.entities import guard_client
from uom.read.efcore.folding import convert, default_of
from uom.read.efcore.functions import as_kind, function, scalars
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import InstanceCall, Session, StaticCall
from uom.read.efcore.texts import to_text
from uom.read.efcore.typing_rules import comparison_pair, numeric_pair, unary_promoted
from uom.read.efcore.values import Argument, Scalar, Value


def same_kind(fn: Fn, name: str) -> StaticCall:
    """`Math.Abs`, `Math.Truncate`...: the result has the argument's type, small integers become int."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments, (1,), f"Math.{name}", place)
        kind = _number(value, f"Math.{name}", place)
        target = unary_promoted(kind, False)
        if fn is not Fn.ABS and target in INTEGERS:
            raise Refusal(f"Math.{name}()", "integers have no fraction", place, "Leave the call out.")
        return function(fn, ScalarType(target), [convert(value.expr, ScalarType(target))], place)

    return call


def _number(value: Scalar, name: str, place: Place) -> Kind:
    type_ = value.static
    if isinstance(type_, ScalarType) and type_.kind in NUMBERS and not type_.nullable:
        return type_.kind
    raise Refusal(f"{name}()", f"a {describe(type_)} is not accepted here", place, "Pass a number that is not null.")


def round_(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`Math.Round`: as the database rounds. On fetched rows C# rounds midpoints to even instead."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (1, 2), "Math.Round", place)
    if session.fetched is not None:
        raise Refusal(
            "Math.Round()",
            "on fetched rows C# rounds midpoints to even, the database away from zero",
            place,
            "Round inside the query, before AsEnumerable or ToList.",
        )
    kind = _number(values[0], "Math.Round", place)
    if len(values) == 2 and isinstance(values[1].static, EnumType):
        raise Refusal(
            "Math.Round(MidpointRounding)", "EF Core cannot translate it", place, "Leave the MidpointRounding out."
        )
    target = kind if kind is Kind.DECIMAL or kind in FLOATS else Kind.DOUBLE
    if kind in INTEGERS:
        raise Refusal("Math.Round()", "integers have no fraction", place, "Leave the call out.")
    target = Kind.DOUBLE if target is Kind.FLOAT else target
    digits = [as_kind(values[1], Kind.INT, "Math.Round", place)] if len(values) == 2 else []
    return function(Fn.ROUND, ScalarType(target), [convert(values[0].expr, ScalarType(target)), *digits], place)


def of_double(fn: Fn, name: str, count: int = 1) -> StaticCall:
    """`Math.Sqrt` and its kin work on double."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        counts = (1, 2) if fn is Fn.LOG else (count,)
        values = scalars(session, arguments, counts, f"Math.{name}", place)
        return function(fn, DOUBLE, [as_kind(v, Kind.DOUBLE, f"Math.{name}", place) for v in values], place)

    return call


def sign(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (value,) = scalars(session, arguments, (1,), "Math.Sign", place)
    kind = unary_promoted(_number(value, "Math.Sign", place), False)
    return function(Fn.SIGN, INT, [convert(value.expr, ScalarType(kind))], place)


def extreme(fn: Fn, name: str) -> StaticCall:
    """`Math.Max(a, b)` of one type after promotion."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        left, right = scalars(session, arguments, (2,), f"Math.{name}", place)
        a, b = _number(left, f"Math.{name}", place), _number(right, f"Math.{name}", place)
        if a is b:
            return function(fn, ScalarType(a), [left.expr, right.expr], place)
        pair = numeric_pair(left, right, place, f"Math.{name}")
        return function(fn, as_nullable(pair.static, False), [pair.left, pair.right], place)

    return call


def power(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    return of_double(Fn.POW, "Pow", 2)(session, arguments, node, scope)


def parse(kind: Kind, name: str) -> StaticCall:
    """`int.Parse(text)`, `Convert.ToInt32(text)`."""

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments, (1,), name, place)
        text = as_kind(value, Kind.STRING, name, place)
        guard_client(session, value, f"{name}()", place)
        digits = text.value if isinstance(text, Const) and isinstance(text.value, str) else ""
        if kind in INTEGERS and digits.isascii() and digits.removeprefix("-").isdigit():
            return Scalar(Const(int(digits), ScalarType(kind), place), ScalarType(kind))
        return function(Fn.PARSE, ScalarType(kind), [text], place)

    return call


def convert_to(kind: Kind, name: str) -> StaticCall:
    """`Convert.ToX`: text is parsed; a number to an integer is rounded by .NET, cut or rounded by databases."""
    parsing = parse(kind, f"Convert.{name}")

    def call(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        (value,) = scalars(session, arguments, (1,), f"Convert.{name}", place)
        source = value.static
        if isinstance(source, ScalarType) and source.kind is Kind.STRING:
            return parsing(session, [Argument(None, node, scope, value)], node, scope)
        if isinstance(source, ScalarType) and source.kind in NUMBERS:
            lossy = kind in INTEGERS and source.kind not in INTEGERS
            if lossy:
                raise Refusal(
                    f"Convert.{name}()",
                    ".NET rounds here and databases disagree about it",
                    place,
                    "Use Math.Round or Math.Truncate and a cast.",
                )
            return Scalar(convert(value.expr, ScalarType(kind)), ScalarType(kind))
        raise Refusal(f"Convert.{name}()", f"a {describe(source)} is not supported", place, "Use a cast.")

    return call


def convert_to_string(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (value,) = scalars(session, arguments, (1,), "Convert.ToString", place)
    return Scalar(to_text(value, place), STRING)


def has_flag(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    (flag,) = scalars(session, arguments, (1,), "HasFlag", place)
    stored = isinstance(target.expr.type, EnumType) and target.expr.type.stored
    if stored:
        raise Refusal("HasFlag()", "the enum is stored as text, which has no bits", place, "Store it as a number.")
    column: Expr = convert(flag.expr, as_nullable(target.expr.type, False))
    return function(Fn.HAS_FLAG, BOOL, [target.expr, column], place)


def value_or_default(
    session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope
) -> Value:
    """`x.GetValueOrDefault()`."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (0, 1), "GetValueOrDefault", place)
    bare = as_nullable(target.static, False)
    fallback = values[0] if values else Scalar(default_of(bare), bare)
    return coalesced(target, fallback, place)


def number_compare(session: Session, target: Scalar, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`a.CompareTo(b)` of numbers and dates: -1, 0 or 1."""
    place = session.place(node, scope)
    (other,) = scalars(session, arguments, (1,), "CompareTo", place)
    pair = comparison_pair(target, other, place, "CompareTo")
    return Scalar(three_way(pair.left, pair.right, place), INT)


_CONVERSIONS = {
    "ToByte": Kind.BYTE, "ToInt16": Kind.SHORT, "ToInt32": Kind.INT, "ToInt64": Kind.LONG, "ToDecimal": Kind.DECIMAL,
    "ToDouble": Kind.DOUBLE, "ToSingle": Kind.FLOAT,
}  # fmt: skip
_PARSED = ("byte", "short", "int", "long", "decimal", "double", "float", "uint", "ulong", "ushort")

STATICS: dict[tuple[str, str], StaticCall] = {
    ("Math", "Abs"): same_kind(Fn.ABS, "Abs"),
    ("Math", "Floor"): same_kind(Fn.FLOOR, "Floor"),
    ("Math", "Ceiling"): same_kind(Fn.CEILING, "Ceiling"),
    ("Math", "Truncate"): same_kind(Fn.TRUNCATE, "Truncate"),
    ("Math", "Round"): round_,
    ("Math", "Sqrt"): of_double(Fn.SQRT, "Sqrt"),
    ("Math", "Exp"): of_double(Fn.EXP, "Exp"),
    ("Math", "Log"): of_double(Fn.LOG, "Log"),
    ("Math", "Log10"): of_double(Fn.LOG10, "Log10"),
    ("Math", "Pow"): power,
    ("Math", "Sign"): sign,
    ("Math", "Max"): extreme(Fn.GREATEST, "Max"),
    ("Math", "Min"): extreme(Fn.LEAST, "Min"),
    ("Convert", "ToString"): convert_to_string,
    **{("Convert", name): convert_to(kind, name) for name, kind in _CONVERSIONS.items()},
    **{(name, "Parse"): parse(Kind(name), f"{name}.Parse") for name in _PARSED},
}
INSTANCES: dict[tuple[str, str], InstanceCall] = {
    ("enum", "HasFlag"): has_flag,
    ("", "GetValueOrDefault"): value_or_default,
    **{(kind.value, "CompareTo"): number_compare for kind in (*NUMBERS, Kind.DATETIME, Kind.DATEONLY)},
}


def _limits() -> dict[tuple[str, str], Callable[[], Scalar]]:
    from decimal import Decimal

    found: dict[tuple[str, str], Callable[[], Scalar]] = {}
    for kind, (low, high) in INTEGER_RANGE.items():
        for name, value in (("MinValue", low), ("MaxValue", high)):
            const = Scalar(Const(value, ScalarType(kind)), ScalarType(kind))
            found[kind.value, name] = _given(const)
    for name, number in (("Zero", 0), ("One", 1), ("MinusOne", -1), ("MaxValue", 2**96 - 1), ("MinValue", 1 - 2**96)):
        decimal = Scalar(Const(Decimal(number), ScalarType(Kind.DECIMAL)), ScalarType(Kind.DECIMAL))
        found["decimal", name] = _given(decimal)
    return found


def _given(value: Scalar) -> Callable[[], Scalar]:
    return lambda: value


STATIC_MEMBERS = _limits()
