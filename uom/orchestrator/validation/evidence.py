"""Where the rows of a validation stay: one folder per tool call, so that finished work is found again.

State and messages carry counts, edge rows and the path; all rows are here. A folder is complete when its summary is
there, which is written last.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from uom.orchestrator.state import QuerySample, QueryValidationResults
from uom.orchestrator.threads import Threads, known_thread
from uom.orchestrator.validation import values
from uom.run.cache import cache_root, digest
from uom.run.failures import EnvironmentFailure
from uom.run.lines import lines_of

SUMMARY = "summary.json"
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}")
_SAMPLE_CHARACTERS = 4_000
_OUTPUT_CHARACTERS = 4_000
_KEPT_SECONDS = 14 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Evidence:
    """A folder for one side of one validation."""

    folder: Path

    @property
    def summary(self) -> Path:
        return self.folder / SUMMARY

    def read(self) -> QueryValidationResults | None:
        """What an earlier attempt of the same call found, if it came to its end."""
        try:
            content = values.loads(self.summary.read_bytes())
        except (OSError, ValueError):
            return None
        samples = {label: QuerySample(**sample) for label, sample in content.pop("queries").items()}
        return QueryValidationResults(**content, queries=samples)

    def write(self, results: QueryValidationResults) -> QueryValidationResults:
        """Writes the summary; a reader sees all of it or nothing."""
        found = QueryValidationResults(
            results.passed, results.queries, str(self.summary), results.engine, results.output[:_OUTPUT_CHARACTERS]
        )
        content = {**vars(found), "queries": {label: vars(s) for label, s in found.queries.items()}}
        self.put(SUMMARY, content)
        return found

    def put(self, name: str, content: Any) -> None:
        """Writes values as JSON, whole or not at all. `get` gives them back."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = values.dumps(content)
        part = self.folder / f"{name}.part"
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(part, self.folder / name)

    def get(self, name: str) -> Any:
        return values.loads((self.folder / name).read_bytes())

    def put_rows(self, rows: Sequence[Any]) -> str:
        """Writes a line for each; the name that `get_rows` takes. One document would keep all threads waiting."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"rows-{uuid.uuid4().hex}.jsonl"
        with open(self.folder / name, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(f"{values.dumps(row)}\n" for row in rows)
        return name

    def get_rows(self, name: str) -> list[Any]:
        return [values.loads(line) for line in lines_of(self.folder / name)]

    def part(self, name: str) -> Evidence:
        """A folder within, for one of several programs."""
        return Evidence(self.folder / _folder_name(name))

    def clear(self) -> None:
        """For a fresh attempt: what a killed one left is removed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)


def runs_folder() -> Path:
    """UOM_RUNS, or a folder in the cache."""
    named = os.environ.get("UOM_RUNS")
    return Path(named) if named else cache_root() / "runs"


def check_runs_folder() -> None:
    """Raises EnvironmentFailure where no rows can be kept."""
    folder = runs_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "Set UOM_RUNS to a folder that you can write to."
        raise EnvironmentFailure(f"Cannot write to {folder}", error.strerror or str(error), remedy) from None


def evidence_of(thread: str, call: str) -> Evidence:
    """The folder of a tool call in a thread, whatever characters their names have."""
    return Evidence(runs_folder() / _folder_name(thread) / _folder_name(call))


async def forget_thread(threads: Threads, thread: str) -> None:
    """Removes its checkpoints and its rows. Raises UnknownThread, and EnvironmentFailure while somebody works on it."""
    await known_thread(threads, thread)
    async with threads.claim(thread):
        await threads.saver.adelete_thread(thread)
        shutil.rmtree(runs_folder() / _folder_name(thread), ignore_errors=True)


def _folder_name(name: str) -> str:
    return name if _SAFE.fullmatch(name) else digest(name)


def remove_old(now: float | None = None) -> None:
    """Threads that nobody touched for two weeks lose their rows; they can still be resumed, which runs them again."""
    root = runs_folder()
    for folder in root.iterdir() if root.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # another process does the same
            if (now or time.time()) - folder.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def sample(count: int, first: Any, last: Any, error: str = "") -> QuerySample:
    """Edge rows as plain JSON values, bounded: state and checkpoints must stay small, and take no wider integer."""
    return QuerySample(count, _bounded(first), _bounded(last), error[:_OUTPUT_CHARACTERS])


def _bounded(value: Any) -> Any:
    found = plain(value)
    text = json.dumps(found, ensure_ascii=False)
    if len(text) <= _SAMPLE_CHARACTERS:
        return found
    return {"cut": f"{text[:200]}...", "characters": len(text), "digest": digest(text)}


def plain(value: Any) -> Any:
    """A value as JSON has it, for people to look at."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, Decimal):  # a sample is to be looked at; the exact value is in the rows
        return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
    return str(value)
