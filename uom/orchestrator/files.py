"""Several files in one text, as state and messages carry them: a line `// file: PATH` before each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_MARK = re.compile(r"^// file: (?P<path>\S.*?)[ \t]*$", re.MULTILINE)
_LOOKS_LIKE_ONE = re.compile(r"^(\\*// file: )", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*// file: )", re.MULTILINE)


def join_files(files: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """One text. The order is kept, and `split_files` gives back what went in.

    A line of a file that looks like a mark gets a backslash: nobody adds a file by writing one into another.
    """
    pairs = files.items() if isinstance(files, Mapping) else files
    return "".join(f"// file: {path}\n{_escaped(text)}" for path, text in pairs)


def _escaped(text: str) -> str:
    ended = text if text.endswith("\n") else text + "\n"
    return _LOOKS_LIKE_ONE.sub(r"\\\1", ended)


def split_files(text: str, unnamed: str = "input.cs") -> dict[str, str]:
    """The files of a text; what stands before the first mark is called `unnamed`. Two of one name are one text."""
    marks = list(_MARK.finditer(text))
    files: dict[str, str] = {}
    before = text[: marks[0].start()] if marks else text
    if before.strip():
        files[unnamed] = before
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        content = _ESCAPED.sub(r"\1", text[mark.end() + 1 : end])
        path = mark["path"]
        files[path] = files[path] + content if path in files and files[path] != content else content
    return files


def is_safe(path: str) -> bool:
    """Whether a path stays within the project that it is written to."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and "\0" not in path
