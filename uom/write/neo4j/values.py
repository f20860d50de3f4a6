"""What a C# value is in a Cypher statement that is being written. Nothing is computed before it must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from uom.model.types import Type, as_nullable
from uom.write.neo4j.text import Text, quoted

if TYPE_CHECKING:
    from uom.model.queries import IncludeNode
    from uom.write.neo4j.clauses import Clause
    from uom.write.neo4j.layouts import Layout


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. A decimal has a `scale`: the text is the integer value * 10**scale.

    `over`, if present, is an integer that the decimal is still to be divided by: the quotient is made by Java, exactly
    as far as BigDecimal goes, since Cypher could not hold it. `counted`: the divisor is a number of rows, 0 for none.
    """

    text: Text
    type: Type
    scale: int | None = None
    over: Text | None = None
    counted: bool = False

    @property
    def nullable(self) -> bool:
        return self.type.nullable

    def as_nullable(self, nullable: bool = True) -> Scalar:
        return replace(self, type=as_nullable(self.type, nullable))


@dataclass(frozen=True, slots=True)
class Node:
    """A row of an entity: a node or a relationship, null where there is none.

    `variable` is a variable, or an expression that gives the node (`item.order`).
    """

    variable: str
    entity: str
    nullable: bool = False
    includes: tuple[IncludeNode, ...] = ()

    @property
    def text(self) -> Text:
        return Text(quoted(self.variable) if self.variable.isidentifier() else self.variable)


@dataclass(frozen=True, slots=True)
class Part:
    """An owned or complex value: properties of the node, with `path` (C#) before their names."""

    owner: Node
    path: str
    complex_name: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """An anonymous type, DTO or tuple. `present` is a boolean expression where the whole record may be null."""

    fields: tuple[tuple[str, Value], ...]
    type: Type
    present: Text | None = None

    def field(self, name: str) -> Value:
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class Items:
    """A list of rows, each packed into one value as `layout` says."""

    text: Text
    layout: Layout


class Grouping(Protocol):
    """A GroupBy whose aggregates are still being asked for; `groups` has the only one."""

    @property
    def written(self) -> bool: ...

    def write(self, clauses: list[Clause]) -> None: ...

    def items(self) -> Items: ...

    def whole(self) -> Record: ...


@dataclass(frozen=True, slots=True)
class Group:
    """A row of a GroupBy."""

    group: Grouping
    key: Value


Value = Scalar | Node | Part | Record | Items | Group
