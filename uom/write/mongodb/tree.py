"""The BSON that a pipeline is made of, as Python values, with holes for what is known only when the query runs.

A tree is None, bool, int (int32), Int64, float, str, Decimal128, datetime (UTC), Binary, list, dict or `Bind`. Keys of
dicts keep their order: what is written here is printed in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from uom.model.expressions import Expr
from uom.model.types import Type

Bson: TypeAlias = Any


class LetterCase(Enum):
    """Letter by letter, as databases and .NET change case: ß stays what it is."""

    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Bind:
    """A value computed by the Java method from its parameters. `expr` has no row variables; `type` is its C# type.

    `as_pattern` says how a text is put into a regular expression: "" is not at all, "contains", "starts", "ends" or
    "equals". With a `letter_case` it finds texts that are so once their letters are in that case.
    """

    expr: Expr
    type: Type
    as_pattern: str = ""
    letter_case: LetterCase | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a pipeline. `when`, if present, depends on parameters only: without it the stage is left out."""

    document: dict[str, Bson]
    when: Expr | None = None

    @property
    def operator(self) -> str:
        return next(iter(self.document))

    @property
    def body(self) -> Bson:
        return self.document[self.operator]


def substitute_binds(tree: Bson, value_of: Callable[[Bind], Bson]) -> Bson:
    """The tree with each hole filled."""
    if isinstance(tree, Bind):
        return value_of(tree)
    if isinstance(tree, dict):
        return {key: substitute_binds(item, value_of) for key, item in tree.items()}
    if isinstance(tree, list):
        return [substitute_binds(item, value_of) for item in tree]
    return tree


def leaves(tree: Bson) -> Iterator[Bson]:
    """All values that are neither document nor list, in printing order."""
    if isinstance(tree, dict):
        for item in tree.values():
            yield from leaves(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from leaves(item)
    else:
        yield tree


def written_out(tree: Bson) -> int:
    """How many values the tree has. Parts may be shared, so they are counted once and added up."""
    sizes: dict[int, int] = {}

    def size(part: Bson) -> int:
        if not isinstance(part, dict | list):
            return 1
        if id(part) not in sizes:
            items = part.values() if isinstance(part, dict) else part
            sizes[id(part)] = 1 + sum(size(item) for item in items)
        return sizes[id(part)]

    return size(tree)


def is_path(tree: Bson) -> bool:
    """True for a field path (`$a.b`, `$$ROOT`, `$$item.a`), false for computed expressions and literals."""
    return isinstance(tree, str) and tree.startswith("$")


def is_field_path(tree: Bson) -> bool:
    """True for a path into the current document that is a named field: the form that query operators can use."""
    return isinstance(tree, str) and tree.startswith("$") and not tree.startswith("$$")


def child_path(path: str, field: str) -> str:
    """The field inside the document at `path`; `$$ROOT` is the current document."""
    return f"${field}" if path == "$$ROOT" else f"{path}.{field}"


def moved_path(path: Bson, to: str) -> Bson:
    """A path of a document that now lives at `to`. Variables of outer pipelines stay what they are."""
    if path == "$$ROOT":
        return to
    if is_field_path(path):
        return child_path(to, path[1:])
    return path


def or_null(tree: Bson) -> Bson:
    """A missing field counts as null."""
    if isinstance(tree, dict) and next(iter(tree), "") in ("$ifNull", "$literal"):
        return tree
    return {"$ifNull": [tree, None]}
