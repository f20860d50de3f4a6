"""`EF.Property`, `EF.Functions`, compiled queries, and a few statics around tasks and lists."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Fn, Function, Navigate, Property
from uom.model.queries import Related, Values
from uom.model.schema import NavigationKind
from uom.model.types import BOOL, INT, STRING, ComplexType, EntityType, Kind, NullType, Type, as_nullable
from uom.read.csharp.syntax import child
from uom.read.csharp.types import type_arguments
from uom.read.efcore.binding import evaluated
from uom.read.efcore.comparing import boolean
from uom.read.efcore.functions import as_kind, scalars, total
from uom.read.efcore.lowering import coerce
from uom.read.efcore.naming import nearest
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, StaticCall
from uom.read.efcore.values import NOTHING, Argument, Closure, Rows, Scalar, Value


def property_(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`EF.Property<T>(entity, "Name")`: a column that the class may not have."""
    place = session.place(node, scope)
    target, name = scalars(session, arguments, (2,), "EF.Property", place)
    if not (isinstance(name.expr, Const) and isinstance(name.expr.value, str)):
        raise Refusal("EF.Property()", "the property's name is not constant", place, "Write the name.")
    if not isinstance(target.static, EntityType):
        raise Refusal("EF.Property()", "it reads entities only", place, "Use the member itself.")
    entity = session.entity(target.static.name, place)
    column = entity.property(name.expr.value)
    declared = _type_argument(session, node, scope)
    if column is not None:
        nullable = column.type.nullable or target.expr.type.nullable
        value = Scalar(Property(target.expr, column.name, as_nullable(column.type, nullable), place), column.type)
        return coerce(value, declared)
    navigation = entity.navigation(name.expr.value)
    if navigation is not None:
        element = EntityType(navigation.target)
        if navigation.kind is not NavigationKind.REFERENCE:
            return Rows(Related(target.expr, navigation.name, element, None, place), element)
        type_ = as_nullable(element, target.expr.type.nullable or not navigation.required)
        assert isinstance(type_, EntityType)
        return Scalar(Navigate(target.expr, navigation.name, type_, place=place), type_)
    complex_ = entity.complex(name.expr.value)
    if complex_ is not None:
        shape = ComplexType(complex_.complex_name, complex_.nullable or target.expr.type.nullable)
        return Scalar(Property(target.expr, complex_.name, shape, place), shape)
    names = [p.name for p in entity.properties]
    hint = nearest(name.expr.value, names)
    raise Refusal(
        f"EF.Property({name.expr.value})", f"{entity.name} has no such property{hint}", place, "Correct the name."
    )


def _type_argument(session: Session, node: Node, scope: Scope) -> Type | None:
    function = child(node, "function")
    name = child(function, "name") if function is not None else None
    parts = type_arguments(name) if name is not None and name.type == "generic_name" else []
    return session.resolve(parts[0], scope) if parts else None


def like(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`EF.Functions.Like(text, pattern[, escape])`."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (2, 3), "EF.Functions.Like", place)
    return total(Fn.LIKE, BOOL, [as_kind(v, Kind.STRING, "Like", place) for v in values], place)


def ilike(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`EF.Functions.ILike`: both sides folded to lower case; a pattern's wildcards have no case."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (2,), "EF.Functions.ILike", place)
    folded = [
        Function(Fn.LOWER, (v.expr,), as_nullable(STRING, v.expr.type.nullable), place)
        if not isinstance(v.expr, Const)
        else Const(str(v.expr.value).lower(), STRING, place)
        for v in values
    ]
    return boolean(total(Fn.LIKE, BOOL, folded, place).expr)


def date_diff_refused(session: Session, _arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    raise Refusal(
        "EF.Functions.DateDiff",
        "it counts crossed boundaries, not elapsed time",
        session.place(node, scope),
        "Subtract the dates and use Days or TotalHours.",
    )


def compile_query(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`EF.CompileQuery((db, x) => ..)`: calling the delegate runs the lambda."""
    if len(arguments) != 1:
        raise Refusal("EF.CompileQuery()", "one lambda is expected", session.place(node, scope), "Pass one lambda.")
    value = evaluated(session, arguments[0])
    if not isinstance(value, Closure):
        raise Refusal("EF.CompileQuery()", "a lambda is expected", session.place(node, scope), "Pass a lambda.")
    return value


def constant_of(session: Session, arguments: Sequence[Argument], _node: Node, _scope: Scope) -> Value:
    """`EF.Constant(x)` and `EF.Parameter(x)` only say how SQL is sent."""
    return evaluated(session, arguments[0]) if arguments else NOTHING


def from_result(session: Session, arguments: Sequence[Argument], _node: Node, _scope: Scope) -> Value:
    return evaluated(session, arguments[0]) if arguments else NOTHING


def nothing(_session: Session, _arguments: Sequence[Argument], _node: Node, _scope: Scope) -> Value:
    return NOTHING


def empty(session: Session, _arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`Enumerable.Empty<T>()`, `Array.Empty<T>()`."""
    type_ = _type_argument(session, node, scope) or NullType()
    return Rows(Values((), type_, session.place(node, scope)), type_, local=True)


def repeat_refused(session: Session, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`Enumerable.Range(1, 12)` of constants is a list."""
    place = session.place(node, scope)
    values = scalars(session, arguments, (2,), "Enumerable.Range", place)
    numbers = [v.expr.value for v in values if isinstance(v.expr, Const)]
    if len(numbers) != 2 or not all(isinstance(n, int) for n in numbers) or not 0 <= int(str(numbers[1])) <= 1000:
        raise Refusal("Enumerable.Range()", "only small constant ranges are supported", place, "Use a list.")
    first, count = (int(str(n)) for n in numbers)
    items = tuple(Const(n, INT, place) for n in range(first, first + count))
    return Rows(Values(items, INT, place), INT, local=True)


STATICS: dict[tuple[str, str], StaticCall] = {
    ("EF", "Property"): property_,
    ("EF.Functions", "Like"): like,
    ("EF.Functions", "ILike"): ilike,
    **{
        ("EF.Functions", f"DateDiff{unit}"): date_diff_refused
        for unit in ("Day", "Month", "Year", "Hour", "Minute", "Second", "Week")
    },
    ("EF", "CompileQuery"): compile_query,
    ("EF", "CompileAsyncQuery"): compile_query,
    ("EF", "Constant"): constant_of,
    ("EF", "Parameter"): constant_of,
    ("Task", "FromResult"): from_result,
    ("ValueTask", "FromResult"): from_result,
    ("Task", "WhenAll"): nothing,
    ("ArgumentNullException", "ThrowIfNull"): nothing,
    ("ArgumentException", "ThrowIfNullOrEmpty"): nothing,
    ("ArgumentException", "ThrowIfNullOrWhiteSpace"): nothing,
    ("ArgumentOutOfRangeException", "ThrowIfNegative"): nothing,
    ("ArgumentOutOfRangeException", "ThrowIfNegativeOrZero"): nothing,
    ("ArgumentOutOfRangeException", "ThrowIfLessThan"): nothing,
    ("ArgumentOutOfRangeException", "ThrowIfGreaterThan"): nothing,
    ("ArgumentOutOfRangeException", "ThrowIfZero"): nothing,
    ("Console", "WriteLine"): nothing,
    ("Console", "Write"): nothing,
    ("Enumerable", "Empty"): empty,
    ("Array", "Empty"): empty,
    ("Enumerable", "Range"): repeat_refused,
}
