"""Scalar expressions of the algebra. Immutable data without behaviour; the interpreter defines what they mean.

Every node has a `type`. `place` never takes part in equality, so equal subexpressions compare equal and hash alike.
Null logic is in the node, never in a flag: `Compare`, `Logical`, `Not`, `In` are C#'s two-valued forms (their result
is never null); `SqlCompare`, `SqlLogical`, `SqlNot`, `SqlIn` are SQL's three-valued forms (their result may be null).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from uom.model.diagnostics import Place
from uom.model.types import BOOL, Kind, RecordType, ScalarType, Type

if TYPE_CHECKING:
    from uom.model.queries import Query

NULLABLE_BOOL = ScalarType(Kind.BOOL, nullable=True)


class Comparison(Enum):
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class LogicalOp(Enum):
    AND = "&&"
    OR = "||"
    XOR = "^"


class ArithmeticOp(Enum):
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MOD = "%"


class BitwiseOp(Enum):
    AND = "&"
    OR = "|"
    XOR = "^"


class Fn(Enum):
    """Functions, with their arguments. All give null when an argument is null, unless said otherwise.

    String positions and lengths count from 0 in characters.
    """

    # text
    LENGTH = "length"  # s
    UPPER = "upper"
    LOWER = "lower"
    UPPER_INVARIANT = "upper_invariant"  # as .NET does it, which leaves ı and ſ alone
    LOWER_INVARIANT = "lower_invariant"  # leaves İ alone
    TRIM = "trim"  # s: white space on both sides
    TRIM_START = "trim_start"
    TRIM_END = "trim_end"
    SUBSTRING = "substring"  # s, start[, length]
    CHAR_AT = "char_at"  # s, index
    INDEX_OF = "index_of"  # s, part: -1 when absent
    CONTAINS = "contains"  # s, part -> bool, never null: a null operand gives false (EF's C# meaning)
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    LIKE = "like"  # s, pattern[, escape]: % and _; a null operand gives false
    REPLACE = "replace"  # s, old, new
    PAD_LEFT = "pad_left"  # s, width[, char]
    PAD_RIGHT = "pad_right"
    IS_NULL_OR_EMPTY = "is_null_or_empty"  # never null
    IS_NULL_OR_WHITE_SPACE = "is_null_or_white_space"  # never null
    JOIN = "join"  # separator, item, item, ... or separator, list: null items count as "" (as string.Join)
    TO_STRING = "to_string"  # invariant text of a number, text, Guid, enum member name, bool "True"/"False"
    PARSE = "parse"  # text to the node's number type
    FORMAT_FIXED = (
        "format_fixed"  # decimal, digits, grouped: "N2", "F2" of the invariant culture; midpoints away from 0
    )
    # numbers
    ABS = "abs"
    ROUND = "round"  # x[, digits]: midpoints as Semantics.rounding says
    FLOOR = "floor"
    CEILING = "ceiling"
    TRUNCATE = "truncate"
    SQRT = "sqrt"
    POW = "pow"
    EXP = "exp"
    LOG = "log"  # natural; or x, base
    LOG10 = "log10"
    SIGN = "sign"
    LEAST = "least"  # Math.Min
    GREATEST = "greatest"  # Math.Max
    # dates
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    DAY_OF_YEAR = "day_of_year"
    DAY_OF_WEEK = "day_of_week"  # 0 = Sunday
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    MILLISECOND = "millisecond"
    DATE = "date"  # midnight of the same day
    TIME_OF_DAY = "time_of_day"  # TimeSpan
    TO_DATE = "to_date"  # DateTime -> DateOnly
    DAY_NUMBER = "day_number"  # DateOnly: days since 0001-01-01
    ADD_YEARS = "add_years"  # d, n: the day is clipped to the month's end
    ADD_MONTHS = "add_months"
    ADD_DAYS = "add_days"  # n may be fractional
    ADD_HOURS = "add_hours"
    ADD_MINUTES = "add_minutes"
    ADD_SECONDS = "add_seconds"
    ADD_MILLISECONDS = "add_milliseconds"
    DATE_DIFF = "date_diff"  # a, b -> TimeSpan a - b
    MAKE_DATE = "make_date"  # year, month, day[, hour, minute, second] -> DateTime, or DateOnly as the type says
    NOW = "now"  # no argument; local time, taken as the UTC wall clock
    UTC_NOW = "utc_now"
    TODAY = "today"
    # TimeSpan
    SPAN_DAYS = "span_days"  # whole days, toward zero
    SPAN_HOURS = "span_hours"  # hour part -23..23
    SPAN_MINUTES = "span_minutes"
    SPAN_SECONDS = "span_seconds"
    TOTAL_DAYS = "total_days"  # double
    TOTAL_HOURS = "total_hours"
    TOTAL_MINUTES = "total_minutes"
    TOTAL_SECONDS = "total_seconds"
    TOTAL_MILLISECONDS = "total_milliseconds"
    # null
    VALUE = "value"  # x: an error when it is null (C# reads the row into a type without null)
    # enums
    HAS_FLAG = "has_flag"  # value, flag


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. `value`: None, bool, int (integers and enums' underlying number), Decimal, float, str (also char),

    datetime (naive for DateTime, aware for DateTimeOffset), date, time, timedelta, UUID or bytes, according to `type`.
    """

    value: object
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the C# method: known only when the query runs."""

    name: str
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Var:
    """A lambda or range variable. Names are unique within one method (the reader renames), so nothing is captured."""

    name: str
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Property:
    """A mapped scalar or complex property of an entity or complex value, a field of a record, or `Key` of a grouping.

    Null when the target is null.
    """

    target: Expr
    name: str
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Navigate:
    """The entity that a reference navigation leads to; null when there is none.

    `predicate`, set by the pass that applies query filters, hides partners for which it is not true.
    """

    target: Expr
    navigation: str
    type: Type
    predicate: Lambda | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """C#: null equals null, null differs from any value, and `<` and its kin with a null are false."""

    op: Comparison
    left: Expr
    right: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class SqlCompare:
    """SQL: null when an operand is null."""

    op: Comparison
    left: Expr
    right: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=NULLABLE_BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class Logical:
    """Two-valued and, or, xor. A nullable operand counts as false when null (as a SQL WHERE would)."""

    op: LogicalOp
    left: Expr
    right: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class SqlLogical:
    op: LogicalOp
    left: Expr
    right: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=NULLABLE_BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """Two-valued: true unless the operand is true."""

    operand: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class SqlNot:
    operand: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=NULLABLE_BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """True when the operand is null; for an entity: when there is no row. `!= null` and HasValue are Not(IsNull)."""

    operand: Expr
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class IsOfType:
    """`row is Dog`: true when the operand's row is of the entity or of one that derives from it; false for null."""

    operand: Expr
    entity: str
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class Downcast:
    """`(Dog)row`, `row as Dog`: the same row, whose members of the derived entity are null when it is of another type.

    Only members are taken from it. EF Core does not look at the type here, not even in a comparison with null.
    """

    operand: Expr
    entity: str
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Numbers of one type (the reader inserts Convert); null when an operand is null.

    DIV and MOD of integers truncate toward zero, the remainder has the dividend's sign. `type` is the result type.
    DIV by zero of integers and decimals is an error. DateTime +/- TimeSpan and TimeSpan +/- TimeSpan are allowed too.
    Integers out of range are an error in the database. What C# computes itself wraps around, unless it is `checked`.
    """

    op: ArithmeticOp
    left: Expr
    right: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Negate:
    operand: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Bitwise:
    op: BitwiseOp
    left: Expr
    right: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Concat:
    """C# string concatenation: a null part counts as empty text; the result is never null. Parts are strings."""

    parts: tuple[Expr, ...]
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=ScalarType(Kind.STRING), compare=False)


