"""Values as C# text: concatenation and `ToString()`."""

from __future__ import annotations

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Concat,
    Const,
    Expr,
    Fn,
    Function,
)
from uom.model.types import (
    INTEGERS,
    STRING,
    EnumType,
    Kind,
    NullType,
    ScalarType,
    Type,
    as_nullable,
    describe,
)
from uom.read.efcore.folding import is_null_const
from uom.read.efcore.values import Scalar


def concat(parts: list[Scalar], place: Place | None) -> Scalar:
    """C# concatenation: null is empty text, anything else is turned into text."""
    flat: list[Expr] = []
    for part in parts:
        if isinstance(part.static, NullType) or is_null_const(part.expr):
            continue
        if isinstance(part.expr, Concat):
            flat.extend(part.expr.parts)
        else:
            flat.append(to_text(part, place))
    merged: list[Expr] = []
    for expr in flat:
        previous = merged[-1] if merged else None
        if isinstance(expr, Const) and isinstance(previous, Const):
            merged[-1] = Const(str(previous.value) + str(expr.value), STRING, previous.place)
        else:
            merged.append(expr)
    if not merged or all(isinstance(e, Const) for e in merged):
        return Scalar(merged[0] if merged else Const("", STRING, place), STRING)
    return Scalar(Concat(tuple(merged), place), STRING)


def to_text(part: Scalar, place: Place | None) -> Expr:
    """The value as C#'s `ToString()` gives it."""
    type_ = part.static
    if isinstance(type_, ScalarType) and type_.kind is Kind.STRING:
        return part.expr
    if isinstance(part.expr, Const):
        text = constant_text(part.expr)
        if text is not None:
            return Const(text, STRING, part.expr.place)
    if isinstance(type_, ScalarType) and type_.kind in (*INTEGERS, Kind.CHAR, Kind.BOOL, Kind.GUID):
        return Function(Fn.TO_STRING, (part.expr,), as_nullable(STRING, part.expr.type.nullable), place)
    if isinstance(type_, EnumType) and _stored_by_name(part.expr.type):
        return Function(Fn.TO_STRING, (part.expr,), as_nullable(STRING, part.expr.type.nullable), place)
    raise Refusal(
        "ToString()",
        f"the text of a {describe(type_)} depends on the database or the culture",
        place,
        "Select the value itself and format it afterwards.",
    )


def _stored_by_name(type_: Type) -> bool:
    """Whether the text of an enum is its member's name also to the database."""
    return not isinstance(type_, EnumType) or all(name == stored for name, stored in type_.stored)


def constant_text(const: Const) -> str | None:
    value, type_ = const.value, const.type
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(type_, EnumType):
        return next((n for n, v in type_.members if v == value), str(value))
    if isinstance(value, int | str):
        return str(value)
    if isinstance(type_, ScalarType) and type_.kind in (Kind.DECIMAL, Kind.GUID):
        return f"{value:f}" if type_.kind is Kind.DECIMAL else str(value)
    return None
