"""Values that C# declares as never null although the database may deliver null: EF Core throws when it reads one.

`new { e.Manager.Grade }` has an `int`, also for an employee without a manager. As long as the value stays in the
database null is a value like any other; only where a row is handed out it must be there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from uom.model.expressions import (
    Arithmetic,
    Coalesce,
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    Lambda,
    Navigate,
    Negate,
    New,
    Property,
    Subquery,
    Var,
)
from uom.model.facts import present
from uom.model.queries import TERMINAL_CLASSES, FlatMap, Join, Map, Pick, Query
from uom.model.schema import Schema
from uom.model.types import EntityType, EnumType, Field, Kind, RecordType, ScalarType, SequenceType, Type, as_nullable
from uom.read.efcore.session import Session

_Part = Callable[[Session, Expr, Type], Expr]


def required(session: Session, expr: Expr, static: Type) -> Expr:
    """What a method returns, with an error for each null in a row that C# has no place for."""
    match expr, static:
        case New(), RecordType():
            return _required_parts(session, expr, static, required)
        case Subquery(query=Pick() as pick), _ if _is_value(static):
            return _required_value(session, expr, pick, static)
        case Subquery(), _:
            return _required_query(session, expr, static)
    return expr


def _required_value(session: Session, expr: Subquery, pick: Pick, static: Type) -> Expr:
    """The one value that a method hands out; without a row it is the default of its type."""
    if not pick.source.element.nullable:
        return expr
    source = _required_rows(session, pick.source, static)
    if source is pick.source:
        return expr
    return Subquery(replace(pick, source=source, element=source.element), source.element, expr.place)


def _in_row(session: Session, expr: Expr, static: Type) -> Expr:
    """The same for what is read out of a row."""
    match expr, static:
        case New(), RecordType():
            return _required_parts(session, expr, static, _in_row)
        case Subquery(query=query), _ if isinstance(query, Pick) or not isinstance(query, TERMINAL_CLASSES):
            return _required_query(session, expr, static)
    if _is_value(static) and expr.type.nullable and not certain(expr, session.schema):
        return Function(Fn.VALUE, (expr,), as_nullable(expr.type, False), expr.place)
    return expr


def _required_parts(session: Session, expr: New, static: RecordType, part: _Part) -> New:
    if len(static.fields) != len(expr.args):
        return expr
    found = [part(session, a, s.type) for a, s in zip(expr.args, static.fields, strict=True)]
    if all(new is old for new, old in zip(found, expr.args, strict=True)):
        return expr
    fields = tuple(_field(f, old, new) for f, old, new in zip(expr.type.fields, expr.args, found, strict=True))
    return replace(expr, type=replace(expr.type, fields=fields), args=tuple(found))


def _required_query(session: Session, expr: Subquery, static: Type) -> Expr:
    query = expr.query
    if isinstance(query, Pick):
        return _required_pick(session, expr, query, static)
    if isinstance(query, TERMINAL_CLASSES) or not isinstance(static, SequenceType):
        return expr
    rows = _required_rows(session, query, static.element)
    return expr if rows is query else Subquery(rows, SequenceType(rows.element), expr.place)


def _field(field: Field, old: Expr, new: Expr) -> Field:
    """A list is required where its items are: Java looks at them, too."""
    if new is old:
        return field
    plain_list = isinstance(new.type, SequenceType) and not isinstance(new.type.element, RecordType)
    return Field(field.name, new.type, plain_list or isinstance(new, Function))


def _required_pick(session: Session, expr: Subquery, pick: Pick, static: Type) -> Expr:
    """A single row; a single value inside a query is the database's business."""
    if not isinstance(static, RecordType):
        return expr
    source = _required_rows(session, pick.source, static)
    if source is pick.source:
        return expr
    element = as_nullable(source.element, pick.element.nullable)
    return Subquery(replace(pick, source=source, element=element), element, expr.place)


def _required_rows(session: Session, query: Query, static: Type) -> Query:
    """The rows as C# reads them; a projection at the end is changed itself."""
    if isinstance(query, Map):
        body = _in_row(session, query.selector.body, static)
        if body is query.selector.body:
            return query
        return replace(query, selector=Lambda(query.selector.var, body), element=body.type)
    if isinstance(query, Join | FlatMap):
        body = _in_row(session, query.result, static)
        return query if body is query.result else replace(query, result=body, element=body.type)
    var = session.fresh("row", query.element)
    row = _parts(query, var, static)
    body = _in_row(session, row, static)
    return query if body is row else Map(query, Lambda(var, body), body.type)


def _parts(query: Query, var: Var, static: Type) -> Expr:
    """The row of a query, field by field if it is a record."""
    element = query.element
    if not isinstance(element, RecordType) or element.nullable or not isinstance(static, RecordType):
        return var
    return New(element, tuple(Property(var, f.name, f.type) for f in element.fields))


def _is_value(static: Type) -> bool:
    """A C# type that null is no value of."""
    if static.nullable:
        return False
    return isinstance(static, EnumType) or (
        isinstance(static, ScalarType) and static.kind not in (Kind.STRING, Kind.BYTES)
    )


def certain(expr: Expr, schema: Schema, known: frozenset[Expr] = frozenset()) -> bool:
    """Whether the value is never null, although its type does not say so; `known` are not null here."""
    if not expr.type.nullable or expr in known:
        return True

    def of(part: Expr) -> bool:
        return certain(part, schema, known)

    match expr:
        case Const(value=value):
            return value is not None
        case Property(target=target, name=name):
            return of(target) and not _column_may_be_null(target.type, name, schema)
        case Navigate(target=target, navigation=name) if isinstance(target.type, EntityType):
            navigation = schema.entity(target.type.name).navigation(name)
            hidden = schema.query_filters(navigation.target) if navigation is not None else ()
            return of(target) and navigation is not None and navigation.required and not hidden
        case Conditional(test=test, then=then, otherwise=otherwise):
            return certain(then, schema, known | present(test, True)) and certain(
                otherwise, schema, known | present(test, False)
            )
        case Coalesce(left=left, right=right):
            return of(left) or of(right)
        case Convert(operand=operand) | Negate(operand=operand):
            return of(operand)
        case Arithmetic(left=left, right=right):
            return of(left) and of(right)
    return False


def _column_may_be_null(owner: Type, name: str, schema: Schema) -> bool:
    if isinstance(owner, EntityType):
        found = schema.entity(owner.name).property(name)
        return found is None or found.type.nullable
    return True
