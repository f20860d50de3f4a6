"""What a C# expression is while a method is being read: data of the algebra, or something only the reader knows.

A `Scalar` or `Rows` carries two types. `expr.type` (or `query.element`) is the algebra's: what the database may
deliver. `static` is the C# compiler's: it decides overloads, defaults of empty results, and whether `Max` may be null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, Var
from uom.model.queries import IncludeNode, Query
from uom.model.schema import Schema
from uom.model.types import Type
from uom.read.csharp.symbols import MethodSymbol, TypeSymbol

if TYPE_CHECKING:
    from uom.read.efcore.scope import Scope


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of the algebra: a column, a constant, a parameter, an entity, the result of a terminal."""

    expr: Expr
    static: Type


@dataclass(frozen=True, slots=True)
class Shape:
    """What one row looks like to the next lambda, when that is not the row itself: `value` over `var`."""

    var: Var
    value: Value


@dataclass(frozen=True, slots=True)
class GroupJoined:
    """The inner sequence of a `join .. into`: enough to make a Join of it when it is flattened next.

    `keys` are (outer, inner) pairs over `outer_var` and `inner_var`; `inner` already holds filters added since.
    """

    inner: Rows
    inner_var: Var
    outer_var: Var
    keys: tuple[tuple[Expr, Expr], ...]
    left: bool = False
    composite: bool = False
    """The keys are the members of anonymous objects; see `joins.join_keys`."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A query, or a list in memory (`local`), or rows already fetched (`client`: what follows runs as C#)."""

    query: Query
    static: Type
    client: bool = False
    local: bool = False
    ordered: bool = False
    """The last operator was an OrderBy or ThenBy, so a ThenBy may follow."""
    includes: tuple[IncludeNode, ...] = ()
    include_path: tuple[str, ...] = ()
    shape: Shape | None = None
    joined: GroupJoined | None = None
    client_only: ClientOnly | None = None
    lifted_filters: bool = False
    """IgnoreQueryFilters was called: it holds for the whole query."""
    dictionary: bool = False
    tracked: bool = True
    """Entities are tracked: EF Core connects all that it has loaded, also where an Include filtered them out."""
    mixed: Place | None = None
    """An Include that such connecting may fill with more than it asked for."""


@dataclass(frozen=True, slots=True)
class ClientOnly:
    """Something in a projection that EF Core runs as C# on the fetched rows; nothing of the query may follow it."""

    construct: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Struct:
    """An object made by the method itself: `name` is its class, None for an anonymous type or a tuple."""

    name: str | None
    fields: tuple[tuple[str, Value], ...]

    def get(self, name: str) -> Value | None:
        return next((v for n, v in self.fields if n == name), None)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two values, decided when the method runs."""

    test: Expr
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A lambda together with where it was written. `compiled`: a Func, not an expression tree."""

    parameters: tuple[tuple[str, Node | None], ...]
    body: Node
    scope: Scope
    compiled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MethodGroup:
    """A method, local function or constructor named but not called yet; `receiver` is its `this`."""

    methods: tuple[MethodSymbol, ...]
    receiver: Value | None = None
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TypeName:
    """A type used as an expression: `Math`, `ShipMethod`, a class of the input."""

    name: str
    symbol: TypeSymbol | None
    type: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """A DbContext."""

    schema: Schema
    symbol: TypeSymbol | None


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """`this` of a class that holds a context, or an object of such a class; `arguments` binds its type parameters."""

    symbol: TypeSymbol
    arguments: Mapping[str, Type] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """Something the reader does not know (a logger, a service, a type outside the input): refused once it matters."""

    construct: str
    reason: str
    place: Place | None = None
    remedy: str = ""

    def refusal(self) -> Refusal:
        return Refusal(self.construct, self.reason, self.place, self.remedy)


@dataclass(frozen=True, slots=True)
class Nothing:
    """The result of a call that returns nothing."""


Value = Scalar | Rows | Struct | Choice | Closure | MethodGroup | TypeName | Context | Instance | Opaque | Nothing

NOTHING = Nothing()


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """An argument in syntax; evaluated when it is known what is wanted (a lambda, a value, a list)."""

    name: str | None
    node: Node
    scope: Scope
    value: Value | None = None
    """Already evaluated: the receiver of an extension method."""


def changed(rows: Rows, query: Query, **changes: object) -> Rows:
    """The rows after another operator: what was only true right before it is forgotten."""
    defaults: dict[str, object] = {"query": query, "ordered": False, "include_path": (), "joined": None}
    return replace(rows, **{**defaults, **changes})  # type: ignore[arg-type]
