"""Which arguments a method with parameters is called with: few sets, in which every parameter matters."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Database, QueryError, Value, canonical
from uom.verify.candidates import candidates_for, is_closed

MAX_SETS = 12
_DIFFERENT = 4
_POOL = 8
_SAMPLE = 40
_SECONDS = 0.5
_NOTHING = frozenset({repr(("list",)), repr(None), repr(("bool", False)), "0", "throws"})
"""Answers that prove little."""

Arguments = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Values by parameter. `closed` are parameters of which each value may have a branch of its own."""

    values: Mapping[str, Sequence[Value]]
    closed: frozenset[str]

    def kind(self, name: str, value: Value) -> object:
        """Values of one kind take the same way through a query as far as anyone can tell without looking at it."""
        if value is None or name in self.closed:
            return value
        if isinstance(value, list | tuple):
            return ("list", bool(value), None in value)
        return "value"

    def kinds(self) -> list[tuple[str, object]]:
        """What has to be shown: each kind of value of each parameter."""
        return [
            (n, kind) for n, values in self.values.items() for kind in dict.fromkeys(self.kind(n, v) for v in values)
        ]


def argument_sets(method: QueryMethod, schema: Schema, database: Database, semantics: Semantics) -> list[Arguments]:
    """Up to MAX_SETS assignments of values to parameters; one empty assignment when there are none.

    Values come from columns that a parameter is compared with, from the C# default, from its type. Kept are those whose
    answers (by the reference interpreter) differ most, something first, nothing last; and for each parameter and kind
    of value (null, true, false, a member of an enum, an empty list, anything else) a set in which it changes the
    answer, where one is found: a translation that ignores the parameter then gives other rows.
    """
    if not method.parameters:
        return [{}]
    found = Candidates(
        {p.name: _unique(candidates_for(p, method, schema, database))[:_POOL] for p in method.parameters},
        frozenset(p.name for p in method.parameters if is_closed(p.type)),
    )
    trials = _Trials(method, schema, database, semantics)
    for arguments in _combinations(found.values):
        trials.answer(arguments)
        if trials.is_late:
            break
    chosen = trials.most_different()[:_DIFFERENT]
    for name, kind in found.kinds():
        if len(chosen) < MAX_SETS and not any(_shows(a, name, kind, found, trials) for a in chosen):
            chosen += _search(name, kind, found, trials, chosen)
    return chosen


@dataclass
class _Trials:
    """Answers of the reference interpreter to what was tried, within a limit of time."""

    method: QueryMethod
    schema: Schema
    database: Database
    semantics: Semantics
    known: dict[str, tuple[Arguments, str]] = field(default_factory=dict)
    deadline: float = field(default_factory=lambda: time.monotonic() + _SECONDS)

    @property
    def is_late(self) -> bool:
        return bool(self.known) and time.monotonic() > self.deadline

    def answer(self, arguments: Arguments) -> str | None:
        """None when there is no time left to find out."""
        key = repr(arguments)
        if key not in self.known:
            if self.is_late:
                return None
            self.known[key] = (arguments, self._evaluated(arguments))
        return self.known[key][1]

    def _evaluated(self, arguments: Arguments) -> str:
        try:
            value = evaluate_method(self.method, self.schema, self.database, self.semantics, arguments)
        except QueryError as error:
            return f"throws {error.exception}"
        except (TypeError, KeyError, AttributeError, ArithmeticError, ValueError, AssertionError):
            return "throws"
        return repr(canonical(value, self.semantics))

    def most_different(self) -> list[Arguments]:
        """One for each answer. Arguments that no caller would pass (month 13) only where nothing else is left."""
        ranked: dict[str, Arguments] = {}
        for arguments, answer in self.known.values():
            ranked.setdefault(answer, arguments)
        sensible = {a: v for a, v in ranked.items() if not a.startswith("throws")} or ranked
        return [v for _, v in sorted(sensible.items(), key=lambda item: item[0] in _NOTHING)]


def _combinations(candidates: Mapping[str, Sequence[Value]]) -> Iterator[Arguments]:
    """Each value at least once, then a fixed sample of the rest."""
    names = list(candidates)
    longest = max(len(v) for v in candidates.values())
    for i in range(longest):
        yield {n: candidates[n][i % len(candidates[n])] for n in names}
    draw = random.Random(len(names))
    for _ in range(_SAMPLE if len(names) > 1 else 0):
        yield {n: draw.choice(candidates[n]) for n in names}


def _shows(arguments: Arguments, name: str, kind: object, candidates: Candidates, trials: _Trials) -> bool:
    """Whether another value for that parameter alone would give another answer."""
    if candidates.kind(name, arguments[name]) != kind:
        return False
    mine = trials.answer(arguments)
    if mine is None or mine.startswith("throws"):
        return False
    others = [v for v in candidates.values[name] if not _same(v, arguments[name])]
    others.sort(key=lambda v: candidates.kind(name, v) == kind)
    return any((trials.answer({**arguments, name: v}) or mine) != mine for v in others)


def _search(
    name: str, kind: object, candidates: Candidates, trials: _Trials, chosen: Sequence[Arguments]
) -> list[Arguments]:
    """A set that shows it; failing that one that has it; none where one has it already."""
    fitting = [v for v in candidates.values[name] if candidates.kind(name, v) == kind]
    tried = [arguments for arguments, _ in list(trials.known.values())]
    for base in (*chosen, *tried):
        for value in fitting:
            varied = {**base, name: value}
            if _shows(varied, name, kind, candidates, trials):
                return [varied]
        if trials.is_late:
            break
    return [] if any(candidates.kind(name, a[name]) == kind for a in chosen) else [{**chosen[0], name: fitting[0]}]


def _unique(values: Sequence[Value]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if not any(_same(value, v) for v in found):
            found.append(value)
    return found


def _same(one: Value, other: Value) -> bool:
    return one == other and type(one) is type(other)
