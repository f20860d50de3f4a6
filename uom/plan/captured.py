"""Rows that the C# fetched before: `var e = db.Employees.First(...)`, and then a query that asks for what belongs to `e`.

EF Core asks twice, and First and Single throw before the second question. In the algebra the first query stands inside
the second one, as a pick that must find a row (a First that is written inside a query is never one: there EF Core takes
null for no row). Java asks for it beforehand, into a variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, IsNull, Lambda, Property, Subquery, Var
from uom.model.queries import Pick
from uom.model.types import EntityType, EnumType, RecordType, ScalarType
from uom.model.walk import children, transform, walk

E = TypeVar("E", bound=Expr)


def captured_pick(body: Expr) -> Subquery | None:
    """The first pick that comes before the query around it and needs none before itself."""
    return next((n for n, _, nested in _with_parents(body, None, False) if nested and _must_find(n)), None)


def with_captured(body: E, pick: Subquery, value: Expr) -> E:
    """The body with a value in place of the pick, wherever it stands; its variables have other names in each place."""
    wanted = unnamed(pick)

    def change(node: Any) -> Any:
        return value if isinstance(node, Subquery) and _must_find(node) and unnamed(node) == wanted else node

    result: E = transform(body, change)
    return result


def unnamed(node: Subquery) -> Subquery:
    """The same with variables named by their order: equal for what differs in names only."""
    names: dict[str, str] = {}
    for part in walk(node):
        if isinstance(part, Var):
            names.setdefault(part.name, f"${len(names)}")
    result: Subquery = transform(node, lambda n: replace(n, name=names[n.name]) if isinstance(n, Var) else n)
    return result


def check_captured(body: Expr, place: Place | None) -> Expr:
    """Raises Refusal for a captured row of which more is used than its own values."""
    for node, parent, nested in _with_parents(body, None, False):
        if not nested or not _must_find(node):
            continue
        kind = node.query.kind.value
        if _free_variables(node):
            raise Refusal(kind, "a query that must find a row stands inside another one", node.place or place)
        is_value = isinstance(node.type, ScalarType | EnumType)
        is_read = isinstance(parent, Property | IsNull) and isinstance(parent.type, ScalarType | EnumType)
        if not is_value and not (is_read and isinstance(node.type, EntityType | RecordType)):
            remedy = "Ask for the rows that belong to it by its key, in a query of their own."
            raise Refusal(
                kind,
                "it throws when there is no row, before what belongs to the row is asked for",
                node.place or place,
                remedy,
            )
    return body


def _with_parents(node: Any, parent: Any, nested: bool) -> Iterator[tuple[Any, Any, bool]]:
    """Every node with the one around it, and whether a query is around it; what is inside comes first."""
    inside = nested or isinstance(node, Subquery)
    for child in children(node):
        yield from _with_parents(child, node, inside)
    yield node, parent, nested


def _must_find(node: Any) -> bool:
    return isinstance(node, Subquery) and isinstance(node.query, Pick) and not node.query.or_default


def _free_variables(node: Subquery) -> set[str]:
    used = {n.name for n in walk(node) if isinstance(n, Var)}
    bound = {
        value.name
        for n in walk(node)
        if not isinstance(n, Var)
        for value in (getattr(n, f.name) for f in fields(n))
        if isinstance(value, Var) and (isinstance(n, Lambda) or not isinstance(n, Expr))
    }
    return used - bound
