"""The executable meaning of the algebra: every operator over rows in memory, one function each.

This is the definition that the writers are held to. It is written to be read, not to be fast; only lookups along
foreign keys use an index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from uom.model import queries as q
from uom.model.defaults import default_of
from uom.model.expressions import Expr, Lambda, Subquery
from uom.model.program import QueryMethod, ResultShape, Semantics
from uom.model.queries import JoinKind, Query, SetKind
from uom.model.schema import Entity, Navigation, NavigationKind, Schema
from uom.reference.dictionaries import check_keys
from uom.reference.functions import CSHARP, wall_clock
from uom.reference.ordering import ranked_rows, tie_sizes
from uom.reference.scalars import Environment, evaluate, is_true
from uom.reference.sorting import order
from uom.reference.terminals import TERMINALS
from uom.reference.values import Database, Group, Row, RowList, Value, canonical

Rows = list[Value]


def evaluate_method(
    method: QueryMethod,
    schema: Schema,
    database: Database,
    semantics: Semantics,
    arguments: dict[str, Value] | None = None,
    now: datetime | None = None,
) -> Value:
    """What the method returns: a list of rows, a row or a scalar. Raises QueryError where the source would throw."""
    run = Run(schema, database, semantics, dict(arguments or {}), now or wall_clock())
    value = evaluate(method.body, {}, run)
    if method.result is ResultShape.DICTIONARY and isinstance(value, list):
        check_keys([row["Key"] for row in value if isinstance(row, dict)])
    return value


@dataclass
class Run:
    """One evaluation: the data, the semantics, the arguments, and the clock, which stands still."""

    schema: Schema
    database: Database
    database_semantics: Semantics
    arguments: dict[str, Value]
    now: datetime
    semantics: Semantics = CSHARP
    """What holds where we are: the database's inside a query, C#'s around it."""
    _indexes: dict[tuple[str, tuple[str, ...]], dict[Hashable, list[Row]]] = field(default_factory=dict)
    _constants: dict[int, Value] = field(default_factory=dict)

    def rows(self, query: Query, env: Environment) -> Rows:
        """The rows of a source or operator."""
        return OPERATORS[type(query)](query, env, self)

    def subquery(self, node: Subquery, env: Environment) -> Value:
        """A query runs under the database's semantics, whatever is around it."""
        outer, self.semantics = self.semantics, self.database_semantics
        try:
            return self._asked(node, env)
        finally:
            self.semantics = outer

    def _asked(self, node: Subquery, env: Environment) -> Value:
        terminal = TERMINALS.get(type(node.query))
        return terminal(node.query, env, self) if terminal is not None else self.row_list(node.query, env)

    def row_list(self, query: Query, env: Environment) -> RowList:
        """The rows together with how far they are ordered."""
        ranked = ranked_rows(query, env, self)
        return RowList([row for row, _ in ranked], tie_sizes(ranked))

    def navigate(self, row: Row, navigation: str) -> Row | None:
        found = self.related(row, self.navigation(row.entity, navigation))
        return found[0] if found else None

    def navigation(self, entity: str, name: str) -> Navigation:
        found = self.schema.entity(entity).navigation(name)
        assert found is not None, f"{entity} has no navigation {name}"
        return found

    def related(self, row: Row, navigation: Navigation) -> list[Row]:
        """Rows on the other side; null in a key never matches."""
        if navigation.kind is NavigationKind.SKIP:
            return self.through_join_table(row, navigation)
        pairs = navigation.column_pairs()
        return self.lookup(navigation.target, tuple(t for _, t in pairs), tuple(row.values[s] for s, _ in pairs))

    def entity_rows(self, entity: str) -> list[Row]:
        """Rows of an entity and of all that derive from it; a hierarchy's rows are kept under its root."""
        root = entity
        while (base := self.schema.entity(root).base) is not None:
            root = base
        family = set(self.schema.descendants(entity))
        return [r for r in self.database.rows.get(root, ()) if r.entity in family]

    def lookup(self, entity: str, names: tuple[str, ...], values: tuple[Value, ...]) -> list[Row]:
        if any(v is None for v in values):
            return []
        index = self._indexes.get((entity, names))
        if index is None:
            index = self._indexes[(entity, names)] = {}
            for row in self.entity_rows(entity):
                key = tuple(canonical(row.values[n], self.semantics) for n in names)
                index.setdefault(key, []).append(row)
        return index.get(tuple(canonical(v, self.semantics) for v in values), [])

    def through_join_table(self, row: Row, navigation: Navigation) -> list[Row]:
        join = navigation.join_table
        assert join is not None
        found: list[Row] = []
        for link in self.database.joins.get(join.table, ()):
            if all(self.same(link[c], row.values[k]) for c, k in join.source_columns):
                keys = tuple(k for _, k in join.target_columns)
                found.extend(self.lookup(navigation.target, keys, tuple(link[c] for c, _ in join.target_columns)))
        return found

    def same(self, left: Value, right: Value) -> bool:
        return left is not None and canonical(left, self.semantics) == canonical(right, self.semantics)

    def apply(self, function: Lambda, row: Value, env: Environment) -> Value:
        return evaluate(function.body, {**env, function.var.name: row}, self)

    def holds(self, when: Expr) -> bool:
        """A condition on the method's parameters: C# decides it before the query is made."""
        outer, self.semantics = self.semantics, CSHARP
        try:
            return is_true(evaluate(when, {}, self))
        finally:
            self.semantics = outer

    def count(self, expr: Expr, env: Environment) -> int:
        value = evaluate(expr, env, self)
        assert isinstance(value, int)
        return max(value, 0)

    def key(self, value: Value) -> Hashable:
        return canonical(value, self.semantics)


