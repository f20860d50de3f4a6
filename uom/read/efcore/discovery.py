"""Which methods and other members of the input ask a database, and which are only helpers of those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from uom.model.schema import Schema
from uom.read.csharp.symbols import Compilation, MethodSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, descend, text_of
from uom.read.efcore.asking import CONFIGURING, QUERIES, SETS
from uom.read.efcore.code_members import is_member, members_like_methods, other_code
from uom.read.efcore.endpoints import endpoint_methods
from uom.read.efcore.mentions import called_names, declared_names
from uom.read.efcore.model import is_context
from uom.read.efcore.refused import WRITES
from uom.read.efcore.uses import Uses, body_id

_QUERY_TYPES = QUERIES | {"Expression"}
_ALWAYS_WRITES = ("SaveChanges", "Execute", "Bulk")
AMBIGUOUS = "*"
"""The context of a method that may read from any of several: nobody guesses which."""


@dataclass(frozen=True)
class Candidate:
    """A method that reads from a context, and the name of the context's schema."""

    method: MethodSymbol
    context: str
    heir: TypeSymbol | None = None
    """For a method of a generic base class: the class that says what its type parameters are."""
    refused_as: str = ""
    """What a member is that asks a database but is no query of its own; "" for one that is read."""


def context_names(compilation: Compilation, schemas: tuple[Schema, ...]) -> dict[str, str]:
    """Class and interface names under which a context is known -> its schema."""
    found = {s.context: s.context for s in schemas if s.context}
    for symbol in compilation.all_types():
        if symbol.kind == "class" and is_context(compilation, symbol):
            found.setdefault(symbol.name, symbol.name)
    for symbol in compilation.all_types():
        if symbol.kind == "interface" and any(_is_set(m.type_node) for m in symbol.members.values()):
            implementing = [
                t.name for t in compilation.all_types() if symbol.name in t.base_names() and t.name in found
            ]
            found[symbol.name] = implementing[0] if implementing else next(iter(found.values()), "")
    return found


def _is_query(node: Node | None) -> bool:
    return node is not None and simple_name(node) in QUERIES


def _is_set(node: Node | None) -> bool:
    return node is not None and simple_name(node) in SETS


def _argument_of(node: Node | None) -> str:
    """`Item` of `DbSet<Item>`, `Set<Item>` and `IQueryable<Item>?`; "" where there is none."""
    found = next((n for n, _ in descend(node) if n.type == "type_argument_list"), None) if node is not None else None
    return simple_name(found.named_children[0]) if found is not None and found.named_children else ""


def services(compilation: Compilation, contexts: dict[str, str]) -> dict[str, TypeSymbol]:
    """Classes that hold a context or another such class, and the interfaces they implement."""
    found: dict[str, TypeSymbol] = {}
    classes = [t for t in compilation.all_types() if t.kind in ("class", "record", "struct") and t.name not in contexts]
    while True:
        before = len(found)
        for symbol in classes:
            if symbol.name not in found and _holds(compilation, symbol, contexts, found):
                found[symbol.name] = symbol
                for base in symbol.base_names():
                    declared = compilation.find_type(base, symbol)
                    if declared is None or declared.kind == "interface":
                        found.setdefault(base, symbol)
        if len(found) == before:
            return found


def _holds(
    compilation: Compilation, symbol: TypeSymbol, contexts: dict[str, str], known: dict[str, TypeSymbol]
) -> bool:
    for node in _held_types(symbol):
        name = simple_name(node)
        if name in contexts or name in known or name in SETS or name in ("DbContext", "IDbContextFactory"):
            return True
    base = compilation.base_of(symbol)
    return base is not None and base.name in known


def _held_types(symbol: TypeSymbol) -> Iterator[Node]:
    for member in symbol.members.values():
        if member.type_node is not None and member.kind != "parameter":
            yield member.type_node
    if symbol.kind != "record":
        for parameter in symbol.primary or ():
            if parameter.type_node is not None:
                yield parameter.type_node


def all_methods(compilation: Compilation) -> list[MethodSymbol]:
    """Every method with code, in source order, file by file."""
    found = [m for t in compilation.all_types() for m in t.methods if m.body is not None]
    found += [m for m in compilation.free_methods if m.body is not None]
    order = {s.name: i for i, s in enumerate(compilation.sources)}
    return sorted(found, key=lambda m: (order.get(m.source.name, 0), m.node.start_byte))