@dataclass(frozen=True, slots=True)
class SqlConcat:
    """SQL `+`: null when a part is null."""

    parts: tuple[Expr, ...]
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=ScalarType(Kind.STRING, True), compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`test ? then : otherwise`; a null test counts as false."""

    test: Expr
    then: Expr
    otherwise: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Coalesce:
    left: Expr
    right: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Convert:
    """A cast between numbers, enums and their numbers, char and number, or nullable and not; null stays null.

    Integer targets truncate toward zero. float to decimal keeps 7 significant digits, double to decimal 15 (C#).
    A cast that changes nullability only is transparent. A number out of range is an error in the database; what C#
    computes itself is cut to the integer's bits (a double to its limits), unless it is `checked`.
    """

    operand: Expr
    type: Type
    place: Place | None = field(default=None, compare=False)
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    fn: Fn
    args: tuple[Expr, ...]
    type: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class In:
    """`list.Contains(item)` for a list in memory, C# meaning: a null item is found when the list holds a null.

    `values` is a tuple of expressions without row variables, or one sequence-typed Parameter.
    """

    item: Expr
    values: tuple[Expr, ...] | Parameter
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class SqlIn:
    """SQL `IN`: null when the item is null, or when it is not found and the list holds a null."""

    item: Expr
    values: tuple[Expr, ...] | Parameter
    place: Place | None = field(default=None, compare=False)
    type: Type = field(default=NULLABLE_BOOL, compare=False)


@dataclass(frozen=True, slots=True)
class New:
    """Builds a record; `args` in the order of `type.fields`."""

    type: RecordType
    args: tuple[Expr, ...]
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Subquery:
    """The value of a query: a scalar for terminals, else a list of its rows. At a method's top level: one round trip."""

    query: Query
    type: Type
    place: Place | None = field(default=None, compare=False)


Expr = (
    Const
    | Parameter
    | Var
    | Property
    | Navigate
    | Compare
    | SqlCompare
    | Logical
    | SqlLogical
    | Not
    | SqlNot
    | IsNull
    | IsOfType
    | Downcast
    | Arithmetic
    | Negate
    | Bitwise
    | Concat
    | SqlConcat
    | Conditional
    | Coalesce
    | Convert
    | Function
    | In
    | SqlIn
    | New
    | Subquery
)


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function of one row."""

    var: Var
    body: Expr


EXPR_CLASSES: tuple[type, ...] = Expr.__args__
