"""Enums of the base class library that queries use."""

from __future__ import annotations

from uom.model.types import EnumType

DAY_OF_WEEK = EnumType(
    "DayOfWeek",
    tuple(
        (name, number)
        for number, name in enumerate(["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
    ),
)
MIDPOINT_ROUNDING = EnumType(
    "MidpointRounding",
    (("ToEven", 0), ("AwayFromZero", 1), ("ToZero", 2), ("ToNegativeInfinity", 3), ("ToPositiveInfinity", 4)),
)
STRING_COMPARISON = EnumType(
    "StringComparison",
    (
        ("CurrentCulture", 0), ("CurrentCultureIgnoreCase", 1), ("InvariantCulture", 2),
        ("InvariantCultureIgnoreCase", 3), ("Ordinal", 4), ("OrdinalIgnoreCase", 5),
    ),
)  # fmt: skip
DATE_TIME_KIND = EnumType("DateTimeKind", (("Unspecified", 0), ("Utc", 1), ("Local", 2)))

BUILTIN_ENUMS: dict[str, EnumType] = {
    e.name: e for e in (DAY_OF_WEEK, MIDPOINT_ROUNDING, STRING_COMPARISON, DATE_TIME_KIND)
}
