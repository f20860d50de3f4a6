"""Type syntax to types of the algebra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from uom.model.types import (
    ComplexType,
    EntityType,
    EnumType,
    Field,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
)
from uom.read.csharp.constants import enum_numbers
from uom.read.csharp.enums import DAY_OF_WEEK
from uom.read.csharp.symbols import Compilation, MemberSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import SourceFile, child, descend, named, text_of

SCALARS: dict[str, Kind] = {
    **{kind.value: kind for kind in Kind},
    
        "Boolean": Kind.BOOL, "SByte": Kind.SBYTE, "Byte": Kind.BYTE, "Int16": Kind.SHORT, "UInt16": Kind.USHORT,
        "Int32": Kind.INT, "UInt32": Kind.UINT, "Int64": Kind.LONG, "UInt64": Kind.ULONG, "Decimal": Kind.DECIMAL,
        "Single": Kind.FLOAT, "Double": Kind.DOUBLE, "String": Kind.STRING, "Char": Kind.CHAR
    ,
}  # fmt: skip

SEQUENCES = frozenset(
    """
    List IList ICollection IEnumerable IReadOnlyList IReadOnlyCollection ISet HashSet IReadOnlySet
    Collection ObservableCollection IQueryable IOrderedQueryable IOrderedEnumerable IAsyncEnumerable
    DbSet IIncludableQueryable ImmutableArray ImmutableList LinkedList Queue Stack SortedSet
    """.split()
)
WRAPPERS = frozenset({"Task", "ValueTask"})


def nullable_annotations(sources: tuple[SourceFile, ...]) -> bool:
    """Whether the project has nullable reference types on (EF Core derives required columns from that).

    The project file that decides is not part of the input, so the code itself is the witness: an annotated reference
    type, `#nullable enable`, or a `null!` initialiser. It decides where a file does not say it by `#nullable`.
    """
    for source in sources:
        if "#nullable enable" in source.text or "null!" in source.text or "default!" in source.text:
            return True
        for node, _ in descend(source.root):
            if node.type == "nullable_type":
                inner = child(node, "type")
                if inner is not None and simple_name(inner) in ("string", "String"):
                    return True
            elif node.type == "modifier" and node.text == b"required":
                return True
    return False


@dataclass
class TypeResolver:
    """Resolves type syntax. `entities` and `complexes` are the names that the model maps; other classes are records.

    `annotations`: whether reference types are annotated where a file does not say it.
    """

    compilation: Compilation
    entities: frozenset[str] = frozenset()
    complexes: frozenset[str] = frozenset()
    annotations: bool = True
    _records: dict[tuple[int, tuple[tuple[str, Type], ...]], RecordType | None] = field(default_factory=dict)

    def resolve(
        self, node: Node, near: TypeSymbol | None = None, arguments: Mapping[str, Type] | None = None
    ) -> Type | None:
        """The type a syntax node denotes, or None when it is unknown (`var`, a type that is not in the input).

        `arguments` binds type parameters. Task<T> is T, collections of any kind are sequences.
        """
        match node.type:
            case "nullable_type":
                inner = child(node, "type")
                found = self.resolve(inner, near, arguments) if inner is not None else None
                return as_nullable(found) if found is not None else None
            case "array_type":
                inner = child(node, "type")
                element = self.resolve(inner, near, arguments) if inner is not None else None
                if element is None:
                    return None
                if isinstance(element, ScalarType) and element.kind is Kind.BYTE:
                    return ScalarType(Kind.BYTES)
                return SequenceType(element)
            case "generic_name":
                return self._generic(node, near, arguments)
            case "tuple_type":
                return self._tuple(node, near, arguments)
            case "predefined_type" | "identifier":
                return self._named(text_of(node), near, arguments)
            case "qualified_name" | "alias_qualified_name":
                name = child(node, "name")
                return self.resolve(name, near, arguments) if name is not None else None
        return None

    def member_type(self, member: MemberSymbol, arguments: Mapping[str, Type] | None = None) -> Type | None:
        """Type of a field or property; unannotated reference types are nullable where annotations are off."""
        if member.type_node is None:
            return None
        found = self.resolve(member.type_node, member.owner, arguments)
        return self.as_annotated(found, member.source, member.node) if found is not None else None

    def annotated(self, source: SourceFile, node: Node) -> bool:
        """Whether reference types are annotated at this place, so that one without `?` is never null."""
        stated = source.annotates(node)
        return self.annotations if stated is None else stated

    def as_annotated(self, found: Type, source: SourceFile, node: Node) -> Type:
        """The type of what is declared there: a text without `?`, or one in a list, may be null without annotations."""
        if isinstance(found, SequenceType):
            return replace(found, element=self.as_annotated(found.element, source, node))
        return as_nullable(found) if is_reference(found) and not self.annotated(source, node) else found

    def of_symbol(self, symbol: TypeSymbol, arguments: Mapping[str, Type] | None = None) -> Type | None:
        if symbol.kind == "enum":
            return self.enum_type(symbol)
        if symbol.name in self.entities:
            return EntityType(symbol.name)
        if symbol.name in self.complexes:
            return ComplexType(symbol.name)
        return self.record_type(symbol, arguments)

    def enum_type(self, symbol: TypeSymbol) -> EnumType | None:
        """None when the numbers of its members are not known."""
        flags = any(a.name == "Flags" for a in symbol.attributes)
        numbers = enum_numbers(symbol)
        return EnumType(symbol.name, numbers, flags=flags) if numbers is not None else None

    def record_type(self, symbol: TypeSymbol, arguments: Mapping[str, Type] | None = None) -> RecordType | None:
        """A DTO: its public instance properties and fields, base class first. None when it contains itself."""
        bound = {name: arguments[name] for name in symbol.type_parameters if arguments and name in arguments}
        key = (id(symbol), tuple(bound.items()))
        if key in self._records:
            return self._records[key]
        self._records[key] = None
        fields: dict[str, Type] = {}
        for declared in reversed(self.compilation.ancestry(symbol)):
            for member in declared.members.values():
                if member.is_static or not member.is_public or not (member.has_setter or member.getter is None):
                    continue
                found = self.member_type(member, bound)
                if found is None:
                    del self._records[key]
                    return None
                fields[member.name] = found
        name = symbol.name
        record = RecordType(name, tuple(Field(n, t) for n, t in fields.items()))
        self._records[key] = record
        return record

    def _named(self, name: str, near: TypeSymbol | None, arguments: Mapping[str, Type] | None) -> Type | None:
        if arguments and name in arguments:
            return arguments[name]
        if name in SCALARS:
            return ScalarType(SCALARS[name])
        symbol = self.compilation.find_type(name, near)
        if symbol is None:
            return DAY_OF_WEEK if name == DAY_OF_WEEK.name else None
        return self.of_symbol(symbol, arguments)

    def _generic(self, node: Node, near: TypeSymbol | None, arguments: Mapping[str, Type] | None) -> Type | None:
        name = simple_name(node)
        parts = [self.resolve(a, near, arguments) for a in type_arguments(node)]
        if any(p is None for p in parts):
            return None
        known = [p for p in parts if p is not None]
        if name == "Nullable" and known:
            return as_nullable(known[0])
        if name in WRAPPERS and known:
            return known[0]
        if name in SEQUENCES and len(known) >= 1:
            return SequenceType(known[0])
        if name in ("Dictionary", "IDictionary", "IReadOnlyDictionary") and len(known) == 2:
            return SequenceType(RecordType("KeyValuePair", (Field("Key", known[0]), Field("Value", known[1]))))
        if name in ("KeyValuePair",) and len(known) == 2:
            return RecordType("KeyValuePair", (Field("Key", known[0]), Field("Value", known[1])))
        symbol = self.compilation.find_type(name, near)
        if symbol is None:
            return None
        return self.of_symbol(symbol, dict(zip(symbol.type_parameters, known, strict=False)))

    def _tuple(self, node: Node, near: TypeSymbol | None, arguments: Mapping[str, Type] | None) -> Type | None:
        fields = []
        for index, part in enumerate(named(node)):
            type_node, name = child(part, "type"), child(part, "name")
            found = self.resolve(type_node, near, arguments) if type_node is not None else None
            if found is None:
                return None
            fields.append(Field(text_of(name) if name is not None else f"Item{index + 1}", found))
        return RecordType(None, tuple(fields))


def type_arguments(node: Node) -> list[Node]:
    """The type arguments of a generic name."""
    lists = [c for c in node.named_children if c.type == "type_argument_list"]
    return named(lists[0]) if lists else []


def is_reference(type_: Type) -> bool:
    """Single values that C# holds by reference."""
    return isinstance(type_, ScalarType) and type_.kind in (Kind.STRING, Kind.BYTES)
