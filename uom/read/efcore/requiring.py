"""Rows and values that the code takes for granted: `?? throw`, `if (x == null) throw`, `x.Value`."""

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import Expr, Fn, Function, Subquery
from uom.model.queries import Pick
from uom.model.types import EntityType, RecordType, as_nullable
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.values import Scalar, Value


def _make_required(session: Session, subquery: Subquery, scope: Scope) -> None:
    """`if (x == null) throw` after FirstOrDefault: then it is First."""
    for holder in scope.chain():
        for name, value in holder.names.items():
            if isinstance(value, Scalar) and value.expr == subquery:
                holder.names[name] = required(session, value, subquery.place)


def required(session: Session, value: Value, place: Place | None) -> Value:
    """`x ?? throw`, `if (x == null) throw`: the row must be there."""
    if not isinstance(value, Scalar):
        return value
    expr = value.expr
    if isinstance(expr, Subquery) and isinstance(expr.query, Pick) and expr.query.or_default:
        element = as_nullable(expr.query.element, False)
        if isinstance(element, EntityType | RecordType):
            session.note(
                Severity.LOSS,
                "throw",
                "the exception for a missing row is the target's own",
                place,
                "Catch it in the calling code.",
            )
            pick = replace(expr.query, or_default=False, element=element)
            return Scalar(Subquery(pick, element, expr.place), as_nullable(value.static, False))
    if session.touches_rows(expr):
        raise Refusal("throw", "the method throws depending on the data", place, "Return null instead.")
    return Scalar(expr, as_nullable(value.static, False))


def taken(session: Session, expr: Expr, place: Place | None) -> Expr:
    """`x.Value`, `(int)x` around queries, where C# itself computes: an error when what a query gave is null."""
    if session.position is not Position.STATEMENT or not expr.type.nullable or not session.touches_rows(expr):
        return expr
    return Function(Fn.VALUE, (expr,), as_nullable(expr.type, False), place)
