"""Reads what the Java harness wrote: results.json and one file of rows per query."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from uom.run.failures import EnvironmentFailure
from uom.run.lines import lines_of

_FILE = re.compile(r"[\w][\w.-]*")


class DamagedResults(EnvironmentFailure):
    """The files are not what our harness writes. Code that runs beside it can have changed them."""

    def __init__(self, why: str) -> None:
        super().__init__("The results are damaged", why, "Run it again.")


@dataclass(frozen=True, slots=True)
class QueryError:
    """`type` is a Java exception class, or `TimeLimit`."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What results.json says about one query. `shape` is "list", "value" or "null"; `count` is its rows, and 1 for
    a value or null. Samples are JSON values with decimals exact."""

    label: str
    count: int
    shape: str
    sha256: str
    millis: int
    first_sample: Any
    last_sample: Any
    error: QueryError | None
    file: str


class ResultsReader:
    """The results in one folder. Numbers that JSON writes with a point or an exponent come as Decimal, text exact."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.outcomes: Mapping[str, QueryOutcome] = {
            label: _outcome(label, entry) for label, entry in self._summary().items()
        }

    def rows(self, label: str) -> Iterator[Any]:
        """The rows of one query, streamed. Raises EnvironmentFailure at the end when they are not what was written,
        and at once when the query failed."""
        outcome = self.outcomes[label]
        if outcome.error is not None:
            raise ValueError(f"{label} has no rows: it failed with {outcome.error.type}")
        digest = hashlib.sha256()
        count = 0
        file = self._folder / outcome.file
        for line in lines_of(_regular(file)):
            digest.update(line)
            count += 1
            yield parse(line)
        if count != outcome.count or digest.hexdigest() != outcome.sha256:
            raise DamagedResults(f"{file} has {count} rows, {outcome.count} were written, or their digest differs")

    def _summary(self) -> dict[str, Any]:
        file = self._folder / "results.json"
        try:
            content = _regular(file).read_bytes()
        except OSError as error:
            raise EnvironmentFailure("There are no results", f"{file}: {error}", "Run it again.") from error
        summary = parse(content)
        if not isinstance(summary, dict):
            raise DamagedResults(f"{file} is no object")
        return summary


def _regular(file: Path) -> Path:
    """Raises DamagedResults for a link, a device and the like, which would be followed on our side."""
    if not stat.S_ISREG(file.lstat().st_mode):
        raise DamagedResults(f"{file} is no regular file")
    return file


def parse(text: bytes | str) -> Any:
    """JSON with decimals as Decimal instead of float. Raises DamagedResults for what is none."""
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise DamagedResults(f"it is no JSON that can be read: {error}") from error


def _outcome(label: str, entry: Any) -> QueryOutcome:
    try:
        outcome = _read_outcome(label, entry)
    except (KeyError, TypeError, IndexError) as error:
        raise DamagedResults(f"the entry of {label} is not whole: {error}") from error
    types = {"count": int, "shape": str, "sha256": str, "millis": int, "file": str}
    wrong = [name for name, type_ in types.items() if type(getattr(outcome, name)) is not type_]
    if wrong or not _FILE.fullmatch(outcome.file):
        raise DamagedResults(f"the entry of {label} has no fitting {wrong[0] if wrong else 'file'}")
    return outcome


def _read_outcome(label: str, entry: Mapping[str, Any]) -> QueryOutcome:
    error = entry["error"]
    return QueryOutcome(
        label=label,
        count=entry["count"],
        shape=entry["shape"],
        sha256=entry["sha256"],
        millis=entry["millis"],
        first_sample=entry["firstSample"],
        last_sample=entry["lastSample"],
        error=None if error is None else QueryError(str(error["type"]), str(error["message"])),
        file=entry["file"],
    )
