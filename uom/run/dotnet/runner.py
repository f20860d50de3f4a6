"""Builds and runs the C# side with the user's own `dotnet`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from uom.run.cache import digest
from uom.run.failures import EnvironmentFailure
from uom.run.scratch import make_scratch, remove_scratch

_ERROR = re.compile(
    r"(?P<file>[^\s(]+\.cs)\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>\w+): (?P<message>.*?)(?: \[|$)"
)


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


def find_dotnet() -> str | None:
    """The user's `dotnet`, if there is one on PATH."""
    return shutil.which("dotnet")


def run_program(files: Mapping[str, str], connection: str, limit_seconds: float = 300.0) -> DotnetRun:
    """Builds the files in a temporary folder and runs them against a database. Never leaves processes or files."""
    with contextlib.closing(Builds()) as builds:
        return builds.run(files, connection, limit_seconds)


class Builds:
    """Programs that were built, kept for the next run of the same code: building takes seconds, running one.

    `run` is for one thread at a time; `close` removes everything.
    """

    def __init__(self, most: int = 4) -> None:
        self._most = most
        self._folders: OrderedDict[str, Path] = OrderedDict()

    def run(self, files: Mapping[str, str], connection: str, limit_seconds: float = 300.0) -> DotnetRun:
        """Files that are no code (.json) may differ from one run of a program to the next."""
        if find_dotnet() is None:
            remedy = "Install .NET 10, or leave it to the reference interpreter."
            raise EnvironmentFailure("dotnet", "it is not on PATH", remedy)
        code = {path: text for path, text in files.items() if not path.endswith(".json")}
        key = digest(*(part for item in sorted(code.items()) for part in item))
        try:
            folder = self._folders.get(key)
            if folder is None:
                folder = make_scratch("dotnet")
                self._keep(key, folder)
                _write(files, folder)
                problem = _build(folder, limit_seconds)
                if problem is not None:
                    self._drop(key)
                    return problem
            self._folders.move_to_end(key)
            return _execute({p: t for p, t in files.items() if p not in code}, folder, connection, limit_seconds)
        except subprocess.TimeoutExpired:
            self._drop(key)
            return DotnetRun(problem=f"it did not end within {limit_seconds:.0f} s")
        except BaseException:
            self._drop(key)
            raise

    def _keep(self, key: str, folder: Path) -> None:
        self._folders[key] = folder
        while len(self._folders) > self._most:
            self._drop(next(iter(self._folders)))

    def _drop(self, key: str) -> None:
        folder = self._folders.pop(key, None)
        if folder is not None:
            remove_scratch(folder)

    def close(self) -> None:
        for key in list(self._folders):
            self._drop(key)


_BUILD = ["build", "--nologo", "-v", "q", "-clp:NoSummary", "-p:UseSharedCompilation=false", "-o", "bin/out"]


def _write(files: Mapping[str, str], folder: Path) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _build(folder: Path, limit_seconds: float) -> DotnetRun | None:
    """None when it succeeds."""
    built = _run([str(find_dotnet()), *_BUILD], folder, limit_seconds)
    if built.returncode == 0:
        return None
    errors = _errors(built.stdout + built.stderr, folder)
    return DotnetRun(errors=errors, problem="" if errors else _tail(built.stdout + built.stderr))


def _execute(data: Mapping[str, str], folder: Path, connection: str, limit_seconds: float) -> DotnetRun:
    shutil.rmtree(folder / "results", ignore_errors=True)
    _write(data, folder)
    done = _run([str(find_dotnet()), "bin/out/UomSource.dll", ".", "results", connection], folder, limit_seconds)
    if done.returncode != 0 or not (folder / "results" / "results.json").exists():
        return DotnetRun(problem=_tail(done.stderr or done.stdout))
    return DotnetRun(_outcomes(folder / "results"))


def _run(command: list[str], folder: Path, limit_seconds: float) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "TMPDIR": str(folder),  # it leaves empty folders behind
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        "MSBUILDDISABLENODEREUSE": "1",
        "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
        "TZ": "UTC",
    }
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=limit_seconds)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _errors(output: str, folder: Path) -> tuple[CompileError, ...]:
    found = dict.fromkeys(
        CompileError(
            os.path.relpath(m["file"], folder) if os.path.isabs(m["file"]) else m["file"],
            int(m["line"]),
            int(m["column"]),
            m["code"],
            m["message"],
        )
        for m in _ERROR.finditer(output)
    )
    return tuple(found)


def _tail(output: str) -> str:
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    return " | ".join(lines[:3])[:600] if lines else "it ended without a word"


def _outcomes(results: Path) -> dict[str, SourceOutcome]:
    summary = json.loads((results / "results.json").read_text(encoding="utf-8"))
    outcomes = {}
    for label, entry in summary.items():
        error = entry["error"]
        value = None
        if error is None:
            value = json.loads((results / f"{label}.json").read_text(encoding="utf-8"), parse_float=Decimal)
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