# sources ------------------------------------------------------------------------------------------------------------


def _scan(node: q.Scan, _: Environment, run: Run) -> Rows:
    rows = run.entity_rows(node.entity)
    return list(_visible(rows, run.schema.entity(node.entity), node.filters, run))


def _visible(rows: Iterable[Row], entity: Entity, applied: tuple[str, ...] | None, run: Run) -> Iterable[Row]:
    """Rows that the entity's query filters let through; `applied` None means all of them."""
    filters = [f for name, f in run.schema.query_filters(entity.name) if applied is None or name in applied]
    return (r for r in rows if all(is_true(run.apply(f, r, {})) for f in filters))


def _related(node: q.Related, env: Environment, run: Run) -> Rows:
    row = evaluate(node.target, env, run)
    if not isinstance(row, Row):
        return []
    navigation = run.navigation(row.entity, node.navigation)
    return list(_visible(run.related(row, navigation), run.schema.entity(navigation.target), node.filters, run))


def _elements(node: q.Elements, env: Environment, run: Run) -> Rows:
    value = evaluate(node.source, env, run)
    if isinstance(value, Group):
        return list(value.items)
    return list(value) if isinstance(value, list | tuple) else []


def _values(node: q.Values, env: Environment, run: Run) -> Rows:
    return [evaluate(item, env, run) for item in node.items]


# operators ----------------------------------------------------------------------------------------------------------


def _filter(node: q.Filter, env: Environment, run: Run) -> Rows:
    rows = run.rows(node.source, env)
    if node.when is not None and not run.holds(node.when):
        return rows
    return [r for r in rows if is_true(run.apply(node.predicate, r, env))]


def _map(node: q.Map, env: Environment, run: Run) -> Rows:
    return [run.apply(node.selector, r, env) for r in run.rows(node.source, env)]


def _flat_map(node: q.FlatMap, env: Environment, run: Run) -> Rows:
    result: Rows = []
    for outer in run.rows(node.source, env):
        inner_env = {**env, node.outer.name: outer}
        for inner in run.rows(node.inner, inner_env):
            result.append(evaluate(node.result, {**inner_env, node.inner_var.name: inner}, run))
    return result


def _join(node: q.Join, env: Environment, run: Run) -> Rows:
    left, right = run.rows(node.left, env), run.rows(node.right, env)
    index: dict[Hashable, list[int]] = {}
    for i, row in enumerate(right):
        key = _join_key([k for _, k in node.keys], {**env, node.right_var.name: row}, run)
        if key is not None:
            index.setdefault(key, []).append(i)
    pairs: list[tuple[Value, Value]] = []
    matched: set[int] = set()
    for row in left:
        key = _join_key([k for k, _ in node.keys], {**env, node.left_var.name: row}, run)
        partners = index.get(key, []) if key is not None else []
        matched.update(partners)
        pairs.extend((row, right[i]) for i in partners)
        if not partners and node.kind in (JoinKind.LEFT, JoinKind.FULL):
            pairs.append((row, None))
    if node.kind in (JoinKind.RIGHT, JoinKind.FULL):
        pairs.extend((None, row) for i, row in enumerate(right) if i not in matched)
    return [evaluate(node.result, {**env, node.left_var.name: a, node.right_var.name: b}, run) for a, b in pairs]


