"""Joins and SelectMany: a MATCH of its own per side, so that no pattern loses a row to the uniqueness of relationships."""

from __future__ import annotations

from uom.model.defaults import default_of
from uom.model.diagnostics import Refusal
from uom.model.expressions import Comparison, Const, Expr, Property, Var
from uom.model.queries import (
    DefaultIfEmpty,
    Filter,
    FlatMap,
    Join,
    JoinKind,
    OfType,
    Query,
    Related,
    Scan,
)
from uom.model.schema import Navigation, NavigationKind
from uom.model.types import ScalarType
from uom.write.neo4j import decimals
from uom.write.neo4j.clauses import Call, Match, Return, braced
from uom.write.neo4j.expressions import evaluate, scalar
from uom.write.neo4j.logic import comparable, equal
from uom.write.neo4j.operators import add_filter, compile_rows, named, operator
from uom.write.neo4j.packing import columns, columns_or_none, optional
from uom.write.neo4j.rows import Rows, sort_texts
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.subqueries import imports
from uom.write.neo4j.text import NULL, Text, coalesced, integer, negated
from uom.write.neo4j.values import Node, Record, Scalar, Value


@operator(FlatMap)
def _flat_map(query: FlatMap, scope: Scope) -> Value:
    outer = compile_rows(query.source, scope)
    inner_scope = scope.bind(query.outer, outer)
    inner = lateral(query.inner, inner_scope)
    return evaluate(query.result, inner_scope.bind(query.inner_var, inner))


@operator(DefaultIfEmpty)
def _default_if_empty(query: DefaultIfEmpty, scope: Scope) -> Value:
    return _outer(query, scope)


def lateral(query: Query, scope: Scope) -> Value:
    """The rows of `query` for each row so far. A left outer one (DefaultIfEmpty) keeps rows that find nothing."""
    if isinstance(query, DefaultIfEmpty):
        return _outer(query, scope)
    if _is_plain(query):
        saved = scope.rows.sort
        row = compile_rows(query, scope)
        scope.rows.sort = saved
        return row
    return _called(query, scope, optional_=False)


def _is_plain(query: Query) -> bool:
    """Whether its clauses can stand among those of the query around it."""
    while isinstance(query, Filter | OfType):
        query = query.source
    return isinstance(query, Scan | Related)


def _outer(query: DefaultIfEmpty, scope: Scope) -> Value:
    default = query.default
    if default is None and isinstance(query.element, ScalarType) and not query.element.nullable:
        default = Const(default_of(query.element), query.element)
    if default is not None and not (isinstance(default, Const) and default.value is None):
        return _with_default(query, default, scope)
    source = query.source
    if _is_plain(source):
        rows = scope.rows
        rows.settle_page()
        inner = Rows(rows.names, rows)
        row = compile_rows(source, scope.on(inner))
        only = inner.clauses
        if len(only) == 1 and isinstance(only[0], Match):
            only[0].optional = True
            rows.add(only[0])
            rows.bound.update(inner.bound)
            return optional(row)
    return optional(_called(source, scope, optional_=True))


def _with_default(query: DefaultIfEmpty, default: Expr, scope: Scope) -> Value:
    """A value in place of nothing; a row that is there stays what it is, null or not."""
    found = _called(query.source, scope, optional_=True)
    value = scalar(default, scope)
    if not isinstance(found, Scalar) or query.source.element.nullable:
        raise Refusal("DefaultIfEmpty", "a default for rows that are objects or may be null")
    if found.scale is None or value.scale is None:
        return Scalar(coalesced(found.text, value.text), query.element)
    a, b, scale = decimals.aligned(found, value)
    return Scalar(coalesced(a, b), query.element, scale)


