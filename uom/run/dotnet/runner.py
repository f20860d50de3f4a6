"""Builds and runs the C# side with the user's own `dotnet`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

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
    dotnet = find_dotnet()
    if dotnet is None:
        raise EnvironmentFailure(
            "dotnet", "it is not on PATH", "Install .NET 10, or leave it to the reference interpreter."
        )
    folder = make_scratch("dotnet")
    try:
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        built = _run(
            [
                dotnet,
                "build",
                "--nologo",
                "-v",
                "q",
                "-clp:NoSummary",
                "-p:UseSharedCompilation=false",
                "-o",
                "bin/out",
            ],
            folder,
            limit_seconds,
        )
        if built.returncode != 0:
            errors = _errors(built.stdout + built.stderr, folder)
            return DotnetRun(errors=errors, problem="" if errors else _tail(built.stdout + built.stderr))
        command = [dotnet, "bin/out/UomSource.dll", ".", "results", connection]
        done = _run(command, folder, limit_seconds)
        summary = folder / "results" / "results.json"
        if done.returncode != 0 or not summary.exists():
            return DotnetRun(problem=_tail(done.stderr or done.stdout))
        return DotnetRun(_outcomes(folder / "results"))
    except subprocess.TimeoutExpired:
        return DotnetRun(problem=f"it did not end within {limit_seconds:.0f} s")
    finally:
        remove_scratch(folder)


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
            value, error["type"] if error else "", error["message"] if error else "", entry["millis"]
        )
    return outcomes
