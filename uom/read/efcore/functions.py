"""What all function tables share: arguments as values, nodes whose nullability follows from their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const, Expr, Fn, Function
from uom.model.types import EnumType, Kind, ScalarType, Type, as_nullable, describe
from uom.read.efcore.binding import evaluated
from uom.read.efcore.folding import convert
from uom.read.efcore.lowering import to_scalar
from uom.read.efcore.session import Session
from uom.read.efcore.typing_rules import literal_fits, widens
from uom.read.efcore.values import Argument, Scalar


def scalars(
    session: Session, arguments: Sequence[Argument], counts: Sequence[int], name: str, place: Place
) -> list[Scalar]:
    """The arguments as values. Raises Refusal when their number fits no supported overload."""
    values = [to_scalar(evaluated(session, a), place, name) for a in arguments]
    for value in values:
        if isinstance(value.static, EnumType) and value.static.name == "StringComparison":
            raise Refusal(
                f"{name}(StringComparison)",
                "EF Core cannot translate a StringComparison and throws when it runs",
                place,
                "Leave it out; how text compares is decided by the database's collation.",
            )
    if len(arguments) not in counts:
        raise Refusal(f"{name}()", "this overload is not supported", place, "Use a simpler overload.")
    return values


def function(fn: Fn, result: Type, args: Sequence[Expr], place: Place | None) -> Scalar:
    """Null when an argument is null."""
    nullable = result.nullable or any(a.type.nullable for a in args)
    return Scalar(Function(fn, tuple(args), as_nullable(result, nullable), place), result)


def total(fn: Fn, result: Type, args: Sequence[Expr], place: Place | None) -> Scalar:
    """Never null, whatever the arguments."""
    return Scalar(Function(fn, tuple(args), result, place), result)


def as_kind(value: Scalar, kind: Kind, name: str, place: Place) -> Expr:
    """The argument converted implicitly to a parameter's type."""
    type_ = value.static
    if isinstance(type_, ScalarType):
        if type_.kind is kind:
            return value.expr
        if widens(type_.kind, kind) or literal_fits(value.expr, kind):
            return convert(value.expr, ScalarType(kind))
    if isinstance(value.expr, Const) and value.expr.value is None:
        return Const(None, ScalarType(kind, True), place)
    raise Refusal(f"{name}()", f"a {describe(type_)} is not accepted here", place, "Convert it first.")
