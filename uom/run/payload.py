"""Carrying files and results through a shell: Base64 on the way in, a `JSON_PATH=` line on the way out."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath

_CHUNK_BYTES = 60_000
"""Of content in one command: Linux takes 128 KB in one argument, and Base64 adds a third. A multiple of 3."""

_MARK = "JSON_PATH="


def unpack_commands(files: Mapping[str, str], root: str) -> tuple[str, ...]:
    """Shell commands that write `files` (relative path -> text) below `root`, byte for byte.

    Raises ValueError for paths that would leave `root`.
    """
    commands: list[str] = []
    for path, text in files.items():
        relative = PurePosixPath(path)
        if relative.is_absolute() or ".." in relative.parts:
            raise ValueError(f"{path} is outside of the project")
        target = PurePosixPath(root) / relative
        commands.append(f"mkdir -p {shlex.quote(str(target.parent))}")
        content = text.encode("utf-8")
        for start in range(0, max(1, len(content)), _CHUNK_BYTES):
            encoded = base64.b64encode(content[start : start + _CHUNK_BYTES]).decode("ascii")
            arrow = ">" if start == 0 else ">>"
            commands.append(f'echo "{encoded}" | base64 -d {arrow} {shlex.quote(str(target))}')
    return tuple(commands)


def exports(environment: Mapping[str, str]) -> str:
    """`export` lines for a shell script."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


def result_line(variable: str) -> str:
    """Shell that prints the newest JSON file in the folder that `variable` names, as the last line; no path, if none."""
    return f'NEWEST_JSON=$(ls -t "${variable}"/*.json 2> /dev/null | head -n 1 || true)\nprintf "\\n{_MARK}%s\\n" "$NEWEST_JSON"\n'


def json_path(output: str) -> str | None:
    """The path in the last `JSON_PATH=` line of what a script printed."""
    line = next((line for line in reversed(output.splitlines()) if line.startswith(_MARK)), None)
    return None if line is None else line.removeprefix(_MARK).strip() or None
