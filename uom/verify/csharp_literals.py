"""Arguments as C# text. What cannot be made from outside with certainty is not made at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from tree_sitter import Node

from uom.model.types import EnumType, Kind, RecordType, ScalarType, SequenceType, Type, describe
from uom.read.csharp.symbols import Compilation, MemberSymbol, ParameterSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, named, text_of
from uom.read.csharp.types import type_arguments
from uom.reference.values import Value

_LISTS = frozenset(
    """List IList ICollection IEnumerable IReadOnlyList IReadOnlyCollection HashSet SortedSet
    Collection ObservableCollection ImmutableArray ImmutableList""".split()
)
"""What a collection expression can be."""


class NotCallable(Exception):
    """Why a method cannot be called from a program of ours."""


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type as the C# writes it: what a name means depends on the class that it stands in."""

    compilation: Compilation
    node: Node | None
    near: TypeSymbol | None

    @property
    def plain(self) -> Node | None:
        """The syntax without the `?` and without namespaces."""
        node = self.node
        while node is not None and node.type in ("nullable_type", "qualified_name", "alias_qualified_name"):
            node = child(node, "type" if node.type == "nullable_type" else "name")
        if node is not None and node.type == "generic_name" and simple_name(node) == "Nullable":
            return replace(self, node=next(iter(type_arguments(node)), None)).plain
        return node

    @property
    def may_be_null(self) -> bool:
        """Whether null compiles there: for values only with a `?`."""
        node, symbol = self.node, self.symbol
        if node is None or node.type == "nullable_type" or simple_name(node) == "Nullable":
            return True
        is_struct = symbol is not None and any(c.type == "struct" for c in symbol.node.children)
        return not is_struct and node.type != "tuple_type"

    @property
    def symbol(self) -> TypeSymbol | None:
        node = self.plain
        return self.compilation.find_type(simple_name(node), self.near) if node is not None else None

    def inner(self, node: Node | None) -> DeclaredType:
        """A part of this type."""
        return replace(self, node=node)


def csharp_literal(value: Value, type_: Type, declared: DeclaredType) -> str:
    """A C# expression for a value of this type."""
    if value is None:
        if not declared.may_be_null:
            raise NotCallable(f"there is no {describe(type_)} without a value")
        return "null"
    if isinstance(type_, SequenceType):
        return _list(value, type_, declared)
    if isinstance(type_, RecordType):
        return _record(value, type_, declared)
    if isinstance(type_, EnumType):
        return f"({declared.symbol.full_name if declared.symbol is not None else type_.name})({value})"
    return _scalar(value, type_)


def _list(value: Value, type_: SequenceType, declared: DeclaredType) -> str:
    assert isinstance(value, list | tuple)
    node = declared.plain
    if node is not None and node.type == "array_type":
        element = declared.inner(child(node, "type"))
    elif node is not None and node.type == "generic_name" and simple_name(node) in _LISTS:
        element = declared.inner(next(iter(type_arguments(node)), None))
    else:
        raise NotCallable(f"a {text_of(node) if node is not None else describe(type_)} has no C# literal here")
    return "[" + ", ".join(csharp_literal(v, type_.element, element) for v in value) + "]"


def _record(value: Value, type_: RecordType, declared: DeclaredType) -> str:
    assert isinstance(value, Mapping)
    node = declared.plain
    if node is not None and node.type == "tuple_type":
        parts = zip(named(node), type_.fields, strict=True)
        return (
            "("
            + ", ".join(csharp_literal(value[f.name], f.type, declared.inner(child(p, "type"))) for p, f in parts)
            + ")"
        )
    symbol = declared.symbol
    if symbol is None:
        raise NotCallable(f"the class {describe(type_)} is not in the input")
    return _Construction(declared.compilation, symbol, type_, value).text()


