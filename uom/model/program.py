"""A whole input: the schema and the query methods found in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from uom.model.diagnostics import Diagnostic, Place
from uom.model.expressions import Expr
from uom.model.queries import SortKey
from uom.model.schema import Schema
from uom.model.types import Type


class ResultShape(Enum):
    """What the method hands back: a list of rows, one row or null, a scalar, or a dictionary (rows have Key, Value)."""

    ROWS = "rows"
    SINGLE = "single"
    SCALAR = "scalar"
    DICTIONARY = "dictionary"


class NullOrder(Enum):
    """Where nulls sort in an ascending order; a descending order is the mirror image."""

    FIRST = "first"
    LAST = "last"


class Rounding(Enum):
    """Midpoints of Math.Round as the source's database rounds them."""

    AWAY_FROM_ZERO = "away_from_zero"
    TO_EVEN = "to_even"


def nulls_first(key: SortKey, semantics: Semantics) -> bool:
    """Whether nulls come first in the ascending order of a key."""
    return key.nulls_first or semantics.null_order is NullOrder.FIRST


@dataclass(frozen=True, slots=True)
class Semantics:
    """What differs by source database; `PROVIDER_SEMANTICS` has the defaults.

    `case_sensitive`: text compares by code point, else case-insensitively. `ignore_trailing_blanks`: in `=` only.
    `rounding` is that of decimals, `double_rounding` that of doubles: on PostgreSQL to even, whether the server does it
    (to whole numbers) or the client (to digits, which is not translated there). `guids_by_bytes`: Guids sort by their bytes, as they are written.
    `casts_round`: a cast of a fraction to an integer rounds it (midpoints as `rounding` and `double_rounding` say).
    `trimmed`: the characters that Trim takes away and that count as white space; None is all that C# takes for such.
    `offsets`: a DateTimeOffset comes back with the offset that it was stored with; PostgreSQL keeps the instant only, in UTC.
    """

    null_order: NullOrder = NullOrder.FIRST
    case_sensitive: bool = True
    ignore_trailing_blanks: bool = False
    rounding: Rounding = Rounding.AWAY_FROM_ZERO
    double_rounding: Rounding = Rounding.AWAY_FROM_ZERO
    guids_by_bytes: bool = True
    trimmed: str | None = None
    casts_round: bool = False
    offsets: bool = True


PROVIDER_SEMANTICS: dict[str, Semantics] = {
    "": Semantics(),
    "postgres": Semantics(
        null_order=NullOrder.LAST, double_rounding=Rounding.TO_EVEN, trimmed=" \t\n\r", casts_round=True, offsets=False
    ),
    "sqlserver": Semantics(case_sensitive=False, ignore_trailing_blanks=True, guids_by_bytes=False, trimmed=" "),
    "sqlite": Semantics(trimmed=" "),
}


@dataclass(frozen=True, slots=True)
class MethodParameter:
    """A parameter of the query method (the context itself is left out). `default` is a Const when the C# has one."""

    name: str
    type: Type
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class Assumption:
    """A field of `Semantics` that must be as C# has it, for a construct that runs in memory."""

    aspect: str
    construct: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class QueryMethod:
    """One C# method that asks the database.

    `body` is what it returns: usually one Subquery, else a client-side expression over several Subqueries
    (`new Page<T>(items, total)`), each one round trip. `context` names the Schema it runs against.
    """

    name: str
    container: str
    parameters: tuple[MethodParameter, ...]
    body: Expr
    result: ResultShape
    type: Type
    context: str
    place: Place
    end_line: int
    diagnostics: tuple[Diagnostic, ...] = ()
    overload: int = 1
    """Its number among methods of that name in that class, in source order."""
    assumptions: tuple[Assumption, ...] = ()

    @property
    def id(self) -> str:
        return _id(self.container, self.name, self.overload)


def _id(container: str, name: str, overload: int) -> str:
    """`Filters.ByCountry`; overloads after the first have their number, `Filters.ByCountry#2`."""
    full = f"{container}.{name}" if container else name
    return full if overload == 1 else f"{full}#{overload}"


@dataclass(frozen=True, slots=True)
class RefusedMethod:
    """A C# method that asks the database but cannot be translated; `diagnostics` holds at least one refusal."""

    name: str
    container: str
    context: str
    place: Place
    end_line: int
    diagnostics: tuple[Diagnostic, ...]
    overload: int = 1

    @property
    def id(self) -> str:
        return _id(self.container, self.name, self.overload)


@dataclass(frozen=True, slots=True)
class Program:
    """Everything read from one input. Methods are in source order."""

    schemas: tuple[Schema, ...]
    methods: tuple[QueryMethod | RefusedMethod, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(file name, text) pairs."""

    def schema_of(self, method: QueryMethod) -> Schema:
        return next(s for s in self.schemas if s.context == method.context)
