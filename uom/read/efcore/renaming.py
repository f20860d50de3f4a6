"""Gives every bound variable of a finished method a name of its own, numbered in the order of the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from uom.model.expressions import Lambda, Var
from uom.model.queries import FlatMap, IncludeNode, Join, OrderBy
from uom.model.walk import rebuild

Names = Mapping[str, str]


def renamed(node: Any) -> Any:
    """The same tree with unique variable names: a part that was used twice binds its variables twice."""
    return _Renamer().visit(node, {})


class _Renamer:
    def __init__(self) -> None:
        self.taken: set[str] = set()

    def bind(self, var: Var, names: Names) -> tuple[Var, Names]:
        base = var.name.rstrip("0123456789") or "x"
        unique, number = base, 1
        while unique in self.taken:
            number += 1
            unique = f"{base}{number}"
        self.taken.add(unique)
        return replace(var, name=unique), {**names, var.name: unique}

    def visit(self, node: Any, names: Names) -> Any:
        match node:
            case Var():
                return replace(node, name=names[node.name]) if node.name in names else node
            case Lambda(var=var, body=body):
                bound, inner = self.bind(var, names)
                return Lambda(bound, self.visit(body, inner))
            case FlatMap():
                source = self.visit(node.source, names)
                outer, with_outer = self.bind(node.outer, names)
                rows = self.visit(node.inner, with_outer)
                item, with_both = self.bind(node.inner_var, with_outer)
                result = self.visit(node.result, with_both)
                return replace(node, source=source, outer=outer, inner=rows, inner_var=item, result=result)
            case Join():
                return self.join(node, names)
            case OrderBy():
                source = self.visit(node.source, names)
                bound, inner = self.bind(node.var, names)
                keys = tuple(replace(k, expr=self.visit(k.expr, inner)) for k in node.keys)
                return replace(node, source=source, var=bound, keys=keys)
            case IncludeNode():
                bound, inner = self.bind(node.var, names)
                query = self.visit(node.query, inner) if node.query is not None else None
                children = tuple(self.visit(c, names) for c in node.children)
                return replace(node, var=bound, query=query, children=children)
        return rebuild(node, lambda child: self.visit(child, names))

    def join(self, node: Join, names: Names) -> Join:
        left, right = self.visit(node.left, names), self.visit(node.right, names)
        left_var, with_left = self.bind(node.left_var, names)
        right_var, with_both = self.bind(node.right_var, with_left)
        keys = tuple((self.visit(a, with_both), self.visit(b, with_both)) for a, b in node.keys)
        result = self.visit(node.result, with_both)
        return replace(node, left=left, right=right, left_var=left_var, right_var=right_var, keys=keys, result=result)
