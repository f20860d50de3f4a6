"""Walking and rebuilding trees of expressions and queries alike, so that a pass only names the nodes it cares about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, cast

from uom.model.expressions import EXPR_CLASSES, Expr, Lambda, Var
from uom.model.queries import QUERY_CLASSES, IncludeNode, Query, SortKey

Node = Expr | Query | Lambda | SortKey | IncludeNode
NODE_CLASSES: tuple[type, ...] = (*EXPR_CLASSES, *QUERY_CLASSES, Lambda, SortKey, IncludeNode)

N = TypeVar("N")


@cache
def _child_fields(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.name not in ("type", "element", "place", "kind", "op", "fn"))


def children(node: Node) -> Iterator[Node]:
    """Direct child nodes in field order: subqueries of expressions and lambdas of operators included."""
    for name in _child_fields(cast(Hashable, type(node))):
        yield from _nodes_in(getattr(node, name))


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, NODE_CLASSES):
        yield value  # type: ignore[misc]
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))


def written_out(node: Node) -> int:
    """How many nodes the tree has. Subtrees may be shared: forty steps that each use the last one twice are 2^40."""
    sizes: dict[int, int] = {}

    def size(current: Node) -> int:
        if id(current) not in sizes:
            sizes[id(current)] = 1 + sum(size(c) for c in children(current))
        return sizes[id(current)]

    return size(node)


def rebuild(node: N, change: Callable[[Any], Any]) -> N:
    """The same node with `change` applied to each direct child; the node itself is returned when nothing changed."""
    changed: dict[str, object] = {}
    for name in _child_fields(cast(Hashable, type(node))):
        old = getattr(node, name)
        new = _rebuild_value(old, change)
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


def _rebuild_value(value: object, change: Callable[[Any], Any]) -> object:
    if isinstance(value, NODE_CLASSES):
        return change(value)
    if isinstance(value, tuple):
        items = tuple(_rebuild_value(item, change) for item in value)
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def transform(node: N, change: Callable[[Any], Any]) -> N:
    """Bottom-up rewriting: children first, then `change` on the rebuilt node."""
    result: N = change(rebuild(node, lambda child: transform(child, change)))
    return result


def substitute(node: N, replacements: dict[str, Expr]) -> N:
    """Replaces variables by name. Names are unique within a method, so nothing is captured."""

    def change(current: object) -> object:
        if isinstance(current, Var):
            return replacements.get(current.name, current)
        return current

    return transform(node, change)


def free_variables(node: Node) -> frozenset[str]:
    """Names of the variables that are used in the node but not bound there."""
    used: set[str] = set()
    bound: set[str] = set()
    for current in walk(node):
        if isinstance(current, Var):
            used.add(current.name)
        for var in _binders(current):
            bound.add(var.name)
    return frozenset(used - bound)


def _binders(node: Node) -> Iterator[Var]:
    for attribute in ("var", "outer", "inner_var", "left_var", "right_var"):
        var = getattr(node, attribute, None)
        if isinstance(var, Var):
            yield var
