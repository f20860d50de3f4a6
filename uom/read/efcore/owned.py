"""Owned values as results: a tracked query that hands out one without its owner throws."""

from __future__ import annotations

from collections.abc import Iterator

from uom.model.diagnostics import Refusal
from uom.model.expressions import Coalesce, Conditional, Expr, New, Property
from uom.model.queries import FlatMap, Join, Map, Query, Skip, Take
from uom.model.schema import Schema
from uom.model.types import ComplexType, EntityType
from uom.read.efcore.session import Session
from uom.read.efcore.values import Rows


def check_owned(session: Session, rows: Rows) -> None:
    """Refuses rows that hold an owned value, but not the entity it belongs to. Complex types may go alone."""
    if not rows.tracked or rows.client or rows.local:
        return
    body = _projection(rows.query)
    handed_out = set(_outputs(body)) if body is not None else set()
    for value in handed_out:
        if isinstance(value, Property) and _is_owned(value, session.schema) and _owner(value) not in handed_out:
            raise Refusal(
                value.name,
                "it is an owned value, which a tracked query cannot hand out without its owner: EF Core throws",
                value.place,
                "Add AsNoTracking(), or select its members.",
            )


def _projection(query: Query) -> Expr | None:
    while isinstance(query, Skip | Take):
        query = query.source
    match query:
        case Map(selector=selector):
            return selector.body
        case Join(result=result) | FlatMap(result=result):
            return result
    return None


def _outputs(expr: Expr) -> Iterator[Expr]:
    match expr:
        case New(args=args):
            for arg in args:
                yield from _outputs(arg)
        case Conditional(then=then, otherwise=otherwise):
            yield from _outputs(then)
            yield from _outputs(otherwise)
        case Coalesce(left=left, right=right):
            yield from _outputs(left)
            yield from _outputs(right)
        case _:
            yield expr


def _owner(value: Property) -> Expr:
    owner = value.target
    while isinstance(owner, Property) and isinstance(owner.type, ComplexType):
        owner = owner.target
    return owner


def _is_owned(value: Property, schema: Schema) -> bool:
    owner = value.target.type
    if not isinstance(value.type, ComplexType):
        return False
    if isinstance(owner, EntityType):
        found = schema.entity(owner.name).complex(value.name)
    elif isinstance(owner, ComplexType):
        found = next((c for c in schema.complex(owner.name).complexes if c.name == value.name), None)
    else:
        return False
    return found is not None and found.owned
