"""Java source text: imports that never clash, string literals, text blocks."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Imports:
    """Hands out simple names and remembers what must be imported; a name that is taken stays fully qualified."""

    package: str
    taken: dict[str, str] = field(default_factory=dict)
    """Simple names in use, with the class they stand for."""
    static: set[str] = field(default_factory=set)
    neighbours: Container[str] = frozenset()
    """Simple names of the other classes in the package: they mean themselves without an import."""

    def use(self, qualified: str) -> str:
        simple = qualified.rpartition(".")[2]
        if simple in self.neighbours and qualified != f"{self.package}.{simple}":
            return qualified
        if self.taken.setdefault(simple, qualified) == qualified:
            return simple
        return qualified

    def use_static(self, member: str) -> str:
        """`a.b.C.method` as `method`."""
        self.static.add(member)
        return member.rpartition(".")[2]

    def lines(self) -> list[str]:
        """Import declarations in a fixed order, static ones first."""
        plain = sorted(q for q in self.taken.values() if not self._is_implicit(q))
        found = [f"import static {name};" for name in sorted(self.static)]
        if found and plain:
            found.append("")
        return found + [f"import {name};" for name in plain]

    def _is_implicit(self, qualified: str) -> bool:
        package = qualified.rpartition(".")[0]
        return package in ("java.lang", self.package, "")


@dataclass(slots=True)
class NoImports(Imports):
    """Every class with its package: for text that may stand anywhere."""

    package: str = ""

    def use(self, qualified: str) -> str:
        return qualified


def java_file(package: str, imports: Imports, body: Iterable[str]) -> str:
    """A whole compilation unit."""
    lines = [f"package {package};", ""]
    imported = imports.lines()
    if imported:
        lines += [*imported, ""]
    return "\n".join([*lines, *body]) + "\n"


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def string_literal(text: str) -> str:
    """A Java string literal; control characters are octal, so that no unicode escape is read too early."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def char_literal(char: str) -> str:
    return "'" + ("\\'" if char == "'" else '"' if char == '"' else _escaped(char)) + "'"


def _escaped(char: str) -> str:
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    return f"\\{ord(char):03o}" if ord(char) < 32 or ord(char) == 127 else char


def text_block(text: str, indent: str) -> list[str]:
    """The lines of a text block whose content is `text`, indented."""
    body = text.replace("\\", "\\\\").replace('"""', '\\"""')
    lines = [indent + line if line else "" for line in body.split("\n")]
    return ['"""', *lines[:-1], lines[-1] + '"""']
