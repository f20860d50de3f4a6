"""Fluent calls about relationships: HasOne, HasMany, WithOne, WithMany, HasForeignKey, UsingEntity."""

from __future__ import annotations

from tree_sitter import Node

from uom.read.csharp.symbols import simple_name
from uom.read.csharp.syntax import named, text_of
from uom.read.efcore.conventions import text_value
from uom.read.efcore.drafts import ComplexDraft, EntityDraft, PropertyDraft, RelationshipDraft
from uom.read.efcore.fluent import (
    Call,
    FluentReader,
    Handler,
    NavigationBuilder,
    RelationshipBuilder,
    Scope,
    call_chain,
    lambda_parts,
    member_names,
)


def is_required(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    value = not (call.arguments and text_of(call.arguments[0]) == "false")
    if isinstance(builder, PropertyDraft):
        builder.required = value
    elif isinstance(builder, RelationshipBuilder):
        builder.draft.required = value
    elif isinstance(builder, ComplexDraft):
        builder.nullable = not value
    elif isinstance(builder, NavigationBuilder):
        builder.draft.required = value
    return builder


def has_one(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    return _relationship(reader, builder, call, right_is_many=False)


def has_many(reader: FluentReader, builder: object, call: Call, _: Scope) -> object:
    return _relationship(reader, builder, call, right_is_many=True)


def _relationship(reader: FluentReader, builder: object, call: Call, right_is_many: bool) -> object:
    if not isinstance(builder, EntityDraft):
        return None
    names = tuple(n for a in call.arguments for n in member_names(a))
    navigation = builder.navigations.get(names[0]) if names else None
    if navigation is not None:
        target = navigation.target
    elif call.type_arguments:
        target = simple_name(call.type_arguments[0])
    else:
        return None
    reader.conventions.entity(target)
    draft = RelationshipDraft(builder.name, target, names[0] if names else None, None, right_is_many)
    reader.model.relationships.append(draft)
    return RelationshipBuilder(draft, builder)


def _with(many: bool) -> Handler:
    def handle(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
        if isinstance(builder, RelationshipBuilder):
            names = tuple(n for a in call.arguments for n in member_names(a))
            builder.draft.right_navigation = names[0] if names else None
            builder.draft.left_is_many = many
        return builder

    return handle


def _foreign_key(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, RelationshipBuilder):
        builder.draft.foreign_key = tuple(n for a in call.arguments for n in member_names(a))
        if call.type_arguments:
            builder.draft.dependent = simple_name(call.type_arguments[0])
    return builder


def _principal_key(_: FluentReader, builder: object, call: Call, __: Scope) -> object:
    if isinstance(builder, RelationshipBuilder):
        builder.draft.principal_key = tuple(n for a in call.arguments for n in member_names(a))
        if call.type_arguments and not builder.draft.right_is_many and not builder.draft.left_is_many:
            principal = simple_name(call.type_arguments[0])
            builder.draft.dependent = builder.draft.right if principal == builder.draft.left else builder.draft.left
    return builder


def _using_entity(reader: FluentReader, builder: object, call: Call, scope: Scope) -> object:
    if not isinstance(builder, RelationshipBuilder):
        return builder
    if call.type_arguments and simple_name(call.type_arguments[0]) != "Dictionary":
        builder.draft.join_entity = simple_name(call.type_arguments[0])
        entity = reader.conventions.entity(builder.draft.join_entity)
        for argument in call.arguments:
            reader.configure(entity, argument, scope)
        return builder
    texts = [t for t in (text_value(a) for a in call.arguments) if t]
    if texts:
        builder.draft.join_table = (texts[0], None)
    for argument in call.arguments:
        _using_lambda(builder, argument)
    return builder


def _using_lambda(builder: RelationshipBuilder, node: Node) -> None:
    """`j => j.ToTable("A")`, `r => r.HasOne<T>().WithMany().HasForeignKey("X")`: the parts of a pure join table."""
    parts = lambda_parts(node)
    if parts is None:
        return
    statements = named(parts[1]) if parts[1].type == "block" else [parts[1]]
    for statement in statements:
        expression = named(statement)[0] if statement.type == "expression_statement" else statement
        _, calls = call_chain(expression)
        target = next(
            (simple_name(c.type_arguments[0]) for c in calls if c.name == "HasOne" and c.type_arguments), None
        )
        for call in calls:
            texts = tuple(t for t in (text_value(a) for a in call.arguments) if t)
            if call.name == "ToTable" and texts:
                builder.draft.join_table = (texts[0], texts[1] if len(texts) > 1 else None)
            elif call.name == "HasForeignKey" and texts and target == builder.draft.right:
                builder.draft.join_right = texts
            elif call.name == "HasForeignKey" and texts:
                builder.draft.join_left = texts


RELATIONSHIP: dict[str, Handler] = {
    "WithOne": _with(many=False),
    "WithMany": _with(many=True),
    "HasForeignKey": _foreign_key,
    "HasPrincipalKey": _principal_key,
    "IsRequired": is_required,
    "UsingEntity": _using_entity,
}
