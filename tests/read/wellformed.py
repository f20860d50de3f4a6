"""What every method that the reader gives must satisfy, whatever it was read from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from uom.model import expressions as e
from uom.model import queries as q
from uom.model.program import QueryMethod
from uom.model.schema import Schema
from uom.model.types import (
    ComplexType,
    EntityType,
    EnumType,
    GroupingType,
    Kind,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
)
from uom.model.walk import children, free_variables, walk


def problems(method: QueryMethod, schema: Schema) -> list[str]:
    """Everything wrong with the method; empty when it is well formed."""
    found = [f"unbound variable {name}" for name in free_variables(method.body)]
    names = [v.name for node in walk(method.body) for v in _bound(node)]
    found += [f"{n} is bound twice" for n in sorted({n for n in names if names.count(n) > 1})]
    known = {p.name for p in method.parameters}
    for node in walk(method.body):
        if isinstance(node, e.Parameter) and node.name not in known:
            found.append(f"unknown parameter {node.name}")
        found += [f"{type(node).__name__}: {p}" for p in _checks(node, schema)]
    if not _same(method.type, method.body.type):
        found.append("the method's type is not its body's")
    return found


def _bound(node: Any) -> Iterator[e.Var]:
    for name in ("var", "outer", "inner_var", "left_var", "right_var"):
        value = getattr(node, name, None)
        if isinstance(value, e.Var):
            yield value


def _same(left: Type, right: Type) -> bool:
    if isinstance(left, NullType) or isinstance(right, NullType):
        return True
    if isinstance(left, SequenceType) and isinstance(right, SequenceType):
        return _same(left.element, right.element)
    if isinstance(left, RecordType) and isinstance(right, RecordType):
        return [f.name for f in left.fields] == [f.name for f in right.fields] and all(
            _same(f.type, g.type) for f, g in zip(left.fields, right.fields, strict=True)
        )
    return as_nullable(left, False) == as_nullable(right, False)


def _checks(node: Any, schema: Schema) -> Iterator[str]:
    match node:
        case e.Const():
            yield from _constant(node)
        case e.Compare() | e.Arithmetic() | e.Bitwise():
            yield from _operands(node)
        case e.Logical():
            for side in (node.left, node.right):
                if not _is_bool(side.type):
                    yield f"operand is {side.type}"
        case e.Not() | e.Conditional():
            test = node.operand if isinstance(node, e.Not) else node.test
            if not _is_bool(test.type):
                yield f"condition is {test.type}"
        case e.Property():
            yield from _property(node, schema)
        case e.Navigate():
            if not isinstance(node.target.type, EntityType):
                yield "the target is no entity"
            elif schema.entity(node.target.type.name).navigation(node.navigation) is None:
                yield f"no navigation {node.navigation}"
        case e.New():
            if len(node.args) != len(node.type.fields):
                yield "arguments and fields differ in number"
            for field, argument in zip(node.type.fields, node.args, strict=False):
                if not _same(field.type, argument.type):
                    yield f"{field.name}: {field.type} from {argument.type}"
        case e.Subquery():
            terminal = isinstance(node.query, q.TERMINAL_CLASSES)
            wanted = node.query.element if terminal else SequenceType(node.query.element)
            if not _same(node.type, wanted):
                yield f"type {node.type} of {wanted}"
        case e.In():
            if isinstance(node.values, tuple):
                for value in node.values:
                    if not _same(value.type, node.item.type):
                        yield f"{value.type} in a list of {node.item.type}"
    if isinstance(node, q.QUERY_CLASSES):
        yield from _query(node)
    for child in children(node):
        del child


def _constant(node: e.Const) -> Iterator[str]:
    if node.value is None:
        if not node.type.nullable:
            yield "null of a type that is not nullable"
    elif isinstance(node.type, EnumType) and not isinstance(node.value, int):
        yield "an enum that is no number"


def _operands(node: Any) -> Iterator[str]:
    time = {Kind.DATETIME, Kind.DATETIMEOFFSET, Kind.TIMESPAN}
    left, right = node.left.type, node.right.type
    if isinstance(node, e.Arithmetic) and isinstance(left, ScalarType) and left.kind in time:
        return
    if not _same(left, right):
        yield f"{left} {node.op.value} {right}"


def _is_bool(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind is Kind.BOOL


def _property(node: e.Property, schema: Schema) -> Iterator[str]:
    match node.target.type:
        case EntityType(name=name):
            entity = schema.entity(name)
            if entity.property(node.name) is None and entity.complex(node.name) is None:
                yield f"{name} has no {node.name}"
        case ComplexType(name=name):
            shape = schema.complex(name)
            if shape.property(node.name) is None and not any(c.name == node.name for c in shape.complexes):
                yield f"{name} has no {node.name}"
        case RecordType() as record:
            if record.field(node.name) is None:
                yield f"no field {node.name} in {record}"
        case GroupingType():
            if node.name != "Key":
                yield f"a grouping has no {node.name}"
        case other:
            yield f"{node.name} of {other}"
    if node.target.type.nullable and not node.type.nullable:
        yield f"{node.name} of a nullable target is not nullable"


def _query(node: Any) -> Iterator[str]:
    match node:
        case q.Filter() | q.Forall():
            if not _is_bool(node.predicate.body.type):
                yield f"predicate is {node.predicate.body.type}"
            if not _same(node.predicate.var.type, node.source.element):
                yield "the variable is no row of the source"
            if isinstance(node, q.Filter) and node.when is not None and free_variables(node.when):
                yield "`when` depends on a row"
        case q.Map():
            if not _same(node.selector.body.type, node.element):
                yield f"element {node.element} from {node.selector.body.type}"
        case q.FlatMap() | q.Join():
            if not _same(node.result.type, node.element):
                yield f"element {node.element} from {node.result.type}"
            for left, right in getattr(node, "keys", ()):
                if not _same(left.type, right.type):
                    yield f"key {left.type} = {right.type}"
        case q.OrderBy():
            for key in node.keys:
                if not isinstance(key.expr.type, ScalarType | EnumType):
                    yield f"ordered by {key.expr.type}"
        case q.SetOperation():
            if not _same(node.left.element, node.right.element):
                yield "the sides differ"
        case q.Skip() | q.Take() | q.Distinct() | q.Reverse() | q.DefaultIfEmpty() | q.Include():
            if not _same(node.element, node.source.element):
                yield "the element changes"
