"""What a method's result looks like: needed to read rows by name and type, navigations only where they are loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uom.model.expressions import Coalesce, Conditional, Convert, Expr, New, Property, Subquery, Var
from uom.model.queries import (
    TERMINAL_CLASSES,
    DefaultIfEmpty,
    Distinct,
    Filter,
    FlatMap,
    GroupBy,
    Include,
    IncludeNode,
    Join,
    Map,
    OfType,
    OrderBy,
    Pick,
    Query,
    Reverse,
    SetOperation,
    Skip,
    Take,
)
from uom.model.schema import NavigationKind, Schema
from uom.model.types import (
    ComplexType,
    EntityType,
    EnumType,
    GroupingType,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
)


@dataclass(frozen=True, slots=True)
class ScalarShape:
    type: ScalarType | EnumType


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """`fields` are (C# name, shape). `entity` names the entity for readers that must know the concrete type."""

    fields: tuple[tuple[str, Shape], ...]
    entity: str = ""


@dataclass(frozen=True, slots=True)
class ListShape:
    element: Shape


@dataclass(frozen=True, slots=True)
class HierarchyShape:
    """An entity of a TPH hierarchy: the concrete type decides on the fields."""

    members: tuple[tuple[str, ObjectShape], ...]


Shape = ScalarShape | ObjectShape | ListShape | HierarchyShape
_PASS_THROUGH = (Filter, OrderBy, Skip, Take, Distinct, Reverse, DefaultIfEmpty, OfType)


def shape_of(body: Expr, schema: Schema) -> Shape:
    """The shape of what a method's body evaluates to."""
    return _expression(body, {}, schema)


def _expression(expr: Expr, env: Mapping[str, Shape], schema: Schema) -> Shape:
    match expr:
        case Subquery(query=query):
            return _query(query, env, schema)
        case Var(name=name) if name in env:
            return env[name]
        case New(type=record, args=args):
            names = (f.name for f in record.fields)
            return ObjectShape(tuple((n, _expression(a, env, schema)) for n, a in zip(names, args, strict=True)))
        case Property(target=target, name=name):
            owner = _expression(target, env, schema)
            if isinstance(owner, ObjectShape):
                return dict(owner.fields).get(name) or of_type(expr.type, schema)
        case Conditional(then=then, otherwise=otherwise):
            known = then if not _is_null(then) else otherwise
            return _expression(known, env, schema)
        case Coalesce(left=left):
            return _expression(left, env, schema)
        case Convert(operand=operand) if not isinstance(expr.type, ScalarType | EnumType):
            return _expression(operand, env, schema)
    return of_type(expr.type, schema)


def _is_null(expr: Expr) -> bool:
    return getattr(expr, "value", expr) is None


def _query(query: Query, env: Mapping[str, Shape], schema: Schema) -> Shape:
    if isinstance(query, Pick):
        return _row(query.source, env, schema)
    if isinstance(query, TERMINAL_CLASSES):
        return of_type(query.element, schema)
    return ListShape(_row(query, env, schema))


def _row(query: Query, env: Mapping[str, Shape], schema: Schema) -> Shape:
    """Shape of one row of a query."""
    match query:
        case Map(source=source, selector=selector):
            return _expression(selector.body, {**env, selector.var.name: _row(source, env, schema)}, schema)
        case FlatMap(source=source, outer=outer, inner=inner, inner_var=inner_var, result=result):
            here = {**env, outer.name: _row(source, env, schema)}
            return _expression(result, {**here, inner_var.name: _row(inner, here, schema)}, schema)
        case Join(left=left, right=right, left_var=left_var, right_var=right_var, result=result):
            both = {left_var.name: _row(left, env, schema), right_var.name: _row(right, env, schema)}
            return _expression(result, {**env, **both}, schema)
        case GroupBy(source=source, key=key, value=value):
            row = _row(source, env, schema)
            key_shape = _expression(key.body, {**env, key.var.name: row}, schema)
            item = _expression(value.body, {**env, value.var.name: row}, schema)
            return ObjectShape((("Key", key_shape), ("Items", ListShape(item))))
        case Include(source=source, tree=tree):
            return _with_loaded(_row(source, env, schema), tree, schema)
        case SetOperation(left=left):
            return _row(left, env, schema)
    if isinstance(query, OfType):
        return of_type(query.element, schema)
    if isinstance(query, _PASS_THROUGH):
        return _row(query.source, env, schema)
    return of_type(query.element, schema)


def _with_loaded(shape: Shape, tree: Sequence[IncludeNode], schema: Schema) -> Shape:
    if isinstance(shape, HierarchyShape):
        return HierarchyShape(tuple((n, _loaded(m, tree, schema)) for n, m in shape.members))
    return _loaded(shape, tree, schema) if isinstance(shape, ObjectShape) else shape


def _loaded(shape: ObjectShape, tree: Sequence[IncludeNode], schema: Schema) -> ObjectShape:
    fields = dict(shape.fields)
    for node in tree:
        navigation = schema.entity(shape.entity).navigation(node.navigation)
        if navigation is None:
            continue
        target = _with_loaded(entity_shape(navigation.target, schema), node.children, schema)
        fields[node.navigation] = target if navigation.kind is NavigationKind.REFERENCE else ListShape(target)
    return ObjectShape(tuple(fields.items()), shape.entity)


def of_type(type_: Type, schema: Schema) -> Shape:
    """The shape of a value of this type, without any navigation."""
    match type_:
        case ScalarType() | EnumType():
            return ScalarShape(type_)
        case EntityType(name=name):
            return entity_shape(name, schema)
        case ComplexType(name=name):
            return complex_shape(name, schema)
        case RecordType(fields=fields):
            return ObjectShape(tuple((f.name, of_type(f.type, schema)) for f in fields))
        case SequenceType(element=element):
            return ListShape(of_type(element, schema))
        case GroupingType(key=key, element=element):
            return ObjectShape((("Key", of_type(key, schema)), ("Items", ListShape(of_type(element, schema)))))
    return ObjectShape(())


def entity_shape(name: str, schema: Schema) -> Shape:
    """All mapped members that the class has; shadow properties are no members."""
    family = [n for n in schema.descendants(name) if not schema.entity(n).abstract]
    if len(family) > 1 or family != [name]:
        return HierarchyShape(tuple((n, _plain_entity(n, schema)) for n in family))
    return _plain_entity(name, schema)


def _plain_entity(name: str, schema: Schema) -> ObjectShape:
    entity = schema.entity(name)
    fields = [(p.name, of_type(p.type, schema)) for p in entity.properties if not p.shadow]
    fields.extend((c.name, complex_shape(c.complex_name, schema)) for c in entity.complexes if not c.collection)
    return ObjectShape(tuple(fields), name)


def complex_shape(name: str, schema: Schema) -> ObjectShape:
    shape = schema.complex(name)
    fields = [(p.name, of_type(p.type, schema)) for p in shape.properties if not p.shadow]
    fields.extend((c.name, complex_shape(c.complex_name, schema)) for c in shape.complexes)
    return ObjectShape(tuple(fields))
