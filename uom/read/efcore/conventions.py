"""EF Core's conventions and data annotations: which classes and members become entities, columns and navigations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from uom.model.schema import ValueConverter
from uom.model.types import (
    EnumType,
    Kind,
    ScalarType,
    Type,
    as_nullable,
)
from uom.read.csharp.constants import literal, string_value
from uom.read.csharp.symbols import Attribute, Compilation, MemberSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, named, text_of
from uom.read.csharp.types import SEQUENCES, TypeResolver, type_arguments
from uom.read.efcore import converters
from uom.read.efcore.drafts import ComplexDraft, EntityDraft, ModelDraft, NavigationDraft, PropertyDraft

_DEEPEST_VALUE = 30


def text_argument(attribute: Attribute, index: int = 0) -> str | None:
    """A text argument of an attribute: a literal or `nameof(X)`."""
    if index >= len(attribute.positional):
        return None
    return text_value(attribute.positional[index])


def text_value(node: object) -> str | None:
    if not isinstance(node, Node):
        return None
    if node.type in ("string_literal", "verbatim_string_literal", "raw_string_literal"):
        return string_value(node)
    if node.type == "invocation_expression":
        function, arguments = child(node, "function"), child(node, "arguments")
        if function is not None and text_of(function) == "nameof" and arguments is not None:
            return text_of(named(arguments)[0]).split(".")[-1]
    return None


def int_value(node: object) -> int | None:
    if not isinstance(node, Node):
        return None
    constant = literal(node)
    return constant.value if constant is not None and isinstance(constant.value, int) else None


def find_attribute(attributes: Iterable[Attribute], *names: str) -> Attribute | None:
    return next((a for a in attributes if a.name in names), None)


class ConventionBuilder:
    """Fills drafts from class declarations. One per model."""

    def __init__(self, compilation: Compilation, resolver: TypeResolver, model: ModelDraft) -> None:
        self.compilation = compilation
        self.resolver = resolver
        self.model = model
        self.around: list[ComplexDraft] = []
        """The values that are being read, each within the one before."""

    def entity(self, name: str) -> EntityDraft:
        """The draft of an entity, made on first use together with what its navigations lead to."""
        known = self.model.entities.get(name)
        if known is not None:
            return known
        symbol = self.compilation.find_type(name)
        draft = EntityDraft(name, symbol)
        self.model.entities[name] = draft
        if symbol is None:
            draft.unsupported = f"the class {name} is not in the input"
            return draft
        if self.compilation.is_ambiguous(name):
            draft.unsupported = f"the class {name} is declared more than once"
        self.class_annotations(draft, symbol)
        for declared in reversed(self.compilation.ancestry(symbol)):
            for member in declared.members.values():
                self.member(draft, member)
        return draft

    def class_annotations(self, draft: EntityDraft, symbol: TypeSymbol) -> None:
        for attribute in symbol.attributes:
            if attribute.name == "Table":
                draft.table = text_argument(attribute)
                schema = text_value(attribute.named.get("Schema"))
                draft.schema = schema or draft.schema
                draft.own_table = True
            elif attribute.name == "PrimaryKey":
                names = [text_value(n) for n in attribute.positional]
                draft.key = tuple(n for n in names if n)
            elif attribute.name == "Keyless":
                draft.keyless = True

    def member(self, draft: EntityDraft, member: MemberSymbol) -> None:
        if member.is_static or not member.is_public or member.kind == "field" or member.name in draft.ignored:
            return
        if not member.has_setter and (member.getter is not None or member.type_node is None) and not is_backed(member):
            return
        if find_attribute(member.attributes, "NotMapped") or member.type_node is None:
            draft.ignored.add(member.name)
            return
        target, collection = self.class_target(member)
        if target is not None:
            self.class_member(draft, member, target, collection)
            return
        if not member.has_setter:
            return
        type_ = self.resolver.member_type(member)
        if isinstance(type_, ScalarType | EnumType):
            self.scalar(draft, member, type_)
        else:
            what = text_of(member.type_node)
            unsupported = f"the type {what} has no column type that is known here"
            draft.properties[member.name] = PropertyDraft(
                member.name, ScalarType(Kind.STRING, True), place=member.place, unsupported=unsupported
            )

    def class_target(self, member: MemberSymbol) -> tuple[str | None, bool]:
        """(class name, is collection) when the member's type is a class of the input that is no enum."""
        node = member.type_node
        assert node is not None
        if node.type == "nullable_type":
            node = child(node, "type") or node
        collection = False
        if node.type == "array_type" or (node.type == "generic_name" and simple_name(node) in SEQUENCES):
            inner = child(node, "type") if node.type == "array_type" else next(iter(type_arguments(node)), None)
            if inner is None:
                return None, False
            node, collection = inner, True
        symbol = self.compilation.find_type(simple_name(node), member.owner)
        if symbol is None or symbol.kind in ("enum", "interface"):
            return None, False
        return symbol.name, collection

    def class_member(self, draft: EntityDraft, member: MemberSymbol, target: str, collection: bool) -> None:
        if target in self.model.ignored_types:
            return
        node = member.type_node
        nullable = node is not None and (
            node.type == "nullable_type" or not self.resolver.annotated(member.source, member.node)
        )
        symbol = self.compilation.find_type(target, member.owner)
        if symbol is not None and (
            find_attribute(symbol.attributes, "Owned", "ComplexType") or target in self.resolver.complexes
        ):
            owned = find_attribute(symbol.attributes, "ComplexType") is None
            self.complex(draft, member.name, target, nullable, owned, collection)
            return
        key = find_attribute(member.attributes, "ForeignKey")
        inverse = find_attribute(member.attributes, "InverseProperty")
        names = tuple(n.strip() for n in (text_argument(key) or "").split(",") if n.strip()) if key else ()
        draft.navigations[member.name] = NavigationDraft(
            member.name,
            target,
            collection,
            nullable and not find_attribute(member.attributes, "Required"),
            names,
            text_argument(inverse) if inverse else None,
            find_attribute(member.attributes, "Required") is not None,
        )

    def complex(
        self, draft: EntityDraft, name: str, type_name: str, nullable: bool, owned: bool, collection: bool = False
    ) -> ComplexDraft:
        """Makes the member an owned or complex value; it stops being a navigation."""
        draft.navigations.pop(name, None)
        known = draft.complexes.get(name)
        if known is not None:
            return known
        shape = EntityDraft(type_name, self.compilation.find_type(type_name))
        complex_ = ComplexDraft(name, type_name, nullable, owned, collection, shape)
        draft.complexes[name] = complex_
        if type_name in (c.type_name for c in self.around) or len(self.around) == _DEEPEST_VALUE:
            del draft.complexes[name]
            endless = f"values of {type_name} contain each other without end"
            self.around[0].unsupported = (
                endless if len(self.around) < _DEEPEST_VALUE else "values are nested too deeply"
            )
        elif shape.symbol is not None:
            self.around.append(complex_)
            for declared in reversed(self.compilation.ancestry(shape.symbol)):
                for member in declared.members.values():
                    self.member(shape, member)
            self.around.pop()
        return complex_

    def scalar(self, draft: EntityDraft, member: MemberSymbol, type_: Type) -> None:
        property_ = PropertyDraft(member.name, type_, place=member.place)
        draft.properties[member.name] = property_
        for attribute in member.attributes:
            _annotate(draft, property_, attribute)
        self.convert_by_type(property_, member)

    def convert_by_type(self, property_: PropertyDraft, member: MemberSymbol) -> None:
        """`ConfigureConventions`: a conversion for all properties of a type."""
        assert member.type_node is not None
        node = member.type_node
        if node.type == "nullable_type":
            node = child(node, "type") or node
        name = simple_name(node)
        for key in (name, "Enum" if isinstance(property_.type, EnumType) else name):
            if key in self.model.type_conversions:
                provider, arguments, _ = self.model.type_conversions[key]
                apply_conversion(property_, provider, list(arguments), self.compilation)
                return


