"""What the input declares: types with their members and methods, found by name whatever their order or file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from uom.model.diagnostics import Diagnostic, Place
from uom.read.csharp.syntax import SourceFile, child, text_of


@dataclass(frozen=True, eq=False)
class Attribute:
    """`[Table("Employees", Schema = "hr")]`: name without the suffix `Attribute`; arguments are syntax nodes."""

    name: str
    positional: tuple[Node, ...]
    named: dict[str, Node]
    node: Node


@dataclass(frozen=True, eq=False)
class MemberSymbol:
    """A field, property or positional record parameter. `getter` is the expression or block of a computed property."""

    name: str
    kind: str
    type_node: Node | None
    source: SourceFile
    node: Node
    owner: TypeSymbol
    modifiers: frozenset[str]
    attributes: tuple[Attribute, ...] = ()
    getter: Node | None = None
    initializer: Node | None = None
    has_setter: bool = False

    @property
    def is_static(self) -> bool:
        return "static" in self.modifiers or "const" in self.modifiers

    @property
    def is_public(self) -> bool:
        return "public" in self.modifiers or self.kind == "parameter"

    @property
    def place(self) -> Place:
        return self.source.place(self.node)


@dataclass(frozen=True, eq=False)
class ParameterSymbol:
    name: str
    type_node: Node | None
    default: Node | None
    modifiers: frozenset[str]
    attributes: tuple[Attribute, ...]
    node: Node


@dataclass(frozen=True, eq=False)
class MethodSymbol:
    """A method, local function at top level, or constructor (`name` is then ".ctor").

    `body` is a block, or the expression of an expression-bodied member; `owner` is None for a method without a class.
    """

    name: str
    source: SourceFile
    node: Node
    owner: TypeSymbol | None
    modifiers: frozenset[str]
    return_node: Node | None
    parameters: tuple[ParameterSymbol, ...]
    type_parameters: tuple[str, ...]
    body: Node | None
    attributes: tuple[Attribute, ...] = ()

    @property
    def is_extension(self) -> bool:
        return bool(self.parameters) and "this" in self.parameters[0].modifiers

    @property
    def is_static(self) -> bool:
        return "static" in self.modifiers or self.owner is None

    @property
    def place(self) -> Place:
        name = child(self.node, "name")
        return self.source.place(name if name is not None else self.node)


@dataclass(eq=False)
class TypeSymbol:
    """A class, record, struct, interface or enum; the parts of a partial type are merged."""

    name: str
    kind: str
    namespace: str
    outer: TypeSymbol | None
    source: SourceFile
    node: Node
    type_parameters: tuple[str, ...] = ()
    modifiers: set[str] = field(default_factory=set)
    attributes: list[Attribute] = field(default_factory=list)
    bases: list[Node] = field(default_factory=list)
    primary: tuple[ParameterSymbol, ...] | None = None
    """Parameters of the primary constructor, of a record or a class."""
    members: dict[str, MemberSymbol] = field(default_factory=dict)
    methods: list[MethodSymbol] = field(default_factory=list)
    constructors: list[MethodSymbol] = field(default_factory=list)
    other_code: list[MethodSymbol] = field(default_factory=list)
    """Indexers, operators, events and finalizers."""
    enum_members: list[tuple[str, Node | None]] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        prefix = self.outer.full_name if self.outer else self.namespace
        return f"{prefix}.{self.name}" if prefix else self.name

    @property
    def place(self) -> Place:
        name = child(self.node, "name")
        return self.source.place(name if name is not None else self.node)

    def base_names(self) -> list[str]:
        """Simple names of bases and interfaces, without type arguments."""
        return [simple_name(base) for base in self.bases]


@dataclass(frozen=True, eq=False)
class Compilation:
    """All declarations of the input. `types` is keyed by simple name; several entries mean the name is ambiguous."""

    sources: tuple[SourceFile, ...]
    types: dict[str, list[TypeSymbol]]
    free_methods: tuple[MethodSymbol, ...]
    diagnostics: tuple[Diagnostic, ...]

    def find_type(self, name: str, near: TypeSymbol | None = None) -> TypeSymbol | None:
        """The type of this simple name; among several the one nested in or closest to `near`. None if unknown."""
        candidates = self.types.get(name, [])
        if len(candidates) > 1 and near is not None:
            inner = [t for t in candidates if t.outer is near or (near.outer and t.outer is near.outer)]
            same = [t for t in candidates if t.namespace == near.namespace and t.outer is None]
            candidates = inner or same or candidates
        return candidates[0] if candidates else None

    def is_ambiguous(self, name: str) -> bool:
        return len(self.types.get(name, [])) > 1

    def all_types(self) -> Iterator[TypeSymbol]:
        for symbols in self.types.values():
            yield from symbols

    def base_of(self, symbol: TypeSymbol) -> TypeSymbol | None:
        """The base class when it is declared in the input."""
        for name in symbol.base_names():
            base = self.find_type(name, symbol)
            if base is not None and base is not symbol and base.kind in ("class", "record"):
                return base
        return None

    def ancestry(self, symbol: TypeSymbol) -> list[TypeSymbol]:
        """The type and its declared bases, nearest first. It ends: `cut_ancestry` has seen to that."""
        chain = [symbol]
        while (base := self.base_of(chain[-1])) is not None:
            chain.append(base)
        return chain

    def member(self, symbol: TypeSymbol, name: str) -> MemberSymbol | None:
        """A member of the type or of a declared base."""
        return next((t.members[name] for t in self.ancestry(symbol) if name in t.members), None)

    def extension_methods(self, name: str) -> list[MethodSymbol]:
        return [m for t in self.all_types() for m in t.methods if m.name == name and m.is_extension] + [
            m for m in self.free_methods if m.name == name and m.is_extension
        ]


def simple_name(node: Node) -> str:
    """`A.B<C>?` -> `B`."""
    if node.type in ("nullable_type", "array_type"):
        inner = child(node, "type")
        return simple_name(inner) if inner is not None else text_of(node)
    if node.type in ("qualified_name", "alias_qualified_name"):
        name = child(node, "name")
        return simple_name(name) if name is not None else text_of(node)
    if node.type == "generic_name":
        return text_of(node.named_children[0])
    if node.type == "primary_constructor_base_type":
        return simple_name(node.named_children[0])
    return text_of(node)
