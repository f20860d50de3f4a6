"""From what the reader knows to the algebra: values to expressions, rows to queries."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Conditional,
    Const,
    Expr,
    Lambda,
    New,
    Parameter,
    Property,
    Subquery,
    Var,
)
from uom.model.queries import (
    Elements,
    Include,
    Map,
    Query,
    Related,
    Scan,
    Values,
)
from uom.model.types import (
    EntityType,
    EnumType,
    Field,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    element_of,
    is_value_type,
)
from uom.model.walk import substitute, transform
from uom.read.efcore.folding import convert, is_false, is_true
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.typing_rules import common_type, literal_fits, merged_record, widens
from uom.read.efcore.values import (
    Choice,
    Closure,
    Context,
    Instance,
    MethodGroup,
    Nothing,
    Opaque,
    Rows,
    Scalar,
    Struct,
    TypeName,
    Value,
)

_NOT_DATA = {
    Closure: "a lambda",
    MethodGroup: "a method without a call",
    TypeName: "a type",
    Context: "a DbContext",
    Instance: "an object with methods",
    Nothing: "a call that returns nothing",
}


def to_scalar(value: Value, place: Place | None, construct: str = "expression") -> Scalar:
    """The value as an expression of the algebra. Raises Refusal for what is no data."""
    match value:
        case Scalar():
            return value
        case Rows():
            query = finished(value)
            return Scalar(Subquery(query, SequenceType(query.element), place), SequenceType(value.static))
        case Struct(name=name, fields=fields):
            parts = [(n, to_scalar(v, place, construct)) for n, v in fields]
            record = RecordType(name, tuple(Field(n, s.expr.type) for n, s in parts))
            static = RecordType(name, tuple(Field(n, s.static) for n, s in parts))
            return Scalar(New(record, tuple(s.expr for _, s in parts), place), static)
        case Choice():
            return choice_scalar(value, place, construct)
        case Opaque():
            raise value.refusal().at(place)
    raise Refusal(construct, f"{_NOT_DATA[type(value)]} is not a value of the query", place, "Use a plain value here.")


def choice_scalar(choice: Choice, place: Place | None, construct: str) -> Scalar:
    then = to_scalar(choice.then, place, construct)
    otherwise = to_scalar(choice.otherwise, place, construct)
    return conditional(choice.test, then, otherwise, place, construct)


def conditional(test: Expr, then: Scalar, otherwise: Scalar, place: Place | None, construct: str = "?:") -> Scalar:
    if is_true(test) or is_false(test):
        chosen, other = (then, otherwise) if is_true(test) else (otherwise, then)
        static = common_type(chosen, other, place, construct)
        return Scalar(
            convert(chosen.expr, static) if isinstance(static, ScalarType | EnumType) else chosen.expr, static
        )
    static = common_type(then, otherwise, place, construct)
    left, right = _as_type(then.expr, static), _as_type(otherwise.expr, static)
    type_ = branch_type(left, right, static)
    return Scalar(Conditional(test, left, right, type_, place), static)


def branch_type(left: Expr, right: Expr, static: Type) -> Type:
    """The algebra's type of either of two expressions."""
    base = left.type if isinstance(right.type, NullType) or not isinstance(left.type, NullType) else right.type
    if isinstance(left.type, RecordType) and isinstance(right.type, RecordType):
        base = merged_record(left.type, right.type)
    if isinstance(base, NullType):
        base = static
    return as_nullable(base, left.type.nullable or right.type.nullable)


def _as_type(expr: Expr, static: Type) -> Expr:
    if isinstance(expr, Const) and expr.value is None:
        return Const(None, as_nullable(static), expr.place)
    return convert(expr, static) if isinstance(static, ScalarType | EnumType) else expr


def as_rows(value: Value, place: Place | None, construct: str = "sequence") -> Rows:
    """The value as a sequence. Raises Refusal when it is none."""
    match value:
        case Rows():
            return value
        case Scalar(expr=Subquery(query=query, type=SequenceType()), static=SequenceType(element=static)):
            return Rows(query, static, client=True)
        case Scalar(expr=expr, static=static):
            element, static_element = element_of(expr.type), element_of(static)
            if element is not None and static_element is not None:
                local = isinstance(expr, Parameter) or _is_parameter_path(expr)
                return Rows(Elements(expr, element, place), static_element, local=local)
        case Opaque():
            raise value.refusal().at(place)
        case _:
            pass
    raise Refusal(construct, "this is not a sequence", place, "Apply query operators to sequences only.")


def _is_parameter_path(expr: Expr) -> bool:
    while isinstance(expr, Property):
        expr = expr.target
    return isinstance(expr, Parameter)


def shaped(rows: Rows, place: Place | None) -> Rows:
    """The rows with their shape made real by a Map."""
    if rows.shape is None:
        return rows
    body = to_scalar(rows.shape.value, place, "select")
    query = Map(rows.query, Lambda(rows.shape.var, body.expr), body.expr.type, place)
    return replace(rows, query=query, static=body.static, shape=None, joined=None, ordered=False)


