"""Which arguments a method with parameters is called with: few sets, in which every parameter matters."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Database, QueryError, Value, canonical
from uom.verify.candidates import absent_value, candidates_for, is_closed, own_constants
from uom.verify.leaves import assembled, holders, leaves_of, optional_records, slot_of, uses_of

MAX_SETS = 24
_DIFFERENT = 2
_POOL = 8
_SAMPLE = 40
_SECONDS = 0.5
_MOST_SECONDS = 3.0
_NOTHING = frozenset({repr(("list",)), repr(None), repr(("bool", False)), "0", "throws"})
"""Answers that prove little."""

Arguments = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Values by slot: a parameter, a field of one that is a record (`filter.Min`), or whether there is a record.

    `closed` are slots of which each value may have a branch of its own, `own` values that the method itself names,
    `absent` one that no row has.
    """

    values: Mapping[str, Sequence[Value]]
    closed: frozenset[str]
    own: Mapping[str, Sequence[Value]]
    absent: Mapping[str, Value]

    def kind(self, name: str, value: Value) -> object:
        """Values of one kind take the same way through a query as far as anyone can tell without looking at it."""
        if value is None or name in self.closed:
            return value
        if isinstance(value, list | tuple):
            return ("list", bool(value), None in value)
        if name in self.absent and _same(value, self.absent[name]):
            return "absent"
        return ("own", value) if any(_same(value, v) for v in self.own[name]) else "value"

    def is_branch(self, name: str, kind: object) -> bool:
        """Whether the method is likely to have a branch for values of that kind."""
        return name in self.closed or kind is None or (isinstance(kind, tuple) and kind[0] == "own")

    def has(self, slots: Arguments, name: str, kind: object) -> bool:
        """Whether the slot has a value of that kind; what lies in a record that is not there has none."""
        return self.kind(name, slots[name]) == kind and not any(slots.get(h) is False for h in holders(name))

    def of_kind(self, name: str, kind: object) -> Value:
        return next(v for v in self.values[name] if self.kind(name, v) == kind)

    def put(self, slots: Arguments, name: str, value: Value) -> Arguments:
        """The same with another value there, and with the records that it lies in."""
        return {**slots, **{h: True for h in holders(name) if h in self.values}, name: value}

    def kinds(self) -> list[tuple[str, object]]:
        """What has to be shown: each kind of value of each slot, where there is a choice."""
        return [
            (name, kind)
            for name, values in self.values.items()
            if len(values) > 1
            for kind in dict.fromkeys(self.kind(name, v) for v in values)
        ]


def argument_sets(method: QueryMethod, schema: Schema, database: Database, semantics: Semantics) -> list[Arguments]:
    """Up to MAX_SETS assignments of values to parameters; one empty assignment when there are none.

    Values come from columns that a parameter is compared with, from the C# default, from its type; those of a record
    are chosen field by field. Kept are those whose answers (by the reference interpreter) differ most, something first,
    nothing last; and for each parameter or field and kind of value (null, true, false, a member of an enum, an empty
    list, what the method compares it with, anything else) a set in which it changes the answer, and one in which it
    would, where such are found: a translation that ignores the parameter, or takes every value for one of that kind,
    then gives other rows.
    """
    if not method.parameters:
        return [{}]
    found = _candidates(method, schema, database)
    trials = _Trials(method, schema, database, semantics, _time_for(found))
    for slots in _combinations(found.values):
        trials.answer(slots)
        if trials.is_late:
            break
    chosen = trials.most_different()[:_DIFFERENT]
    for name, kind in found.kinds():
        for away in (False, True):
            if len(chosen) < MAX_SETS and not any(_shows(s, name, kind, away, found, trials) for s in chosen):
                chosen += _search(name, kind, away, found, trials, chosen)
    chosen += _branches_together(found, trials, chosen)
    return _unique_sets(assembled(method.parameters, slots) for slots in chosen)


