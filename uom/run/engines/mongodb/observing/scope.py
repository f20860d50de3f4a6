"""What an expression is evaluated in, and the notes that the analysis takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from uom.run.engines.mongodb.observing.shapes import (
    ANYTHING,
    DATE,
    MISSING,
    NOTHING,
    Shape,
    array_of,
    field_of,
    join,
)


@dataclass(slots=True)
class Notes:
    """`seen` maps the name of each observation to the part of the command that it was first made in."""

    seen: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def add(self, name: str, what: Any) -> None:
        self.seen.setdefault(name, shorten(what))


@dataclass(frozen=True, slots=True)
class Scope:
    """`ignores_case`: the command has a collation. `collections` are the shapes of what can be looked up."""

    document: Shape
    notes: Notes
    collections: Mapping[str, Shape] = field(default_factory=dict)
    ignores_case: bool = False
    variables: Mapping[str, Shape] = field(default_factory=dict)

    def on(self, document: Shape) -> Scope:
        return replace(self, document=document)

    def binding(self, variables: Mapping[str, Shape]) -> Scope:
        return replace(self, variables={**self.variables, **variables})

    def note(self, name: str, what: Any) -> None:
        self.notes.add(name, what)


def shorten(what: Any) -> str:
    text = what if isinstance(what, str) else repr(what)
    return text if len(text) <= 80 else text[:77] + "..."


def path_value(path: str, scope: Scope) -> Shape:
    """`$a.b` or `$$variable.a.b`."""
    if not path.startswith("$$"):
        return follow(scope.document, path[1:].split("."), path, scope)
    name, *parts = path[2:].split(".")
    value = _variable(name, scope)
    if not parts:
        return replace(value, marker=True) if value.may_be("missing") and name != "REMOVE" else value
    found = follow(value, parts, path, scope)
    if found.may_be("missing"):
        return replace(found, kinds=found.kinds | {"null"}, blurred=True)
    return found


def _variable(name: str, scope: Scope) -> Shape:
    if name in scope.variables:
        return scope.variables[name]
    return {"ROOT": scope.document, "CURRENT": scope.document, "NOW": DATE, "REMOVE": MISSING}.get(name, ANYTHING)


def follow(shape: Shape, parts: list[str], path: str, scope: Scope) -> Shape:
    """The value at a path, as expressions read it: through arrays it is an array of what the elements have."""
    for part in parts:
        if not shape.kinds:
            return NOTHING
        found = field_of(shape, part)
        if shape.may_be("array"):
            scope.note("expression_path_through_array", path)
            if part.isdigit():
                scope.note("numeric_path_part", path)
            inside = ANYTHING if shape.items.may_be("array") else array_of(field_of(shape.items, part))
            found = join(found, inside)
        shape = found
    return shape


def is_array_on_the_way(shape: Shape, path: str) -> bool:
    """Whether any but the last part of a dotted path may be an array."""
    *parents, _ = path.split(".")
    for part in parents:
        shape = field_of(shape, part)
        if shape.may_be("array"):
            return True
    return False


def query_value(shape: Shape, path: str) -> Shape:
    """Everything that a query or a sort compares at a path: values and elements, through arrays."""
    for part in path.split("."):
        inside = join(shape, shape.items) if shape.may_be("array") else shape
        shape = field_of(inside, part)
    return join(shape, shape.items) if shape.may_be("array") else shape
