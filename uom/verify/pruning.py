"""Runs what compiles of a C# program: code around the queries may need packages that are not here.

A file of business code names mappers, controllers and hosts beside the queries. What the compiler does not know is cut
out, smallest thing first: a using directive, an attribute, the body of a method, which then throws NotHere; a type
that is only named is declared empty. A call that meets such a body has no result, so nothing that was cut decides rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from uom.read.csharp.syntax import InputProblem, SourceFile, parse
from uom.run.dotnet.project import INVOCATION, PROGRAM_PATH, source_path
from uom.run.dotnet.results import CompileError, DotnetRun, DotnetRunner

NOT_HERE = "NotHere"
"""The exception of a call that met what was cut out."""
_ROUNDS = 6
_MISSING_PATH = "Missing.cs"
_UNKNOWN_TYPE = "CS0246"
_NAMED = re.compile(r"'(?P<name>\w+)(?:<(?P<arity>[\s,\w]*)>)?'")
_BODIES = frozenset({"block", "arrow_expression_clause"})
_WHOLE = frozenset({"using_directive", "method_declaration", "field_declaration", "event_field_declaration"})
"""What can be left out whole. A property cannot: it may be a column."""
_OWNERS = frozenset(
    """method_declaration constructor_declaration local_function_statement accessor_declaration property_declaration
    operator_declaration conversion_operator_declaration indexer_declaration destructor_declaration""".split()
)


@dataclass(frozen=True, slots=True)
class Cut:
    """Bytes of a file that `text` takes the place of."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PrunedRun:
    """What ran, and what had to be left out for it."""

    run: DotnetRun
    left_out: tuple[CompileError, ...] = ()


def library_text(source: SourceFile) -> str:
    """The file without statements outside any type: those of an application start it, and ours has its own."""
    if source.shift:
        return source.text
    statements = [n for n in source.root.named_children if n.type == "global_statement"]
    return _applied(source.text, [Cut(n.start_byte, n.end_byte, _blank(n)) for n in statements])


def _blank(node: Node) -> str:
    """As many lines: places stay those of the user's file."""
    return "\n" * (node.end_point[0] - node.start_point[0])


def run_what_compiles(runner: DotnetRunner, files: Mapping[str, str], limit_seconds: float) -> PrunedRun:
    """Runs the program, without what does not compile. `run.errors` says what could not be cut out."""
    run = runner.run(files, limit_seconds)
    left_out: dict[CompileError, None] = {}
    for _ in range(_ROUNDS):
        if not run.errors:
            break
        smaller = _pruned(files, run.errors)
        if smaller is None:
            return PrunedRun(run)
        left_out.update(dict.fromkeys(run.errors))
        files = smaller
        run = runner.run(files, limit_seconds)
    return PrunedRun(run, tuple(left_out))


def _pruned(files: Mapping[str, str], errors: Sequence[CompileError]) -> dict[str, str] | None:
    """The files without what is wrong; None where something can neither be cut out nor declared."""
    cuts: dict[str, list[Cut]] = {}
    declared: dict[str, None] = {}
    parsed: dict[str, SourceFile] = {}
    for error in errors:
        text = files.get(error.file)
        if text is None or not _may_be_cut(error.file):
            return None
        if error.file == PROGRAM_PATH:
            cut = _invocation(text, error)
        else:
            try:
                source = parsed.setdefault(error.file, parse(error.file, text))
            except InputProblem:
                return None
            cut = _cut(source, error)
        if cut is not None:
            cuts.setdefault(error.file, []).append(cut)
        elif (type_ := _declaration(error)) is not None:
            declared[type_] = None
        else:
            return None
    known = files.get(_MISSING_PATH, "")
    if any(line in known.splitlines() for line in declared):
        return None  # to declare it did not help
    changed = {path: _applied(files[path], found) for path, found in cuts.items()}
    if declared:
        changed[_MISSING_PATH] = known + "".join(f"{d}\n" for d in declared)
    return {**files, **changed} if any(files.get(path) != text for path, text in changed.items()) else None


def _may_be_cut(path: str) -> bool:
    return path == PROGRAM_PATH or path.startswith(source_path(0).partition("/")[0] + "/")


