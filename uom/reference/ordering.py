"""How far a query orders its rows: rows that tie may come in any order and are compared as a set."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from uom.model import queries as q
from uom.model.expressions import Lambda
from uom.model.queries import Query
from uom.reference.scalars import Environment, evaluate
from uom.reference.sorting import order
from uom.reference.values import Value

if TYPE_CHECKING:
    from uom.reference.interpreter import Run

Ranked = list[tuple[Value, Hashable]]
"""Rows with a rank each; neighbours of one rank tie. All ranks are None where nothing orders."""


def ranked_rows(query: Query, env: Environment, run: Run) -> Ranked:
    """The rows of a query with their ranks; their sequence is the interpreter's."""
    rule = RULES.get(type(query))
    if rule is not None:
        return rule(query, env, run)
    return [(row, None) for row in run.rows(query, env)]


def tie_sizes(ranked: Ranked) -> list[int]:
    """Lengths of the runs of rows that tie, in sequence; one run when nothing orders."""
    sizes: list[int] = []
    previous: Hashable = object()
    for _, rank in ranked:
        if sizes and rank == previous:
            sizes[-1] += 1
        else:
            sizes.append(1)
        previous = rank
    return sizes


def _order_by(node: q.OrderBy, env: Environment, run: Run) -> Ranked:
    before = ranked_rows(node.source, env, run)
    inner = [row for row, _ in before]
    keys = [[run.apply(Lambda(node.var, k.expr), row, env) for row in inner] for k in node.keys]
    columns = list(zip(keys, node.keys, strict=True))
    positions: list[Value] = list(range(len(inner)))
    ranked: Ranked = []
    for position in order(positions, columns, run.semantics):
        assert isinstance(position, int)
        rank: Hashable = tuple(run.key(values[position]) for values in keys)
        ranked.append((inner[position], (rank, before[position][1]) if node.keeps_order else rank))
    return ranked


def _map(node: q.Map, env: Environment, run: Run) -> Ranked:
    return [(run.apply(node.selector, row, env), rank) for row, rank in ranked_rows(node.source, env, run)]


def _filter(node: q.Filter, env: Environment, run: Run) -> Ranked:
    ranked = ranked_rows(node.source, env, run)
    if node.when is not None and not run.holds(node.when):
        return ranked
    return [(row, rank) for row, rank in ranked if run.apply(node.predicate, row, env) is True]


def _flat_map(node: q.FlatMap, env: Environment, run: Run) -> Ranked:
    result: Ranked = []
    for outer, rank in ranked_rows(node.source, env, run):
        inner_env = {**env, node.outer.name: outer}
        for inner in run.rows(node.inner, inner_env):
            result.append((evaluate(node.result, {**inner_env, node.inner_var.name: inner}, run), rank))
    return result


def _slice(take: bool) -> Callable[[Any, Environment, Run], Ranked]:
    def rule(node: q.Skip | q.Take, env: Environment, run: Run) -> Ranked:
        ranked = ranked_rows(node.source, env, run)
        count = run.count(node.count, env)
        return ranked[:count] if take else ranked[count:]

    return rule


def _include(node: q.Include, env: Environment, run: Run) -> Ranked:
    ranks = [rank for _, rank in ranked_rows(node.source, env, run)]
    return list(zip(run.rows(node, env), ranks, strict=True))


RULES: dict[type, Callable[[Any, Environment, Run], Ranked]] = {
    q.OrderBy: _order_by,
    q.Map: _map,
    q.Filter: _filter,
    q.FlatMap: _flat_map,
    q.Skip: _slice(take=False),
    q.Take: _slice(take=True),
    q.Include: _include,
    q.Reverse: lambda node, env, run: list(reversed(ranked_rows(node.source, env, run))),
}
