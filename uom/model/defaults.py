"""What C# takes for granted: the default of each type, and what counts as white space."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from uom.model.types import INTEGERS, ComplexType, EntityType, EnumType, Kind, RecordType, ScalarType, Type

WHITE_SPACE = " \t\n\r\v\f\x85\xa0   　" + "".join(map(chr, range(0x2000, 0x200B)))


DefaultValue = None | bool | int | float | str | Decimal | datetime | date | time | timedelta | UUID


def default_of(type_: Type) -> DefaultValue:
    """`default(T)`."""
    if type_.nullable or isinstance(type_, EntityType | RecordType | ComplexType):
        return None
    if isinstance(type_, EnumType):
        return 0
    if isinstance(type_, ScalarType):
        return DEFAULTS.get(type_.kind, 0 if type_.kind in INTEGERS else None)
    return None


DEFAULTS: dict[Kind, DefaultValue] = {
    Kind.BOOL: False,
    Kind.DECIMAL: Decimal(0),
    Kind.FLOAT: 0.0,
    Kind.DOUBLE: 0.0,
    Kind.CHAR: "\0",
    Kind.DATETIME: datetime(1, 1, 1),
    Kind.DATEONLY: date(1, 1, 1),
    Kind.TIMEONLY: time(),
    Kind.TIMESPAN: timedelta(),
    Kind.GUID: UUID(int=0),
}
