"""What a run of the C# side gave: outcomes of calls, errors of the compiler, or why there is neither."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from uom.run.lines import lines_of

RESULTS_FILE = "results.json"


@dataclass(frozen=True, slots=True)
class CompileError:
    """A place in the program's files: `Input/000.cs` is the user's first file."""

    file: str
    line: int
    column: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}({self.line},{self.column}): {self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """What one call gave: `value` as JSON, or the exception's short name and message."""

    value: Any
    error: str
    message: str
    millis: int


@dataclass(frozen=True, slots=True)
class DotnetRun:
    """`problem` is set when the program as a whole failed; `errors` when it did not compile."""

    outcomes: Mapping[str, SourceOutcome] = field(default_factory=dict)
    errors: tuple[CompileError, ...] = ()
    problem: str = ""


class DotnetRunner(Protocol):
    """Builds and runs programs as `project.project_files` writes them, on the database that it was made for."""

    def run(self, files: Mapping[str, str], limit_seconds: float = 300.0) -> DotnetRun: ...


def outcomes_in(results: Path) -> dict[str, SourceOutcome]:
    """What the program's harness wrote into its folder for results, by label."""
    summary = json.loads((results / RESULTS_FILE).read_text(encoding="utf-8"))
    outcomes = {}
    for label, entry in summary.items():
        error = entry["error"]
        value = None
        if error is None:
            # line by line: a large document would keep all other threads waiting while it is read
            rows = [json.loads(line, parse_float=Decimal) for line in lines_of(results / f"{label}.jsonl")]
            value = rows if entry["shape"] == "list" else rows[0]
        outcomes[label] = SourceOutcome(
            value, _exception(error) if error else "", error["message"] if error else "", entry["millis"]
        )
    return outcomes


_SQL_STATES = {"22012": "DivideByZeroException", "22003": "OverflowException"}
"""What the server found wrong with a number, by the name that C# has for it."""


def _exception(error: Mapping[str, str]) -> str:
    if error["type"] == "PostgresException":
        return _SQL_STATES.get(error["message"][:5], error["type"])
    return error["type"]
