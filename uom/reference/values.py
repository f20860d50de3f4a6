"""Values the interpreter works with, and the errors a query may end in.

Scalars are Python's: None, bool, int, Decimal, float, str, datetime, date, time, timedelta, UUID, bytes; an enum is its
underlying number. A record is a dict. Entities, complex values and groups have classes of their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from uom.model.program import Semantics

Value = object


class QueryError(Exception):
    """The query itself fails, as it would in the source; `exception` is the .NET exception's name."""

    def __init__(self, exception: str, message: str) -> None:
        super().__init__(message)
        self.exception = exception


@dataclass(frozen=True, eq=False)
class Row:
    """An entity: property values by name (complex values are nested Complex). `loaded` holds included navigations."""

    entity: str
    values: Mapping[str, Value]
    identity: tuple[Hashable, ...]
    loaded: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Complex:
    """An owned or complex value."""

    name: str
    values: Mapping[str, Value]


@dataclass(frozen=True, eq=False)
class Group:
    key: Value
    items: Sequence[Value]


class RowList(list[Value]):
    """Rows in sequence; `ties` has the lengths of the runs whose rows may come in any order among themselves."""

    def __init__(self, rows: Sequence[Value], ties: Sequence[int]) -> None:
        super().__init__(rows)
        self.ties = tuple(ties)


@dataclass(frozen=True)
class Database:
    """Rows by entity name (derived entities are found under their root too), and rows of pure join tables by table."""

    rows: Mapping[str, Sequence[Row]]
    joins: Mapping[str, Sequence[Mapping[str, Value]]] = field(default_factory=dict)


def canonical(value: Value, semantics: Semantics) -> Hashable:
    """A hashable stand-in: equal exactly when the database takes the values for equal (null equals null)."""
    match value:
        case bool():
            return ("bool", value)
        case str():
            return ("text", folded(value, semantics))
        case Row():
            return ("row", value.identity)
        case Complex():
            return ("complex", *((k, canonical(v, semantics)) for k, v in value.values.items()))
        case dict():
            return ("record", *((k, canonical(v, semantics)) for k, v in value.items()))
        case Group():
            return ("group", canonical(value.key, semantics))
        case list() | tuple():
            return ("list", *(canonical(v, semantics) for v in value))
    assert isinstance(value, Hashable)
    return value


def folded(text: str, semantics: Semantics) -> str:
    """The text as `=` sees it."""
    if semantics.ignore_trailing_blanks:
        text = text.rstrip(" ")
    return text if semantics.case_sensitive else text.casefold()
