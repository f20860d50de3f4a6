"""Constructors: what an object of a class of the input holds after `new`."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from uom.model.diagnostics import Refusal
from uom.model.types import Type
from uom.read.csharp.symbols import MethodSymbol, TypeSymbol
from uom.read.csharp.syntax import child, named, text_of
from uom.read.efcore.binding import bind, chosen
from uom.read.efcore.lowering import coerce
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.values import Argument, Instance, Struct, Value


def member_targets(session: Session, symbol: TypeSymbol, arguments: dict[str, Type] | None = None) -> dict[str, Type]:
    """Declared types of the members of a class, as far as they are known."""
    found: dict[str, Type] = {}
    for declared in reversed(session.compilation.ancestry(symbol)):
        for member in declared.members.values():
            type_ = session.resolver.member_type(member, arguments)
            if type_ is not None:
                found[member.name] = type_
    return found


def construct(
    session: Session,
    symbol: TypeSymbol,
    arguments: Sequence[Argument],
    _target: Type | None,
    node: Node,
    scope: Scope,
) -> Value:
    """`new C(arguments)`: positional members of a record, or what the constructor's body assigns."""
    place = session.place(node, scope)
    if symbol.kind in ("enum", "interface"):
        raise Refusal(f"new {symbol.name}", "it cannot be created", place, "")
    if symbol.name in session.world.services:
        return Instance(symbol)
    if arguments and session.position is Position.PROJECTION:
        session.constructed.add(symbol.name)
    if symbol.primary is not None and (symbol.kind == "record" or not symbol.constructors):
        return _primary(session, symbol, arguments, node, scope)
    if not arguments and not any(not c.parameters for c in symbol.constructors):
        return Struct(symbol.name, ())
    constructor = chosen(session, symbol.constructors, arguments, f"new {symbol.name}", place)
    return _run(session, symbol, constructor, arguments, node, scope)


def _primary(session: Session, symbol: TypeSymbol, arguments: Sequence[Argument], node: Node, scope: Scope) -> Struct:
    """Record parameters are members; those of a class are values for its initialisers."""
    place = session.place(node, scope)
    parameters = symbol.primary or ()
    own = Scope(symbol.source, symbol)
    types = {p.name: session.resolver.resolve(p.type_node, symbol) for p in parameters if p.type_node is not None}
    values = bind(session, parameters, arguments, own, types, f"new {symbol.name}", place)
    if symbol.kind == "record":
        return Struct(symbol.name, tuple(values.items()))
    own.names.update(values)
    fields: dict[str, Value] = {}
    targets = member_targets(session, symbol)
    for member in symbol.members.values():
        if member.initializer is not None and member.is_public and not member.is_static:
            target = targets.get(member.name)
            fields[member.name] = coerce(session.eval_as(member.initializer, own, target), target)
    return Struct(symbol.name, tuple(fields.items()))


def _run(
    session: Session,
    symbol: TypeSymbol,
    constructor: MethodSymbol,
    arguments: Sequence[Argument],
    node: Node,
    scope: Scope,
) -> Struct:
    """A constructor whose body is a list of `Member = expression`."""
    place = session.place(node, scope)
    own = Scope(constructor.source, symbol)
    types = {p.name: session.resolve(p.type_node, own) for p in constructor.parameters}
    own.names.update(bind(session, constructor.parameters, arguments, own, types, f"new {symbol.name}", place))
    fields: dict[str, Value] = {}
    targets = member_targets(session, symbol)
    body = constructor.body
    statements = named(body) if body is not None and body.type == "block" else [body] if body is not None else []
    with session.calling(constructor, place):
        for statement in statements:
            inner = statement
            if statement.type == "expression_statement" and named(statement):
                inner = named(statement)[0]
            name, right = _assignment(inner)
            if name is None or right is None:
                raise Refusal(
                    f"new {symbol.name}",
                    "its constructor does more than assign members",
                    constructor.source.place(inner),
                    "Use an object initialiser.",
                )
            fields[name] = coerce(session.eval_as(right, own, targets.get(name)), targets.get(name))
    return Struct(symbol.name, tuple(fields.items()))


def _assignment(node: Node) -> tuple[str | None, Node | None]:
    if node.type != "assignment_expression":
        return None, None
    left, right = child(node, "left"), child(node, "right")
    if left is not None and left.type == "member_access_expression":
        owner = child(left, "expression")
        left = child(left, "name") if owner is not None and text_of(owner) == "this" else None
    if left is None or left.type != "identifier":
        return None, None
    operator = child(node, "operator")
    if operator is not None and text_of(operator) != "=":
        return None, None
    return text_of(left), right
