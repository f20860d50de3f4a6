"""Where code itself makes a query of a context's sets, as opposed to handing them on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from uom.read.csharp.symbols import Compilation, MethodSymbol, simple_name
from uom.read.csharp.syntax import child, descend, text_of
from uom.read.efcore.mentions import Mentions, accessed, before_dot, declared_names, is_called, local_types
from uom.read.efcore.refused import WRITES

QUERIES = frozenset({"IQueryable", "IOrderedQueryable"})
SETS = frozenset({"DbSet", "IDbSet"})
CONFIGURING = frozenset({"OnModelCreating", "OnConfiguring", "ConfigureConventions"})
"""Methods of a context that describe it."""
_GENERIC = frozenset({"Set", "Find", "FindAsync", "SqlQuery", "SqlQueryRaw", "FromExpression"})
"""`db.Set<Order>()`."""
_FACTORIES = ("CreateDbContext", "CreateDbContextAsync")
_CHAIN = frozenset({"member_access_expression", "invocation_expression"})
_TESTED = frozenset({"binary_expression", "is_pattern_expression", "is_expression"})


class Asking:
    """`contexts` are class and interface names of contexts, `set_names` the names of all sets."""

    def __init__(
        self, compilation: Compilation, mentions: Mentions, contexts: Mapping[str, str], set_names: set[str]
    ) -> None:
        self.compilation = compilation
        self.mentions = mentions
        self.contexts = contexts
        self.set_names = set_names

    def asks(self, method: MethodSymbol) -> bool:
        """Whether the code makes a query. A set that is only kept for later, passed on or written to is none."""
        return any(not self._is_kept(node, method) for node in self._sets(method))

    def _sets(self, method: MethodSymbol) -> Iterator[Node]:
        """Expressions that are a set of a context, or a query kept in a member."""
        if method.owner is not None and method.owner.name in self.contexts and method.name in CONFIGURING:
            return
        types, local = self.mentions.types_of(method), local_types(method)
        # a query that is given to a method was made by who gives it
        kept = {n for n, t in types.items() if t in SETS or (t in QUERIES and n not in local)}
        declared = declared_names(self.compilation, method)
        inside = method.owner is not None and method.owner.name in self.contexts and method.owner.kind == "class"
        for node, _ in descend(method.body) if method.body is not None else ():
            # where a node stands is worked out only for names that matter: in long chains that takes its time
            if node.type != "identifier" or (name := text_of(node)) not in kept | self.set_names | _GENERIC:
                continue
            left = before_dot(node)
            is_generic = name in _GENERIC and node.parent is not None and node.parent.type == "generic_name"
            if left is None and (name in kept or (inside and name in self.set_names)):
                yield accessed(node)
            elif is_generic and is_called(node) and (left is not None or inside):
                yield accessed(node).parent or node
            elif left is not None and (
                (left.type == "this" and name in kept)
                or (name in self.set_names and self._is_context(left, method, types, declared))
            ):
                yield accessed(node)

    def _is_context(self, node: Node, method: MethodSymbol, types: Mapping[str, str], declared: set[str]) -> bool:
        while node.type in ("parenthesized_expression", "await_expression", "postfix_unary_expression"):
            node = node.named_children[-1]
        if node.type in ("this", "base"):
            return method.owner is not None and method.owner.name in self.contexts
        if node.type == "identifier":
            name = text_of(node)
            if types.get(name):
                return types[name] in self.contexts or types[name] == "DbContext"
            return name not in declared or self._is_made(name, method)
        if node.type == "member_access_expression":
            found = self.mentions.types_of_member(text_of(node).rpartition(".")[2])
            return not found or any(t in self.contexts or t == "DbContext" for t in found)
        return self._makes_context(node)

    def _is_made(self, name: str, method: MethodSymbol) -> bool:
        """A variable without a type that a factory, or a provider of services, gave its value."""
        for node, _ in descend(method.node):
            label = child(node, "name") if node.type == "variable_declarator" else None
            if label is not None and text_of(label) == name:
                return self._makes_context(node)
        return False

    def _makes_context(self, node: Node) -> bool:
        names = {text_of(n) for n, _ in descend(node) if n.type == "identifier"}
        return not names.isdisjoint({*self.contexts, *_FACTORIES})

    def _is_kept(self, node: Node, method: MethodSymbol) -> bool:
        """Assigned, given to an object of the input, looked at whether it is there, or the goal of a write."""
        if self._is_unasked(node, method):
            return True
        parent = node.parent
        if parent is None or node == method.body:
            return method.body is not None and method.node.type == "variable_declarator"
        if parent.type == "assignment_expression":
            return True
        if parent.type in _TESTED:
            return True
        if parent.type == "member_access_expression":
            name = child(parent, "name")
            return name is not None and text_of(name) in WRITES
        around = parent.parent.parent if parent.type == "argument" and parent.parent is not None else None
        if around is None:
            return False
        created = child(around, "type") if around.type == "object_creation_expression" else None
        function = child(around, "function")
        return (
            around.type in ("constructor_declaration", "constructor_initializer", "primary_constructor_base_type")
            or (created is not None and simple_name(created) in self.compilation.types)
            or (function is not None and text_of(function) == "nameof")
        )

    def _is_unasked(self, node: Node, method: MethodSymbol) -> bool:
        """A query that goes into a member which only holds it: who uses that member asks."""
        types = self.mentions.types_of(method)
        if method.node.type != "variable_declarator" and QUERIES.isdisjoint(types.values()):
            return False
        while node != method.body and node.parent is not None and node.parent.type in _CHAIN:
            node = node.parent
        if node == method.body and method.node.type == "variable_declarator":
            is_query = method.return_node is not None and simple_name(method.return_node) in QUERIES
            return is_query and "public" not in method.modifiers
        target = child(node.parent, "left") if node.parent is not None else None
        if target is None or target == node:
            return False
        return types.get(text_of(target).removeprefix("this.")) in QUERIES
