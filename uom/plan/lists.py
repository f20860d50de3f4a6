"""`All` and `Any` over a list that is written out: one condition per item."""

from __future__ import annotations

from functools import reduce
from typing import Any

from uom.model.expressions import Const, Expr, Lambda, Logical, LogicalOp, Subquery
from uom.model.queries import Exists, Filter, Forall, Query, Values
from uom.model.types import BOOL
from uom.model.walk import substitute, transform

MOST = 20
"""Longer lists stay lists."""


def unroll_lists(body: Expr) -> Expr:
    """The same method without quantifiers over short lists in memory."""
    result: Expr = transform(body, _unrolled)
    return result


def _unrolled(node: Any) -> Any:
    match node:
        case Subquery(query=Forall(source=Values(items=items), predicate=predicate)) if len(items) <= MOST:
            return _chain(LogicalOp.AND, [_for_item(predicate, item) for item in items], node)
        case Subquery(query=Exists(source=source)):
            found = _filtered_list(source)
            if found is not None:
                return _chain(LogicalOp.OR, found, node)
    return node


def _filtered_list(source: Query) -> list[Expr] | None:
    """For each item the condition under which it is in the filtered list."""
    predicates: list[Lambda] = []
    while isinstance(source, Filter) and source.when is None:
        predicates.insert(0, source.predicate)
        source = source.source
    if not isinstance(source, Values) or not predicates or len(source.items) > MOST:
        return None
    return [
        reduce(lambda a, b: Logical(LogicalOp.AND, a, b), [_for_item(p, item) for p in predicates])
        for item in source.items
    ]


def _for_item(predicate: Lambda, item: Expr) -> Expr:
    return substitute(predicate.body, {predicate.var.name: item})


def _chain(op: LogicalOp, conditions: list[Expr], node: Subquery) -> Expr:
    if not conditions:
        return Const(op is LogicalOp.AND, BOOL, node.place)
    return reduce(lambda a, b: Logical(op, a, b, node.place), conditions)
