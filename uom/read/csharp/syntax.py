"""C# text to syntax trees (tree-sitter), with places that point into the user's file.

Input is taken as people paste it: Markdown fences around it, methods without a class, no `using`, several classes in
any order. What is not C# is blanked out, never moved, so lines and columns stay those of the user's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import tree_sitter_c_sharp
from tree_sitter import Language, Node, Parser, Tree

from uom.model.diagnostics import Diagnostic, Place, Severity
from uom.read.csharp.fences import has_fences, only_code

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 400
"""Deepest nesting of one member that is read; generated or hostile code goes beyond, people do not."""

_WRAPPER = "class __Fragment__ { "
_TOP_LEVEL_ONLY = re.compile(
    r"^[ \t]*(?:global\s+)?using\s+(?:static\s+)?[\w.=<> ]+;|^[ \t]*namespace\s+[\w.]+\s*;", re.MULTILINE
)


class InputProblem(Exception):
    """The input as a whole cannot be read (binary, empty, too large); `diagnostic` is for the user."""

    def __init__(self, construct: str, reason: str, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(reason)
        self.diagnostic = Diagnostic(Severity.INPUT, construct, reason, place, remedy)


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One parsed file. `shift` is the number of bytes put in front of its first line to make a fragment parse."""

    name: str
    text: str
    tree: Tree
    shift: int = 0
    lines: tuple[bytes, ...] = field(default=(), repr=False)
    nullable: tuple[tuple[int, bool | None], ...] = ()
    """From which row on reference types are annotated (True), are not (False), or are as the project has it (None)."""

    def annotates(self, node: Node) -> bool | None:
        """Whether `string` and `string?` differ at this place; None where the file does not say."""
        row = node.start_point[0]
        return next((state for start, state in reversed(self.nullable) if start <= row), None)

    @property
    def root(self) -> Node:
        return self.tree.root_node

    def place(self, node: Node) -> Place:
        """Where a node begins in the user's text; columns count characters."""
        row, byte_column = node.start_point
        line = self.lines[row] if row < len(self.lines) else b""
        column = len(line[:byte_column].decode("utf-8", "replace"))
        if row == 0:
            column -= self.shift
        return Place(self.name, row + 1, max(column, 0) + 1)

    def end_line(self, node: Node) -> int:
        return int(node.end_point[0]) + 1


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_c_sharp.language()))


