"""What a method hands back: its body in the algebra, the shape and the type of its result."""

from __future__ import annotations

from dataclasses import dataclass, replace

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import (
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    IsNull,
    Lambda,
    Not,
    Property,
    Subquery,
    Var,
)
from uom.model.program import ResultShape
from uom.model.queries import Include, Map, Pick
from uom.model.types import (
    FLOATS,
    ComplexType,
    EntityType,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    is_integer,
)
from uom.model.walk import children, transform, walk, written_out
from uom.read.efcore.lowering import to_scalar
from uom.read.efcore.memory import assume
from uom.read.efcore.owned import check_owned
from uom.read.efcore.projections import holds_entity
from uom.read.efcore.renaming import renamed
from uom.read.efcore.required import required
from uom.read.efcore.session import Session
from uom.read.efcore.values import Choice, Nothing, Rows, Struct, Value


@dataclass(frozen=True)
class Result:
    body: Expr
    shape: ResultShape
    type: Type


MOST_NODES = 100_000
"""Largest query that is taken on; a variable or helper that is used twice counts twice."""


def finish(session: Session, value: Value, place: Place) -> Result | None:
    """The result of a method; None when it does not depend on the database."""
    if isinstance(value, Nothing):
        return None
    _check_owned(session, value)
    scalar = to_scalar(value, place, "return")
    if not session.touches_rows(scalar.expr):
        return None
    _check_dictionaries(session, value, scalar.expr)
    if written_out(scalar.expr) > MOST_NODES:
        reason = f"written out, the query has more than {MOST_NODES:,} parts"
        raise Refusal("return", reason, place, "Split the method, or reuse variables and helpers less often.")
    body = renamed(over_pick(session, required(session, simplified(scalar.expr), scalar.static)))
    return Result(body, shape_of(value, body), body.type)


def _check_owned(session: Session, value: Value) -> None:
    """Each sequence that is handed out; single rows were looked at when they were picked."""
    match value:
        case Rows():
            check_owned(session, value)
        case Struct(fields=fields):
            for _, part in fields:
                _check_owned(session, part)
        case Choice(then=then, otherwise=otherwise):
            _check_owned(session, then)
            _check_owned(session, otherwise)


def _check_dictionaries(session: Session, value: Value, body: Expr) -> None:
    """A dictionary whose keys may repeat is handed out as it is: only there Java throws where C# does."""
    whole = body.query if isinstance(value, Rows) and isinstance(body, Subquery) else None
    if not session.dictionaries or whole in session.dictionaries:
        return
    for node in walk(body):
        place = session.dictionaries.get(node) if isinstance(node, Map) else None
        if place is not None:
            raise Refusal(
                "ToDictionary",
                "C# throws when a key is null or comes twice, and that would be lost here",
                place,
                "Return the dictionary itself, use the entity's key, or work on the rows.",
            )


def simplified(expr: Expr) -> Expr:
    """`x == null ? null : x` is x."""

    def change(node: object) -> object:
        match node:
            case Conditional(test=IsNull(operand=value), then=Const(value=None), otherwise=other) if other == value:
                return other
            case Conditional(test=Not(operand=IsNull(operand=value)), then=other, otherwise=Const(value=None)):
                return other if other == value else node
        return node

    return transform(expr, change)


def over_pick(session: Session, expr: Expr) -> Expr:
    """`x == null ? null : new Dto(x.A)` over one fetched row becomes a projection of that row: one round trip.

    It is C# all the same: fractions are cut off, and what the database would do in its own way stays outside.
    """
    picks = _picks(expr)
    if len(picks) != 1:
        return expr
    pick = next(iter(picks))
    assert isinstance(pick.query, Pick)
    row_type = as_nullable(pick.query.source.element, False)
    if expr == pick or not isinstance(row_type, EntityType | RecordType | ComplexType):
        return expr
    inner = expr
    if isinstance(expr, Conditional) and expr.test == IsNull(pick):
        if not (isinstance(expr.then, Const) and expr.then.value is None):
            return expr
        inner = expr.otherwise
    elif not _is_path(expr, pick) and pick.query.or_default:
        return expr
    var = Var("found", row_type, pick.place)
    body = transform(inner, lambda node: var if node == pick else node)
    if any(isinstance(n, Subquery) and n == pick for n in walk(body)):
        return expr
    if any(isinstance(n, Function) and n.fn is Fn.ROUND for n in walk(body)):
        return expr
    assume(session, body, pick.place)
    body = transform(body, _cut)
    element = as_nullable(body.type, body.type.nullable or pick.query.or_default)
    source = pick.query.source
    if isinstance(source, Include) and not holds_entity(body.type):
        source = source.source
    mapped = Map(source, Lambda(var, body), body.type, pick.place)
    return Subquery(replace(pick.query, source=mapped, element=element), element, pick.place)


def _cut(node: object) -> object:
    """A cast to an integer, as C# does it."""
    if not isinstance(node, Convert) or not is_integer(node.type) or not isinstance(node.operand.type, ScalarType):
        return node
    whole = isinstance(node.operand, Function) and node.operand.fn in (Fn.FLOOR, Fn.CEILING, Fn.TRUNCATE)
    if node.operand.type.kind not in (*FLOATS, Kind.DECIMAL) or whole:
        return node
    return replace(node, operand=Function(Fn.TRUNCATE, (node.operand,), node.operand.type, node.place))


def _is_path(expr: Expr, pick: Subquery) -> bool:
    while isinstance(expr, Property):
        expr = expr.target
    return expr == pick


def _picks(expr: Expr) -> set[Subquery]:
    """Single rows of entities or records that the client code looks into."""
    found: set[Subquery] = set()
    stack: list[Expr] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Subquery):
            found.add(node)
            continue
        stack.extend(c for c in children(node) if not isinstance(c, Lambda))  # type: ignore[misc]
    return {s for s in found if isinstance(s.query, Pick)} if all(isinstance(s.query, Pick) for s in found) else set()


def shape_of(value: Value, body: Expr) -> ResultShape:
    if isinstance(value, Choice):
        return shape_of(value.then, body)
    if isinstance(value, Rows) and value.dictionary:
        return ResultShape.DICTIONARY
    type_ = body.type
    if isinstance(value, Struct) or isinstance(type_, RecordType | EntityType | ComplexType | GroupingType):
        return ResultShape.SINGLE
    return ResultShape.ROWS if isinstance(type_, SequenceType) else ResultShape.SCALAR
