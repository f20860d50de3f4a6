"""`$lookup`: reference navigations, related rows, and sub-queries inside expressions.

What was looked up once is found again by the pipeline's cache, so equal navigations share one `$lookup`.
"""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from uom.model.diagnostics import Refusal, Severity
from uom.model.expressions import Expr, In, Lambda, Navigate, Not, Subquery, Var
from uom.model.queries import (
    Aggregate,
    Contains,
    Exists,
    Filter,
    Forall,
    Pick,
    PickKind,
    Query,
    Related,
    Scan,
    Values,
)
from uom.model.schema import Navigation, NavigationKind
from uom.model.types import BOOL, as_nullable
from uom.model.walk import free_variables, substitute, walk
from uom.write.mongodb.aggregates import aggregate_value, empty_value, without_default
from uom.write.mongodb.arrays import array_value, is_array_query
from uom.write.mongodb.expressions import compare_nodes, evaluate, register
from uom.write.mongodb.matching import add_match
from uom.write.mongodb.members import member
from uom.write.mongodb.operators import reversed_query, rows_of_entity, skip_to, unordered, where
from uom.write.mongodb.pipelines import compile_rows, compiles, enclosing, settle
from uom.write.mongodb.predicates import conjuncts
from uom.write.mongodb.rows import Correlation, Rows
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.stored import default_of
from uom.write.mongodb.tree import Bind, Bson, Stage, is_field_path
from uom.write.mongodb.values import EntityValue, ListValue, ScalarValue, Value, moved
from uom.write.names import java_property_name


def add_lookup(rows: Rows, inner: Rows, hint: str) -> str:
    """Appends the `$lookup` that runs `inner`; returns the path of the resulting array."""
    start, stages = inner.start(), [unconditional(stage) for stage in inner.all_stages()]
    body: dict[str, Bson] = {"from": start.collection}
    if start.correlation is not None:
        body |= {"localField": start.correlation.local, "foreignField": start.correlation.foreign}
    if start.lets:
        body["let"] = dict(start.lets)
    if stages or start.correlation is None:
        body["pipeline"] = [stage.document for stage in stages]
    name = rows.helper(hint)
    body["as"] = name
    rows.add("$lookup", body)
    return f"${name}"


def unconditional(stage: Stage) -> Stage:
    """A stage of an inner pipeline cannot be left out by Java: its condition becomes part of the filter."""
    if stage.when is None:
        return stage
    if stage.operator != "$match":
        raise Refusal("if", "only filters can be conditional inside a sub-query")
    skipped = {"$expr": {"$not": [Bind(stage.when, BOOL)]}}
    return Stage({"$match": {"$or": [skipped, stage.body]}})


def unwind(rows: Rows, path: str, keep: bool = True) -> None:
    """One row per item; `keep` keeps rows whose array is empty."""
    rows.add("$unwind", {"path": path, "preserveNullAndEmptyArrays": True} if keep else path)


# -- navigations -----------------------------------------------------------------------------------------------------


@register(Navigate)
def _navigate(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Navigate)
    target = evaluate(node.target, scope)
    if not isinstance(target, EntityValue):
        raise Refusal(node.navigation, "only entities have navigations", node.place)
    return navigated(target, node.navigation, scope, node.predicate)


def navigated(target: EntityValue, name: str, scope: Scope, visible: Lambda | None = None) -> EntityValue:
    """The entity behind a reference navigation, looked up in the pipeline that holds the target.

    Partners that are not `visible` are hidden by a query filter.
    """
    body = visible and substitute(visible.body, {visible.var.name: Var("", visible.var.type)})
    rows, key = target.home, (target.at, target.entity, name, body)
    known = rows.looked_up.get(key)
    if known is not None:
        assert isinstance(known, EntityValue)
        return known
    navigation = scope.locations.navigation(target.entity, name)
    if navigation.kind is not NavigationKind.REFERENCE:
        raise Refusal(name, "is a collection, not a reference")
    inner = _correlated(target, navigation, scope.on(rows))
    if visible is not None:
        where(conjuncts(visible.body), scope.on(inner).bind(visible.var, inner.row))
        settle(inner, scope)
    path = add_lookup(rows, inner, java_property_name(name))
    nullable = not navigation.required or target.nullable or visible is not None
    unwind(rows, path, keep=nullable)
    found = EntityValue(navigation.target, path, rows, nullable)
    rows.looked_up[key] = found
    return found


@compiles(Related)
def _related(query: Related, scope: Scope) -> Rows:
    target = evaluate(query.target, scope)
    if not isinstance(target, EntityValue):
        raise Refusal(query.navigation, "only entities have navigations")
    navigation = scope.locations.navigation(target.entity, query.navigation)
    return related_rows(target, navigation, scope)


