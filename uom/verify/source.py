"""The source side of a comparison: what the C# method returns for given arguments on given rows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.reference.interpreter import evaluate_method
from uom.reference.values import Database, QueryError, Value
from uom.verify.canonical import Canonical, of_reference
from uom.verify.shapes import Shape


@dataclass(frozen=True, slots=True)
class SourceResult:
    """`exception` is the .NET exception's name when the method throws; else `value` is canonical."""

    value: Canonical
    exception: str = ""
    millis: int = 0


class SourceEngine(Protocol):
    """Something that can stand for the C# side. `name` goes into table and evidence."""

    @property
    def name(self) -> str: ...

    def call(self, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape) -> SourceResult: ...


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """The interpreter of the algebra. It is not EF Core, and never called so."""

    schema: Schema
    database: Database
    semantics: Semantics
    now: datetime | None = None
    name: str = "reference interpreter"

    def call(self, method: QueryMethod, arguments: Mapping[str, Value], shape: Shape) -> SourceResult:
        started = time.perf_counter()
        try:
            value = evaluate_method(method, self.schema, self.database, self.semantics, dict(arguments), self.now)
        except QueryError as error:
            return SourceResult(None, error.exception, _since(started))
        return SourceResult(of_reference(value, shape), "", _since(started))


def _since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