def _cut(source: SourceFile, error: CompileError) -> Cut | None:
    for node in _outwards(source, error):
        if node.type == "attribute":
            return _attribute(node)
        if node.type in _BODIES and node.parent is not None and node.parent.type in _OWNERS:
            return Cut(node.start_byte, node.end_byte, _throwing(node, error))
        if node.type == "constructor_initializer" and (body := _next_of(node, _BODIES)) is not None:
            return Cut(node.start_byte, body.end_byte, _throwing(body, error))
        if node.type in _WHOLE and (error.code != _UNKNOWN_TYPE or node.type == "using_directive"):
            return Cut(node.start_byte, node.end_byte, _blank(node))
    return None


def _attribute(node: Node) -> Cut:
    """With its comma, or with its brackets where it is the only one."""
    before, after = node.prev_sibling, node.next_sibling
    if before is not None and before.type == ",":
        return Cut(before.start_byte, node.end_byte, "")
    if after is not None and after.type == ",":
        return Cut(node.start_byte, after.end_byte, "")
    around = node.parent if node.parent is not None else node
    return Cut(around.start_byte, around.end_byte, "")


def _next_of(node: Node, types: Container[str]) -> Node | None:
    following = node.next_named_sibling
    while following is not None and following.type not in types:
        following = following.next_named_sibling
    return following


def _outwards(source: SourceFile, error: CompileError) -> Iterator[Node]:
    """The syntax at the error's place and all around it, from the inside."""
    row = error.line - 1
    if source.shift or not 0 <= row < len(source.lines):
        return
    line = source.lines[row].decode("utf-8", "replace")
    before = len(_utf16_prefix(line, error.column - 1).encode())
    node = source.root.descendant_for_point_range((row, before), (row, before + 1))
    while node is not None:
        yield node
        node = node.parent


def _utf16_prefix(line: str, units: int) -> str:
    """The compiler counts columns in UTF-16."""
    return line.encode("utf-16-le")[: units * 2].decode("utf-16-le", "ignore")


def _throwing(body: Node, error: CompileError) -> str:
    """A body that throws, with as many lines: places of other errors stay those of the user's file."""
    lines = _blank(body)
    thrown = f"throw new global::Uom.Services.NotHere({_reason(error)});"
    if body.type == "block":
        return "{ " + thrown + lines + " }"
    # An expression's `;` stands behind the clause.
    has_own_end = body.children[-1].type == ";" if body.children else False
    return "=> " + thrown.removesuffix(";") + lines + (";" if has_own_end else "")


def _reason(error: CompileError) -> str:
    return json.dumps(f"it does not compile, {error.code}: {error.message}")


def _invocation(text: str, error: CompileError) -> Cut | None:
    """A call that does not compile: what it calls, or what it takes, is not there."""
    lines = text.splitlines(keepends=True)
    line = lines[error.line - 1] if 0 < error.line <= len(lines) else ""
    if not line.startswith(INVOCATION):
        return None
    label, _ = json.JSONDecoder().raw_decode(line, len(INVOCATION))
    start = len("".join(lines[: error.line - 1]).encode())
    call = f"{INVOCATION}{json.dumps(label)}, () => throw new Uom.Services.NotHere({_reason(error)})));\n"
    return Cut(start, start + len(line.encode()), call)


def _declaration(error: CompileError) -> str | None:
    """An empty type of that name: the code around the queries names it, and nothing that is called can use it."""
    found = _NAMED.search(error.message)
    if error.code != _UNKNOWN_TYPE or found is None:
        return None
    name, arity = found["name"], found["arity"]
    count = 0 if arity is None else arity.count(",") + 1
    parameters = f"<{', '.join(f'T{i}' for i in range(count))}>" if count else ""
    kind = "interface" if re.match(r"I[A-Z]", name) else "class"
    return f"public {kind} {name}{parameters} {{ }}"


def _applied(text: str, cuts: Sequence[Cut]) -> str:
    """Outer cuts win over those inside them."""
    data = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    last = len(data) + 1
    for cut in sorted(_outermost(cuts), key=lambda c: -c.start):
        if cut.end <= last:
            data = data[: cut.start] + cut.text.encode() + data[cut.end :]
            last = cut.start
    return data.decode("utf-8", "replace")


def _outermost(cuts: Sequence[Cut]) -> list[Cut]:
    unique = {(c.start, c.end): c for c in cuts}.values()
    return [c for c in unique if not any(o is not c and o.start <= c.start and c.end <= o.end for o in unique)]
