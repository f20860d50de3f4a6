"""C# in the text that people put around it: which lines of a paste are code.

Files that are read and conversations share this. What looks like C# is always taken, in whatever fence it stands or
in none: prose that comes along does not parse, so the reader names its place, where code that was passed over would
be missed by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_CONTAINER = r"(?P<container>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*)"
"""Quotes and list items that a fence may stand in."""
_OPENING = re.compile(_CONTAINER + r"(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*)$")
_CLOSING = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*$")
_QUOTE = re.compile(r"(?:[ \t]*>)+[ \t]?")
_INLINE = re.compile(r"(?P<before>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?`+)(?P<code>[^`]+)(?P<after>`+[ \t]*)$")

_TAG = re.compile(r"(?:language|lang)?[-=\s{.\"']*(?P<name>[\w#+-]+)", re.I)
_TAGS = frozenset({"cs", "csharp", "c-sharp", "c#", "csx", "dotnet", "net"})
_FILE = re.compile(r"(?P<name>[\w./-]*\w\.(?:cs|csx))\b")

_MODIFIER = (
    r"(?:public|internal|private|protected|sealed|abstract|static|partial|readonly|async|override|virtual|required)"
)
_ONLY_CSHARP = re.compile(
    r"^\s*(?:"
    r"(?:global\s+)?using\s+(?:static\s+)?[\w.]+(?:\s*=\s*[\w.<>, ]+)?;\s*$"
    r"|namespace\s+\w+(?:\.\w+)*\s*[;{]?\s*$"
    rf"|(?:\[[^\]]*\]\s*)*(?:{_MODIFIER}\s+)*[\w.<>\[\],?]+\s+\w+\s*\{{\s*(?:get|init)\b"
    rf"|(?:{_MODIFIER}\s+)*class\s+\w+[^;{{]*:\s*\w*DbContext\b"
    rf"|{_MODIFIER}\s[^=]*=>"
    rf"|{_MODIFIER}\s[^=]*\b(?:DbSet|I(?:Ordered)?Queryable|I(?:Async)?Enumerable|Task|Func)<.+>"
    r")"
)
"""A line that is C# and no other language that is written like it."""
_QUERIES = re.compile(r"\.[A-Z]\w*(?:<[^>]*>)?\(\s*(?:async\s+)?(?:\w+|\([\w\s,]*\))\s*=>")
"""`.Where(o =>`: other languages begin the names of methods with small letters, or write arrows differently."""
_MOST_CHARACTERS = 1000
"""What is looked at of a line: nobody writes longer ones by hand."""
_DECLARES = re.compile(
    r"^\s*(?:\[[^\]]*\]\s*)*(?:"
    rf"(?:{_MODIFIER}\s+)*(?:class|struct|enum|interface|record(?:\s+struct)?)\s+[A-Z]\w*\s*(?:[(:{{<;]|$)"
    rf"|(?:{_MODIFIER}\s+)+[\w.<>\[\],?]+\s+\w+\s*(?:<[\w, ]+>)?\s*(?:[({{;=]|$)"
    r"|(?:var|const\s+\w+)\s+\w+\s*=(?!=).*[;{(]\s*$"
    r"|(?:return|await)\s+[\w(].*;\s*$"
    r")"
)
_ALSO_CODE = re.compile(r"^\s*(?:\[\w+.*\]\s*$|//|/\*|\*|#(?:if|else|elif|endif|region|endregion|nullable|pragma)\b)")
"""Lines that belong to the code below them."""
_ENDS = ("}", ";", "*/")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a text that are a fenced block, or C# without a fence.

    `first` is the index of its first line; marks of quotes around the code are blanks in `lines`. `info` is what
    stands behind the fence, `before` the line above it; both are empty without a fence.
    """

    first: int
    lines: tuple[str, ...]
    is_fenced: bool
    is_csharp: bool = True
    info: str = ""
    before: str = ""

    @property
    def code(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Markdown:
    """A text taken apart: `pieces` in order, and `words`, the lines that are in none of them."""

    pieces: tuple[Piece, ...]
    words: str

    def csharp(self) -> tuple[Piece, ...]:
        return tuple(p for p in self.pieces if p.is_csharp)


def read_markdown(text: str) -> Markdown:
    """Fenced blocks, whatever language they are in, and C# that stands outside of them."""
    lines = text.split("\n")
    pieces: list[Piece] = []
    words: list[str] = []
    at = 0
    for piece, start, end in [*_fences(lines), (None, len(lines), len(lines))]:
        bare = _bare(lines, at, start)
        taken = range(bare.first, bare.first + len(bare.lines)) if bare is not None else range(0)
        words += [line for number, line in enumerate(lines[at:start], at) if number not in taken]
        pieces += [p for p in (bare, piece) if p is not None]
        at = end
    return Markdown(tuple(pieces), "\n".join(words))


