"""What EF Core makes of `Count` over a group: `COUNT(column)` and `COUNT(DISTINCT column)` do not count nulls.

LINQ would count them, and so does EF Core in sub-queries (`COUNT(*)` over rows); in a GROUP BY it does not
(measured with EF Core 10 on PostgreSQL and SQL Server):

- `g.Select(x => x.Column).Distinct().Count()` skips null, unless the column is reached through a navigation;
- `g.Count()` skips null where the grouped rows themselves are single values out of a Distinct or a set operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from uom.model.expressions import Expr, IsNull, Lambda, Navigate, Not, Subquery, Var
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Distinct,
    Elements,
    Filter,
    GroupBy,
    Map,
    OrderBy,
    Query,
    SetOperation,
)
from uom.model.types import EnumType, GroupingType, ScalarType
from uom.model.walk import transform, walk


def counted_as_efcore_does(body: Expr) -> Expr:
    """The body with nulls filtered out where EF Core's SQL would not count them."""
    plain = _groups_of_plain_values(body)
    numbers = count(1)

    def change(node: Any) -> Any:
        if isinstance(node, Aggregate) and node.kind is AggregateKind.COUNT:
            return _counted(node, plain, numbers)
        return node

    result: Expr = transform(body, change)
    return result


def _counted(node: Aggregate, plain: bool, numbers: Iterator[int]) -> Aggregate:
    source = node.source
    if isinstance(source, Distinct) and _is_group_column(source.source) and source.element.nullable:
        return replace(node, source=replace(source, source=_without_nulls(source.source, numbers)))
    if plain and _is_group(source) and isinstance(source.element, ScalarType | EnumType) and source.element.nullable:
        return replace(node, source=_without_nulls(source, numbers))
    return node


def _without_nulls(query: Query, numbers: Iterator[int]) -> Filter:
    var = Var(f"counted{next(numbers)}", query.element, query.place)
    return Filter(query, Lambda(var, Not(IsNull(var, query.place), query.place)), query.element, None, query.place)


def _is_group(query: Query) -> bool:
    """Elements of a group, at most filtered."""
    while isinstance(query, Filter):
        query = query.source
    return isinstance(query, Elements) and isinstance(query.source.type, GroupingType)


def _is_group_column(query: Query) -> bool:
    """A column of a group's elements: EF Core makes a sub-query of anything that needs a join."""
    navigates = False
    while isinstance(query, Filter | Map | OrderBy):
        own = (
            query.selector.body
            if isinstance(query, Map)
            else query.predicate.body
            if isinstance(query, Filter)
            else None
        )
        if own is not None:
            navigates = navigates or any(isinstance(n, Navigate | Subquery) for n in walk(own))
        query = query.source
    return not navigates and isinstance(query, Elements) and isinstance(query.source.type, GroupingType)


def _groups_of_plain_values(body: Expr) -> bool:
    """Whether single values out of a Distinct or a set operation are grouped as they are."""
    return any(isinstance(n, GroupBy) and n.value.body == n.value.var and _is_pushed_down(n.source) for n in walk(body))


def _is_pushed_down(query: Query) -> bool:
    while isinstance(query, Filter | OrderBy):
        query = query.source
    return isinstance(query, SetOperation | Distinct)
