"""What both languages share: pack the files, run the script, find the results by the last JSON_PATH= line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any

from uom.run.payload import exports, json_path, result_line, unpack_commands
from uom.run.sandboxes.endpoints import Endpoint
from uom.run.sandboxes.protocol import Ending, Execution, Sandbox, SandboxProblem
from uom.run.validators.outcome import Diagnostic, Validation, without_secrets

_COMMAND_BYTES = 90_000
_UNPACK_SECONDS = 60.0
_RESULT_BYTES = 64 << 20
_FOLDER = "results"
_SCRIPT = "run.sh"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

_ENDINGS = {
    Ending.TIMEOUT: "it was killed: it did not end in time",
    Ending.MEMORY: "it was killed: it used too much memory",
    Ending.PROCESSES: "it was killed: it started too many processes",
    Ending.DISK: "it was killed: it wrote too much",
}


@dataclass(frozen=True, slots=True)
class Project:
    """`commands` build and, but for the last with `run` off, run it. Each variable of `results` names the folder for
    result files, each of `environment` is exported too. `diagnose` reads a compiler's output."""

    files: Mapping[str, str]
    commands: tuple[str, ...]
    results: tuple[str, ...]
    environment: Mapping[str, str]
    diagnose: Callable[[str, str], tuple[Diagnostic, ...]]
    run: bool = True


@dataclass(frozen=True, slots=True)
class Terms:
    """How a project may run. `keep` is a folder on the host for all files that it writes as results."""

    reach: tuple[Endpoint, ...] = ()
    limit_seconds: float = 480.0
    trusted: bool = False
    keep: Path | None = None


def script(project: Project, folder: str) -> str:
    """run.sh, as a person could run it."""
    values = {**project.environment, **dict.fromkeys(project.results, f"{folder}/{_FOLDER}")}
    lines = ["#!/usr/bin/env bash", "set -euo pipefail", f'cd "{folder}"', exports(values).rstrip("\n")]
    lines += [f'rm -rf "{folder}/{_FOLDER}"', f'mkdir -p "{folder}/{_FOLDER}"', *project.commands]
    return "\n".join(lines) + "\n" + (result_line(project.results[0]) if project.run else "")


async def validate(sandbox: Sandbox, project: Project, terms: Terms) -> Validation:
    """Raises SandboxProblem when the sandbox fails, ValueError for paths that leave the project."""
    folder = f"{sandbox.root}/validation-{uuid.uuid4().hex[:12]}"
    files = {**project.files, _SCRIPT: script(project, folder)}
    try:
        for command in _batches(unpack_commands(files, folder)):
            unpacked = await sandbox.execute(command, folder, limit_seconds=_UNPACK_SECONDS, trusted=terms.trusted)
            if not unpacked.ok:
                raise SandboxProblem("Cannot write the project", unpacked.output.strip()[-500:], "")
        done = await sandbox.execute(
            f'bash "{folder}/{_SCRIPT}"', folder, None, terms.limit_seconds, terms.reach, terms.trusted
        )
        return await _judge(sandbox, project, terms, done, folder)
    finally:
        with contextlib.suppress(SandboxProblem, asyncio.CancelledError):
            await asyncio.shield(sandbox.remove(folder))


def _batches(commands: Sequence[str]) -> Iterator[str]:
    """As many as one shell takes at once."""
    batch: list[str] = []
    size = 0
    for command in commands:
        if batch and size + len(command) > _COMMAND_BYTES:
            yield "set -e\n" + "\n".join(batch)
            batch, size = [], 0
        batch.append(command)
        size += len(command) + 1
    yield "set -e\n" + "\n".join(batch)


async def _judge(sandbox: Sandbox, project: Project, terms: Terms, done: Execution, folder: str) -> Validation:
    output = without_secrets(_COLOURS.sub("", done.output), project.environment)

    def failed(reason: str, diagnostics: tuple[Diagnostic, ...] = ()) -> Validation:
        return Validation(False, output, reason, diagnostics, seconds=done.seconds)

    if done.ending is not Ending.EXITED:
        return failed(_ENDINGS[done.ending])
    if done.exit_code != 0:
        found = tuple(d for d in project.diagnose(output, folder) if d.severity == "error")
        return failed("it does not compile" if found else f"it ended with exit code {done.exit_code}", found)
    if not project.run:
        return Validation(True, output, seconds=done.seconds)
    path = json_path(done.output)
    if path is None:
        return failed("it ended without writing a result")
    if not _is_result(path, folder):
        return failed("the JSON_PATH that it named is not among its results")
    try:
        result = _read(await sandbox.download(path, _RESULT_BYTES))
        if terms.keep is not None:
            await _keep(sandbox, f"{folder}/{_FOLDER}", terms)
    except (SandboxProblem, ValueError) as problem:
        return failed(f"its result cannot be read: {problem}")
    return Validation(True, output, result=result, json_path=path, seconds=done.seconds)


def _is_result(path: str, folder: str) -> bool:
    found = PurePosixPath(path)
    return found.is_relative_to(f"{folder}/{_FOLDER}") and ".." not in found.parts and found.suffix == ".json"


def _read(content: bytes) -> dict[str, Any]:
    """Decimals keep their digits. Raises ValueError when it is not what the entry points write."""
    result = json.loads(content.decode("utf-8"), parse_float=Decimal)
    if not isinstance(result, dict):
        raise ValueError("it is no object")
    for name, entry in result.items():
        count = entry.get("count") if isinstance(entry, dict) else None
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{name[:100]} has no count")
    return result


async def _keep(sandbox: Sandbox, folder: str, terms: Terms) -> None:
    """Plain files directly in the folder; anything else is left behind."""
    assert terms.keep is not None
    listing = await sandbox.execute(
        "find . -maxdepth 1 -type f -printf '%f\\n'", folder, limit_seconds=_UNPACK_SECONDS, trusted=terms.trusted
    )
    for name in listing.output.splitlines():
        if name == PurePosixPath(name).name and name not in (".", ".."):
            content = await sandbox.download(f"{folder}/{name}", _RESULT_BYTES)
            (terms.keep / name).write_bytes(content)