def only_code(text: str) -> str:
    """The text with everything blanked out that is not C#; lines and columns stay. A text without fences is code."""
    if not has_fences(text):
        return text
    found = read_markdown(text)
    kept = {p.first + number: line for p in found.csharp() for number, line in enumerate(p.lines)}
    return "\n".join(kept.get(number, " " * len(line)) for number, line in enumerate(text.split("\n")))


def has_fences(text: str) -> bool:
    return ("```" in text or "~~~" in text) and any(_opened(line) is not None for line in text.split("\n"))


def file_name(text: str) -> str | None:
    """The name of a C# file in a line of text."""
    found = _FILE.search(text)
    return found["name"] if found is not None else None


def _fences(lines: Sequence[str]) -> Iterator[tuple[Piece, int, int]]:
    """Each fenced block, with the line where its fence opens and the one behind all of it."""
    number = behind = 0
    while number < len(lines):
        opening = _opened(lines[number])
        if opening is None:
            number += 1
            continue
        start, number = number, number + 1
        depth = opening["container"].count(">")
        inside: list[str] = []
        end = number
        while number < len(lines):
            line = _unquoted(lines[number], depth)
            if line is None or _opens_another(line, opening["fence"]):
                break
            number = end = number + 1
            closing = _CLOSING.match(line)
            if closing is not None and closing["fence"].startswith(opening["fence"]):
                break
            inside.append(line)
        info = opening["info"].strip()
        before = next((line.strip() for line in reversed(lines[behind:start]) if line.strip()), "")
        yield Piece(start + 1, tuple(inside), True, _is_csharp(info, inside), info, before), start, end
        behind = end


def _opened(line: str) -> re.Match[str] | None:
    """A fence; three backticks with their like behind them are a span of code within a line."""
    found = _OPENING.match(line)
    return None if found is None or (found["fence"][0] == "`" and "`" in found["info"]) else found


def _opens_another(line: str, fence: str) -> bool:
    """A fence with a language in an open one: somebody forgot to close that, or it would have been the longer."""
    found = _opened(line)
    return found is not None and found["info"].strip() != "" and found["fence"].startswith(fence)


def _unquoted(line: str, depth: int) -> str | None:
    """The line with the marks of its quotes blanked out; None where the quote is over."""
    for _ in range(depth):
        mark = line.find(">")
        if mark < 0 or line[:mark].strip():
            return None
        line = f"{line[:mark]} {line[mark + 1 :]}"
    return line


def _is_csharp(info: str, lines: Sequence[str]) -> bool:
    """By what the fence says; where it names something else, by the code itself."""
    tag = _TAG.match(info)
    if not info or (tag is not None and tag["name"].lower() in _TAGS) or _FILE.search(info) is not None:
        return True
    return any(map(_is_only_csharp, lines))


def _is_only_csharp(line: str) -> bool:
    line = line[:_MOST_CHARACTERS].rstrip()
    if _ONLY_CSHARP.match(line):
        return True
    begins_as_code = re.match(r"\s*[\w.(@]", line) is not None
    return begins_as_code and line.endswith((";", "{", "}", "(", ")", ",")) and _QUERIES.search(line) is not None


def _is_sure(line: str) -> bool:
    """C# where nothing says that there is any."""
    return _is_only_csharp(line) or _DECLARES.match(line[:_MOST_CHARACTERS].rstrip()) is not None


def _bare(lines: Sequence[str], start: int, end: int) -> Piece | None:
    """C# among lines without a fence: from the first that can only be code to the last that can end it."""
    plain = [_plain(line) for line in lines[start:end]]
    sure = [n for n, line in enumerate(plain) if _is_sure(line)]
    if not sure:
        return None
    first = sure[0]
    while first and (not plain[first - 1].strip() or _goes_with_code(plain[first - 1])):
        first -= 1
    while not plain[first].strip():
        first += 1
    last = max(sure[-1], *(n for n, line in enumerate(plain) if line.rstrip().endswith(_ENDS)), 0)
    # as many quotes as the first line stands in: a `>` behind those may be C#
    depth = _QUOTE.match(lines[start + sure[0]])
    quotes = depth[0].count(">") if depth is not None else 0
    stripped = (_unquoted(line, quotes) or line for line in lines[start + first : start + last + 1])
    return Piece(start + first, tuple(map(_spelled_out, stripped)), False)


def _goes_with_code(line: str) -> bool:
    return _ALSO_CODE.match(line) is not None or line.rstrip().endswith(("}", ";", "{"))


def _plain(line: str) -> str:
    """The line without its quotes."""
    quote = _QUOTE.match(line)
    return _spelled_out(" " * len(quote[0]) + line[quote.end() :] if quote is not None else line)


def _spelled_out(line: str) -> str:
    """The line without the backticks of a span of code that is all there is in it."""
    span = _INLINE.match(line)
    code = line if span is None else " " * len(span["before"]) + span["code"] + " " * len(span["after"])
    return code if _is_sure(code) else line