def related_rows(target: EntityValue, navigation: Navigation, scope: Scope) -> Rows:
    """All rows that a navigation of the target leads to."""
    if navigation.kind is NavigationKind.SKIP:
        return _through_join_table(target, navigation, scope)
    return _correlated(target, navigation, scope)


def _correlated(target: EntityValue, navigation: Navigation, scope: Scope) -> Rows:
    inner = rows_of_entity(navigation.target, scope)
    row = inner.row
    pairs = [
        (member(target, mine, scope.locations), member(row, theirs, scope.locations))
        for mine, theirs in navigation.column_pairs()
    ]
    if not pairs:
        raise Refusal(navigation.name, "the model does not say which columns join the two entities")
    correlate(inner, pairs, scope)
    return inner


def correlate(inner: Rows, pairs: list[tuple[Value, Value]], scope: Scope) -> None:
    """Keeps the inner rows whose values equal the outer ones; null in any part never matches.

    `localField` is used where it means that: it would match null with null, so one side must never be null there.
    """
    parent = enclosing(scope)
    if len(pairs) == 1 and parent is not None and inner.only_matches() and inner.correlation is None:
        outer, own = pairs[0]
        if _can_be_local(outer, own, parent, inner):
            assert isinstance(outer, ScalarValue) and isinstance(own, ScalarValue)
            inner.correlation = Correlation(outer.expr[1:], own.expr[1:])
            if outer.type.nullable and own.type.nullable:
                add_match(inner, {own.expr[1:]: {"$ne": None}})
            return
    conditions: list[Bson] = []
    for outer, own in pairs:
        if not isinstance(outer, ScalarValue) or not isinstance(own, ScalarValue):
            raise Refusal("join", "rows can be joined on single values only")
        mine = inner.bring(outer.expr, outer.home, outer.hint)
        theirs = inner.bring(own.expr, own.home, own.hint)
        if outer.type.nullable and own.type.nullable:
            conditions.append({"$gt": [mine, None]})
        conditions.append({"$eq": [theirs, mine]})
    add_match(inner, {"$expr": conditions[0] if len(conditions) == 1 else {"$and": conditions}})


def _can_be_local(outer: Value, own: Value, parent: Rows, inner: Rows) -> bool:
    return (
        isinstance(outer, ScalarValue)
        and isinstance(own, ScalarValue)
        and outer.home is parent
        and own.home is inner
        and is_field_path(outer.expr)
        and is_field_path(own.expr)
    )


def _through_join_table(target: EntityValue, navigation: Navigation, scope: Scope) -> Rows:
    """Many to many: the join table's rows of the target, each replaced by the row on the other side."""
    table = navigation.join_table
    if table is None or len(table.source_columns) != 1 or len(table.target_columns) != 1:
        raise Refusal(navigation.name, "many-to-many over composite keys has no translation")
    (own_column, own_property), (other_column, other_property) = table.source_columns[0], table.target_columns[0]
    collection, columns = _join_collection(navigation, scope)
    inner = Rows(collection, enclosing(scope))
    inner.fields = {path.split(".")[0] for path in columns.values()} | {"_id"}
    key = member(target, own_property, scope.locations)
    assert isinstance(key, ScalarValue)
    own = ScalarValue(f"${columns[own_column]}", as_nullable(key.type, False), inner)
    correlate(inner, [(key, own)], scope)
    other = rows_of_entity(navigation.target, scope.on(inner))
    other_key = member(other.row, other_property, scope.locations)
    assert isinstance(other_key, ScalarValue)
    link = ScalarValue(f"${columns[other_column]}", as_nullable(other_key.type, False), inner)
    correlate(other, [(link, other_key)], scope.on(inner))
    path = add_lookup(inner, other, java_property_name(navigation.target))
    unwind(inner, path, keep=False)
    inner.row = moved(other.row, path, inner)
    settle(inner, scope)
    return inner


def _join_collection(navigation: Navigation, scope: Scope) -> tuple[str, dict[str, str]]:
    """(collection of the join table, stored field of each join column)."""
    table = navigation.join_table
    assert table is not None
    if table.entity is None:
        mapped = scope.locations.join(table.table)
        return mapped.collection, dict(mapped.columns)
    properties = scope.locations.properties(table.entity)
    columns = {p.column: scope.locations.field(table.entity, p.name).path for p in properties}
    return scope.locations.collection(table.entity), columns


# -- sub-queries in expressions --------------------------------------------------------------------------------------


