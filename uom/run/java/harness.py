"""The entry point that calls translated queries and writes what they return, generated around a bundle."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from uom.model.bundle import JavaBundle
from uom.run.java.sources import service_sources

MAIN_CLASS = "uom.services.ValidationEntrypoint"
ENTRYPOINT = "src/main/java/uom/services/ValidationEntrypoint.java"

_SAFE_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}")
_PER_CLASS = 500
"""Invocations in one generated method, some 20 bytes of code each."""


@dataclass(frozen=True, slots=True)
class _Connection:
    """How a target's query classes get at the database: by what `factory` of the configuration makes, a `type`."""

    service: str
    factory: str
    type: str
    arguments: str


_CONNECTIONS = {
    "mongodb": _Connection(
        "MongoValidation", "template", "org.springframework.data.mongodb.core.MongoTemplate", "template"
    ),
    "neo4j": _Connection(
        "Neo4jValidation",
        "client",
        "org.springframework.data.neo4j.core.Neo4jClient",
        "client, {configuration}.mapping()",
    ),
}


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call to make. `expression` is Java, e.g. `filters.productsInPriceRange()`; a query class is there as a
    variable with its name in lower camel case. `imports` are fully qualified names that the expression uses."""

    label: str
    expression: str
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HarnessedBundle:
    """All files to compile. `places` says which lines of the entry point (1-based, inclusive) are which label's."""

    files: dict[str, str]
    main_class: str
    places: tuple[tuple[str, int, int], ...]

    def label_at(self, file: str, line: int) -> str | None:
        """Whose expression a compile error is in."""
        if file != ENTRYPOINT:
            return None
        return next((label for label, first, last in self.places if first <= line <= last), None)


def harness(bundle: JavaBundle, invocations: Sequence[Invocation], limit_seconds: float = 30.0) -> HarnessedBundle:
    """Add our services and an entry point to `bundle`; each invocation may take `limit_seconds`.

    The entry point takes (URI, database, folder for results) as arguments, or MONGODB_URI, MONGODB_DATABASE and
    MONGODB_RESULTS_PATH from the environment; for Neo4j, NEO4J_URI and so on. Raises ValueError for labels that repeat.
    """
    labels = [invocation.label for invocation in invocations]
    if len(set(labels)) != len(labels):
        raise ValueError(
            f"labels of invocations repeat: {sorted(label for label in labels if labels.count(label) > 1)}"
        )
    lines, places = _entry_point(bundle, invocations, limit_seconds)
    files = dict(bundle.files)
    files.update((f"src/main/java/{path}", text) for path, text in service_sources(bundle.target))
    files[ENTRYPOINT] = "\n".join(lines) + "\n"
    return HarnessedBundle(files, MAIN_CLASS, tuple(places))


def query_variables(bundle: JavaBundle) -> dict[str, str]:
    """The name by which expressions call each query class: fully qualified class -> variable.

    Raises ValueError when two classes would share a variable.
    """
    variables: dict[str, str] = {}
    for qualified in bundle.query_classes:
        simple = qualified.rpartition(".")[2]
        variable = simple[0].lower() + simple[1:]
        if variable in variables.values():
            raise ValueError(f"two query classes are called {simple}")
        variables[qualified] = variable
    return variables


def _entry_point(
    bundle: JavaBundle, invocations: Sequence[Invocation], limit_seconds: float
) -> tuple[list[str], list[tuple[str, int, int]]]:
    variables = query_variables(bundle)
    lines = ["package uom.services;", ""]
    lines += [f"import {name};" for name in _imports(invocations)]
    lines += ["", "/** Calls each translated query once. Generated; ValidationRun does the work. */"]
    lines += ["public final class ValidationEntrypoint {"]
    lines += [f"    private static {qualified} {variable};" for qualified, variable in variables.items()]
    lines += ["", "    private ValidationEntrypoint() {}", ""]
    connection = _CONNECTIONS[bundle.target]
    lines += ["    public static void main(String[] arguments) throws Exception {"]
    lines += [f"        {connection.service}.main("]
    lines += [
        f"                arguments, {max(1, round(limit_seconds * 1000))}, {bundle.configuration}::{connection.factory},"
    ]
    lines += ["                ValidationEntrypoint::construct, ValidationEntrypoint::invoke);", "    }", ""]
    lines += [f"    private static void construct({connection.type} {connection.factory}) {{"]
    arguments = connection.arguments.format(configuration=bundle.configuration)
    lines += [f"        {variable} = new {qualified}({arguments});" for qualified, variable in variables.items()]
    lines += ["    }", ""]
    starts = range(0, len(invocations), _PER_CLASS)
    lines += ["    private static void invoke(ValidationRun run) throws java.io.IOException {"]
    lines += [f"        CallsFrom{start}.invoke(run);" for start in starts]
    lines += ["    }"]
    places: list[tuple[str, int, int]] = []
    for start in starts:
        _add_calls(lines, places, invocations[start : start + _PER_CLASS], start)
    return [*lines, "}"], places


def _add_calls(
    lines: list[str], places: list[tuple[str, int, int]], invocations: Sequence[Invocation], start: int
) -> None:
    """A class with some of the calls: a method may have 64 KB only, and a class 65,535 constants."""
    lines += ["", f"    private static final class CallsFrom{start} {{"]
    lines += ["        static void invoke(ValidationRun run) throws java.io.IOException {"]
    for number, invocation in enumerate(invocations, start):
        text, file = _java_string(invocation.label), _java_string(_file_name(invocation.label, number))
        lines += [f"            run.invoke({text}, {file}, CallsFrom{start}::query{number});"]
    lines += ["        }"]
    for number, invocation in enumerate(invocations, start):
        body = f"            return {invocation.expression};".split("\n")
        lines += ["", f"        private static Object query{number}() throws Exception {{"]
        places.append((invocation.label, len(lines) + 1, len(lines) + len(body)))
        lines += [*body, "        }"]
    lines += ["    }"]


def _imports(invocations: Iterable[Invocation]) -> Iterator[str]:
    yield from sorted({name for invocation in invocations for name in invocation.imports})


def _file_name(label: str, position: int) -> str:
    """The label where every file system takes it, or a number."""
    return f"{label}.jsonl" if _SAFE_LABEL.fullmatch(label) else f"query-{position}.jsonl"


def _java_string(text: str) -> str:
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    """Octal below 128: a unicode escape of a quote or a line end would be one before strings are looked for."""
    if " " <= character <= "~" and character not in '"\\':
        return character
    if ord(character) < 128:
        return f"\\{ord(character):03o}"
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
