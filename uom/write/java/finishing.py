"""Projections whose last touch the database cannot give: it delivers the columns, and Java makes the row of them.

`Select(e => new { Name = e.LastName.ToUpper() })` becomes a projection of `lastName` and `row -> new Row(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from uom.model.expressions import Const, Expr, Fn, Function, Lambda, New, Property, Subquery, Var
from uom.model.queries import Map, Pick, Query, Skip, Take
from uom.model.types import Field, RecordType, Type, as_nullable
from uom.model.walk import children, free_variables, rebuild
from uom.write.names import fresh_name

JAVA_ONLY = frozenset({Fn.UPPER, Fn.LOWER, Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT, Fn.FORMAT_FIXED})
"""What neither target has an exact operator for."""

Inside = Callable[[Expr], Expr | None]
"""For an expression that the database computes in a way of its own: the part of it that it still has to compute."""


def is_java_only(node: Function) -> bool:
    """Whether no target computes it as the source does."""
    return node.fn in JAVA_ONLY


@dataclass(frozen=True, slots=True)
class Finishing:
    """`query` delivers records; `body` over `row`, one of them, is the row that was asked for."""

    query: Query
    row: Var
    body: Expr


def finishing(query: Query, inside: Inside, java_only: Callable[[Function], bool] = is_java_only) -> Finishing | None:
    """How to divide a query between the database and Java; None when the database can do all of it."""
    found = _projection(query)
    if found is None or not _needs_java(found.selector.body, inside, java_only):
        return None
    inputs = _Inputs({}, {}, inside, java_only)
    variable = found.selector.var.name
    body = inputs.client(found.selector.body, variable)
    record = RecordType(None, tuple(Field(name, expr.type) for name, expr in inputs.fields.items()))
    delivered = New(record, tuple(inputs.fields.values()))
    projection = replace(found, selector=Lambda(found.selector.var, delivered), element=record)
    return Finishing(_with_projection(query, projection), Var(ROW, record), _over(body, record))


ROW = "row"


def _projection(query: Query) -> Map | None:
    """The projection at the end; what follows it only counts rows."""
    while isinstance(query, Skip | Take | Pick):
        query = query.source
    return query if isinstance(query, Map) else None


def _with_projection(query: Query, projection: Map) -> Query:
    if isinstance(query, Pick):
        element: Type = as_nullable(projection.element, query.or_default)
        return replace(query, source=_with_projection(query.source, projection), element=element)
    if isinstance(query, Skip | Take):
        return replace(query, source=_with_projection(query.source, projection), element=projection.element)
    return projection


def _needs_java(expr: Expr, inside: Inside, java_only: Callable[[Function], bool]) -> bool:
    """Whether a part of it is beyond the database. Sub-queries are its own business."""
    if isinstance(expr, Subquery):
        return False
    part = inside(expr)
    if part is not None:
        return _needs_java(part, inside, java_only)
    if isinstance(expr, Function) and java_only(expr) and free_variables(expr):
        return True
    return any(_needs_java(part, inside, java_only) for part in children(expr))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The fields that the database delivers: each expression once."""

    fields: dict[str, Expr]
    names: dict[Expr, str]
    inside: Inside
    java_only: Callable[[Function], bool]

    def client(self, expr: Expr, variable: str, name: str = "") -> Expr:
        """The expression with what the database computes in it replaced by fields of the delivered record."""
        if not _needs_java(expr, self.inside, self.java_only):
            return self._input(expr, name) if variable in free_variables(expr) else expr
        if isinstance(expr, New):
            parts = zip(expr.type.fields, expr.args, strict=True)
            return replace(expr, args=tuple(self.client(a, variable, f.name) for f, a in parts))
        return rebuild(expr, lambda part: self.client(part, variable))

    def _input(self, expr: Expr, name: str) -> Expr:
        if expr not in self.names:
            wanted = name or (expr.name if isinstance(expr, Property) else "Value")
            self.names[expr] = fresh_name(wanted, set(self.fields))
            self.fields[self.names[expr]] = expr
        return Property(Var(ROW, _UNKNOWN), self.names[expr], expr.type, expr.place)


_UNKNOWN = RecordType(None, ())


def _over(body: Expr, record: RecordType) -> Expr:
    """The fields are all known now."""

    def change(node: Expr) -> Expr:
        if isinstance(node, Var) and node.name == ROW:
            return Var(ROW, record)
        return node if isinstance(node, Const | Subquery) else rebuild(node, change)

    return change(body)
