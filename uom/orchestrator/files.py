"""Several files in one text, as state and messages carry them: a line `// file: PATH` before each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_MARK = re.compile(r"^// file: (?P<path>\S.*?)[ \t]*$", re.MULTILINE)
_LOOKS_LIKE_ONE = re.compile(r"^(\\*// file: )", re.MULTILINE)
_BACKSLASHED = r"\\\1"
_ESCAPED = re.compile(r"^\\(\\*// file: )", re.MULTILINE)


def join_files(files: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """One text. The order is kept, and `split_files` gives back what went in.

    A line of a file that looks like a mark gets a backslash: nobody adds a file by writing one into another.
    """
    pairs = files.items() if isinstance(files, Mapping) else files
    return "".join(f"// file: {path}\n{_LOOKS_LIKE_ONE.sub(_BACKSLASHED, ended(text))}" for path, text in pairs)


def split_files(text: str, unnamed: str = "input.cs") -> dict[str, str]:
    """The files of a text; what stands before the first mark is called `unnamed`. Two of one name are one text."""
    marks = list(_MARK.finditer(text))
    before = text[: marks[0].start()] if marks else text
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    found = [
        (mark["path"], _ESCAPED.sub(r"\1", text[mark.end() + 1 : end])) for mark, end in zip(marks, ends, strict=False)
    ]
    return in_one([(unnamed, before), *found] if before.strip() else found)


def in_one(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name. What is there twice is one text, so that nothing of it is lost, unless it says the same again."""
    found: dict[str, list[str]] = {}
    for path, text in files:
        known = found.setdefault(path, [])
        if text not in known:
            known.append(text)
    return {path: "".join(ended(t) for t in texts[:-1]) + texts[-1] for path, texts in found.items()}


def ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def is_safe(path: str) -> bool:
    """Whether a path stays within the project that it is written to."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and "\0" not in path