@dataclass(frozen=True, slots=True)
class _Construction:
    """A new object: the parameters of a positional record, then every other member by its name."""

    compilation: Compilation
    symbol: TypeSymbol
    type: RecordType
    value: Mapping[str, Value]

    def text(self) -> str:
        problem = _why_not_constructible(self.symbol)
        if problem:
            raise NotCallable(f"{self.symbol.name} {problem}")
        positional = self.symbol.primary if self.symbol.kind == "record" else None
        given = ", ".join(self._positional(p) for p in positional or ())
        inherited = {n for t in self.compilation.ancestry(self.symbol)[1:] for n in t.members}
        passed = {p.name for p in positional or ()} - inherited  # a base may put something else there
        members = ", ".join(self._member(f.name, f.type) for f in self.type.fields if f.name not in passed)
        return f"new {self.symbol.full_name}({given})" + (f" {{ {members} }}" if members else "")

    def _positional(self, parameter: ParameterSymbol) -> str:
        member, known = self.symbol.members.get(parameter.name), self.type.field(parameter.name)
        if member is None or member.kind != "parameter" or known is None:
            raise NotCallable(f"{self.symbol.name}.{parameter.name} is not what its constructor takes")
        declared = DeclaredType(self.compilation, parameter.type_node, self.symbol)
        return csharp_literal(self.value[parameter.name], known.type, declared)

    def _member(self, name: str, type_: Type) -> str:
        member = self.compilation.member(self.symbol, name)
        if member is None or not _is_settable(member):
            raise NotCallable(f"{self.symbol.name}.{name} cannot be set from outside")
        declared = DeclaredType(self.compilation, member.type_node, member.owner)
        return f"{name} = {csharp_literal(self.value[name], type_, declared)}"


def _why_not_constructible(symbol: TypeSymbol) -> str:
    """ "" where one constructor is sure to be the one that is called."""
    if symbol.kind not in ("class", "record", "struct"):
        return f"is no class but {'an' if symbol.kind == 'interface' else 'a'} {symbol.kind}"
    if symbol.modifiers & {"abstract", "static"}:
        return "is abstract or static"
    outer: TypeSymbol | None = symbol
    while outer is not None:
        if outer.type_parameters:
            return "is generic"
        if outer.modifiers & {"private", "protected", "file"} or (
            outer.outer is not None and not outer.modifiers & {"public", "internal"}
        ):
            return "is not visible"
        outer = outer.outer
    own = [c for c in symbol.constructors if "static" not in c.modifiers]
    if symbol.kind == "record" and symbol.primary is not None:
        rivals = any(len(c.parameters) == len(symbol.primary) for c in own)
        return "has two constructors with as many parameters" if rivals else ""
    if any(c.type == "struct" for c in symbol.node.children):
        return ""
    free = any(not c.parameters and c.modifiers & {"public", "internal"} for c in own)
    return "" if free or (not own and not symbol.primary) else "has no constructor without arguments"


def _is_settable(member: MemberSymbol) -> bool:
    """Whether an object initialiser may set it."""
    if member.kind == "parameter":
        return True
    if member.kind == "field":
        return not member.modifiers & {"readonly", "const", "static"}
    accessors = child(member.node, "accessors")
    for accessor in named(accessors) if accessors is not None else []:
        words = {text_of(c) for c in accessor.children}
        if words & {"set", "init"}:
            return not words & {"private", "protected"}
    return False


def _scalar(value: Value, type_: Type) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            text = "".join(
                c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\u{u:04x}" for u in _units(c)) for c in value
            )
            return f"'{text}'" if isinstance(type_, ScalarType) and type_.kind is Kind.CHAR else f'"{text}"'
        case Decimal():
            return f"{value}m"
        case float() if not math.isfinite(value):
            raise NotCallable(f"{value} has no C# literal here")
        case float():
            return f"{value!r}{'f' if isinstance(type_, ScalarType) and type_.kind is Kind.FLOAT else 'd'}"
        case int():
            return f"({describe(type_).rstrip('?')})({value})"
        case datetime():
            return f'DateTime.Parse("{value.isoformat()}")'
        case date():
            return f"new DateOnly({value.year}, {value.month}, {value.day})"
        case time():
            return f'TimeOnly.Parse("{value.isoformat()}")'
        case timedelta():
            return f"TimeSpan.FromTicks({value // timedelta(microseconds=1) * 10})"
        case UUID():
            return f'Guid.Parse("{value}")'
        case bytes():
            return "new byte[] { " + ", ".join(str(byte) for byte in value) + " }"
    raise NotCallable(f"a value of type {describe(type_)} has no C# literal here")


def _units(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)]
