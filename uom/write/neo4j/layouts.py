"""How the rows of a finished statement are to be read: what each column, or each entry of a map, holds."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.types import RecordType, Type


@dataclass(frozen=True, slots=True)
class ScalarLayout:
    """A value as the graph stores it. Decimals are integers times 10**scale; a `ratio` is a list [dividend, divisor].

    `counted`: the divisor is a number of rows, and the value null where there are none.
    """

    type: Type
    scale: int | None = None
    ratio: bool = False
    counted: bool = False


@dataclass(frozen=True, slots=True)
class NodeLayout:
    """A node or relationship, or with `loaded` navigations a map that has it under `key`.

    `loaded` are (navigation, key in the map, layout).
    """

    entity: str
    nullable: bool = False
    key: str = ""
    loaded: tuple[tuple[str, str, Layout], ...] = ()


@dataclass(frozen=True, slots=True)
class PartLayout:
    """An owned or complex value as a map: (C# name, key, layout) per member."""

    complex_name: str
    fields: tuple[tuple[str, str, Layout], ...]
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """A row of named values as a map, or as the columns of the result: (C# name, key, layout) per field."""

    type: RecordType
    fields: tuple[tuple[str, str, Layout], ...]
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class ListLayout:
    """A list of values of one layout."""

    item: Layout


Layout = ScalarLayout | NodeLayout | PartLayout | RecordLayout | ListLayout
