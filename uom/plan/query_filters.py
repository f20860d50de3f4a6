"""Applies global query filters wherever an entity is read, as EF Core does.

A scan or collection navigation gets a Filter; a reference navigation hides its partner; and a *required* reference
navigation that is used anywhere in an operator joins inner, so rows whose partner is hidden disappear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from uom.model.expressions import Expr, IsNull, Lambda, Navigate, Not, Var
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
from uom.model.schema import Schema
from uom.model.types import BOOL, EntityType
from uom.model.walk import NODE_CLASSES, rebuild, substitute, transform, walk


def apply_query_filters(body: Expr, schema: Schema) -> Expr:
    """The body with all filters explicit: every Scan and Related has `filters == ()` afterwards."""
    if not any(e.query_filters for e in schema.entities):
        return body
    lifted = any(isinstance(n, Scan) and n.filters == () for n in walk(body))
    return _Pass(schema, lifted).run(body)


@dataclass
class _Pass:
    schema: Schema
    lifted: bool
    """`IgnoreQueryFilters` holds for the whole query, navigations included."""

    def __post_init__(self) -> None:
        self.numbers = count(1)

    def run(self, body: Expr) -> Expr:
        if self.lifted:
            return body
        explicit: Expr = transform(body, self.explicit)
        return transform(explicit, self.inner_join)

    def predicate(self, entity: str, applied: tuple[str, ...] | None) -> list[Lambda]:
        found = self.schema.entity(entity)
        return [f for name, f in found.query_filters if applied is None or name in applied]

    def fresh(self, function: Lambda, type_: EntityType) -> Lambda:
        """The filter with a variable of its own for this use."""
        var = Var(f"visible{next(self.numbers)}", type_)
        return Lambda(var, substitute(function.body, {function.var.name: var}))

    def explicit(self, node: Any) -> Any:
        if isinstance(node, Scan | Related):
            entity = node.element.name
            query: Query = replace(node, filters=())
            for function in self.predicate(entity, node.filters):
                query = Filter(query, self.fresh(function, node.element), node.element, place=node.place)
            return query
        if isinstance(node, Navigate) and node.predicate is None and isinstance(node.type, EntityType):
            functions = self.predicate(node.type.name, None)
            if functions:
                return replace(node, predicate=self.fresh(functions[0], replace(node.type, nullable=False)))
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
        source = node.source
        for child in node.tree:
            navigation = self.schema.entity(node.element.name).navigation(child.navigation)
            if navigation is None or not self.predicate(navigation.target, None):
                continue
            if navigation.required:
                target = EntityType(navigation.target)
                var = Var(f"including{next(self.numbers)}", node.element)
                hidden = Navigate(
                    var, child.navigation, target, self.fresh(self.predicate(target.name, None)[0], target)
                )
                source = Filter(source, Lambda(var, Not(IsNull(hidden))), source.element, place=node.place)
        return replace(node, source=source, tree=tuple(self.include_node(c) for c in node.tree))

    def include_node(self, node: IncludeNode) -> IncludeNode:
        entity = node.var.type
        if isinstance(entity, EntityType) and node.query is None:
            navigation = self.schema.entity(entity.name).navigation(node.navigation)
            if navigation is not None and self.predicate(navigation.target, None) and not navigation.on_dependent:
                related = Related(node.var, node.navigation, EntityType(navigation.target))
                node = replace(node, query=self.explicit(related))
        return rebuild(node, lambda child: self.include_node(child) if isinstance(child, IncludeNode) else child)


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
