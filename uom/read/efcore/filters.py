"""Query filters of the model: lambdas bound once the model is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Lambda
from uom.model.schema import Schema
from uom.model.types import EntityType
from uom.read.csharp.types import TypeResolver
from uom.read.efcore.comparing import truth
from uom.read.efcore.drafts import FilterDraft
from uom.read.efcore.inlining import apply
from uom.read.efcore.lowering import to_scalar
from uom.read.efcore.model import SchemaDraft
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session, World
from uom.read.efcore.values import Context, Instance, Scalar


@dataclass(frozen=True)
class Bound:
    """A schema with its query filters; `unusable` entities have one that is not understood."""

    schema: Schema
    unusable: dict[str, Diagnostic]


def bind_filters(world: World, draft: SchemaDraft) -> Bound:
    """The schema with its query filters as lambdas. A filter that is not understood must not be left out silently."""
    schema = draft.schema
    problems: dict[str, Diagnostic] = {}
    for entity_name, item in draft.filters:
        entity = schema.find_entity(entity_name)
        if entity is None:
            continue
        try:
            function = bind_filter(world, schema, entity_name, item)
            changed = replace(entity, query_filters=(*entity.query_filters, (item.name, function)))
        except Refusal as refusal:
            problems[entity_name] = refusal.at(item.source.place(item.node)).diagnostic
            continue
        except RecursionError:
            place = item.source.place(item.node)
            deep = Refusal("HasQueryFilter", "the code is nested too deeply", place, "Split the condition.")
            problems[entity_name] = deep.diagnostic
            continue
        entities = tuple(changed if e.name == entity_name else e for e in schema.entities)
        schema = replace(schema, entities=entities)
    return Bound(replace(schema, diagnostics=(*schema.diagnostics, *problems.values())), problems)


def bind_filter(world: World, schema: Schema, entity: str, draft: FilterDraft) -> Lambda:
    resolver = TypeResolver(
        world.compilation,
        frozenset(e.name for e in schema.entities),
        frozenset(c.name for c in schema.complexes),
        world.annotations,
    )
    session = Session(world, schema, resolver)
    this = None
    if draft.near is not None:
        this = Context(schema, draft.near) if draft.near.name in world.contexts else Instance(draft.near)
    scope = Scope(draft.source, draft.near, this)
    place = draft.source.place(draft.node)
    function = session.eval(draft.node, scope)
    var = session.fresh("row", EntityType(entity))
    with session.at(Position.SERVER, None):
        value = to_scalar(apply(session, function, [Scalar(var, EntityType(entity))], place), place, "HasQueryFilter")
    return Lambda(var, truth(session, value, place, "HasQueryFilter"))