def _candidates(method: QueryMethod, schema: Schema, database: Database) -> Candidates:
    uses = uses_of(method)
    leaves = {slot_of(leaf.path): leaf for leaf in leaves_of(method, uses)}
    optional = [slot_of(path) for path in optional_records(method, uses)]
    values: dict[str, Sequence[Value]] = dict.fromkeys(optional, (True, False))
    absent = {s: v for s, leaf in leaves.items() if (v := absent_value(leaf, method, schema, database)) is not None}
    for slot, leaf in leaves.items():
        values[slot] = _unique(candidates_for(leaf, method, schema, database))[:_POOL]
        values[slot] = _unique([*values[slot], *([absent[slot]] if slot in absent else [])])
    closed = frozenset([*optional, *(slot for slot, leaf in leaves.items() if is_closed(leaf.type))])
    own = {s: own_constants(leaf.path, leaf.type, method) for s, leaf in leaves.items()}
    return Candidates(values, closed, own, absent)


def _time_for(candidates: Candidates) -> float:
    """More to be shown takes more trials."""
    return min(_SECONDS * max(1.0, len(candidates.kinds()) / 8), _MOST_SECONDS)


def _unique_sets(sets: Iterable[Arguments]) -> list[Arguments]:
    """Choices for a record that is not there make no difference."""
    return list({repr(arguments): arguments for arguments in sets}.values())


@dataclass
class _Trials:
    """Answers of the reference interpreter to what was tried, within a limit of time."""

    method: QueryMethod
    schema: Schema
    database: Database
    semantics: Semantics
    seconds: float
    known: dict[str, tuple[Arguments, str]] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    @property
    def is_late(self) -> bool:
        return bool(self.known) and time.monotonic() > self.started + self.seconds

    def answer(self, slots: Arguments) -> str | None:
        """None when there is no time left to find out."""
        arguments = assembled(self.method.parameters, slots)
        key = repr(arguments)
        if key not in self.known:
            if self.is_late:
                return None
            self.known[key] = (slots, self._evaluated(arguments))
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


def _shows(slots: Arguments, name: str, kind: object, away: bool, candidates: Candidates, trials: _Trials) -> bool:
    """Whether a value of that kind there gives another answer than another value would; `away`: whether one of that
    kind would give another answer than what is there."""
    if candidates.has(slots, name, kind) == away or any(slots.get(h) is False for h in holders(name)):
        return False
    mine = trials.answer(slots)
    if mine is None or mine.startswith("throws"):
        return False
    others = [v for v in candidates.values[name] if not _same(v, slots[name])]
    if away:
        others = [v for v in others if candidates.kind(name, v) == kind]
    others.sort(key=lambda v: candidates.kind(name, v) == kind)
    return any((trials.answer({**slots, name: v}) or mine) != mine for v in others)


def _search(
    name: str, kind: object, away: bool, candidates: Candidates, trials: _Trials, chosen: Sequence[Arguments]
) -> list[Arguments]:
    """A set that shows it; failing that one that has it; none where one has it already, or where C# would throw."""
    fitting = [v for v in candidates.values[name] if (candidates.kind(name, v) == kind) != away]
    tried = [slots for slots, _ in list(trials.known.values())]
    for base in (*chosen, *tried):
        for value in fitting:
            varied = candidates.put(base, name, value)
            if _shows(varied, name, kind, away, candidates, trials):
                return [varied]
        if trials.is_late:
            break
    if away or any(candidates.has(s, name, kind) for s in chosen):
        return []
    varied = candidates.put(chosen[0], name, fitting[0])
    return [] if trials.answer(varied) == "throws" and trials.answer(chosen[0]) != "throws" else [varied]


def _branches_together(candidates: Candidates, trials: _Trials, chosen: Sequence[Arguments]) -> list[Arguments]:
    """For each two branches of different slots a set in which both are taken, where that gives an answer of its own."""
    branches = [(name, kind) for name, kind in candidates.kinds() if candidates.is_branch(name, kind)]
    found: list[Arguments] = []
    for (one, first), (other, second) in itertools.combinations(branches, 2):
        every = [*chosen, *found]
        if one == other or len(every) >= MAX_SETS or trials.is_late:
            continue
        if any(candidates.has(s, one, first) and candidates.has(s, other, second) for s in every):
            continue
        slots = candidates.put(chosen[0], one, candidates.of_kind(one, first))
        slots = candidates.put(slots, other, candidates.of_kind(other, second))
        answer = trials.answer(slots)
        if answer is not None and not answer.startswith("throws") and answer not in {trials.answer(s) for s in every}:
            found.append(slots)
    return found


def _unique(values: Sequence[Value]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if not any(_same(value, v) for v in found):
            found.append(value)
    return found


def _same(one: Value, other: Value) -> bool:
    return one == other and type(one) is type(other)
