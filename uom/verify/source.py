"""The source side of a comparison: what the C# method returns for given arguments on given rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Database, QueryError, Value
from uom.verify.canonical import Canonical, of_reference
from uom.verify.shapes import Shape

REFERENCE_NAME = "reference interpreter"


@dataclass(frozen=True, slots=True)
class SourceResult:
    """`exception` is the .NET exception's name when the method throws; else `value` is canonical.

    `engine` names what really produced it; `problem` says why that is not what was asked for. `failed` says that
    there is no answer at all, so that nothing can be proven.
    """

    value: Canonical
    exception: str = ""
    millis: int = 0
    engine: str = ""
    problem: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that will be asked for: engines that work in batches see them all beforehand."""

    label: str
    method: QueryMethod
    arguments: Mapping[str, Value]
    shape: Shape


class SourceEngine(Protocol):
    """Something that can stand for the C# side. `name` goes into table and evidence."""

    @property
    def name(self) -> str: ...

    @property
    def left_out(self) -> Sequence[str]:
        """What of the C# was not run, as the compiler says it: no call needed it but those that have a problem."""

    def prepare(self, calls: Sequence[PendingCall]) -> None: ...

    def call(self, label: str, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape) -> SourceResult: ...


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """The interpreter of the algebra. It is not EF Core, and never called so."""

    schema: Schema
    database: Database
    semantics: Semantics
    now: datetime | None = None
    name: str = REFERENCE_NAME
    left_out: Sequence[str] = ()

    def prepare(self, calls: Sequence[PendingCall]) -> None:
        """Nothing: each call is evaluated when it is asked for."""

    def call(self, label: str, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape) -> SourceResult:  # noqa: ARG002
        started = time.perf_counter()
        try:
            value = evaluate_method(method, self.schema, self.database, self.semantics, dict(arguments), self.now)
        except QueryError as error:
            return SourceResult(None, error.exception, _since(started), self.name)
        except (
            TypeError,
            KeyError,
            AttributeError,
            ArithmeticError,
            ValueError,
            AssertionError,
            RecursionError,
        ) as error:
            # A defect of ours in one query must not take the others down, nor pass for a result.
            defect = f"the reference interpreter failed ({type(error).__name__}: {error}); please report this query"
            return SourceResult(None, "", _since(started), self.name, failed=defect)
        return SourceResult(of_reference(value, shape), "", _since(started), self.name)


def _since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