@dataclass
class Finder:
    compilation: Compilation
    schemas: tuple[Schema, ...]
    contexts: dict[str, str]
    services: dict[str, TypeSymbol]

    def __post_init__(self) -> None:
        self.set_names = {n for s in self.schemas for e in s.entities for n in e.set_names}
        rows = {e.name for s in self.schemas for e in s.entities} | {c.name for s in self.schemas for c in s.complexes}
        # rows do not know a context, whatever their computed members are called
        members = [m for t in self.compilation.all_types() if t.name not in rows for m in members_like_methods(t)]
        members = [m for m in members if not self._is_own_set(m)]
        self.methods = [*all_methods(self.compilation), *members, *endpoint_methods(self.compilation)]
        self.other = [o for t in self.compilation.all_types() if t.name not in rows for o in other_code(t)]
        self.called = {m.node.id: called_names(m) for m in self.methods}
        self.direct = {m.node.id: self.context_of(m) for m in self.methods}
        self.readers = self._readers()
        self.uses = Uses(
            self.compilation, [*self.methods, *(o.method for o in self.other)], self.contexts, self.set_names
        )

    def _is_own_set(self, method: MethodSymbol) -> bool:
        in_context = method.owner is not None and method.owner.name in self.contexts
        return _is_set(method.return_node) or (in_context and method.name in self.set_names)

    def _meant(self, set_name: str = "", entity: str = "") -> str:
        """The context where no type says which: the only one, or the only one that has the set or the entity."""
        known = list(dict.fromkeys(self.contexts.values()))
        if len(known) > 1 and (set_name or entity):
            fitting = [
                s.context
                for s in self.schemas
                if any(set_name in e.set_names if set_name else e.name == entity for e in s.entities)
            ]
            known = fitting or known
        return known[0] if len(known) == 1 else AMBIGUOUS if known else ""

    def _readers(self) -> dict[str, str]:
        """Method name -> context, for all that read directly or call one that does."""
        found: dict[str, str] = {}
        for method in self.methods:
            context = self.direct[method.node.id]
            if context is not None:
                found[method.name] = context if found.get(method.name, context) == context else AMBIGUOUS
        while True:
            before = len(found)
            for method in self.methods:
                hit = next((n for n in self.called[method.node.id] if n in found and n != method.name), None)
                if method.name not in found and hit is not None:
                    found[method.name] = found[hit]
            if len(found) == before:
                return found

    def context_of(self, method: MethodSymbol) -> str | None:
        """The schema that the method's own code reads from; None when it does not mention a context."""
        known = self._typed_names(method)
        for node, _ in descend(method.body) if method.body is not None else ():
            if node.type == "identifier":
                found = known.get(text_of(node).removeprefix("@"))
                if found is not None:
                    return found
            if node.type == "member_access_expression":
                found = self._from_nowhere(node, method, known)
                if found is not None:
                    return found
            if node.type == "object_creation_expression":
                created = child(node, "type")
                if created is not None and simple_name(created) in self.contexts:
                    return self.contexts[simple_name(created)]
        if method.owner is not None and method.owner.name in self.contexts and method.owner.kind == "class":
            return self._inside_context(method)
        return None

    def _inside_context(self, method: MethodSymbol) -> str | None:
        assert method.owner is not None and method.body is not None
        if method.name in CONFIGURING:
            return None
        names = {text_of(n) for n, _ in descend(method.body) if n.type == "identifier"}
        return self.contexts[method.owner.name] if names & (self.set_names | {"Set"}) else None

    def _typed_names(self, method: MethodSymbol) -> dict[str, str]:
        """Parameters and members whose type is a context or a set."""
        found: dict[str, str] = {}
        nodes: list[tuple[str, Node | None]] = [(p.name, p.type_node) for p in method.parameters]
        owner = method.owner
        while owner is not None:
            for declared in self.compilation.ancestry(owner):
                members = declared.members.values()
                nodes += [(m.name, m.type_node) for m in members]
                queries = [m for m in members if _is_query(m.type_node) and m.getter is None]
                found.update({m.name: self._meant(entity=_argument_of(m.type_node)) for m in queries})
                nodes += [(p.name, p.type_node) for p in declared.primary or ()]
            owner = owner.outer
        for name, node in nodes:
            context = self._context_of_type(node)
            if context is not None:
                found.setdefault(name, context)
        return found

    def _context_of_type(self, node: Node | None) -> str | None:
        if node is None:
            return None
        name = simple_name(node)
        if name in self.contexts:
            return self.contexts[name]
        if name == "IDbContextFactory":
            return self.contexts.get(_argument_of(node)) or self._meant()
        if name in ("DbContext", *SETS):
            return self._meant(entity=_argument_of(node))
        return None

    def _from_nowhere(self, node: Node, method: MethodSymbol, _known: dict[str, str]) -> str | None:
        """`_db.Orders` where nothing in the input says what `_db` is."""
        target, name = child(node, "expression"), child(node, "name")
        if target is None or name is None:
            return None
        if target.type == "member_access_expression":
            owner = child(target, "expression")
            target = child(target, "name") if owner is not None and text_of(owner) == "this" else None
        if target is None or target.type != "identifier":
            return None
        is_set = text_of(name) in self.set_names
        is_generic_set = name.type == "generic_name" and text_of(name.named_children[0]) == "Set"
        if not (is_set or is_generic_set):
            return None
        if text_of(target) in declared_names(self.compilation, method):
            return None
        return self._meant(text_of(name)) if is_set else self._meant(entity=_argument_of(name))

    def writes(self, method: MethodSymbol) -> list[Node]:
        """Names of calls that change data, in source order; `Add` on a list is none, nor is SaveChanges alone."""
        found = self._changes(method)
        return found if any(not text_of(n).startswith("SaveChanges") for n in found) else []

    def _changes(self, method: MethodSymbol) -> list[Node]:
        known = self._typed_names(method)
        found = []
        for node, _ in descend(method.body) if method.body is not None else ():
            function = child(node, "function") if node.type == "invocation_expression" else None
            name = child(function, "name") if function is not None else None
            owner = child(function, "expression") if function is not None else None
            if name is None or owner is None:
                continue
            called = text_of(name.named_children[0] if name.type == "generic_name" else name)
            if called in WRITES and (called.startswith(_ALWAYS_WRITES) or self._is_set(owner, method, known)):
                found.append(name)
        return found

    def _is_set(self, node: Node, method: MethodSymbol, known: dict[str, str]) -> bool:
        """`db`, `db.Orders`, `db.Set<Order>()`, `_orders`."""
        if node.type == "identifier":
            return text_of(node) in known or text_of(node) not in declared_names(self.compilation, method)
        if node.type == "member_access_expression":
            name = child(node, "name")
            return name is not None and (text_of(name) in self.set_names or text_of(name) in known)
        function = child(node, "function") if node.type == "invocation_expression" else None
        return function is not None and text_of(function).split(".")[-1].startswith("Set<")

    def candidates(self) -> list[Candidate]:
        """Members to be read for themselves, in source order, and those that ask a database and can only be refused."""
        known = {body_id(m): c for m in self.methods if (c := self._context_if_asking(m)) is not None}
        other = [o for o in self.other if self.uses.asks(o.method) or self.writes(o.method)]
        read = {i for m in self.methods if (i := body_id(m)) in known and not self._is_helper(m)}
        # a helper is read for itself where nothing that has a finding leads to it
        reached = self.uses.reached_from(read | {body_id(o.method) for o in other})
        read |= {body_id(m) for m in self.methods if self.uses.asks(m) and body_id(m) not in reached}
        found: list[Candidate] = []
        for method in self.methods:
            if body_id(method) in read:
                context = known.get(body_id(method), "")
                heirs = self._heirs(method)
                found += [Candidate(method, context, heir) for heir in heirs] or [Candidate(method, context)]
        found += [Candidate(o.method, self.context_of(o.method) or "", refused_as=o.kind) for o in other]
        order = {s.name: i for i, s in enumerate(self.compilation.sources)}
        return sorted(
            found,
            key=lambda c: (
                c.method.node.type == "lambda_expression",
                order.get(c.method.source.name, 0),
                c.method.node.start_byte,
            ),
        )

    def _context_if_asking(self, method: MethodSymbol) -> str | None:
        """The context that the member asks, itself or through others; None for one that has nothing to answer."""
        if not (self.uses.asks(method) or self.uses.reads(method)) and is_member(method):
            return None
        if not returns_data(method) and not self.uses.asks(method) and not self.writes(method):
            return None  # what it calls has findings of its own
        context = self.direct[method.node.id]
        if context is not None:
            return context
        hits = [n for n in self.called[method.node.id] if n in self.readers and n != method.name]
        return self._context_of_call(method, hits[0]) if hits else None

    def _context_of_call(self, caller: MethodSymbol, name: str) -> str:
        """Where the called method reads from: the one of the caller's own class before those of others."""
        own = self.compilation.ancestry(caller.owner) if caller.owner is not None else []
        near = {self.direct[m.node.id] for m in self.methods if m.name == name and m.owner in own} - {None}
        return next(iter(near)) or "" if len(near) == 1 else self.readers[name]

    def _heirs(self, method: MethodSymbol) -> list[TypeSymbol]:
        """Plain classes that inherit the method from a generic base class."""
        owner = method.owner
        if owner is None or not owner.type_parameters or method.is_static:
            return []
        return [
            t
            for t in self.compilation.all_types()
            if t is not owner
            and not t.type_parameters
            and owner in self.compilation.ancestry(t)
            and not any(m.name == method.name for m in t.methods)
            and method.name not in t.members
        ]

    def _is_helper(self, method: MethodSymbol) -> bool:
        """Inlined where it is called: private, or a method that is a building block of queries."""
        if not self.uses.is_used(method):
            return False
        nodes = [method.return_node, *(p.type_node for p in method.parameters)]
        is_method = not is_member(method)
        if is_method and any(n is not None and simple_name(n) in _QUERY_TYPES for n in nodes):
            return True
        visible = {"public", "internal"} & method.modifiers
        in_class = method.owner is not None and method.owner.name and method.owner.kind != "interface"
        return not visible and bool(in_class)


def returns_data(method: MethodSymbol) -> bool:
    """Not void and not a bare Task."""
    node = method.return_node
    return node is None or text_of(node) not in ("void", "Task", "ValueTask")
