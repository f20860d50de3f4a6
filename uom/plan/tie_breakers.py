"""Makes pages definite: where Skip, Take, First or Last cut through rows that tie, the key decides.

Without it source and target may both be right and still return different rows. The choice is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from uom.model.diagnostics import Diagnostic, Place, Severity
from uom.model.expressions import Compare, Comparison, Const, Expr, Logical, LogicalOp, Property, Var
from uom.model.queries import (
    Filter,
    GroupBy,
    Include,
    Map,
    OrderBy,
    Pick,
    PickKind,
    Query,
    Reverse,
    Scan,
    Skip,
    SortKey,
    Take,
)
from uom.model.schema import Entity, Schema
from uom.model.types import EntityType, EnumType, GroupingType, Kind, RecordType, ScalarType
from uom.model.walk import transform


@dataclass
class TieBreaker:
    """Adds key columns to orders below a cut; `diagnostics` says where."""

    schema: Schema
    place: Place | None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def run(self, body: Expr) -> Expr:
        result: Expr = transform(body, self.change)
        return result

    def change(self, node: Any) -> Any:
        if isinstance(node, Skip | Take):
            return replace(node, source=self.settle(node.source, type(node).__name__, node.place))
        if isinstance(node, Pick) and node.kind is not PickKind.SINGLE:
            return replace(node, source=self.settle(node.source, node.kind.value, node.place))
        return node

    def settle(self, query: Query, cut: str, place: Place | None) -> Query:
        """The query with an order that is total, as far as that can be done with the key of its entity."""
        match query:
            case OrderBy():
                return self.extend(query, cut, place)
            case Skip() | Take() | Filter() | Include() | Reverse() | Map() if _is_ordered(query.source):
                return replace(query, source=self.settle(query.source, cut, place))
            case Map(source=source) if isinstance(source.element, EntityType | GroupingType):
                return replace(query, source=self.settle(source, cut, place))  # the key is known below the projection
        entity = self.entity_of(query)
        if (entity is not None and _picks_one(query, entity)) or _has_one_row(query):
            return query
        var = Var("row", query.element)
        columns = self.columns(var)
        if not columns:
            return query
        what = f"the key of {entity.name}" if entity is not None else "all their values"
        self.report(cut, f"nothing orders the rows, so they are ordered by {what}", place)
        return OrderBy(query, var, tuple(columns), query.element)

    def extend(self, order: OrderBy, cut: str, place: Place | None) -> Query:
        entity = self.entity_of(order)
        known = {k.expr for k in order.keys}
        missing = [k for k in self.columns(order.var) if k.expr not in known]
        if not missing or self.is_total(order, entity):
            return order
        what = f"the key of {entity.name}" if entity is not None else "all their values"
        self.report(cut, f"rows that tie are ordered by {what}", place)
        return replace(order, keys=(*order.keys, *missing))

    def is_total(self, order: OrderBy, entity: Entity | None) -> bool:
        known = {k.expr.name for k in order.keys if isinstance(k.expr, Property) and k.expr.target == order.var}
        return entity is not None and bool(entity.key) and set(entity.key) <= known

    def columns(self, var: Var) -> list[SortKey]:
        """What tells rows apart: an entity's key, a record's single values, a single value itself, a group's key."""
        match var.type:
            case EntityType():
                entity = self.schema.entity(var.type.name)
                properties = [entity.property(name) for name in entity.key]
                parts: list[Expr] = [Property(var, p.name, p.type) for p in properties if p is not None]
            case RecordType(fields=fields):
                parts = [p for f in fields for p in _single_values(Property(var, f.name, f.type))]
            case GroupingType(key=key):
                parts = _single_values(Property(var, "Key", key))
            case _:
                parts = _single_values(var)
        return [SortKey(part, tie_breaker=True) for part in parts]

    def report(self, cut: str, what: str, place: Place | None) -> None:
        self.diagnostics.append(
            Diagnostic(
                Severity.CONVENTION, cut, what, place or self.place, "Order by a unique column to choose yourself."
            )
        )

    def entity_of(self, query: Query) -> Entity | None:
        return self.schema.entity(query.element.name) if isinstance(query.element, EntityType) else None


def _single_values(expr: Expr) -> list[Expr]:
    """The expression itself, or what an anonymous object in it is made of."""
    match expr.type:
        case ScalarType(kind=kind):
            return [expr] if kind is not Kind.BYTES else []
        case EnumType():
            return [expr]
        case RecordType(fields=fields):
            return [p for f in fields for p in _single_values(Property(expr, f.name, f.type))]
    return []


def _has_one_row(query: Query) -> bool:
    """A group by a constant, or a page of one."""
    while isinstance(query, Filter | Include | Map):
        query = query.source
    return isinstance(query, GroupBy) and isinstance(query.key.body, Const)


def _is_ordered(query: Query) -> bool:
    while isinstance(query, Skip | Take | Filter | Include | Reverse | Map):
        query = query.source
    return isinstance(query, OrderBy)


def _picks_one(query: Query, entity: Entity) -> bool:
    """Whether filters fix every key column, so that there is one row at most."""
    fixed: set[str] = set()
    while isinstance(query, Filter | Include):
        if isinstance(query, Filter) and query.when is None:
            fixed |= _fixed_columns(query.predicate.body, query.predicate.var)
        query = query.source
    return isinstance(query, Scan) and set(entity.key) <= fixed


def _fixed_columns(predicate: Expr, var: Var) -> set[str]:
    if isinstance(predicate, Logical) and predicate.op is LogicalOp.AND:
        return _fixed_columns(predicate.left, var) | _fixed_columns(predicate.right, var)
    if isinstance(predicate, Compare) and predicate.op is Comparison.EQ:
        for side in (predicate.left, predicate.right):
            if isinstance(side, Property) and side.target == var:
                return {side.name}
    return set()
