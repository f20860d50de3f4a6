"""`$match` stages: how conditions share one document, and how a filter becomes the `localField` of a `$lookup`."""

from __future__ import annotations

from uom.model.expressions import Compare, Comparison, Expr
from uom.write.mongodb.predicates import Query, field_of, merged
from uom.write.mongodb.rows import Correlation, Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Stage


def add_match(rows: Rows, document: Query, when: Expr | None = None) -> None:
    """Appends a `$match`; one that follows another is merged with it."""
    last = rows.stages[-1] if rows.stages else None
    if last is not None and last.operator == "$match" and last.when is None and when is None:
        rows.stages[-1] = Stage({"$match": merged([last.body, document])})
    else:
        rows.add("$match", document, when)


def correlated(node: Expr, scope: Scope) -> bool:
    """Makes `x.CustomerId == outer.CustomerId` the `localField` of the coming `$lookup`, where that means the same."""
    rows = scope.rows
    if not isinstance(node, Compare) or node.op is not Comparison.EQ or rows.parent is None:
        return False
    if rows.correlation is not None or not rows.only_matches():
        return False
    for mine, other in ((node.left, node.right), (node.right, node.left)):
        own, outer = field_of(mine, scope), field_of(other, scope.on(rows.parent))
        if not rows.only_matches():
            # The field comes out of a lookup of its own: the stored documents, which are matched first, lack it.
            return False
        if own is not None and outer is not None and not (own[1] and outer[1]):
            rows.correlation = Correlation(outer[0], own[0])
            return True
    return False