def decode(name: str, data: bytes) -> str:
    """Bytes of a file to text. Raises InputProblem for binary, oversized or undecodable input."""
    place = Place(name, 1, 1)
    if len(data) > MAX_BYTES:
        limit = MAX_BYTES // (1024 * 1024)
        raise InputProblem(
            "input", f"the file has {len(data):,} bytes, more than {limit} MB", place, "Pass fewer files."
        )
    for bom, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(bom):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise InputProblem("input", f"the text is not valid {encoding}", place, "Save it as UTF-8.") from error
    if b"\0" in data:
        raise InputProblem("input", "the file is binary, not C# text", place, "Pass .cs files.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputProblem("input", "the text is not UTF-8", Place(name, line, 1), "Save it as UTF-8.") from error


def parse(name: str, text: str) -> SourceFile:
    """Parses one file or paste. Raises InputProblem when there is nothing to read."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if has_fences(text):
        whole = _parse_best(name, text)
        if not whole.root.has_error:
            return whole  # the fences stand in a comment or a text of C#
        text = only_code(text)
    if not text.strip():
        raise InputProblem("input", "there is no text in it", Place(name, 1, 1), "Pass C# code.")
    return _parse_best(name, text)


def _parse_best(name: str, code: str) -> SourceFile:
    """As it is, or as members of a class where that fits better."""
    plain = _parse_as(name, code, "")
    if not plain.root.has_error:
        return plain
    blanked = _TOP_LEVEL_ONLY.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    wrapped = _parse_as(name, _WRAPPER + blanked + "\n}", _WRAPPER)
    return wrapped if _error_size(wrapped.root) < _error_size(plain.root) else plain


def _parse_as(name: str, code: str, prefix: str) -> SourceFile:
    data = code.encode("utf-8", "replace")
    tree = _tree(data)
    nullable = tuple(_nullable_regions(tree.root_node)) if b"nullable" in data else ()
    return SourceFile(name, code, tree, len(prefix), tuple(data.split(b"\n")), nullable)


_NULLABLE_STATES = {"enable": True, "disable": False, "restore": None}


def _nullable_regions(root: Node) -> Iterator[tuple[int, bool | None]]:
    """`#nullable enable` and its kin, each from its row on; what speaks of warnings only says nothing of types."""
    for node, _ in descend(root):
        if node.type == "preproc_nullable":
            words = text_of(node).replace("#", " ").split()
            if len(words) > 1 and words[1] in _NULLABLE_STATES and words[2:3] != ["warnings"]:
                yield node.start_point[0], _NULLABLE_STATES[words[1]]


def _tree(data: bytes) -> Tree:
    """The syntax tree, with `(a) - b` read as C# reads it.

    The grammar takes it for a cast of `-b` to a type `a`. The parentheses around a plain name mean nothing, so they
    are blanked out and the text is parsed again; places stay the same.
    """
    tree = _parser().parse(data)
    for _ in range(MAX_DEPTH):
        blanks = [at for node, _ in descend(tree.root_node) if node.type == "cast_expression" for at in _no_cast(node)]
        if not blanks:
            break
        text = bytearray(data)
        for at in blanks:
            text[at : at + 1] = b" "
        data = bytes(text)
        tree = _parser().parse(data)
    return tree


def _no_cast(node: Node) -> Iterator[int]:
    """Byte offsets of the parentheses when a cast is really a name before a binary operator or an index."""
    type_node, value = child(node, "type"), child(node, "value")
    if type_node is None or value is None or type_node.type not in ("identifier", "qualified_name"):
        return
    closing = next((c for c in node.children if c.type == ")"), None)
    if closing is not None and (value.text or b"")[:1] in (b"-", b"+", b"&", b"*", b"["):
        yield node.start_byte
        yield closing.start_byte


def descend(node: Node) -> Iterator[tuple[Node, int]]:
    """Every node below (and with) this one, with its depth, without recursion: hostile nesting must not matter."""
    cursor = node.walk()
    depth = 0
    while True:
        assert cursor.node is not None
        yield cursor.node, depth
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if depth == 0 or not cursor.goto_parent():
                return
            depth -= 1
            if depth == 0:
                return


def depth_of(node: Node, limit: int = MAX_DEPTH) -> int:
    """Nesting depth, counted up to just above the limit."""
    deepest = 0
    for _, depth in descend(node):
        deepest = max(deepest, depth)
        if deepest > limit:
            break
    return deepest


def errors(source: SourceFile) -> Iterator[tuple[Place, str]]:
    """Syntax errors: place and what was met there."""
    if not source.root.has_error:
        return
    for node, _ in descend(source.root):
        if node.is_missing:
            yield source.place(node), f"'{node.type}' is missing"
        elif node.is_error:
            start = text_of(node).strip()[:40].splitlines()
            yield source.place(node), f"unexpected text '{start[0]}'" if start else "something is missing"


def _error_size(node: Node) -> int:
    if not node.has_error:
        return 0
    return sum(n.end_byte - n.start_byte + 1 for n, _ in descend(node) if n.is_error or n.is_missing)


def text_of(node: Node) -> str:
    """The node's text; the `@` of a verbatim identifier is no part of its name, wherever it is used or declared."""
    text = (node.text or b"").decode("utf-8", "replace")
    return text[1:] if node.type == "identifier" and text.startswith("@") else text


def named(node: Node) -> list[Node]:
    """Named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def child(node: Node, field_name: str) -> Node | None:
    return node.child_by_field_name(field_name)


def first_of(node: Node, *types: str) -> Node | None:
    return next((c for c in node.named_children if c.type in types), None)