def _called(query: Query, scope: Scope, optional_: bool) -> Value:
    """A sub-query per row."""
    rows = scope.rows.inner()
    row = compile_rows(query, scope.on(rows))
    items, settled = (columns_or_none if optional_ else columns)(row, scope.on(rows), "value")
    rows.close_group()
    ending = Return(items, sort=sort_texts(rows.sort), skip=rows.skip, limit=rows.limit)
    if not (rows.skip is not None or rows.limit is not None):
        ending.sort = ()
    clauses = [*rows.all_clauses(), ending]
    binds = tuple(alias for _, alias in items)
    scope.rows.add(Call(imports(clauses, scope.rows), (tuple(clauses),), binds, optional_))
    return settled


# joins --------------------------------------------------------------------------------------------------------------


@operator(Join)
def _join(query: Join, scope: Scope) -> Value:
    if query.kind is JoinKind.FULL:
        return _full(query, scope)
    first, second = (query.left, query.right), (query.left_var, query.right_var)
    keys = query.keys
    if query.kind is JoinKind.RIGHT:
        first, second = (query.right, query.left), (query.right_var, query.left_var)
        keys = tuple((b, a) for a, b in query.keys)
    row = compile_rows(first[0], scope)
    outer = scope.bind(second[0], row)
    found = _partners(first[1], second[1], keys, outer, query.kind is not JoinKind.INNER)
    return evaluate(query.result, outer.bind(second[1], found))


def _full(query: Join, scope: Scope) -> Value:
    """The left side with its partners, and then the rows of the right side that are nobody's."""
    first = scope.rows.inner()
    left = compile_rows(query.left, scope.on(first))
    right = _partners(query.right, query.right_var, query.keys, scope.on(first).bind(query.left_var, left), True)
    left_items, left_value = columns(left, scope.on(first), "left")
    right_items, right_value = columns(right, scope.on(first), "right")
    side = first.names.fresh("hasLeft")
    second = scope.rows.inner()
    alone = compile_rows(query.right, scope.on(second))
    second.filter(negated(_matched(query, alone, scope.on(second))))
    alone_items, _ = columns(alone, scope.on(second), "right")
    missing = [(NULL, alias) for _, alias in left_items]
    # a right record says whether it is there in a last column, which only the outer side has
    present = [(Text("true"), alias) for _, alias in right_items[len(alone_items) :]]
    renamed = [(text, alias) for (text, _), (_, alias) in zip(alone_items, right_items, strict=False)]
    bodies = (
        (*first.all_clauses(), Return([*left_items, (Text("true"), side), *right_items])),
        (*second.all_clauses(), Return([*missing, (Text("false"), side), *renamed, *present])),
    )
    binds = tuple(alias for _, alias in (*left_items, (NULL, side), *right_items))
    outer = tuple(dict.fromkeys(v for body in bodies for v in imports(list(body), scope.rows)))
    scope.rows.add(Call(outer, bodies, binds))
    if isinstance(left_value, Record):
        left_value = Record(left_value.fields, left_value.type, Text(side))
    both = scope.bind(query.left_var, optional(left_value)).bind(query.right_var, right_value)
    return evaluate(query.result, both)


def _matched(query: Join, alone: Value, scope: Scope) -> Text:
    """Whether a row of the right side has a partner."""
    inner = scope.rows.inner()
    row = compile_rows(query.left, scope.on(inner))
    for mine, theirs in query.keys:
        a = scalar(mine, scope.on(inner).bind(query.left_var, row))
        b = scalar(theirs, scope.bind(query.right_var, alone))
        inner.filter(equal(*comparable(a, b, Comparison.EQ, scope), False, False, False))
    inner.settle_page()
    return braced("EXISTS", [*inner.all_clauses(), Return([(integer(1), "one")])])


