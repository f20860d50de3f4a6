"""Lists that hang on a null: EF Core finds other rows for them than its own rule for null says, so they are refused.

A list of related rows becomes a JOIN, in which null matches nothing, or, where its filter looks at the row outside,
a LATERAL join that compares as C# does, so that null matches null. Which one it is, is EF Core's choice, not the code's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Compare, Comparison, Expr, IsNull, Logical, LogicalOp, Not, Property, Subquery
from uom.model.queries import TERMINAL_CLASSES, Filter, FlatMap, OrderBy, Pick, Query, Related, Scan, Skip, Take
from uom.model.schema import NavigationKind, Schema
from uom.model.types import EntityType, EnumType, ScalarType
from uom.model.walk import free_variables, walk


def check_null_keys(body: Expr, schema: Schema) -> Expr:
    """Raises Refusal for a list inside a row whose rows are found by what may be null."""
    for query, place in _lists(body):
        base: Any = query
        while hasattr(base, "source") and not isinstance(base, Related):
            base = base.source
        outside = free_variables(query)
        if isinstance(base, Related):
            _check_related(base, query, outside, schema, place)
        elif isinstance(base, Scan):
            _check_compared(query, outside, place)
    return body


def _lists(body: Expr) -> Iterator[tuple[Query, Place | None]]:
    """Sub-queries of rows that EF Core joins; single values of them are sub-queries in SQL, too, and compare as C# does."""
    nodes = list(walk(body))
    single = {id(node.target) for node in nodes if isinstance(node, Property)}
    for node in nodes:
        if isinstance(node, FlatMap):
            yield node.inner, node.place
        elif isinstance(node, Subquery) and free_variables(node.query):
            query: Any = node.query
            if isinstance(query, Pick) and id(node) not in single:
                if not isinstance(query.element, ScalarType | EnumType):
                    yield query.source, node.place
            elif not isinstance(query, TERMINAL_CLASSES):
                yield query, node.place


def _check_related(base: Related, query: Query, outside: frozenset[str], schema: Schema, place: Place | None) -> None:
    """`e.Manager!.Reports.Where(r => r.Id != e.Id)`: without a manager it is those without one."""
    if not base.target.type.nullable or not isinstance(base.target.type, EntityType):
        return
    navigation = schema.entity(base.target.type.name).navigation(base.navigation)
    if navigation is None or navigation.kind is NavigationKind.SKIP:
        return
    columns = [schema.entity(navigation.target).property(name) for _, name in navigation.column_pairs()]
    if any(c is not None and not c.type.nullable for c in columns):
        return
    if any(free_variables(part) & outside for part in _restrictions(query)):
        raise Refusal(
            f".{base.navigation}",
            "its owner may be null, and EF Core then finds the rows whose foreign key is null, "
            "because the filter looks at the row outside",
            base.place or place,
            "Ask for the rows by their foreign key: db.Set.Where(r => r.OwnerId == x.OwnerId && ..).",
        )


def _check_compared(query: Query, outside: frozenset[str], place: Place | None) -> None:
    """`db.Set.Where(r => r.OwnerId == x.OwnerId)`: as a JOIN it finds nothing for a null."""
    matched: list[Compare] = []
    tested: set[Expr] = set()
    for part in _restrictions(query):
        if isinstance(part, Compare) and part.op is Comparison.EQ and _is_key_pair(part, outside):
            matched.append(part)
        elif free_variables(part) & outside:
            return  # no JOIN can say that
        elif isinstance(part, Not) and isinstance(part.operand, IsNull):
            tested.add(part.operand.operand)
    for pair in matched:
        nullable = pair.left.type.nullable and pair.right.type.nullable
        if nullable and not tested & {pair.left, pair.right}:
            raise Refusal(
                "==",
                "both sides may be null, and in a list inside a row EF Core lets null match null or not, "
                "as the rest of the query has it",
                pair.place or place,
                "Say which you mean: add a test that the column is not null.",
            )


def _is_key_pair(test: Compare, outside: frozenset[str]) -> bool:
    """One side of the row outside, the other of the row itself."""
    left, right = free_variables(test.left), free_variables(test.right)
    sides = ((left, right), (right, left))
    return any(a and a <= outside and b and not b & outside for a, b in sides)


def _restrictions(query: Any) -> Iterator[Expr]:
    """What decides which rows there are and where pages cut, conditions taken apart."""
    while True:
        if isinstance(query, Filter):
            yield from _conjuncts(query.predicate.body)
        elif isinstance(query, OrderBy):
            yield from (key.expr for key in query.keys)
        elif isinstance(query, Skip | Take):
            yield query.count
        if not hasattr(query, "source"):
            return
        query = query.source


def _conjuncts(test: Expr) -> Iterator[Expr]:
    if isinstance(test, Logical) and test.op is LogicalOp.AND:
        yield from _conjuncts(test.left)
        yield from _conjuncts(test.right)
    else:
        yield test