def apply_conversion(
    property_: PropertyDraft, provider: str, arguments: Sequence[Node], compilation: Compilation
) -> None:
    """`HasConversion`: a table for enums and bools, else the property is marked unsupported."""
    nodes = list(arguments)
    if isinstance(property_.type, EnumType):
        table = converters.stored_table(property_.type, provider, nodes, compilation)
        if table is not None:
            property_.stored = table
            return
    elif converters.is_bool(property_.type):
        pairs = converters.bool_table(provider, nodes)
        if pairs is not None:
            property_.converter = ValueConverter(pairs)
            return
    elif not nodes and isinstance(property_.type, ScalarType) and provider == property_.type.kind.value:
        return
    property_.unsupported = "its value converter is not understood"


def _annotate(draft: EntityDraft, property_: PropertyDraft, attribute: Attribute) -> None:
    match attribute.name:
        case "Key":
            draft.key = (*(draft.key or ()), property_.name)
        case "Column":
            property_.column = text_argument(attribute) or property_.column
            set_facets(property_, text_value(attribute.named.get("TypeName")))
        case "Required":
            property_.required = True
        case "MaxLength" | "StringLength":
            property_.max_length = int_value(attribute.positional[0]) if attribute.positional else None
        case "Precision":
            numbers = [int_value(n) for n in attribute.positional]
            property_.precision = numbers[0] if numbers else None
            property_.scale = numbers[1] if len(numbers) > 1 else None