def finished(rows: Rows) -> Query:
    """The whole query: shape, Includes and lifted query filters made real."""
    rows = shaped(rows, None)
    query = rows.query
    if rows.includes and isinstance(query.element, EntityType):
        check_tracking(rows)
        query = Include(query, rows.includes, query.element)
    return lift_filters(query, rows.lifted_filters)


def check_tracking(rows: Rows) -> None:
    """Refuses a filtered Include whose entities a tracked query loads by another way, too."""
    if rows.tracked and rows.mixed is not None:
        raise Refusal(
            "Include",
            "the query is tracked and loads the same entity by another way, so EF Core adds rows that were filtered out",
            rows.mixed,
            "Add AsNoTracking().",
        )


def lift_filters(query: Query, lifted: bool) -> Query:
    """Marks all sources below as read without query filters, as IgnoreQueryFilters does for the whole query."""

    def change(node: object) -> object:
        if isinstance(node, Scan | Related) and node.filters is None:
            return replace(node, filters=())
        return node

    return transform(query, change) if lifted else query


def rebound(value: Value, old: str, new: Expr) -> Value:
    """The value with a row variable replaced."""
    replacements = {old: new}
    match value:
        case Scalar(expr=expr):
            return replace(value, expr=substitute(expr, replacements))
        case Rows():
            shape = value.shape
            joined = value.joined
            if joined is not None:
                keys = tuple((substitute(o, replacements), i) for o, i in joined.keys)
                outer = new if isinstance(new, Var) else joined.outer_var
                joined = replace(joined, keys=keys, outer_var=outer)
            return replace(value, query=substitute(value.query, replacements), shape=shape, joined=joined)
        case Struct(fields=fields):
            return replace(value, fields=tuple((n, rebound(v, old, new)) for n, v in fields))
        case Choice():
            return Choice(
                substitute(value.test, replacements),
                rebound(value.then, old, new),
                rebound(value.otherwise, old, new),
            )
    return value


def coerce(value: Value, target: Type | None) -> Value:
    """The value converted implicitly to a declared type, as an assignment or argument does."""
    if target is None:
        return value
    if isinstance(value, Choice):
        return Choice(value.test, coerce(value.then, target), coerce(value.otherwise, target))
    if isinstance(value, Rows):
        return _coerce_rows(value, target)
    if isinstance(value, Struct):
        return _coerce_tuple(value, target)
    if not isinstance(value, Scalar):
        return value
    source = value.static
    if isinstance(source, NullType):
        return Scalar(Const(None, as_nullable(target), getattr(value.expr, "place", None)), as_nullable(target))
    if source.nullable and is_value_type(source):
        target = as_nullable(target)  # C# takes null out of no value by itself: the type around it is the nullable one
    if isinstance(target, EnumType) and isinstance(source, EnumType) and source.name == target.name:
        return Scalar(value.expr, as_nullable(source, target.nullable))
    if isinstance(source, EntityType) and isinstance(target, EntityType):
        return value
    if isinstance(target, ScalarType) and isinstance(source, ScalarType):
        if source.kind is target.kind:
            return Scalar(value.expr, target)
        if widens(source.kind, target.kind) or literal_fits(value.expr, target.kind):
            return Scalar(convert(value.expr, as_nullable(target, False)), target)
    if isinstance(target, EnumType) and isinstance(value.expr, Const) and value.expr.value == 0:
        return Scalar(convert(value.expr, target), target)
    return value


def _coerce_tuple(value: Struct, target: Type) -> Struct:
    """A tuple takes the element names and types of the declaration: `(List<Sale> Items, int Total)`."""
    if value.name is not None or not isinstance(target, RecordType) or target.name is not None:
        return value
    if len(target.fields) != len(value.fields):
        return value
    fields = zip(target.fields, value.fields, strict=True)
    return Struct(None, tuple((f.name, coerce(v, f.type)) for f, (_, v) in fields))


def _coerce_rows(rows: Rows, target: Type) -> Rows:
    """A list literal takes its element type from the declaration: `List<int?> x = [1, null]`."""
    element = element_of(target)
    if element is None or not isinstance(rows.query, Values):
        return rows
    items = [coerce(Scalar(i, i.type), element) for i in rows.query.items]
    typed = tuple(i.expr for i in items if isinstance(i, Scalar))
    return replace(rows, query=Values(typed, element, rows.query.place), static=element)


def evaluate_scalar(session: Session, node: Node, scope: Scope, construct: str = "expression") -> Scalar:
    return to_scalar(session.eval(node, scope), session.place(node, scope), construct)


def scan(session: Session, entity: str, place: Place | None) -> Rows:
    session.entity(entity, place)
    type_ = EntityType(entity)
    return Rows(Scan(entity, type_, None, place), type_)


def make_list(items: list[Value], element: Type | None, place: Place | None) -> Value:
    """A list in memory; its items have one C# type."""
    scalars = [to_scalar(coerce(item, element), place, "list") for item in items]
    static: Type = element if element is not None else NullType()
    if element is None and scalars:
        static = scalars[0].static
        for scalar in scalars[1:]:
            static = common_type(Scalar(scalars[0].expr, static), scalar, place, "list")
    typed = [coerce(s, static) for s in scalars]
    values = Values(tuple(t.expr for t in typed if isinstance(t, Scalar)), static, place)
    return Rows(values, static, local=True)
