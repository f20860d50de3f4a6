"""Finding source files: paths, folders, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from uom.model.diagnostics import Place
from uom.read.csharp.syntax import InputProblem, SourceFile, decode, parse

SKIPPED_FOLDERS = frozenset({"bin", "obj", ".git", ".vs", ".idea", "node_modules", "packages", "TestResults"})


def load_sources(paths: Sequence[str | Path]) -> list[SourceFile]:
    """Parses files, folders (all *.cs below) and `-` (standard input).

    Raises InputProblem when a path does not exist, is not text, or nothing at all was found. Empty files inside a
    folder are skipped.
    """
    found: list[SourceFile] = []
    for path in paths:
        if str(path) == "-":
            found.append(parse("<stdin>", decode("<stdin>", sys.stdin.buffer.read())))
        else:
            found.extend(_load(Path(path)))
    if not found:
        named = ", ".join(str(p) for p in paths) or "nothing"
        raise InputProblem("input", f"there is no C# file in {named}", None, "Pass a .cs file or a folder with some.")
    return found


def _load(path: Path) -> Iterator[SourceFile]:
    if path.is_dir():
        for file in _files(path):
            source = _parse_file(file, str(file.relative_to(path)))
            if source is not None:
                yield source
        return
    if not path.exists():
        raise InputProblem("input", "there is no such file", Place(str(path), 1, 1), "Check the path.")
    yield parse(str(path), decode(str(path), _bytes(path)))


def _files(folder: Path) -> list[Path]:
    """All C# files below, in a fixed order, build output left out."""
    found = []
    for file in folder.rglob("*.cs"):
        parts = file.relative_to(folder).parts
        if not SKIPPED_FOLDERS.intersection(parts[:-1]) and file.is_file():
            found.append(file)
    return sorted(found)


def _parse_file(file: Path, name: str) -> SourceFile | None:
    data = _bytes(file)
    return parse(name, decode(name, data)) if data.strip() else None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputProblem("input", f"the file cannot be read ({reason})", Place(str(path), 1, 1)) from error
