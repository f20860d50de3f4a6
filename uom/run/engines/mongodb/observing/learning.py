"""What was loaded into a database: the shapes of its collections.

Loading goes through our hands, so that later it is known which fields are arrays, which may be missing, and which
letters a text holds. Of a database that was not loaded here nothing is known.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

from bson import Decimal128, Int64

from uom.run.engines.mongodb.observing.shapes import (
    KIND_OF_TYPE,
    MISSING,
    NOTHING,
    Shape,
    digits_between,
    digits_of,
    join,
)

_MOST_ORDERS = 200


class Knowledge:
    """Shapes by database and collection. Written while loading, read by the relay's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._learners: dict[str, dict[str, _Learner]] = {}
        self._shapes: dict[str, Mapping[str, Shape]] = {}

    @property
    def databases(self) -> frozenset[str]:
        """What was loaded here and not forgotten."""
        with self._lock:
            return frozenset(self._learners)

    def expect(self, database: str) -> None:
        """Also a database without collections is one that is known."""
        with self._lock:
            self._learners.setdefault(database, {})

    def learn(self, database: str, collection: str, documents: Iterable[Mapping[str, Any]]) -> None:
        """Adds documents that are about to be stored; none make the collection known as empty."""
        with self._lock:
            learner = self._learners.setdefault(database, {}).setdefault(collection, _Learner())
            for document in documents:
                learner.add(document)
            self._shapes.pop(database, None)

    def forget(self, database: str) -> None:
        with self._lock:
            self._learners.pop(database, None)
            self._shapes.pop(database, None)

    def of(self, database: str) -> Mapping[str, Shape]:
        """The shapes of all collections that were loaded into the database."""
        with self._lock:
            if database not in self._shapes:
                learners = self._learners.get(database, {})
                self._shapes[database] = {name: one.shape() for name, one in learners.items()}
            return self._shapes[database]


class _Learner:
    """Collects the values of one place in the documents: a few comparisons and set insertions each."""

    __slots__ = (
        "decimals",
        "doubles",
        "element",
        "fields",
        "largest",
        "letters",
        "objects",
        "orders",
        "present",
        "types",
    )

    def __init__(self) -> None:
        self.types: set[type] = set()
        self.letters: set[str] = set()
        self.largest = 0
        self.decimals = (0, 0)
        self.doubles = (inf, 0.0)
        self.fields: dict[str, _Learner] = {}
        self.present: dict[str, int] = {}
        self.objects = 0
        self.orders: set[tuple[str, ...]] = set()
        self.element: _Learner | None = None

    def add(self, value: Any) -> None:
        kind = type(value)
        if kind not in KIND_OF_TYPE:
            # an enum is stored as the text or number that it is
            kind = next((known for known in (str, int, float, dict, list) if isinstance(value, known)), kind)
        self.types.add(kind)
        if kind is str:
            self.letters.update(value)
        elif kind is int or kind is Int64:
            self.largest = max(self.largest, abs(value))
        elif kind is float:
            magnitude = abs(value)
            # a comparison with NaN is false: it must not get lost
            if not magnitude <= self.doubles[1]:
                self.doubles = (self.doubles[0], magnitude)
            if 0 < magnitude < self.doubles[0]:
                self.doubles = (magnitude, self.doubles[1])
        elif kind is dict:
            self._add_object(value)
        elif kind is list:
            self.element = self.element or _Learner()
            for item in value:
                self.element.add(item)
        elif kind is Decimal128:
            digits = digits_of(value)
            self.decimals = (max(self.decimals[0], digits[0]), max(self.decimals[1], digits[1]))

    def _add_object(self, value: dict[str, Any]) -> None:
        self.objects += 1
        if len(self.orders) < _MOST_ORDERS:
            self.orders.add(tuple(value))
        for name, inner in value.items():
            learner = self.fields.get(name)
            if learner is None:
                learner = self.fields[name] = _Learner()
            self.present[name] = self.present.get(name, 0) + 1
            learner.add(inner)

    def shape(self) -> Shape:
        if not self.types:
            return NOTHING
        fields = {}
        for name, learner in self.fields.items():
            inner = learner.shape()
            fields[name] = inner if self.present[name] == self.objects else join(inner, MISSING)
        return Shape(
            frozenset(self._kinds()),
            fields,
            element=self.element.shape() if self.element else None,
            letters=frozenset(self.letters),
            digits=self._digits(),
            built=self._one_order(),
        )

    def _kinds(self) -> set[str]:
        kinds = {KIND_OF_TYPE.get(kind, "other") for kind in self.types}
        return kinds | {"long"} if self.largest >= 2**31 else kinds

    def _digits(self) -> tuple[int, int]:
        doubles = digits_between(*self.doubles) if float in self.types else (0, 0)
        return (
            max(len(str(self.largest)), self.decimals[0], doubles[0]),
            max(self.decimals[1], doubles[1]),
        )

    def _one_order(self) -> bool:
        """Two documents can only be equal but for their order when they have the same names in two orders."""
        return len(self.orders) < _MOST_ORDERS and len({frozenset(names) for names in self.orders}) == len(self.orders)
