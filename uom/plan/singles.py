"""Single inside a query is First: EF Core asks for one row there, and a second one is not noticed.

One that must find a row was asked before the query around it (see captured), and does count its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from uom.model.expressions import Expr, Subquery
from uom.model.queries import Pick, PickKind
from uom.model.walk import rebuild


def relax_nested_singles(body: Expr) -> Expr:
    """The same method; only its own round trips still count their rows."""
    result: Expr = _relaxed(body, nested=False)
    return result


def _relaxed(node: Any, nested: bool) -> Any:
    inside = nested or isinstance(node, Subquery)
    result = rebuild(node, lambda child: _relaxed(child, inside))
    match result:
        case Subquery(query=Pick(kind=PickKind.SINGLE, or_default=True) as pick) if nested:
            return replace(result, query=replace(pick, kind=PickKind.FIRST))
    return result