_STORE_TYPE = re.compile(r"\s*(?P<name>\w+)\s*(?:\(\s*(?P<precision>\d+)\s*(?:,\s*(?P<scale>\d+)\s*)?\))?\s*$")
_DECIMALS = frozenset(("decimal", "numeric", "dec"))
_MONEY = {"money": (19, 4), "smallmoney": (10, 4)}


def set_facets(draft: PropertyDraft, store_type: str | None) -> None:
    """Precision and scale as the database's name of a decimal column gives them: `decimal(18,2)`, `money`."""
    found = _STORE_TYPE.match(store_type or "")
    if found is None:
        return
    name = found["name"].lower()
    if name in _MONEY:
        draft.precision, draft.scale = _MONEY[name]
    elif name in _DECIMALS and found["precision"]:
        draft.precision, draft.scale = int(found["precision"]), int(found["scale"] or 0)


def property_type(draft: PropertyDraft, in_key: bool) -> Type:
    """The final type of a property: nullability and how an enum is stored."""
    type_ = draft.type
    if draft.required is not None:
        type_ = as_nullable(type_, not draft.required)
    if in_key:
        type_ = as_nullable(type_, False)
    if isinstance(type_, EnumType) and draft.stored:
        type_ = EnumType(type_.name, type_.members, draft.stored, type_.flags, type_.nullable)
    return type_


def is_backed(member: MemberSymbol) -> bool:
    """A list that hands out a private field (`Lines => _lines`): EF Core finds the field and maps the navigation."""
    node = member.type_node
    if node is None or node.type != "generic_name" or simple_name(node) not in SEQUENCES:
        return False
    camel = member.name[:1].lower() + member.name[1:]
    names = (f"_{camel}", camel, f"_{member.name}", f"m_{camel}", f"m_{member.name}")
    return any((field := member.owner.members.get(n)) is not None and field.kind == "field" for n in names)


def is_entity_like(symbol: TypeSymbol, resolver: TypeResolver) -> bool:
    """Without a context: a class with a key by convention or annotation is taken for an entity."""
    if symbol.kind != "class" or "static" in symbol.modifiers or not symbol.name:
        return False
    if find_attribute(symbol.attributes, "Table", "PrimaryKey", "Keyless", "Index"):
        return True
    for declared in resolver.compilation.ancestry(symbol):
        for member in declared.members.values():
            if find_attribute(member.attributes, "Key"):
                return True
            if member.has_setter and member.name.lower() in ("id", f"{symbol.name.lower()}id"):
                return True
    return False