@register(Subquery)
def _subquery(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Subquery)
    query = node.query
    if is_array_query(query, scope):
        return array_value(query, scope, hint)
    if isinstance(query, Contains | Forall):
        return evaluate(_as_exists(query), scope, hint)
    rows = scope.rows
    if scope.depth:
        raise Refusal("sub-query", "a sub-query inside a list of the same row cannot be looked up", node.place)
    key = _identity(query, scope)
    if key not in rows.looked_up:
        writer = _VALUES.get(type(query), _rows_value)
        rows.looked_up[key] = writer(query, scope, _hint(query, hint, scope))
    return rows.looked_up[key]


def _identity(query: Query, scope: Scope) -> object:
    """Equal for sub-queries that differ only in the names of their variables."""
    names = {name: Var(repr(scope.env[name]), BOOL) for name in free_variables(query) if name in scope.env}
    for node in walk(query):
        if isinstance(node, Var) and node.name not in names:
            names[node.name] = Var(str(len(names)), BOOL)
    return substitute(query, dict(names))


def _hint(query: Query, hint: str, scope: Scope) -> str:
    """A readable name for what is looked up: the field it fills, else the navigation or the collection."""
    if hint not in ("value", "sortKey"):
        return hint
    current: object = query
    while current is not None:
        if isinstance(current, Related):
            return java_property_name(current.navigation)
        if isinstance(current, Scan):
            return java_property_name(scope.locations.collection(current.entity))
        current = getattr(current, "source", None) or getattr(current, "left", None)
    return "found"


def _as_exists(query: Contains | Forall) -> Expr:
    if isinstance(query, Forall):
        counter = Filter(query.source, replace(query.predicate, body=Not(query.predicate.body)), query.source.element)
        return Not(Subquery(Exists(counter), BOOL))
    if isinstance(query.source, Values):
        return In(query.item, query.source.items)
    return Subquery(Exists(containing(query)), BOOL)


def containing(query: Contains) -> Filter:
    """The rows that equal the item, in C#'s sense: null equals null."""
    var = Var("candidate", query.source.element)
    return Filter(query.source, Lambda(var, compare_nodes(var, query.item)), query.source.element)


def _exists(query: Query, scope: Scope, hint: str) -> Value:
    assert isinstance(query, Exists)
    inner = compile_rows(unordered(query.source), scope)
    inner.add("$limit", 1)
    inner.add("$project", {"_id": 1})
    path = add_lookup(scope.rows, inner, hint)
    return ScalarValue({"$ne": [path, []]}, BOOL, scope.rows, hint)


def _aggregate(query: Query, scope: Scope, hint: str) -> Value:
    assert isinstance(query, Aggregate)
    query, default = without_default(query)
    inner = compile_rows(unordered(query.source), scope)
    aggregate_value(query, inner, scope)
    path = add_lookup(scope.rows, inner, hint)
    unwind(scope.rows, path)
    empty = empty_value(query) if default is None else default
    if empty is None:
        return ScalarValue(f"{path}.value", as_nullable(query.element), scope.rows, hint)
    return ScalarValue({"$ifNull": [f"{path}.value", empty]}, as_nullable(query.element, False), scope.rows, hint)


def _pick(query: Query, scope: Scope, hint: str) -> Value:
    assert isinstance(query, Pick)
    inner = compile_rows(picked_source(query), scope)
    if query.kind is PickKind.ELEMENT_AT:
        assert query.index is not None
        skip_to(inner, query.index)
    if query.kind is PickKind.SINGLE:
        scope.translation.note(
            Severity.CONVENTION, "Single", "inside a query the first row is taken, as EF Core does", query.place
        )
    inner.add("$limit", 1)
    row = settle(inner, scope)
    path = add_lookup(scope.rows, inner, hint)
    unwind(scope.rows, path)
    value = moved(row, path, scope.rows, nullable=True)
    default = default_of(query.element)
    if isinstance(value, ScalarValue) and default is not None:
        return replace(value, expr={"$ifNull": [value.expr, default]}, type=as_nullable(value.type, False))
    return value


def picked_source(query: Pick) -> Query:
    """The rows of which the first is picked."""
    return reversed_query(query.source) if query.kind is PickKind.LAST else query.source


def _rows_value(query: Query, scope: Scope, hint: str) -> Value:
    inner = compile_rows(query, scope)
    row = settle(inner, scope)
    path = add_lookup(scope.rows, inner, hint)
    return ListValue(path, row, scope.rows)


_VALUES: dict[type, Callable[[Query, Scope, str], Value]] = {Exists: _exists, Aggregate: _aggregate, Pick: _pick}
