"""`Include` and `ThenInclude`: which navigations are loaded, filtered, ordered or paged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const, Navigate, Var
from uom.model.queries import Filter, IncludeNode, OrderBy, Query, Related, Skip, Take
from uom.model.schema import Navigation
from uom.model.types import EntityType
from uom.read.csharp.syntax import text_of
from uom.read.efcore.binding import evaluated
from uom.read.efcore.inlining import apply
from uom.read.efcore.naming import nearest
from uom.read.efcore.rows import Arguments, parameter_name
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session
from uom.read.efcore.values import Closure, Rows, Scalar, Value, changed

Step = tuple[str, Query | None, Var]
"""A navigation, how its rows are restricted, and the variable of its owner in that restriction."""


def include(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    _only_entities(rows, place)
    if len(arguments) != 1:
        raise Refusal("Include()", "one navigation is expected", place, "Pass one lambda.")
    assert isinstance(rows.static, EntityType)
    value = evaluated(session, arguments[0])
    if isinstance(value, Scalar):
        steps = _named(session, rows.static.name, value, place)
    else:
        steps = _steps(session, rows.static.name, value, place)
    return _added(session, rows, (), steps, place)


def then_include(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    _only_entities(rows, place)
    if not rows.include_path or len(arguments) != 1:
        raise Refusal("ThenInclude()", "it does not follow an Include", place, "Put it right after the Include.")
    assert isinstance(rows.static, EntityType)
    owner = rows.static.name
    for name in rows.include_path:
        owner = _navigation(session, owner, name, place).target
    value = evaluated(session, arguments[0])
    return _added(session, rows, rows.include_path, _steps(session, owner, value, place), place)


def _only_entities(rows: Rows, place: Place) -> None:
    if not isinstance(rows.static, EntityType) or rows.shape is not None:
        raise Refusal("Include", "only entities have navigations to load", place, "Put it before the Select.")


def _named(session: Session, owner: str, value: Scalar, place: Place) -> list[Step]:
    """`Include("Orders.Details")`."""
    if not (isinstance(value.expr, Const) and isinstance(value.expr.value, str)):
        raise Refusal("Include()", "the name of the navigation is not constant", place, "Use a lambda.")
    steps: list[Step] = []
    for name in value.expr.value.split("."):
        navigation = _navigation(session, owner, name, place)
        steps.append((name, None, session.fresh(owner[0].lower(), EntityType(owner), place)))
        owner = navigation.target
    return steps


def _navigation(session: Session, owner: str, name: str, place: Place) -> Navigation:
    entity = session.entity(owner, place)
    found = entity.navigation(name)
    if found is None:
        hint = nearest(name, [n.name for n in entity.navigations])
        raise Refusal("Include", f"{owner} has no navigation {name}{hint}", place, "Name a navigation.")
    session.entity(found.target, place)
    return found


def _steps(session: Session, owner: str, function: Value, place: Place) -> list[Step]:
    """The navigations that the lambda walks along; the last one may be restricted."""
    if not isinstance(function, Closure):
        raise Refusal("Include()", "a lambda is expected", place, "Pass a lambda.")
    var = session.fresh(parameter_name(function), EntityType(owner), place)
    with session.at(Position.SERVER, None):
        value = apply(session, function, [Scalar(var, EntityType(owner))], place)
    if isinstance(value, Scalar):
        return _path(value.expr, var, place)
    if isinstance(value, Rows):
        source: Query = value.query
        while isinstance(source, Filter | OrderBy | Skip | Take):
            source = source.source
        if isinstance(source, Related):
            before = _path(source.target, var, place)
            if source is value.query:
                restricted = None
            elif before:
                return [*before, _rebased(session, value.query, source, place)]
            else:
                restricted = value.query
            owner_var = var if not before else session.fresh("x", source.target.type, place)
            return [*before, (source.navigation, restricted, owner_var)]
    raise Refusal(
        "Include", f"'{text_of(function.body)[:50]}' is no navigation", place, "Use Where, OrderBy, Skip and Take only."
    )


def _rebased(session: Session, query: Query, source: Related, place: Place) -> Step:
    """A restriction two steps away: its source starts at a variable of its own."""
    owner = session.fresh("x", source.target.type, place)

    def change(node: Query) -> Query:
        if node is source:
            return replace(source, target=owner)
        assert isinstance(node, Filter | OrderBy | Skip | Take)
        return replace(node, source=change(node.source))

    return (source.navigation, change(query), owner)


def _path(expr: object, var: Var, place: Place) -> list[Step]:
    names: list[tuple[str, Var]] = []
    while isinstance(expr, Navigate):
        target = expr.target
        names.append((expr.navigation, target if isinstance(target, Var) else Var(var.name, target.type, place)))
        expr = target
    if not (isinstance(expr, Var) and expr.name == var.name):
        raise Refusal("Include", "the lambda does not lead along navigations", place, "Name a navigation.")
    return [(name, None, owner) for name, owner in reversed(names)]


def _added(session: Session, rows: Rows, path: tuple[str, ...], steps: Sequence[Step], place: Place) -> Rows:
    if not steps:
        raise Refusal("Include", "no navigation is named", place, "Name a navigation.")
    assert isinstance(rows.static, EntityType)
    tree = _insert(session, rows.includes, rows.static.name, path, steps, place)
    reached = (*path, *(name for name, _, _ in steps))
    mixed = rows.mixed or (place if _is_mixed(session, rows.static.name, tree, place) else None)
    return changed(rows, rows.query, includes=tree, include_path=reached, ordered=rows.ordered, mixed=mixed)


def _is_mixed(session: Session, root: str, tree: tuple[IncludeNode, ...], place: Place) -> bool:
    """Whether entities of a restricted navigation are loaded by another way, too."""
    loaded = [session.schema.descendants(root)]
    restricted: list[str] = []

    def visit(owner: str, nodes: tuple[IncludeNode, ...]) -> None:
        for node in nodes:
            target = _navigation(session, owner, node.navigation, place).target
            loaded.append(session.schema.descendants(target))
            if node.query is not None:
                restricted.append(target)
            visit(target, node.children)

    visit(root, tree)
    return any(
        sum(target in names or names[0] in session.schema.descendants(target) for names in loaded) > 1
        for target in restricted
    )


def _insert(
    session: Session,
    nodes: tuple[IncludeNode, ...],
    owner: str,
    path: tuple[str, ...],
    steps: Sequence[Step],
    place: Place,
) -> tuple[IncludeNode, ...]:
    """The tree with the steps hung in below the path; a navigation already there is not loaded twice."""
    name = path[0] if path else steps[0][0]
    query, var = (None, None) if path else (steps[0][1], steps[0][2])
    rest_path, rest_steps = (path[1:], steps) if path else ((), steps[1:])
    existing = next((n for n in nodes if n.navigation == name), None)
    navigation = _navigation(session, owner, name, place)
    if existing is None:
        if var is None or var.type != EntityType(owner):
            var = session.fresh(owner[0].lower(), EntityType(owner), place)
        existing = IncludeNode(name, var, query)
        nodes = (*nodes, existing)
    elif query is not None:
        if existing.query is not None and _shape_of(existing.query) != _shape_of(query):
            raise Refusal(
                "Include", f"{name} is included with two different filters", place, "Use the same filter in both."
            )
        if existing.query is None:
            nodes = _with(nodes, replace(existing, query=query, var=var or existing.var))
            existing = next(n for n in nodes if n.navigation == name)
    if rest_path or rest_steps:
        below = _insert(session, existing.children, navigation.target, rest_path, rest_steps, place)
        nodes = _with(nodes, replace(existing, children=below))
    return nodes


def _with(nodes: tuple[IncludeNode, ...], changed_node: IncludeNode) -> tuple[IncludeNode, ...]:
    return tuple(changed_node if n.navigation == changed_node.navigation else n for n in nodes)


def _shape_of(query: Query) -> str:
    """The restriction without variable names."""
    return re.sub(r"name='\w+'", "", repr(replace(query, place=None)))


OPERATORS = {"Include": include, "ThenInclude": then_include}
