"""Casts, `as` and `default`."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import (
    Const,
    Convert,
    Downcast,
    Expr,
    Fn,
    Function,
)
from uom.model.types import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    EntityType,
    EnumType,
    Kind,
    NullType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    describe,
    same_ignoring_null,
)
from uom.read.csharp.syntax import child, text_of
from uom.read.efcore.folding import convert, default_of
from uom.read.efcore.requiring import taken
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.typing_rules import widens
from uom.read.efcore.values import Choice, Scalar, Value


def cast(session: Session, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    type_node, value_node = child(node, "type"), child(node, "value")
    if type_node is None or value_node is None:
        raise Refusal("cast", f"'{text_of(node)[:60]}' is not understood", place)
    target = session.resolve(type_node, scope)
    value = session.eval_as(value_node, scope, target)
    return cast_value(session, value, target, text_of(type_node), place)


def cast_value(session: Session, value: Value, target: Type | None, written: str, place: Place) -> Value:
    if isinstance(value, Choice):
        return Choice(
            value.test,
            cast_value(session, value.then, target, written, place),
            cast_value(session, value.otherwise, target, written, place),
        )
    if not isinstance(value, Scalar) or isinstance(target, SequenceType):
        return value
    if target is None:
        if written in ("object", "Object", "dynamic"):
            return value
        raise Refusal(f"({written})", "the type is not known from the input", place, "Add its declaration.")
    if isinstance(value.static, NullType):
        return Scalar(Const(None, as_nullable(target), place), as_nullable(target))
    if isinstance(target, ScalarType | EnumType) and isinstance(value.static, ScalarType | EnumType):
        return Scalar(converted(session, value, target, written, place), target)
    if isinstance(target, EntityType) and isinstance(value.static, EntityType):
        return cast_entity(session, value, target, place)
    if same_ignoring_null(target, value.static):
        return value
    raise Refusal(f"({written})", f"a {describe(value.static)} cannot be cast to it", place, "Remove the cast.")


def cast_entity(session: Session, value: Scalar, target: EntityType, place: Place) -> Scalar:
    """A cast up the hierarchy changes nothing; a cast down opens the members of the derived entity."""
    assert isinstance(value.static, EntityType)
    if value.static.name in session.schema.descendants(target.name):
        return value
    if target.name not in session.schema.descendants(value.static.name):
        raise Refusal(f"({target.name})", f"it does not derive from {value.static.name}", place, "Check the type.")
    _check_shared_columns(session, target.name, place)
    type_ = EntityType(target.name, value.expr.type.nullable)
    return Scalar(Downcast(value.expr, target.name, type_, place), EntityType(target.name))


def _check_shared_columns(session: Session, name: str, place: Place) -> None:
    """EF Core reads the columns whatever the row's type is; a sibling that shares one would be seen through the cast."""
    line = _lineage(session, name)
    family = (*line, *session.schema.descendants(name))
    own = {part for p in session.schema.entity(name).properties for part in (p.name, p.column)}
    for other in session.schema.descendants(line[-1]):
        if other in family:
            continue
        bases = [base for base in _lineage(session, other) if base in line]
        inherited = {p.name for p in session.schema.entity(bases[0]).properties}
        for property_ in session.schema.entity(other).properties:
            if property_.name not in inherited and not own.isdisjoint((property_.name, property_.column)):
                raise Refusal(
                    f"({name})",
                    f"{other}.{property_.name} has the name or the column of a member of {name}",
                    place,
                    f"Use OfType<{name}>() instead.",
                )


def _lineage(session: Session, name: str) -> list[str]:
    """The entity and its bases, the entity first."""
    found = [name]
    while (base := session.schema.entity(found[-1]).base) is not None:
        found.append(base)
    return found


def converted(session: Session, value: Scalar, target: ScalarType | EnumType, written: str, place: Place) -> Expr:
    """An explicit conversion between numbers, enums, char; anything else has no C# cast."""
    source = value.static
    if same_ignoring_null(source, target) or (
        isinstance(source, EnumType) and isinstance(target, EnumType) and source.name == target.name
    ):
        return value.expr if target.nullable else taken(session, value.expr, place)
    numeric = NUMBERS | {Kind.CHAR}
    source_ok = isinstance(source, EnumType) or (isinstance(source, ScalarType) and source.kind in numeric)
    target_ok = isinstance(target, EnumType) or target.kind in numeric
    if not (source_ok and target_ok):
        if isinstance(source, ScalarType) and isinstance(target, ScalarType) and widens(source.kind, target.kind):
            return Convert(value.expr, as_nullable(target, value.expr.type.nullable), place)
        raise Refusal(f"({written})", f"a {describe(source)} cannot be cast to it", place, "Remove the cast.")
    if isinstance(value.expr.type, EnumType) and value.expr.type.stored and not isinstance(value.expr, Const):
        raise Refusal(
            f"({written})",
            f"{value.expr.type.name} is stored as text, so the database cannot cast it to a number",
            place,
            "Compare with the enum's members instead.",
        )
    whole = _whole_number(session, value, target, written, place)
    operand = whole if target.nullable else taken(session, whole, place)
    result = convert(operand, as_nullable(target, False))
    return replace(result, checked=session.checked) if isinstance(result, Convert) else result


_WHOLE = (Fn.FLOOR, Fn.CEILING, Fn.TRUNCATE, Fn.ROUND)


def _whole_number(session: Session, value: Scalar, target: ScalarType | EnumType, written: str, place: Place) -> Expr:
    """`(int)price`: C# and SQL Server cut the fraction off, PostgreSQL rounds. In memory it is cut off, whatever stored it."""
    source = value.static
    fraction = isinstance(source, ScalarType) and source.kind in (*FLOATS, Kind.DECIMAL)
    whole = isinstance(target, EnumType) or target.kind in INTEGERS
    known = isinstance(value.expr, Const) or (isinstance(value.expr, Function) and value.expr.fn in _WHOLE)
    if not fraction or not whole or known or session.position is Position.STATEMENT:
        return value.expr
    if session.fetched is not None:
        return Function(Fn.TRUNCATE, (value.expr,), value.expr.type, place)
    remedy = "Use Math.Truncate, Math.Floor or Math.Round before the cast."
    if session.schema.provider == "postgres":
        return value.expr  # the plan rounds, as that database does
    reason = "the fraction is cut off, as C# and SQL Server do; with --provider postgres it is rounded"
    session.note(Severity.CONVENTION, f"({written})", reason, place, remedy)
    return value.expr


def default(session: Session, node: Node, scope: Scope) -> Value:
    type_node = child(node, "type")
    target = session.resolve(type_node, scope) if type_node is not None else session.target_of(node)
    if target is None:
        return Scalar(Const(None, NullType()), NullType())
    return Scalar(default_of(target), target)


def as_expression(session: Session, node: Node, scope: Scope) -> Value:
    """`x as int?` of a value that is one already; `as` on entities is a cast."""
    type_node, value_node = child(node, "right"), child(node, "left")
    place = session.place(node, scope)
    if type_node is None or value_node is None:
        raise Refusal("as", f"'{text_of(node)[:60]}' is not understood", place)
    target = session.resolve(type_node, scope)
    return cast_value(session, session.eval(value_node, scope), target, f"as {text_of(type_node)}", place)


HANDLERS = {"cast_expression": cast, "default_expression": default, "as_expression": as_expression}
