"""What C# in memory takes for granted: text is told apart by case, white space is all of it, whatever the database says.

The algebra has one meaning of `==` per database. Code over fetched rows is translated into it only where both agree,
so the method says what it assumes, and the plan refuses it for a database that does otherwise.
"""

from __future__ import annotations

from uom.model.diagnostics import Place
from uom.model.expressions import Compare, Expr, Fn, Function, In
from uom.model.program import Assumption
from uom.model.queries import Query
from uom.model.types import GroupingType, RecordType, SequenceType, Type, is_string
from uom.model.walk import walk
from uom.read.efcore.session import Session
from uom.read.efcore.values import Choice, Rows, Scalar, Struct, Value

CASE, BLANKS, TRIMMED = "case_sensitive", "ignore_trailing_blanks", "trimmed"
_ASPECTS = {
    Fn.CONTAINS: (CASE,),
    Fn.STARTS_WITH: (CASE,),
    Fn.ENDS_WITH: (CASE,),
    Fn.INDEX_OF: (CASE,),
    Fn.REPLACE: (CASE,),
    Fn.LENGTH: (BLANKS,),
    Fn.TRIM: (TRIMMED,),
    Fn.TRIM_START: (TRIMMED,),
    Fn.TRIM_END: (TRIMMED,),
    Fn.IS_NULL_OR_WHITE_SPACE: (TRIMMED,),
}


def runs_in_memory(session: Session, value: Value, place: Place | None) -> None:
    """Notes what a value that C# computes from fetched rows assumes about the database."""
    match value:
        case Scalar(expr=expr):
            assume(session, expr, place)
        case Rows(query=query):
            assume(session, query, place)
        case Struct(fields=fields):
            for _, part in fields:
                runs_in_memory(session, part, place)
        case Choice(test=test, then=then, otherwise=otherwise):
            assume(session, test, place)
            runs_in_memory(session, then, place)
            runs_in_memory(session, otherwise, place)


def assume(session: Session, node: Expr | Query, place: Place | None) -> None:
    """The same for a part of the algebra."""
    for part in walk(node):
        if isinstance(part, Compare) and (is_string(part.left.type) or is_string(part.right.type)):
            _note(session, (CASE, BLANKS), part.op.value, part.place or place)
        elif isinstance(part, In) and is_string(part.item.type):
            _note(session, (CASE, BLANKS), "Contains", part.place or place)
        elif isinstance(part, Function):
            _note(session, _ASPECTS.get(part.fn, ()), _name(part.fn), part.place or place)


def tells_apart(session: Session, rows: Rows, type_: Type, name: str, place: Place | None) -> None:
    """Notes that an operator on fetched rows compares values of a type: a key, or whole rows."""
    if rows.client and _holds_text(type_):
        _note(session, (CASE, BLANKS), name, place)


def _holds_text(type_: Type) -> bool:
    match type_:
        case RecordType(fields=fields):
            return any(_holds_text(field.type) for field in fields)
        case SequenceType(element=element):
            return _holds_text(element)
        case GroupingType(key=key):
            return _holds_text(key)
    return is_string(type_)


def _note(session: Session, aspects: tuple[str, ...], construct: str, place: Place | None) -> None:
    session.assumptions.update(dict.fromkeys(Assumption(aspect, construct, place) for aspect in aspects))


def _name(fn: Fn) -> str:
    """`StartsWith`, as C# calls it."""
    return fn.value.title().replace("_", "")
