"""Include and ThenInclude: what an entity brings along, one column per navigation."""

from __future__ import annotations

from dataclasses import replace

from uom.model.queries import IncludeNode, Query, Related
from uom.model.schema import NavigationKind
from uom.model.types import EntityType
from uom.write.neo4j.clauses import Match, Return, braced
from uom.write.neo4j.layouts import Layout, ListLayout
from uom.write.neo4j.operators import compile_rows, named
from uom.write.neo4j.packing import free_key, include_tree, loader, pack
from uom.write.neo4j.rows import sort_texts
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import Text, call
from uom.write.neo4j.values import Node

Loaded = tuple[str, str, Text, Layout]
"""(navigation, key, expression, layout)."""


@loader
def loaded_columns(value: Node, scope: Scope, taken: set[str]) -> list[Loaded]:
    """The loaded navigations of an entity; several Includes of one navigation are one."""
    merged: dict[str, IncludeNode] = {}
    for node in value.includes:
        known = merged.get(node.navigation)
        merged[node.navigation] = node if known is None else _merge(known, node)
    return [_loaded(value, node, scope, taken) for node in merged.values()]


def _merge(first: IncludeNode, second: IncludeNode) -> IncludeNode:
    return replace(first, query=first.query or second.query, children=(*first.children, *second.children))


def _loaded(value: Node, node: IncludeNode, scope: Scope, taken: set[str]) -> Loaded:
    navigation = scope.graph.navigation(value.entity, node.navigation)
    key = free_key(node.navigation, taken)
    if navigation.kind is NavigationKind.REFERENCE and scope.graph.link(value.entity) is not None:
        end = scope.graph.end_of_link(value.entity, navigation)
        variable = scope.rows.let(Text(f"{end}({value.text})"), scope.graph.hint(navigation.target)).cypher
        text, layout = pack(include_tree(Node(variable.strip("`"), navigation.target, True), node.children), scope)
        return node.navigation, key, text, layout
    rows = scope.rows.inner()
    inner = scope.on(rows)
    if navigation.kind is NavigationKind.REFERENCE or node.query is None:
        start = named(value, scope)
        variable = rows.names.fresh(scope.graph.hint(navigation.target))
        rows.clauses.append(Match(scope.graph.step(start, value.entity, navigation, variable), (variable,)))
        row = Node(variable, navigation.target)
    else:
        row = _filtered(node.query, value, node, inner)
    text, layout = pack(include_tree(row, node.children), inner)
    rows.close_group()
    ending = Return([(text, rows.names.fresh("row"))], sort=sort_texts(rows.sort), skip=rows.skip, limit=rows.limit)
    collected = braced("COLLECT", [*rows.all_clauses(), ending])
    if navigation.kind is NavigationKind.REFERENCE:
        return node.navigation, key, call("head", collected), layout
    return node.navigation, key, collected, ListLayout(layout)


def _filtered(query: Query, value: Node, node: IncludeNode, scope: Scope) -> Node:
    assert isinstance(node.var.type, EntityType) or isinstance(query, Related) or query is not None
    row = compile_rows(query, scope.bind(node.var, replace(value, includes=())))
    assert isinstance(row, Node)
    return row