def _partners(query: Query, var: Var, keys: tuple[tuple[Expr, Expr], ...], scope: Scope, outer: bool) -> Value:
    """The rows on the other side. Null in a key never matches, and `=` with a null is not true in Cypher either."""
    rows = scope.rows
    step = _relationship(query, var, keys, scope)
    if step is not None:
        return _stepped(query, var, step, scope, outer)
    pairs = [(scalar(mine, scope), theirs) for mine, theirs in keys]
    rows.settle_page()
    inner = Rows(rows.names, rows)
    inner_scope = scope.on(inner)
    found = compile_rows(query, inner_scope)
    tests = []
    for mine, theirs in pairs:
        other = scalar(theirs, inner_scope.bind(var, found))
        a, b = comparable(other, mine, Comparison.EQ, scope)
        tests.append(equal(a, b, False, False, False))
    clauses = inner.clauses
    # what a record computes must be null where there is no row: only a node is so by itself
    simple = isinstance(found, Node) or not outer
    if simple and len(clauses) == 1 and isinstance(clauses[0], Match) and inner.limit is None and inner.skip is None:
        clauses[0].where.extend(tests)
        clauses[0].optional = outer
        rows.add(clauses[0])
        rows.bound.update(inner.bound)
        return optional(found) if outer else found
    for test in tests:
        inner.filter(test)
    return _finish_call(inner, found, scope, outer)


def _relationship(
    query: Query, var: Var, keys: tuple[tuple[Expr, Expr], ...], scope: Scope
) -> tuple[Node, Navigation] | None:
    """The relationship that stands for a join along a foreign key, as seen from the row that is there already."""
    source = query
    while isinstance(source, Filter):
        source = source.source
    if not isinstance(source, Scan):
        return None
    mine, theirs = [k for k, _ in keys], [k for _, k in keys]
    owner = mine[0].target if isinstance(mine[0], Property) else None
    if owner is None or not all(isinstance(k, Property) and k.target == owner for k in mine):
        return None
    if not all(isinstance(k, Property) and k.target == var for k in theirs):
        return None
    row = evaluate(owner, scope)
    if not isinstance(row, Node) or scope.graph.link(row.entity) or scope.graph.link(source.entity):
        return None
    names = {(a.name, b.name) for a, b in zip(mine, theirs, strict=True)}  # type: ignore[union-attr]
    here = {e.name for e in scope.graph.lineage(row.entity)}
    there = {e.name for e in scope.graph.lineage(source.entity)}
    for link in scope.graph.mapping.foreign_keys:
        key = link.foreign_key
        columns = set(zip(key.properties, key.principal_properties, strict=True))
        if key.dependent in here and key.principal in there and columns == names:
            return row, Navigation(var.name, NavigationKind.REFERENCE, source.entity, key, True)
        if key.principal in here and key.dependent in there and columns == {(b, a) for a, b in names}:
            return row, Navigation(var.name, NavigationKind.COLLECTION, source.entity, key, False)
    return None


def _stepped(query: Query, var: Var, step: tuple[Node, Navigation], scope: Scope, outer: bool) -> Value:
    """A join as a MATCH along the relationship."""
    row, navigation = step
    rows = scope.rows
    start = named(row, scope)
    rows.settle_page()
    inner = Rows(rows.names, rows)
    variable = rows.names.fresh(scope.graph.hint(navigation.target))
    match = Match(scope.graph.step(start, row.entity, navigation, variable), (variable,))
    inner.clauses.append(match)
    found = Node(variable, navigation.target)
    filters: list[Filter] = []
    while isinstance(query, Filter):
        filters.insert(0, query)
        query = query.source
    for one in filters:
        add_filter(one, found, scope.on(inner))
    if inner.clauses == [match]:
        match.optional = outer
        rows.add(match)
        rows.bound.update(inner.bound)
        return optional(found) if outer else found
    return _finish_call(inner, found, scope.bind(var, found), outer)


def _finish_call(inner: Rows, found: Value, scope: Scope, outer: bool) -> Value:
    items, settled = (columns_or_none if outer else columns)(found, scope.on(inner), "value")
    inner.settle_page()
    clauses = [*inner.all_clauses(), Return(items)]
    binds = tuple(alias for _, alias in items)
    scope.rows.add(Call(imports(clauses, scope.rows), (tuple(clauses),), binds, outer))
    return optional(settled) if outer else settled