def _join_key(keys: Sequence[Expr], env: Environment, run: Run) -> Hashable | None:
    values = [evaluate(k, env, run) for k in keys]
    return None if any(v is None for v in values) else tuple(run.key(v) for v in values)


def _group_by(node: q.GroupBy, env: Environment, run: Run) -> Rows:
    groups: dict[Hashable, Group] = {}
    items: dict[Hashable, Rows] = {}
    for row in run.rows(node.source, env):
        key = run.apply(node.key, row, env)
        hashed = run.key(key)
        if hashed not in groups:
            items[hashed] = []
            groups[hashed] = Group(key, items[hashed])
        items[hashed].append(run.apply(node.value, row, env))
    return list(groups.values())


def _order_by(node: q.OrderBy, env: Environment, run: Run) -> Rows:
    rows = run.rows(node.source, env)
    columns = [([run.apply(Lambda(node.var, k.expr), r, env) for r in rows], k) for k in node.keys]
    return order(rows, columns, run.semantics)


def _skip(node: q.Skip, env: Environment, run: Run) -> Rows:
    return run.rows(node.source, env)[run.count(node.count, env) :]


def _take(node: q.Take, env: Environment, run: Run) -> Rows:
    return run.rows(node.source, env)[: run.count(node.count, env)]


def _unique(rows: Rows, run: Run) -> Rows:
    seen: dict[Hashable, Value] = {}
    for row in rows:
        seen.setdefault(run.key(row), row)
    return list(seen.values())


def _set_operation(node: q.SetOperation, env: Environment, run: Run) -> Rows:
    left, right = run.rows(node.left, env), run.rows(node.right, env)
    if node.kind is SetKind.CONCAT:
        return left + right
    if node.kind is SetKind.UNION:
        return _unique(left + right, run)
    known = {run.key(r) for r in right}
    keep_known = node.kind is SetKind.INTERSECT
    return [r for r in _unique(left, run) if (run.key(r) in known) == keep_known]


def _default_if_empty(node: q.DefaultIfEmpty, env: Environment, run: Run) -> Rows:
    rows = run.rows(node.source, env)
    if rows:
        return rows
    return [evaluate(node.default, env, run) if node.default is not None else default_of(node.element)]


def _of_type(node: q.OfType, env: Environment, run: Run) -> Rows:
    family = set(run.schema.descendants(node.entity))
    return [r for r in run.rows(node.source, env) if isinstance(r, Row) and r.entity in family]


def _include(node: q.Include, env: Environment, run: Run) -> Rows:
    return [_load(r, node.tree, env, run) if isinstance(r, Row) else r for r in run.rows(node.source, env)]


def _load(row: Row, tree: Sequence[q.IncludeNode], env: Environment, run: Run) -> Row:
    loaded = dict(row.loaded)
    for node in tree:
        if run.schema.entity(row.entity).navigation(node.navigation) is None:
            continue
        navigation = run.navigation(row.entity, node.navigation)
        if navigation.kind is NavigationKind.REFERENCE:
            partner = run.navigate(row, node.navigation)
            loaded[node.navigation] = None if partner is None else _load(partner, node.children, env, run)
            continue
        if node.query is not None:
            inner = run.row_list(node.query, {**env, node.var.name: row})
        else:
            related = run.related(row, navigation)
            inner = RowList(related, [len(related)])
        rows = [_load(r, node.children, env, run) for r in inner if isinstance(r, Row)]
        loaded[node.navigation] = RowList(rows, inner.ties)
    return Row(row.entity, row.values, row.identity, loaded)


OPERATORS: dict[type, Callable[[Any, Environment, Run], Rows]] = {
    q.Scan: _scan,
    q.Related: _related,
    q.Elements: _elements,
    q.Values: _values,
    q.Filter: _filter,
    q.Map: _map,
    q.FlatMap: _flat_map,
    q.Join: _join,
    q.GroupBy: _group_by,
    q.OrderBy: _order_by,
    q.Reverse: lambda node, env, run: list(reversed(run.rows(node.source, env))),
    q.Skip: _skip,
    q.Take: _take,
    q.Distinct: lambda node, env, run: _unique(run.rows(node.source, env), run),
    q.SetOperation: _set_operation,
    q.DefaultIfEmpty: _default_if_empty,
    q.OfType: _of_type,
    q.Include: _include,
}
