"""Members of entities and of owned values: columns, navigations, computed members."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Downcast, Expr, Navigate, Property, Subquery, Var
from uom.model.queries import Include, IncludeNode, Pick, Related
from uom.model.schema import ComplexProperty, Entity, NavigationKind
from uom.model.types import (
    ComplexType,
    EntityType,
    NullType,
    SequenceType,
    Type,
    as_nullable,
)
from uom.read.csharp.symbols import MemberSymbol
from uom.read.efcore.lowering import coerce
from uom.read.efcore.memory import runs_in_memory
from uom.read.efcore.names import member_of_instance, methods_of
from uom.read.efcore.naming import nearest
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, Session, unknown
from uom.read.efcore.values import (
    MethodGroup,
    Rows,
    Scalar,
    Value,
)


def computed(session: Session, declared: MemberSymbol, this: Value) -> Value:
    """The value of a property with code in its getter, for a given `this`."""
    assert declared.getter is not None
    key = f"{declared.owner.full_name}.{declared.name}"
    if key in session.evaluating:
        raise Refusal(declared.name, "the property refers to itself", declared.place, "Break the cycle.")
    scope = Scope(declared.source, declared.owner, this)
    session.evaluating.add(key)
    try:
        block = declared.getter.type == "block"
        value = session.tables.run(session, declared.getter, scope) if block else session.eval(declared.getter, scope)
        return coerce(value, session.resolve(declared.type_node, scope))
    finally:
        session.evaluating.discard(key)


def guard_client(session: Session, target: Scalar, construct: str, place: Place | None) -> None:
    """On fetched rows a member of null throws, where the database would go on with null."""
    allowed = session.lifts_all or target.expr == session.lifted or not target.expr.type.nullable
    navigated = isinstance(target.expr, Navigate) and _loaded_with(session, target.expr) is not None
    if (session.fetched is not None or navigated) and not allowed and not isinstance(target.static, NullType):
        raise Refusal(
            construct,
            "this runs as C# on fetched rows, where it throws for a null; the database would not",
            place,
            "Move it into the query, before AsEnumerable or ToList, or test for null first.",
        )


def entity_member(session: Session, target: Scalar, entity: Entity, name: str, node: Node, scope: Scope) -> Value:
    """A column, a navigation, an owned value, or a computed member of the class."""
    place = session.place(node, scope)
    nullable = target.expr.type.nullable or isinstance(target.expr, Downcast)
    guard_client(session, target, f".{name}", place)
    column = entity.property(name)
    if column is not None and not column.shadow:
        return _property(target.expr, name, column.type, nullable, place)
    complex_ = entity.complex(name)
    if complex_ is not None:
        return _complex(target.expr, complex_, nullable, place)
    navigation = entity.navigation(name)
    if navigation is not None:
        loaded = _loaded(session, target.expr, name, place)
        session.entity(navigation.target, place)
        if navigation.kind is NavigationKind.REFERENCE:
            type_ = EntityType(navigation.target, nullable or not navigation.required)
            return Scalar(Navigate(target.expr, name, type_, place=place), type_)
        element = EntityType(navigation.target)
        related = Related(target.expr, name, element, None, place)
        return Rows(related, element, client=loaded is not None, includes=loaded or ())
    return _unmapped(session, target, entity, name, node, scope)


def _property(target: Expr, name: str, type_: Type, nullable: bool, place: Place | None) -> Scalar:
    return Scalar(Property(target, name, as_nullable(type_, type_.nullable or nullable), place), type_)


def _complex(target: Expr, found: ComplexProperty, nullable: bool, place: Place | None) -> Value:
    type_ = ComplexType(found.complex_name, found.nullable or nullable)
    if found.collection:
        element = ComplexType(found.complex_name)
        sequence = SequenceType(element)
        return Scalar(Property(target, found.name, sequence, place), sequence)
    return Scalar(Property(target, found.name, type_, place), type_)


def _loaded(session: Session, target: Expr, name: str, place: Place | None) -> tuple[IncludeNode, ...] | None:
    """What is loaded below a navigation in memory, where it is there only if Include loaded it; None in the database."""
    nodes = _loaded_with(session, target)
    if nodes is None:
        return None
    path: list[str] = [name]
    while isinstance(target, Navigate):
        path.append(target.navigation)
        target = target.target
    for step in reversed(path):
        found = next((n for n in nodes if n.navigation == step), None)
        if found is None or found.query is not None:
            raise Refusal(
                f".{name}",
                "the rows are already fetched here, and this navigation is not loaded",
                place,
                "Add an Include for it, or move the expression into the query.",
            )
        nodes = found.children
    return nodes


def _loaded_with(session: Session, target: Expr) -> tuple[IncludeNode, ...] | None:
    """The navigations that were loaded with the entity which a path starts from; None where it is in the database."""
    while isinstance(target, Navigate | Downcast):
        target = target.operand if isinstance(target, Downcast) else target.target
    if isinstance(target, Subquery) and isinstance(target.query, Pick):
        rows = target.query.source
        in_memory = session.position is Position.STATEMENT or session.fetched is not None or rows in session.in_hand
        if not in_memory:
            return None
        return rows.tree if isinstance(rows, Include) else ()
    if session.fetched is not None:
        return session.fetched.loaded(target.name if isinstance(target, Var) else "")
    return () if session.position is Position.STATEMENT and session.touches_rows(target) else None


def _unmapped(session: Session, target: Scalar, entity: Entity, name: str, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    symbol = session.find_type(entity.name, scope)
    declared = session.compilation.member(symbol, name) if symbol is not None else None
    if declared is None:
        if symbol is not None and methods_of(session, symbol, name):
            return MethodGroup(methods_of(session, symbol, name), target)
        names = [p.name for p in entity.properties] + [n.name for n in entity.navigations]
        names += [c.name for c in entity.complexes]
        return unknown(f"{entity.name}.{name}", place, f"the entity has no property of this name{nearest(name, names)}")
    if declared.is_static:
        return member_of_instance(session, declared, None)
    remedy = "Write the expression itself instead of the property."
    if declared.getter is None:
        raise Refusal(f"{entity.name}.{name}", "the property is not mapped, so no column holds it", place, remedy)
    session.client_only(f"{entity.name}.{name}", place, remedy)
    with on_client(session):
        value = computed(session, declared, target)
    if session.position is not Position.STATEMENT:
        runs_in_memory(session, value, place)
    return value


def on_client(session: Session) -> AbstractContextManager[None]:
    """Code that runs as C# on one fetched row, of which nothing but its own columns and Includes is loaded."""
    if session.position is Position.STATEMENT:
        return session.at(session.position, session.fetched)
    return session.at(session.position, session.fetched or Fetched("", session.row_includes))


def complex_member(session: Session, target: Scalar, type_: ComplexType, name: str, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    guard_client(session, target, f".{name}", place)
    shape = session.schema.find_complex(type_.name)
    nullable = target.expr.type.nullable
    found = shape.property(name) if shape is not None else None
    if found is not None:
        return _property(target.expr, name, found.type, nullable, place)
    inner = next((c for c in shape.complexes if c.name == name), None) if shape is not None else None
    if inner is not None:
        return _complex(target.expr, inner, nullable, place)
    symbol = session.find_type(type_.name, scope)
    declared = session.compilation.member(symbol, name) if symbol is not None else None
    if declared is not None and declared.getter is not None:
        session.client_only(f"{type_.name}.{name}", place, "Write the expression itself instead of the property.")
        return computed(session, declared, target)
    names = [p.name for p in shape.properties] if shape is not None else []
    return unknown(f"{type_.name}.{name}", place, f"the type has no mapped member of this name{nearest(name, names)}")
