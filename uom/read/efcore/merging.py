"""Two queries of which one runs: where they differ by filters only, they are one query with conditional filters."""

from __future__ import annotations

from dataclasses import replace

from uom.model.expressions import Expr, LogicalOp
from uom.model.queries import Filter, Query
from uom.read.efcore.folding import logical, negate
from uom.read.efcore.session import Session
from uom.read.efcore.values import Rows


def filtered_when(session: Session, test: Expr, then: Rows, otherwise: Rows) -> Rows | None:
    """The query that both branches started from, with each branch's filters under the test or its negation.

    None when a branch did more than filter, or when the test depends on rows.
    """
    start = _common_start(then.query, otherwise.query)
    if start is None or session.touches_rows(test) or not _alike(then, otherwise, start):
        return None
    query = start
    for rows, condition in ((then, test), (otherwise, negate(test))):
        for item in _filters_above(rows.query, start):
            when = condition if item.when is None else logical(LogicalOp.AND, condition, item.when)
            query = replace(item, source=query, when=when)
    return replace(then, query=query, ordered=False, include_path=(), joined=None)


def _common_start(left: Query, right: Query) -> Query | None:
    """The nearest query below both that is reached through filters alone."""
    below = [right]
    while isinstance(below[-1], Filter):
        below.append(below[-1].source)
    current = left
    while True:
        if any(current is other for other in below):
            return current
        if not isinstance(current, Filter):
            return None
        current = current.source


def _filters_above(query: Query, start: Query) -> list[Filter]:
    found: list[Filter] = []
    while query is not start:
        assert isinstance(query, Filter)
        found.append(query)
        query = query.source
    return found[::-1]


def _alike(left: Rows, right: Rows, start: Query) -> bool:
    """Everything but the filters is the same: element, Includes, whether the rows are in memory."""
    same = {"query": start, "ordered": False, "include_path": (), "joined": None}
    return replace(left, **same) == replace(right, **same)  # type: ignore[arg-type]
