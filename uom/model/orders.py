"""What a query says about the order of its rows."""

from __future__ import annotations

from uom.model.queries import (
    DefaultIfEmpty,
    Filter,
    FlatMap,
    Include,
    Join,
    Map,
    OfType,
    OrderBy,
    Query,
    Reverse,
    SetKind,
    SetOperation,
    Skip,
    Take,
)


def comes_in_order(query: Query) -> bool:
    """Whether the query chose an order for its rows, or for what they are made of one after the other."""
    while not isinstance(query, OrderBy):
        if isinstance(query, Join):
            query = query.left
        elif isinstance(query, SetOperation):
            concatenated = query.kind is SetKind.CONCAT
            return concatenated and (comes_in_order(query.left) or comes_in_order(query.right))
        elif isinstance(query, Filter | Map | FlatMap | Skip | Take | Reverse | OfType | Include | DefaultIfEmpty):
            query = query.source
        else:
            return False
    return True
