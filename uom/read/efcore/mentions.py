"""Who uses which member of the input: what a name in code may mean, by the types that are written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from uom.read.csharp.symbols import Compilation, MethodSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, descend, named, text_of

_WRITTEN = ("parameter", "variable_declaration", "foreach_statement", "declaration_pattern", "declaration_expression")
"""Syntax that gives a local name a type."""
_UNTYPED = ("implicit_type", "var_pattern")


class Mentions:
    """Every name in all code of the input. Where nothing tells what stands before a dot, a call may mean any member."""

    def __init__(self, compilation: Compilation, code: Sequence[MethodSymbol]) -> None:
        self.compilation = compilation
        self.code = code
        self._types: dict[int, dict[str, str]] = {}

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[MethodSymbol, Node]]]:
        found: dict[str, list[tuple[MethodSymbol, Node]]] = {m.name: [] for m in self.code}
        for method in self.code:
            for node, _ in descend(method.body) if method.body is not None else ():
                if node.type == "identifier" and (name := text_of(node)) in found:
                    found[name].append((method, node))
        return found

    def types_of_member(self, name: str) -> list[str]:
        """What members of that name are, in whichever type."""
        nodes = [t.members[name].type_node for t in self._owners.get(name, ()) if name in t.members]
        return [simple_name(node) for node in nodes if node is not None]

    @cached_property
    def _owners(self) -> dict[str, list[TypeSymbol]]:
        """Types that have a member, a method or a value of that name."""
        found: dict[str, list[TypeSymbol]] = {}
        for symbol in self.compilation.all_types():
            for name in {*symbol.members, *(m.name for m in symbol.methods), *(n for n, _ in symbol.enum_members)}:
                found.setdefault(name, []).append(symbol)
        return found

    def users(self, used: MethodSymbol) -> Iterator[MethodSymbol]:
        """Code that may mean this member; a member is no user of itself."""
        for method, node in self._by_name.get(used.name, ()):
            if method.node.id != used.node.id and self._may_mean(node, method, used):
                yield method

    def types_of(self, method: MethodSymbol) -> dict[str, str]:
        """Names in the code and the simple names of their types; "" where no type is written."""
        known = self._types.get(method.node.id)
        if known is None:
            given = {p.name: simple_name(p.type_node) for p in method.parameters if p.type_node is not None}
            known = self._types[method.node.id] = {**self._member_types(method), **local_types(method), **given}
        return known

    def _member_types(self, method: MethodSymbol) -> dict[str, str]:
        found: dict[str, str] = {}
        owner = method.owner
        while owner is not None:
            for declared in self.compilation.ancestry(owner):
                pairs = [(m.name, m.type_node) for m in declared.members.values()]
                pairs += [(p.name, p.type_node) for p in declared.primary or ()]
                for name, node in pairs:
                    found.setdefault(name, simple_name(node) if node is not None else "")
            owner = owner.outer
        return found

    def _may_mean(self, node: Node, user: MethodSymbol, used: MethodSymbol) -> bool:
        left = before_dot(node)
        if left is None:
            return self._is_in_sight(node, user, used)
        if used.is_extension:
            return is_called(node)
        if used.owner is None:
            return False
        if left.type in ("this", "base"):
            return self._is_in_sight(node, user, used)
        known = [self._related(t, used.owner) for t in self._types_before(left, user)]
        others = [t for t in self._owners.get(used.name, ()) if t is not used.owner]
        return any(known) if known else is_called(node) or not others

    def _types_before(self, left: Node, user: MethodSymbol) -> list[str]:
        """What the type of `left` may be; nothing where that is not written down."""
        if left.type == "identifier":
            name = text_of(left)
            type_ = self.types_of(user).get(name)
            return [type_] if type_ else [name] if type_ is None and name in self.compilation.types else []
        if left.type == "object_creation_expression":
            created = child(left, "type")
            return [simple_name(created)] if created is not None else []
        if left.type == "member_access_expression":
            return self.types_of_member(text_of(left).rpartition(".")[2])
        return []

    def _related(self, name: str, owner: TypeSymbol) -> bool:
        symbol = self.compilation.find_type(name, owner)
        above = self.compilation.ancestry(owner)
        return (
            name == owner.name
            or any(name in t.base_names() for t in above)
            or (symbol is not None and (symbol in above or owner in self.compilation.ancestry(symbol)))
        )

    def _is_in_sight(self, node: Node, user: MethodSymbol, used: MethodSymbol) -> bool:
        """Whether the name alone, or behind `this`, may mean a member of a class around it."""
        if used.owner is None:
            return True
        owner = user.owner
        while owner is not None:
            above = self.compilation.ancestry(owner)
            if used.owner in above or owner in self.compilation.ancestry(used.owner):
                return used.node.type == "method_declaration" or text_of(node) not in local_types(user)
            owner = owner.outer
        return used.is_static and is_called(node) and "using static" in user.source.text


def before_dot(node: Node) -> Node | None:
    """`a` of `a.Name`, `a?.Name` and `a.Name<T>`; None where the name stands alone."""
    name = node.parent if node.parent is not None and node.parent.type == "generic_name" else node
    access = name.parent
    if access is None or child(access, "name") != name:
        return None
    if access.type == "member_access_expression":
        return child(access, "expression")
    outer = access.parent
    while access.type == "member_binding_expression" and outer is not None:
        if outer.type == "conditional_access_expression":
            return named(outer)[0]
        outer = outer.parent
    return None


def accessed(node: Node) -> Node:
    """The whole `a.Name` or `a.Name<T>` around a name, or the name itself."""
    whole = node.parent if node.parent is not None and node.parent.type == "generic_name" else node
    parent = whole.parent
    is_access = parent is not None and parent.type in ("member_access_expression", "member_binding_expression")
    return parent if parent is not None and is_access and child(parent, "name") == whole else whole


def is_called(node: Node) -> bool:
    parent = accessed(node).parent
    while parent is not None and parent.type == "conditional_access_expression":
        parent = parent.parent
    return parent is not None and parent.type == "invocation_expression"


def local_types(method: MethodSymbol) -> dict[str, str]:
    """Parameters, variables and lambda parameters with the types that are written; "" where there is none."""
    found: dict[str, str] = {}
    for node, _ in descend(method.node):
        if node.type == "implicit_parameter":
            found.setdefault(text_of(node), "")
        elif node.type in _WRITTEN:
            for name, type_ in _written(node):
                found[name] = found.get(name) or type_
    return found


def _written(node: Node) -> Iterator[tuple[str, str]]:
    type_node = child(node, "type")
    is_written = type_node is not None and type_node.type not in _UNTYPED and text_of(type_node) != "var"
    type_ = simple_name(type_node) if type_node is not None and is_written else ""
    if node.type != "variable_declaration":
        name = child(node, "name") or child(node, "left")
        if name is not None and name.type == "identifier":
            yield text_of(name), type_
        return
    for declarator in named(node):
        name = child(declarator, "name")
        if declarator.type == "variable_declarator" and name is not None:
            made = next((c for c in named(declarator) if c.type == "object_creation_expression"), None)
            created = child(made, "type") if made is not None else None
            yield text_of(name), type_ or (simple_name(created) if created is not None else "")


def declared_names(compilation: Compilation, method: MethodSymbol) -> set[str]:
    """Names that the method or its class declares: parameters, locals, range variables, members, types."""
    names = {p.name for p in method.parameters}
    for node, _ in descend(method.node):
        if node.type in ("variable_declarator", "parameter", "foreach_statement", "from_clause", "declaration_pattern"):
            name = child(node, "name") or child(node, "left")
            if name is not None:
                names.add(text_of(name))
        elif node.type == "implicit_parameter":
            names.add(text_of(node))
        elif node.type in ("join_clause", "let_clause", "join_into_clause"):
            names.update(text_of(c) for c in node.named_children[:1] if c.type == "identifier")
    owner = method.owner
    while owner is not None:
        for declared in compilation.ancestry(owner):
            names |= set(declared.members)
            # what a class of another project is, only its use says
            primary = [(p.name, p.type_node) for p in declared.primary or ()]
            names |= {n for n, t in primary if t is not None and compilation.find_type(simple_name(t), declared)}
        owner = owner.outer
    return names | set(compilation.types)


def called_names(method: MethodSymbol) -> frozenset[str]:
    """Names of methods that the body calls or passes along."""
    names = set()
    for node, _ in descend(method.body) if method.body is not None else ():
        if node.type == "invocation_expression":
            function = child(node, "function")
            if function is None:
                continue
            if function.type in ("member_access_expression", "conditional_access_expression"):
                name = child(function, "name")
                if name is None and function.named_children:
                    name = child(function.named_children[-1], "name")
                function = name if name is not None else function
            if function.type == "generic_name":
                function = function.named_children[0]
            names.add(text_of(function))
        elif node.type in ("argument",) and node.named_children and node.named_children[-1].type == "identifier":
            names.add(text_of(node.named_children[-1]))
        elif node.type == "identifier":
            names.add(text_of(node))
    return frozenset(names)
