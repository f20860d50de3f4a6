"""Include: the navigations of entities that are handed out, loaded by `$lookup` into the fields of the Java class."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.queries import IncludeNode
from uom.model.schema import NavigationKind
from uom.write.mongodb.lookups import add_lookup, related_rows, unwind
from uom.write.mongodb.pipelines import compile_rows, settle
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.values import EntityValue
from uom.write.names import java_property_name


def load_includes(rows: Rows, tree: tuple[IncludeNode, ...], scope: Scope) -> None:
    """One `$lookup` per navigation, with those of the next level inside it. The row is an entity at the root."""
    row = rows.row
    assert isinstance(row, EntityValue) and row.at == "$$ROOT"
    inner = scope.on(rows)
    for node in _merged(tree):
        _load(rows, row, node, inner)


def _load(rows: Rows, row: EntityValue, node: IncludeNode, scope: Scope) -> None:
    navigation = scope.locations.navigation(row.entity, node.navigation)
    field = java_property_name(node.navigation)
    if field in rows.fields:
        raise Refusal("Include", f"the navigation {node.navigation} has the name of a stored field")
    if node.query is None:
        loaded = related_rows(row, navigation, scope)
    else:
        loaded = compile_rows(node.query, scope.bind(node.var, row))
    settle(loaded, scope)
    if node.children:
        load_includes(loaded, node.children, scope)
    path = add_lookup(rows, loaded, field)
    assert path == f"${field}"
    if navigation.kind is NavigationKind.REFERENCE:
        unwind(rows, path)


def _merged(tree: tuple[IncludeNode, ...]) -> list[IncludeNode]:
    """Two Includes of one navigation (each with its own ThenInclude) load it once."""
    found: dict[str, IncludeNode] = {}
    for node in tree:
        old = found.get(node.navigation)
        if old is None:
            found[node.navigation] = node
            continue
        if old.query is not None and node.query is not None and old.query != node.query:
            raise Refusal("Include", f"{node.navigation} is included twice with different filters")
        children = (*old.children, *node.children)
        keep = old if old.query is not None else node
        found[node.navigation] = IncludeNode(keep.navigation, keep.var, keep.query, children)
    return list(found.values())
