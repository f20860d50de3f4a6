"""Members with code that are no methods: those that are read like one, and those that can only be refused.

A property without parameters and a field that holds a lambda are called like methods, and return what they read. What
a constructor, an operator or an event reads has no call of its own whose rows could be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from uom.read.csharp.declarations import parameters_of
from uom.read.csharp.symbols import MemberSymbol, MethodSymbol, ParameterSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, first_of, named, text_of
from uom.read.csharp.types import type_arguments

REMEDY = "Move the query to a method that returns its rows."
_COMPILED = frozenset({"CompileQuery", "CompileAsyncQuery"})
_KINDS = {
    "constructor_declaration": "a constructor",
    "indexer_declaration": "an indexer",
    "operator_declaration": "an operator",
    "conversion_operator_declaration": "a conversion",
    "event_declaration": "an event",
    "destructor_declaration": "a finalizer",
}


@dataclass(frozen=True)
class OtherCode:
    """Code of a member that is never called for its rows; `kind` is what such a member is, with its article."""

    method: MethodSymbol
    kind: str


def members_like_methods(symbol: TypeSymbol) -> Iterator[MethodSymbol]:
    """Each computed property, and each `Func<Shop, int, Order> ById = EF.CompileQuery(..)`, as a method."""
    for member in symbol.members.values():
        if member.getter is not None:
            yield _method(member, member.getter, ())
        elif (delegate := _delegate(member)) is not None:
            yield delegate


def other_code(symbol: TypeSymbol) -> Iterator[OtherCode]:
    """Constructors, operators and the like, setters, and values of members that are not read as delegates."""
    for method in (*symbol.constructors, *symbol.other_code):
        yield OtherCode(replace(method, name=_name(method), body=method.node), _KINDS[method.node.type])
    for member in symbol.members.values():
        for body in _setters(member):
            yield OtherCode(_method(member, body, ()), "a setter")
        if member.initializer is not None and _delegate(member) is None:
            yield OtherCode(_method(member, member.initializer, ()), f"a {member.kind} that holds no lambda")


def is_member(method: MethodSymbol) -> bool:
    """Whether it is a property or a delegate read like a method."""
    return method.node.type in ("property_declaration", "variable_declarator")


def is_getter(method: MethodSymbol) -> bool:
    """Whether C# reads it without parentheses."""
    member = method.owner.members.get(method.name) if method.owner is not None and is_member(method) else None
    return member is not None and member.getter is not None


def _method(member: MemberSymbol, body: Node, parameters: tuple[ParameterSymbol, ...]) -> MethodSymbol:
    return MethodSymbol(
        member.name,
        member.source,
        member.node,
        member.owner,
        member.modifiers | ({"static"} if member.is_static else frozenset()),
        member.type_node,
        parameters,
        (),
        body,
    )


def _delegate(member: MemberSymbol) -> MethodSymbol | None:
    """None where it is no lambda, or where nothing says what its parameters are or what it returns."""
    node = member.type_node
    function = _lambda(member.initializer)
    if node is None or function is None or simple_name(node) != "Func":
        return None
    body = child(function, "body")
    types = type_arguments(node)
    parameters = _parameters(function, types[:-1])
    if body is None or not types or len(parameters) != len(types) - 1:
        return None
    return replace(_method(member, body, parameters), return_node=types[-1])


def _lambda(node: Node | None) -> Node | None:
    """Of `x => ..`, `EF.CompileQuery(x => ..)` and `new Func<..>(x => ..)`."""
    while node is not None and node.type in ("parenthesized_expression", "cast_expression"):
        node = named(node)[-1]
    if node is None or node.type == "lambda_expression":
        return node
    function = child(node, "function")
    is_compiled = function is not None and text_of(function).rpartition(".")[2].partition("<")[0] in _COMPILED
    created = child(node, "type") if node.type == "object_creation_expression" else None
    if not is_compiled and (created is None or simple_name(created) != "Func"):
        return None
    arguments = child(node, "arguments")
    given = [named(a)[-1] for a in named(arguments) if named(a)] if arguments is not None else []
    return _lambda(given[0]) if len(given) == 1 else None


def _parameters(function: Node, types: list[Node]) -> tuple[ParameterSymbol, ...]:
    """With the types of the delegate where the lambda does not say them."""
    given = child(function, "parameters")
    if given is None or given.type != "parameter_list":
        alone = first_of(function, "implicit_parameter")
        names = [(alone, text_of(alone))] if alone is not None else []
        written: dict[str, Node | None] = {}
    else:
        names = [(p.node, p.name) for p in parameters_of(given)]
        written = {p.name: p.type_node for p in parameters_of(given)}
    return tuple(
        ParameterSymbol(name, written.get(name) or type_, None, frozenset(), (), node)
        for (node, name), type_ in zip(names, types, strict=False)
    )


def _setters(member: MemberSymbol) -> Iterator[Node]:
    accessors = child(member.node, "accessors") if member.kind == "property" else None
    for accessor in named(accessors) if accessors is not None else ():
        if any(text_of(c) in ("set", "init") for c in accessor.children):
            yield accessor


def _name(method: MethodSymbol) -> str:
    """As C# writes it: `Shop`, `this[]`, `operator +`, `~Shop`."""
    node = method.node
    if node.type == "indexer_declaration":
        return "this[]"
    if node.type in ("operator_declaration", "conversion_operator_declaration"):
        what = child(node, "operator") or child(node, "type")
        return f"operator {text_of(what)}" if what is not None else "operator"
    name = child(node, "name")
    named_ = text_of(name) if name is not None else ""
    return f"~{named_}" if node.type == "destructor_declaration" else named_
