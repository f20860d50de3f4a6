"""Values for a parameter, or a part of one, that are likely to matter: from columns that it meets, from its default, from its type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from uom.model.expressions import (
    Compare,
    Concat,
    Const,
    Expr,
    Fn,
    Function,
    In,
    IsNull,
    Parameter,
    Property,
    SqlConcat,
    Subquery,
)
from uom.model.program import QueryMethod
from uom.model.queries import Contains, Elements, Skip, Take
from uom.model.schema import Schema
from uom.model.types import (
    FLOATS,
    INTEGER_RANGE,
    INTEGERS,
    EnumType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
)
from uom.model.walk import Node, children, walk
from uom.reference.values import Database, Value
from uom.verify.column_values import values_of
from uom.verify.leaves import Leaf, Path, path_of


def candidates_for(leaf: Leaf, method: QueryMethod, schema: Schema, database: Database) -> list[Value]:
    """Values for a parameter or a part of one. What the method does not look at has one value only."""
    if isinstance(leaf.type, SequenceType):
        found = _lists(leaf, leaf.type, method, schema, database)
    else:
        found = _singles(leaf, method, schema, database)
    return found if leaf.used else [next((v for v in found if v is not None), None)]


def _lists(leaf: Leaf, type_: SequenceType, method: QueryMethod, schema: Schema, database: Database) -> list[Value]:
    """A few of the values that there are, never all of them: as many rows as without the list would be no sign of it."""
    element = type_.element
    there = [v for value in _column_values(leaf.path, method, schema, database) for v in fitted(value, element)]
    few = max(1, min(3, len({repr(v) for v in there}) // 2))
    found: list[Value] = [_spread(there)[:few] or _by_type(element)[:2], []]
    if element.nullable:
        found.append([*_spread(there)[:1], None])
    return [*found[:1], None, *found[1:]] if type_.nullable or _asks_for_null(leaf.path, method) else found


def _singles(leaf: Leaf, method: QueryMethod, schema: Schema, database: Database) -> list[Value]:
    path, type_ = leaf.path, leaf.type
    found: list[Value] = []
    if isinstance(leaf.default, Const):
        found.append(leaf.default.value)
    if _is_count(path, method):
        found.extend([2, 1, 3])
    found.extend(_text_parts(path, method, schema, database))
    values = _column_values(path, method, schema, database)
    found.extend(_spread([v for value in values for v in fitted(value, type_)]))
    if is_closed(type_) or len({repr(v) for v in found if v is not None}) < 2:
        found.extend(_of_data(type_, database))
        found.extend(_by_type(type_))
    found[1:1] = own_constants(path, type_, method)
    known = [v for value in found for v in fitted(value, type_)]
    if type_.nullable or _asks_for_null(path, method):
        known.insert(1, None)
    return known or [None]


def absent_value(leaf: Leaf, method: QueryMethod, schema: Schema, database: Database) -> Value:
    """One that no row has, of what is compared with columns: a key that leads nowhere. None where there is no such."""
    if isinstance(leaf.type, SequenceType) or is_closed(leaf.type) or not leaf.used:
        return None
    values = _column_values(leaf.path, method, schema, database)
    there = [v for value in values for v in fitted(value, leaf.type)]
    match max(there, key=str, default=None):
        case bool():
            return None
        case int() | Decimal():
            found: Value = max(v for v in there if isinstance(v, int | Decimal)) + 1000
        case str():
            found = "no such text"
        case UUID():
            found = UUID(int=0xABCDEF)
        case _:
            return None
    return next((v for v in fitted(found, leaf.type) if v not in there), None)


def _asks_for_null(path: Path, method: QueryMethod) -> bool:
    """Whether the method looks whether it is null, whatever its type says: nobody checks that a caller keeps to it."""
    return any(isinstance(node, IsNull) and path_of(node.operand) == path for node in walk(method.body))


def own_constants(path: Path, type_: Type, method: QueryMethod) -> list[Value]:
    """What the method itself compares it with, which is where it does something else: an empty text, a zero."""
    found: list[Value] = []
    for node in walk(method.body):
        if isinstance(node, Compare):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(other, Const) and other.value is not None and _reads(one, path):
                    found.append(other.value)
        elif isinstance(node, Function) and node.fn in _BLANK and path_of(node.args[0]) == path:
            found.append("")
    return list(dict.fromkeys(v for value in found for v in fitted(value, type_)))[:_CONSTANTS]


def is_closed(type_: Type) -> bool:
    """Few values, each of which may have a branch of its own."""
    return isinstance(type_, EnumType) or (isinstance(type_, ScalarType) and type_.kind is Kind.BOOL)


def _of_data(type_: Type, database: Database) -> list[Value]:
    """Values of the type that occur anywhere in the rows; for numbers the years and months of dates, which date
    arithmetic is likely to be about."""
    if not isinstance(type_, ScalarType) or type_.kind not in (*INTEGERS, *_RARE):
        return []
    rows = (row for rows in database.rows.values() for row in rows)
    values = list(dict.fromkeys(v for row in rows for v in row.values.values() if isinstance(v, _RARE_TYPES)))
    if type_.kind in INTEGERS:
        dates = sorted(v for v in values if isinstance(v, datetime) and v.tzinfo is None)
        picked = [dates[len(dates) // 2], dates[len(dates) // 5]] if dates else []
        return [part for d in picked for part in (d.year, d.month)]
    fitting = sorted({f for v in values for f in fitted(v, type_)})  # type: ignore[type-var]
    return [fitting[len(fitting) // 2], fitting[len(fitting) // 5]] if fitting else []


def _is_count(path: Path, method: QueryMethod) -> bool:
    """Used in Skip or Take: small numbers are telling."""
    return any(
        isinstance(p, Parameter | Property) and path_of(p) == path
        for node in walk(method.body)
        if isinstance(node, Skip | Take)
        for p in walk(node.count)
    )


def _column_values(path: Path, method: QueryMethod, schema: Schema, database: Database) -> list[Value]:
    for node in walk(method.body):
        if isinstance(node, Compare):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if _reads(one, path):
                    values = values_of(other, schema, database)
                    if values:
                        return values
        if (isinstance(node, In) and _mentions(node, path)) or (isinstance(node, Contains) and _lists_in(node, path)):
            values = values_of(node.item, schema, database)
            if values:
                return values
    return []


def _text_parts(path: Path, method: QueryMethod, schema: Schema, database: Database) -> Iterator[Value]:
    """For Contains and its kin: pieces of texts that are there, as a pattern where one is asked for; or more than them."""
    for node in walk(method.body):
        if not isinstance(node, Function) or len(node.args) < 2:
            continue
        inside, text = node.args[1], node.args[0]
        if path_of(text) == path:
            yield from (f"x{v}y" for v in _spread(_texts(inside, schema, database))[:2])
            continue
        found = _spread(_texts(text, schema, database)) if _reads(inside, path) else []
        if found:
            is_pattern = node.fn is Fn.LIKE and path_of(inside) == path
            for value in found[:2]:
                part = _PART.get(node.fn, _inner)(_after(_leading(inside), str(value)))
                yield f"%{part}%" if is_pattern else part
            return


def _texts(expr: Expr, schema: Schema, database: Database) -> list[Value]:
    return [v for v in values_of(expr, schema, database) if isinstance(v, str) and v]


def _leading(expr: Expr) -> str:
    """The constant before a parameter in a text that is put together: "@" of `"@" + domain`."""
    first = expr.parts[0] if isinstance(expr, Concat | SqlConcat) else None
    return first.value if isinstance(first, Const) and isinstance(first.value, str) else ""


def _after(leading: str, text: str) -> str:
    found = text.rpartition(leading)[2] if leading else text
    return found or text


def _reads(expr: Node, path: Path) -> bool:
    """Whether it computes with it; what a query in it does is another matter."""
    if isinstance(expr, Subquery):
        return False
    if isinstance(expr, Parameter | Property) and path_of(expr) == path:
        return True
    return any(_reads(part, path) for part in children(expr))


def _inner(text: str) -> str:
    return text[1:4] or text


_PART: dict[Fn, Callable[[str], str]] = {Fn.STARTS_WITH: lambda text: text[:2], Fn.ENDS_WITH: lambda text: text[-2:]}


def _mentions(node: In, path: Path) -> bool:
    values = node.values if isinstance(node.values, tuple) else (node.values,)
    return any(path_of(v) == path for v in values)


def _lists_in(node: Contains, path: Path) -> bool:
    """`filter.Ids.Contains(x)`"""
    return isinstance(node.source, Elements) and path_of(node.source.source) == path


def _spread(values: list[Value]) -> list[Value]:
    """Median, a low and a high one: a boundary that is met by some rows and missed by others."""
    unique: list[Any] = list(dict.fromkeys(values))
    try:
        unique.sort()
    except TypeError:
        return unique[:3]
    if len(unique) <= 3:
        return unique
    return [unique[len(unique) // 2], unique[len(unique) // 5], unique[-(len(unique) // 5) - 1]]


def _by_type(type_: Type) -> list[Value]:
    if isinstance(type_, EnumType):
        return [number for _, number in type_.members[:3]]
    if isinstance(type_, ScalarType):
        if type_.kind in INTEGERS:
            return [1, 2, 3]
        return list(_SAMPLES.get(type_.kind, ()))
    if isinstance(type_, RecordType):
        return _records(type_)
    if isinstance(type_, SequenceType):
        return [_by_type(type_.element)[:2]]
    return [None]


def _records(type_: RecordType) -> list[Value]:
    """Records as elements of a list, whose fields nobody can follow to a column."""
    fields = {f.name: _by_type(f.type) or [None] for f in type_.fields}
    return [{name: values[i % len(values)] for name, values in fields.items()} for i in range(2)]


_SAMPLES: dict[Kind, tuple[Value, ...]] = {
    Kind.BOOL: (True, False),
    Kind.DECIMAL: (Decimal(10), Decimal(1), Decimal(100)),
    Kind.FLOAT: (0.5, 10.0),
    Kind.DOUBLE: (0.5, 10.0),
    Kind.STRING: ("a", "A", ""),
    Kind.CHAR: ("a",),
    Kind.DATETIME: (datetime(1998, 1, 1), datetime(2020, 1, 1)),
    Kind.DATETIMEOFFSET: (datetime(2020, 1, 1, tzinfo=UTC),),
    Kind.DATEONLY: (date(1998, 1, 1), date(2020, 1, 1)),
    Kind.TIMEONLY: (time(12), time(6, 30)),
    Kind.TIMESPAN: (timedelta(hours=1), timedelta(days=1)),
    Kind.GUID: (UUID(int=1),),
    Kind.BYTES: (b"\x01",),
}
_RARE = frozenset({Kind.DATETIME, Kind.DATETIMEOFFSET, Kind.DATEONLY, Kind.TIMEONLY, Kind.TIMESPAN, Kind.GUID})
"""Kinds of which no value is likely by itself."""
_RARE_TYPES = (datetime, date, time, timedelta, UUID)


def fitted(value: Value, type_: Type) -> list[Value]:
    """The value as one of the parameter's type, which may be another than the column's; none where there is no such."""
    if value is None:
        return [None] if type_.nullable else []
    if isinstance(type_, EnumType):
        return [value] if isinstance(value, int) and not isinstance(value, bool) else []
    if isinstance(type_, SequenceType):
        return [value]
    if not isinstance(type_, ScalarType):
        return []
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _fitted_number(value, type_.kind)
    if isinstance(value, datetime) and type_.kind is Kind.DATEONLY:
        return [value.date()]
    if isinstance(value, datetime) and type_.kind is Kind.DATETIMEOFFSET:
        return [value if value.tzinfo is not None else value.replace(tzinfo=UTC)]
    if isinstance(value, datetime) and type_.kind is Kind.DATETIME:
        return [value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)]
    if type(value) is date and type_.kind is Kind.DATETIME:
        return [datetime(value.year, value.month, value.day)]
    if isinstance(value, str) and type_.kind is Kind.CHAR:
        return [value[0]] if value else []
    return [value] if type(value) is _PYTHON.get(type_.kind) else []


def _fitted_number(value: int | float | Decimal, kind: Kind) -> list[Value]:
    if isinstance(value, float) and not math.isfinite(value):
        return [value] if kind in FLOATS else []
    if kind in INTEGERS:
        low, high = INTEGER_RANGE[kind]
        return [int(value)] if low <= int(value) <= high else []
    if kind is Kind.DECIMAL:
        return [value if isinstance(value, Decimal) else Decimal(repr(value))]
    return [float(value)] if kind in FLOATS else []


_CONSTANTS = 4
_BLANK = frozenset({Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE})
_PYTHON: dict[Kind, type] = {
    Kind.BOOL: bool,
    Kind.STRING: str,
    Kind.CHAR: str,
    Kind.DATETIME: datetime,
    Kind.DATETIMEOFFSET: datetime,
    Kind.DATEONLY: date,
    Kind.TIMEONLY: time,
    Kind.TIMESPAN: timedelta,
    Kind.GUID: UUID,
    Kind.BYTES: bytes,
}
"""How values of a kind are held; numbers are converted."""
