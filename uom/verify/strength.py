"""How much a comparison can tell: which wrong translations would have come out different on these rows.

The interpreter answers for each mutant with the arguments that the query is called with. One that gives the same rows
as the query is a survivor: the rows cannot tell it from the right translation, or there is no difference in meaning.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uom.model.program import QueryMethod
from uom.reference.interpreter import evaluate_method
from uom.reference.values import QueryError, Value
from uom.verify.canonical import Canonical, of_reference
from uom.verify.compare import Comparer
from uom.verify.mutants import mutants
from uom.verify.shapes import Shape
from uom.verify.source import ReferenceSource

_DEFECTS = (TypeError, KeyError, AttributeError, ArithmeticError, ValueError, AssertionError, RecursionError)
_SAME = Comparer(inexact=True)


@dataclass(frozen=True, slots=True)
class Strength:
    """`tried` mutants, and what the survivors among them did wrong. `caught` came out different."""

    tried: int
    caught: int
    survivors: tuple[str, ...]


def strength_of(
    method: QueryMethod, source: ReferenceSource, sets: Sequence[Mapping[str, Value]], shape: Shape, deadline: float
) -> Strength:
    """What is not tried by the deadline (of time.monotonic) is not counted."""
    expected: list[tuple[Mapping[str, Value], Canonical]] = []
    caught, survivors = 0, []
    for number, mutant in enumerate(mutants(method, source.schema)):
        if time.monotonic() > deadline:
            break
        if number == 0:
            expected = [(arguments, _answer(method, source, arguments, shape)) for arguments in sets]
        if any(_differs(right, _answer(mutant.method, source, given, shape), shape) for given, right in expected):
            caught += 1
        else:
            survivors.append(mutant.what)
    return Strength(caught + len(survivors), caught, tuple(survivors))


@dataclass(frozen=True, slots=True)
class _Failed:
    """A query that gives no rows."""

    exception: str


def _answer(method: QueryMethod, source: ReferenceSource, arguments: Mapping[str, Value], shape: Shape) -> Canonical:
    try:
        value = evaluate_method(method, source.schema, source.database, source.semantics, dict(arguments), source.now)
        return of_reference(value, shape)
    except QueryError as error:
        return _Failed(error.exception)
    except _DEFECTS as error:  # a mutant need not make sense
        return _Failed(type(error).__name__)


def _differs(expected: Canonical, actual: Canonical, shape: Shape) -> bool:
    if isinstance(expected, _Failed) or isinstance(actual, _Failed):
        return bool(expected != actual)
    try:
        return _SAME.compare(expected, actual, shape) is not None
    except _DEFECTS:
        return True
