"""What a recorded command relies on: the entry to this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from uom.run.engines.mongodb.observing import stages
from uom.run.engines.mongodb.observing.filters import observe_filter
from uom.run.engines.mongodb.observing.scope import Notes, Scope, query_value
from uom.run.engines.mongodb.observing.shapes import SOME_OBJECT, Shape, deep

NOT_ANALYSED = "not_analysed"
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True)
class Observations:
    """`seen`: name of what an engine may get wrong -> where; `used`: operators, and options as `$operator.option`."""

    seen: Mapping[str, str]
    used: frozenset[str]


def observe(
    name: str, command: Mapping[str, Any], collections: Mapping[str, Shape], counted_nothing: bool
) -> Observations:
    """Observations about a read. `collections` are the known shapes; others may hold anything.

    `counted_nothing`: the reply's only document holds a zero.
    """
    notes = Notes()
    collation = command.get("collation") or {}
    ignores_case = bool(collation) and collation.get("locale") != "simple"
    target = next((value for key, value in command.items() if key.lower() == name), "")
    scope = Scope(collections.get(str(target), SOME_OBJECT), notes, collections, ignores_case)
    if ignores_case:
        notes.used.add("collation")
    try:
        _COMMANDS.get(name, _nothing)(command, scope)
    except _MALFORMED as error:
        # no server answers such a command, but that is for the server to say
        notes.add(NOT_ANALYSED, f"{type(error).__name__}: {error}")
    _settle_counts(name, command, counted_nothing, notes)
    return Observations(notes.seen, frozenset(notes.used))


def _aggregate(command: Mapping[str, Any], scope: Scope) -> None:
    result = stages.run(command.get("pipeline", []), scope)
    _observe_result(result, scope)


def _observe_result(result: Shape, scope: Scope) -> None:
    """A row with null where MongoDB leaves the field out. (Last digits of doubles are not compared: no note.)"""
    for name, value in result.fields.items():
        if deep(value, lambda s: s.blurred and s.may_be("missing")):
            scope.note("null_for_missing", f"the result's {name}")


def _find(command: Mapping[str, Any], scope: Scope) -> None:
    scope.notes.used.add("find")
    observe_filter(command.get("filter"), scope)
    stages.observe_sort(command.get("sort"), scope)
    if command.get("projection"):
        _observe_result(stages.project(command["projection"], scope, in_find=True), scope)


def _count(command: Mapping[str, Any], scope: Scope) -> None:
    observe_filter(command.get("query"), scope)


def _distinct(command: Mapping[str, Any], scope: Scope) -> None:
    scope.notes.used.add("distinct")
    observe_filter(command.get("query"), scope)
    stages.observe_key(
        query_value(scope.document, str(command.get("key", ""))), {"distinct": command.get("key")}, scope
    )


def _nothing(_command: Mapping[str, Any], _scope: Scope) -> None:
    """Commands that carry no query."""


_COMMANDS = {"aggregate": _aggregate, "find": _find, "count": _count, "distinct": _distinct}


def _settle_counts(name: str, command: Mapping[str, Any], counted_nothing: bool, notes: Notes) -> None:
    """`$count` at the very end is judged by the reply; anywhere else it may have counted nothing."""
    what = notes.seen.pop("count_stage", None)
    if what is None:
        return
    pipeline = command.get("pipeline", [])
    only_at_the_end = "$count" in pipeline[-1] and not any("$count" in keys for keys in map(_keys, pipeline[:-1]))
    if name != "aggregate" or not only_at_the_end or counted_nothing:
        notes.add("count_of_nothing", what)


def _keys(tree: Any) -> set[str]:
    if isinstance(tree, Mapping):
        return set(tree).union(*map(_keys, tree.values()))
    if isinstance(tree, list):
        return set().union(*map(_keys, tree))
    return set()
