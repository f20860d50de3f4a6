"""What each fluent call does to the drafts: one handler per call name, one table per kind of builder."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.types import EnumType, Kind, ScalarType, as_nullable
from uom.read.csharp.constants import literal
from uom.read.csharp.symbols import simple_name
from uom.read.csharp.syntax import child, text_of
from uom.read.csharp.types import is_reference
from uom.read.efcore.conventions import apply_conversion, int_value, set_facets, text_value
from uom.read.efcore.drafts import ComplexDraft, EntityDraft, FilterDraft, PropertyDraft
from uom.read.efcore.fluent import (
    Call,
    DiscriminatorBuilder,
    FluentReader,
    Handler,
    Model,
    NavigationBuilder,
    RelationshipBuilder,
    Scope,
    member_names,
)
from uom.read.efcore.fluent_relationships import RELATIONSHIP, has_many, has_one, is_required


def _entity(reader: FluentReader, _: object, call: Call, scope: Scope) -> object:
    if not call.type_arguments:
        return None
    name = simple_name(call.type_arguments[0])
    entity = reader.conventions.entity(name)
    for argument in call.arguments:
        reader.configure(entity, argument, scope)
    return entity


def _apply_configuration(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    made = child(call.arguments[0], "type") if call.arguments else None
    symbol = reader.compilation.find_type(simple_name(made)) if made is not None else None
    if symbol is not None:
        reader.apply_configuration(symbol)
    return builder


def _apply_all(reader: FluentReader, builder: object, _: Call, __: Scope) -> object:
    for symbol in list(reader.compilation.all_types()):
        reader.apply_configuration(symbol)
    return builder


def _ignore_type(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    for node in call.type_arguments:
        reader.model.ignored_types.add(simple_name(node))
        reader.model.entities.pop(simple_name(node), None)
    return builder


def _default_schema(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    reader.model.default_schema = text_value(call.arguments[0]) if call.arguments else None
    return builder


def _to_table(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    texts = [text_value(a) for a in call.arguments]
    if isinstance(builder, EntityDraft):
        if texts and texts[0] is not None:
            builder.table, builder.own_table = texts[0], True
        if len(texts) > 1 and texts[1] is not None:
            builder.schema = texts[1]
        for argument in call.arguments:
            reader.configure(TableBuilder(builder), argument, scope)
    return builder


def _to_json(_: FluentReader, builder: object, __: Call, ___: Scope) -> object:
    if isinstance(builder, ComplexDraft):
        builder.unsupported = "it is stored as JSON in one column"
    return builder


def _owned_table(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    """A table of its own is what a collection has anyway, and what no other owned value may have."""
    if not isinstance(builder, ComplexDraft):
        return builder
    names = [a for a in call.arguments if a.type != "lambda_expression"]
    texts = [text_value(a) for a in names]
    builder.shape.table = (texts[0] if texts else None) or builder.shape.table
    builder.shape.schema = (texts[1] if len(texts) > 1 else None) or builder.shape.schema
    for argument in call.arguments:
        reader.configure(TableBuilder(builder.shape), argument, scope)
    if not builder.collection:
        builder.unsupported = "it has a table of its own"
    elif None in texts:
        builder.unsupported = "the name of its table is not a constant"
    return builder


def _with_owner(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    names = [n for a in call.arguments for n in member_names(a)]
    if isinstance(builder, ComplexDraft) and names:
        builder.owner_navigation = names[0]
    return builder


def _owned_foreign_key(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, ComplexDraft):
        builder.foreign_key = tuple(n for a in call.arguments for n in member_names(a))
    return builder


@dataclass(eq=False)
class TableBuilder:
    entity: EntityDraft


def _has_key(_reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    if isinstance(builder, EntityDraft):
        builder.key = tuple(n for a in call.arguments for n in member_names(a))
        return KeyBuilder()
    return builder


@dataclass(eq=False)
class KeyBuilder:
    pass


def _has_no_key(_: FluentReader, builder: object, __: Call, ___: Scope) -> object:
    if isinstance(builder, EntityDraft):
        builder.keyless = True
    return builder


def _ignore(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, EntityDraft):
        for name in (n for a in call.arguments for n in member_names(a)):
            builder.ignored.add(name)
            for table in (builder.properties, builder.navigations, builder.complexes):
                table.pop(name, None)
    return builder


def _property(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    entity = builder.shape if isinstance(builder, ComplexDraft) else builder
    if not isinstance(entity, EntityDraft) or not call.arguments:
        return None
    names = member_names(call.arguments[0])
    if len(names) != 1:
        return None
    known = entity.properties.get(names[0])
    if known is None:
        type_ = reader.resolver.resolve(call.type_arguments[0], scope.near) if call.type_arguments else None
        if type_ is None and entity.symbol is not None:
            member = reader.compilation.member(entity.symbol, names[0])
            type_ = reader.resolver.member_type(member) if member is not None else None
        unsupported = "" if isinstance(type_, ScalarType | EnumType) else "its type is not known"
        shadow = entity.symbol is None or reader.compilation.member(entity.symbol, names[0]) is None
        if shadow and type_ is not None and is_reference(type_):
            type_ = as_nullable(type_)  # no declaration says that it is never null
        known = PropertyDraft(
            names[0],
            type_ or ScalarType(Kind.STRING, True),
            place=scope.source.place(call.node),
            shadow=shadow,
            unsupported=unsupported,
        )
        entity.properties[names[0]] = known
        entity.ignored.discard(names[0])
    return known


def _complex(owned: bool, collection: bool) -> Handler:
    def handle(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
        entity = builder.shape if isinstance(builder, ComplexDraft) else builder
        if not isinstance(entity, EntityDraft) or not call.arguments:
            return None
        names = member_names(call.arguments[0])
        if not names or entity.symbol is None:
            return None
        member = reader.compilation.member(entity.symbol, names[0])
        target = reader.conventions.class_target(member)[0] if member is not None else None
        if target is None:
            entity.unsupported = f"the owned type of {names[0]} is not in the input"
            return None
        entity.ignored.discard(names[0])
        entity.properties.pop(names[0], None)
        node = member.type_node if member is not None else None
        nullable = (
            owned
            and member is not None
            and node is not None
            and (node.type == "nullable_type" or not reader.resolver.annotated(member.source, member.node))
        )
        complex_ = reader.conventions.complex(entity, names[0], target, nullable, owned, collection)
        complex_.owned = owned
        for argument in call.arguments[1:]:
            reader.configure(complex_, argument, scope)
        return complex_

    return handle


def _column_name(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, PropertyDraft) and call.arguments:
        builder.column = text_value(call.arguments[0]) or builder.column
    return builder


def _max_length(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, PropertyDraft) and call.arguments:
        builder.max_length = int_value(call.arguments[0])
    return builder


def _precision(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, PropertyDraft):
        numbers = [int_value(a) for a in call.arguments]
        builder.precision = numbers[0] if numbers else None
        builder.scale = numbers[1] if len(numbers) > 1 else 0
    return builder


def _column_type(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, PropertyDraft) and call.arguments:
        set_facets(builder, text_value(call.arguments[0]))
    return builder


def _conversion(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    if isinstance(builder, PropertyDraft):
        provider = simple_name(call.type_arguments[0]) if call.type_arguments else ""
        apply_conversion(builder, provider, list(call.arguments), reader.compilation)
    return builder


def _query_filter(_: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    if isinstance(builder, EntityDraft) and call.arguments:
        name = text_value(call.arguments[0]) or ""
        builder.filters = [f for f in builder.filters if f.name != name]
        builder.filters.append(FilterDraft(name, scope.source, call.arguments[-1], scope.near))
    return builder


def _to_view(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, EntityDraft):
        texts = [text_value(a) for a in call.arguments]
        builder.table = texts[0] if texts and texts[0] else builder.table
        builder.schema = texts[1] if len(texts) > 1 else builder.schema
    return builder


def _has_discriminator(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    if not isinstance(builder, EntityDraft):
        return builder
    names = tuple(n for a in call.arguments for n in member_names(a))
    builder.discriminator_column = names[0] if names else "Discriminator"
    if call.type_arguments:
        builder.discriminator_type = reader.resolver.resolve(call.type_arguments[0], scope.near)
    elif names and names[0] in builder.properties:
        builder.discriminator_type = builder.properties[names[0]].type
    return DiscriminatorBuilder(builder)


def _has_value(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    if isinstance(builder, DiscriminatorBuilder) and call.arguments:
        name = simple_name(call.type_arguments[0]) if call.type_arguments else builder.entity.name
        reader.conventions.entity(name)
        constant = literal(call.arguments[0])
        value = constant.value if constant is not None else text_value(call.arguments[0])
        if value is None and call.arguments[0].type == "member_access_expression":
            value = _enum_number(builder.entity.discriminator_type, text_of(call.arguments[0]).split(".")[-1])
        if isinstance(value, str | int | bool):
            builder.entity.discriminator_values[name] = value
        else:
            builder.entity.unsupported = f"the discriminator value of {name} is not a constant"
    return builder


def _enum_number(type_: object, member: str) -> int | None:
    return dict(type_.members).get(member) if isinstance(type_, EnumType) else None


def _navigation(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    entity = builder.shape if isinstance(builder, ComplexDraft) else builder
    names = tuple(n for a in call.arguments for n in member_names(a))
    if not isinstance(entity, EntityDraft) or not names:
        return None
    if names[0] in entity.complexes:
        return entity.complexes[names[0]]
    draft = entity.navigations.get(names[0])
    return NavigationBuilder(entity, draft) if draft is not None else None


def _has_base_type(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    if isinstance(builder, EntityDraft) and call.type_arguments:
        reader.conventions.entity(simple_name(call.type_arguments[0]))
    return builder


def _unsupported(reason: str) -> Handler:
    def handle(_: FluentReader, builder: object, __: Call, ___: Scope) -> object:
        if isinstance(builder, EntityDraft):
            builder.unsupported = builder.unsupported or reason
        elif isinstance(builder, TableBuilder):
            builder.entity.unsupported = builder.entity.unsupported or reason
        return builder

    return handle


MODEL: dict[str, Handler] = {
    "Entity": _entity,
    "ApplyConfiguration": _apply_configuration,
    "ApplyConfigurationsFromAssembly": _apply_all,
    "Ignore": _ignore_type,
    "HasDefaultSchema": _default_schema,
}
ENTITY: dict[str, Handler] = {
    "ToTable": _to_table,
    "ToView": _to_view,
    "HasKey": _has_key,
    "HasNoKey": _has_no_key,
    "Ignore": _ignore,
    "Property": _property,
    "ComplexProperty": _complex(owned=False, collection=False),
    "OwnsOne": _complex(owned=True, collection=False),
    "OwnsMany": _complex(owned=True, collection=True),
    "HasOne": has_one,
    "HasMany": has_many,
    "Navigation": _navigation,
    "HasQueryFilter": _query_filter,
    "HasDiscriminator": _has_discriminator,
    "HasBaseType": _has_base_type,
    "UseTphMappingStrategy": lambda _, builder, __, ___: builder,
    "UseTptMappingStrategy": _unsupported("its hierarchy is mapped table per type"),
    "UseTpcMappingStrategy": _unsupported("its hierarchy is mapped table per concrete type"),
    "ToSqlQuery": _unsupported("it is defined by a SQL query"),
    "ToFunction": _unsupported("it is defined by a database function"),
    "SplitToTable": _unsupported("it is split over several tables"),
}
COMPLEX: dict[str, Handler] = {
    "Property": _property,
    "ComplexProperty": _complex(owned=False, collection=False),
    "OwnsOne": _complex(owned=True, collection=False),
    "OwnsMany": _complex(owned=True, collection=True),
    "IsRequired": is_required,
    "Ignore": lambda r, b, c, s: _ignore(r, b.shape, c, s) and b,  # type: ignore[attr-defined]
    "ToTable": _owned_table,
    "ToJson": _to_json,
    "WithOwner": _with_owner,
    "HasKey": lambda _, b, __, ___: b,
    "HasForeignKey": _owned_foreign_key,
    "Navigation": _navigation,
}
PROPERTY: dict[str, Handler] = {
    "HasColumnName": _column_name,
    "IsRequired": is_required,
    "HasMaxLength": _max_length,
    "HasPrecision": _precision,
    "HasColumnType": _column_type,
    "HasConversion": _conversion,
}
TABLES: dict[type, dict[str, Handler]] = {
    Model: MODEL,
    EntityDraft: ENTITY,
    ComplexDraft: COMPLEX,
    PropertyDraft: PROPERTY,
    RelationshipBuilder: RELATIONSHIP,
    DiscriminatorBuilder: {"HasValue": _has_value, "IsComplete": lambda _, b, __, ___: b},
    NavigationBuilder: {"IsRequired": is_required},
    TableBuilder: {"IsTemporal": _unsupported("it is a temporal table")},
    KeyBuilder: {},
}
