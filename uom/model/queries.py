"""The nested relational algebra: operators over sequences of rows. Immutable data; `reference` defines their meaning.

A row is a value of any type: an entity, a record, a scalar, a grouping. `element` is the type of one row. Terminals
(`Aggregate`, `Pick`, `Exists`, `Forall`, `Contains`) yield one value, whose type is `element` as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from uom.model.diagnostics import Place
from uom.model.expressions import Expr, Lambda, Var
from uom.model.types import BOOL, EntityType, GroupingType, Type


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of an entity. `filters` says which query filters still apply (None: all; names lifted by the reader

    are left out; the pass `apply_query_filters` turns them into Filter nodes and sets `()`).
    """

    entity: str
    element: EntityType
    filters: tuple[str, ...] | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Related:
    """The rows that a collection or skip navigation of `target` (an entity-valued expression) leads to."""

    target: Expr
    navigation: str
    element: EntityType
    filters: tuple[str, ...] | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Elements:
    """The items of a sequence-valued expression: a grouping variable, a record's list, an owned collection."""

    source: Expr
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Values:
    """A list in memory as a source of rows; the items hold no row variables."""

    items: tuple[Expr, ...]
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows for which the predicate is true.

    `when`, if present, depends on method parameters only: the filter is applied only when it is true
    (`if (country != null) query = query.Where(...)`).
    """

    source: Query
    predicate: Lambda
    element: Type
    when: Expr | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Map:
    """`Select`."""

    source: Query
    selector: Lambda
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FlatMap:
    """`SelectMany`: for each row `outer` of the source all rows `inner_var` of `inner`, which may use `outer`.

    A left outer form has `inner` = DefaultIfEmpty(...). `result` may use both variables. Order: outer, then inner.
    """

    source: Query
    outer: Var
    inner: Query
    inner_var: Var
    result: Expr
    element: Type
    place: Place | None = field(default=None, compare=False)


class JoinKind(Enum):
    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Join:
    """Equi-join of two independent queries on pairs of key expressions. Null in any key part never matches.

    In LEFT, RIGHT and FULL the variable of the missing side is null in `result`. GroupJoin has no node: the reader
    replaces the group variable by a Filter over the inner query.
    """

    kind: JoinKind
    left: Query
    right: Query
    left_var: Var
    right_var: Var
    keys: tuple[tuple[Expr, Expr], ...]
    result: Expr
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GroupBy:
    """Groups by key (null is a key like any other). Each row is a grouping with `Key` and its elements.

    A composite key is a New. Consumers use Property(g, "Key") and Elements(g).
    """

    source: Query
    key: Lambda
    value: Lambda
    element: GroupingType
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SortKey:
    """`tie_breaker` marks keys that we added on both sides: any total order will do for them.

    `nulls_first`: nulls come first ascending, as C# sorts in memory, wherever the source's database has them.
    """

    expr: Expr
    descending: bool = False
    tie_breaker: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class OrderBy:
    """Stable sort by all keys (OrderBy and its ThenBys are one node); replaces any earlier order.

    `keeps_order`: C# sorts in memory, where rows that tie stay in the order that the source gave them; the pass
    `keep_orders` says that with keys.
    """

    source: Query
    var: Var
    keys: tuple[SortKey, ...]
    element: Type
    place: Place | None = field(default=None, compare=False)
    keeps_order: bool = False


@dataclass(frozen=True, slots=True)
class Reverse:
    source: Query
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Skip:
    source: Query
    count: Expr
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Take:
    source: Query
    count: Expr
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Removes equal rows (null equals null). The order of the result is undefined."""

    source: Query
    element: Type
    place: Place | None = field(default=None, compare=False)


class SetKind(Enum):
    CONCAT = "Concat"
    UNION = "Union"
    EXCEPT = "Except"
    INTERSECT = "Intersect"


@dataclass(frozen=True, slots=True)
class SetOperation:
    """Both sides have rows of one shape. All but CONCAT remove duplicates. The order of the result is undefined."""

    kind: SetKind
    left: Query
    right: Query
    element: Type
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DefaultIfEmpty:
    """The source, or one row when it is empty: `default`, or null (for value types in C#: see `element`)."""

    source: Query
    element: Type
    default: Expr | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OfType:
    """Rows of a TPH hierarchy that are of `entity` or derive from it."""

    source: Query
    entity: str
    element: EntityType
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class IncludeNode:
    """One loaded navigation. `query` is the filtered, ordered or paged list; its source is Related(var, navigation).

    None for reference navigations and for plain collections.
    """

    navigation: str
    var: Var
    query: Query | None = None
    children: tuple[IncludeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Include:
    """Entities with these navigations loaded; rows and their number do not change."""

    source: Query
    tree: tuple[IncludeNode, ...]
    element: EntityType
    place: Place | None = field(default=None, compare=False)


class AggregateKind(Enum):
    COUNT = "Count"
    SUM = "Sum"
    AVERAGE = "Average"
    MIN = "Min"
    MAX = "Max"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One value over all rows. `selector` is None for COUNT and for rows that are the value themselves.

    SUM, AVERAGE, MIN, MAX skip nulls. SUM of nothing is 0, also of a nullable type. AVERAGE, MIN, MAX of nothing are
    null when `element` is nullable, else an error (InvalidOperationException). AVERAGE of integers is a double.
    """

    kind: AggregateKind
    source: Query
    selector: Lambda | None
    element: Type
    place: Place | None = field(default=None, compare=False)


class PickKind(Enum):
    FIRST = "First"
    SINGLE = "Single"
    LAST = "Last"
    ELEMENT_AT = "ElementAt"


@dataclass(frozen=True, slots=True)
class Pick:
    """First, Single, Last or ElementAt (`index`). Without a row: an error, or with `or_default` the default of the type

    (null for entities, records, text and nullable types; 0, false, 0001-01-01 for other values, then `element` is not
    nullable). SINGLE with two rows is an error.
    """

    kind: PickKind
    source: Query
    or_default: bool
    element: Type
    index: Expr | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """`Any` (predicates are Filters of the source)."""

    source: Query
    element: Type = BOOL
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Forall:
    """`All`: true for no rows."""

    source: Query
    predicate: Lambda
    element: Type = BOOL
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Contains:
    """`query.Contains(item)`, C# meaning: a null item is found among null rows."""

    source: Query
    item: Expr
    element: Type = BOOL
    place: Place | None = field(default=None, compare=False)


Source = Scan | Related | Elements | Values
Operator = (
    Filter
    | Map
    | FlatMap
    | Join
    | GroupBy
    | OrderBy
    | Reverse
    | Skip
    | Take
    | Distinct
    | SetOperation
    | DefaultIfEmpty
    | OfType
    | Include
)
Terminal = Aggregate | Pick | Exists | Forall | Contains
Query = Source | Operator | Terminal

SOURCE_CLASSES: tuple[type, ...] = Source.__args__
OPERATOR_CLASSES: tuple[type, ...] = Operator.__args__
TERMINAL_CLASSES: tuple[type, ...] = Terminal.__args__
QUERY_CLASSES: tuple[type, ...] = SOURCE_CLASSES + OPERATOR_CLASSES + TERMINAL_CLASSES
