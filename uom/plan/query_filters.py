"""Applies global query filters wherever an entity is read, as EF Core does.

A scan or collection navigation gets a Filter; a reference navigation hides its partner; and a *required* reference
navigation that is used anywhere in an operator joins inner, so rows whose partner is hidden disappear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, IsNull, Lambda, Logical, LogicalOp, Navigate, Not, Subquery, Var
from uom.model.queries import (
    QUERY_CLASSES,
    Aggregate,
    Filter,
    FlatMap,
    Forall,
    GroupBy,
    Include,
    IncludeNode,
    Join,
    Map,
    OrderBy,
    Query,
    Related,
    Scan,
)
from uom.model.schema import NavigationKind, Schema
from uom.model.types import BOOL, EntityType
from uom.model.walk import NODE_CLASSES, rebuild, substitute, transform, walk


def apply_query_filters(body: Expr, schema: Schema) -> Expr:
    """The body with all filters explicit: every Scan and Related has `filters == ()` afterwards.

    `IgnoreQueryFilters` lifts them for the round trip it stands in, not for the others of the method. Raises Refusal
    where EF Core's joins would hide rows in a way that is not expressed here.
    """
    if not any(e.query_filters for e in schema.entities):
        return body
    numbers = count(1)

    def per_round_trip(node: Any) -> Any:
        if isinstance(node, Subquery):
            lifted = any(isinstance(n, Scan) and n.filters == () for n in walk(node))
            return _Pass(schema, lifted, numbers).run(node)
        return rebuild(node, per_round_trip)

    result: Expr = per_round_trip(body)
    return result


@dataclass
class _Pass:
    schema: Schema
    lifted: bool
    """`IgnoreQueryFilters` holds for the whole query, navigations included."""
    numbers: Iterator[int]

    def run(self, query: Subquery) -> Expr:
        if self.lifted:
            return transform(query, lambda n: replace(n, filters=()) if isinstance(n, Scan | Related) else n)
        explicit: Expr = transform(query, self.explicit)
        return transform(explicit, self.inner_join)

    def predicate(self, entity: str, applied: tuple[str, ...] | None) -> list[Lambda]:
        return [f for name, f in self.schema.query_filters(entity) if applied is None or name in applied]

    def fresh(self, function: Lambda, type_: EntityType) -> Lambda:
        """The filter with a variable of its own for this use."""
        var = Var(f"visible{next(self.numbers)}", type_)
        return Lambda(var, substitute(function.body, {function.var.name: var}))

    def visible(self, entity: str) -> Lambda | None:
        """All filters of an entity as one condition, with a variable of its own."""
        functions = self.predicate(entity, None)
        if not functions:
            return None
        var = Var(f"visible{next(self.numbers)}", EntityType(entity))
        bodies = [substitute(f.body, {f.var.name: var}) for f in functions]
        condition = bodies[0]
        for other in bodies[1:]:
            condition = Logical(LogicalOp.AND, condition, other)
        return Lambda(var, condition)

    def explicit(self, node: Any) -> Any:
        if isinstance(node, Scan | Related):
            entity = node.element.name
            query: Query = replace(node, filters=())
            for function in self.predicate(entity, node.filters):
                query = Filter(query, self.fresh(function, node.element), node.element, place=node.place)
            return query
        if isinstance(node, Navigate) and node.predicate is None and isinstance(node.type, EntityType):
            return replace(node, predicate=self.visible(node.type.name))
        return node

    def inner_join(self, node: Any) -> Any:
        """Required navigations that an operator's own expressions use must lead somewhere visible."""
        if not isinstance(node, QUERY_CLASSES):
            return node
        for name, variables in _SIDES.get(type(node), ()):
            source = getattr(node, name)
            for variable in variables(node):
                for navigate in self.required(node, variable):
                    source = Filter(
                        source, Lambda(variable, Not(IsNull(navigate), type=BOOL)), source.element, place=source.place
                    )
            if source is not getattr(node, name):
                node = replace(node, **{name: source})  # type: ignore[type-var]
        if isinstance(node, Include):
            node = self.include(node)
        return node

    def required(self, node: Any, variable: Var) -> list[Navigate]:
        """Distinct navigations over required references that start at the variable, in order of their use."""
        found: dict[Navigate, None] = {}
        for part in _own_expressions(node):
            for inner in walk(part):
                if isinstance(inner, Navigate) and inner.predicate is not None and self.is_required(inner, variable):
                    found.setdefault(inner)
        return list(found)

    def is_required(self, navigate: Navigate, variable: Var) -> bool:
        target: Expr = navigate
        while isinstance(target, Navigate):
            owner = target.target.type
            if not isinstance(owner, EntityType):
                return False
            navigation = self.schema.entity(owner.name).navigation(target.navigation)
            if navigation is None or not navigation.required:
                return False
            target = target.target
        return isinstance(target, Var) and target.name == variable.name

    def include(self, node: Include) -> Include:
        """A required reference at the first level joins inner: rows whose partner is hidden disappear."""
        source = node.source
        for child in node.tree:
            navigation = self.schema.entity(node.element.name).navigation(child.navigation)
            condition = self.visible(navigation.target) if navigation is not None else None
            if navigation is not None and condition is not None and navigation.required:
                var = Var(f"including{next(self.numbers)}", node.element)
                partner = Navigate(var, child.navigation, EntityType(navigation.target, nullable=True), condition)
                source = Filter(source, Lambda(var, Not(IsNull(partner))), source.element, place=node.place)
        tree = tuple(self.include_node(node.element.name, c, node.place, nested=False) for c in node.tree)
        return replace(node, source=source, tree=tree)

    def include_node(self, owner: str, node: IncludeNode, place: Place | None, nested: bool) -> IncludeNode:
        navigation = self.schema.entity(owner).navigation(node.navigation)
        if navigation is None:
            return node
        hidden = bool(self.predicate(navigation.target, None))
        if hidden and navigation.kind is NavigationKind.REFERENCE and (nested or not navigation.required):
            raise Refusal(
                f"Include({node.navigation})",
                f"{navigation.target} has a query filter, and a hidden {navigation.target} would be loaded here",
                place,
                "Project the columns that you need, or use IgnoreQueryFilters().",
            )
        if hidden and node.query is None and navigation.kind is not NavigationKind.REFERENCE:
            related = Related(node.var, node.navigation, EntityType(navigation.target))
            node = replace(node, query=self.explicit(related))
        children = tuple(self.include_node(navigation.target, c, place, nested=True) for c in node.children)
        return replace(node, children=children)


def _lambda_vars(name: str) -> Any:
    return lambda node: [getattr(node, name).var] if getattr(node, name) is not None else []


_SIDES: dict[type, tuple[tuple[str, Any], ...]] = {
    Filter: (("source", _lambda_vars("predicate")),),
    OrderBy: (("source", lambda node: [node.var]),),
    FlatMap: (("source", lambda node: [node.outer]),),
    Join: (("left", lambda node: [node.left_var]), ("right", lambda node: [node.right_var])),
    Map: (("source", _lambda_vars("selector")),),
    Aggregate: (("source", _lambda_vars("selector")),),
    Forall: (("source", _lambda_vars("predicate")),),
    GroupBy: (("source", lambda node: [node.key.var, node.value.var]),),
}


def _own_expressions(node: Any) -> list[Any]:
    """The expressions that an operator applies itself, its sources left out."""
    own: list[Any] = []
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        if name in ("source", "left", "right"):
            continue
        own.extend(v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, NODE_CLASSES))
    if isinstance(node, Join):
        own.extend(side for pair in node.keys for side in pair)
    return own
