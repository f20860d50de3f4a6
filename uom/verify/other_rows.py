"""Other rows of the same kind, on which a translation that only knows the answers for the given ones is found out.

Rows go, values change places, and some become what they were not: what a query compares them with and its neighbours,
the negative, other members of an enum, null. Foreign keys still find their rows, and every value is one that its column
can hold. The C# is not run on these rows; the interpreter says what is right for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from uom.data.shuffling import bound_columns, dealt, without
from uom.model.expressions import Const
from uom.model.program import QueryMethod
from uom.model.schema import Property, Schema
from uom.model.types import EnumType, Kind, ScalarType
from uom.model.walk import walk
from uom.reference.values import Database, Row, Value
from uom.verify.candidates import fitted

MOST_ROWS = 300
"""Of each entity: other rows show no more when there are many."""
_ALTERED = 0.4
_SHARES = (0.2, 0.6, 1.0)
_PICKED = 4
_DAYS = (1, -1, 31, 366)
_DEFAULT_SCALE = 2


def constants_of(methods: Iterable[QueryMethod]) -> list[Value]:
    """What the methods compare and compute with."""
    found = (n.value for m in methods for n in walk(m.body) if isinstance(n, Const) and n.value is not None)
    return list({repr(value): value for value in found}.values())


def other_rows(database: Database, schema: Schema, constants: Sequence[Value], seed: int) -> Database:
    """The same seed gives the same rows. At most MOST_ROWS of each entity."""
    draw = random.Random(seed)
    gone = {row.identity for rows in database.rows.values() for row in _lost(rows, draw)}
    changed = dealt(without(database, schema, gone), schema, draw)
    return replace(changed, rows={root: _altered(rows, schema, constants, draw) for root, rows in changed.rows.items()})


def _lost(rows: Sequence[Row], draw: random.Random) -> list[Row]:
    """None, one, half, all but one, or all; of many rows always enough of them."""
    mixed = draw.sample(list(rows), len(rows))
    few = len(rows) - min(len(rows), MOST_ROWS)
    losses = (0, 1, len(rows) // 2, len(rows) - 1, len(rows))
    return mixed[: max(few, *draw.choices(losses, weights=(3, 3, 2, 1, 1)))]


def _altered(rows: Sequence[Row], schema: Schema, constants: Sequence[Value], draw: random.Random) -> list[Row]:
    values: list[dict[str, Value]] = [dict(row.values) for row in rows]
    for entity in dict.fromkeys(row.entity for row in rows):
        bound = bound_columns(schema.entity(entity), schema)
        indexes = [i for i, row in enumerate(rows) if row.entity == entity]
        for column in schema.entity(entity).properties:
            if column.name in bound or column.converter is not None or column.unsupported or draw.random() > _ALTERED:
                continue
            pool = _pool(column, [rows[i].values.get(column.name) for i in indexes], constants, draw)
            share = draw.choice(_SHARES)
            for index in indexes if pool else ():
                if draw.random() < share:
                    values[index][column.name] = draw.choice(pool)
    return [replace(row, values=found) for row, found in zip(rows, values, strict=True)]


def _pool(column: Property, present: Sequence[Value], constants: Sequence[Value], draw: random.Random) -> list[Value]:
    """Values for a column: null where it may be, and neighbours of what is compared and of what is there."""
    type_ = column.type
    if isinstance(type_, EnumType):
        found: list[Value] = [] if type_.flags else [number for _, number in type_.members]
    elif isinstance(type_, ScalarType):
        known = list(dict.fromkeys(v for v in present if v is not None))
        near = [v for c in constants for v in fitted(c, type_)] + draw.sample(known, min(len(known), _PICKED))
        found = [v for value in near for v in _neighbours(value) if _holds(column, v, present)]
    else:
        return []
    return [*found, None] if type_.nullable and found else found


def _neighbours(value: Value) -> list[Value]:
    match value:
        case bool():
            return [True, False]
        case int() | Decimal():
            return [value, value + 1, value - 1, -value, 2 * value + 1]
        case float():
            return [value, value + 0.5, -value, 2 * value]
        case str():
            return [value, value + "x", value.upper(), value.lower(), value[:-1]]
        case datetime() | date():
            return [value, *(value + timedelta(days=d) for d in _DAYS if 1950 < value.year < 2100)]
    return [value]


def _holds(column: Property, value: Value, present: Sequence[Value]) -> bool:
    """Whether the column can hold it, as far as the model and the rows that are there tell."""
    assert isinstance(column.type, ScalarType)
    if isinstance(value, str):
        return len(value) <= (column.max_length or len(value)) and column.type.kind is not Kind.CHAR
    if isinstance(value, Decimal):
        scale = column.scale if column.scale is not None else max(map(_digits, present), default=_DEFAULT_SCALE)
        whole = None if column.precision is None else column.precision - scale
        return _digits(value) <= scale and (whole is None or abs(value) < Decimal(10) ** whole)
    return bool(fitted(value, column.type))


def _digits(value: Value) -> int:
    exponent = value.normalize().as_tuple().exponent if isinstance(value, Decimal) else 0
    return max(0, -exponent) if isinstance(exponent, int) else 0
