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
_PER_METHOD = 50
"""Invocations in one generated method: each is some 30 bytes of code, the limit is 64 KB, expressions may be long."""


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

    The entry point takes (MongoDB URI, database, folder for results) as arguments, or MONGODB_URI, MONGODB_DATABASE
    and MONGODB_RESULTS_PATH from the environment. Raises ValueError for labels that repeat.
    """
    labels = [invocation.label for invocation in invocations]
    if len(set(labels)) != len(labels):
        raise ValueError(f"labels of invocations repeat: {sorted(label for label in labels if labels.count(label) > 1)}")
    lines, places = _entry_point(bundle, invocations, limit_seconds)
    files = dict(bundle.files)
    files.update((f"src/main/java/{path}", text) for path, text in service_sources())
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
    groups = [invocations[start : start + _PER_METHOD] for start in range(0, len(invocations), _PER_METHOD)]
    lines = ["package uom.services;", ""]
    lines += [f"import {name};" for name in _imports(invocations)]
    lines += ["", "/** Calls each translated query once. Generated; ValidationRun does the work. */"]
    lines += ["public final class ValidationEntrypoint {"]
    lines += [f"    private static {qualified} {variable};" for qualified, variable in variables.items()]
    lines += ["", "    private ValidationEntrypoint() {}", ""]
    lines += ["    public static void main(String[] arguments) throws Exception {"]
    lines += ["        ValidationRun.main("]
    lines += [f"                arguments, {max(1, round(limit_seconds * 1000))}, {bundle.configuration}::template,"]
    lines += ["                ValidationEntrypoint::construct, ValidationEntrypoint::invoke);", "    }", ""]
    lines += ["    private static void construct(org.springframework.data.mongodb.core.MongoTemplate template) {"]
    lines += [f"        {variable} = new {qualified}(template);" for qualified, variable in variables.items()]
    lines += ["    }", "", "    private static void invoke(ValidationRun run) {"]
    lines += [f"        invoke{number}(run);" for number in range(len(groups))]
    lines += ["    }"]
    places: list[tuple[str, int, int]] = []
    position = 0
    for number, group in enumerate(groups):
        lines += ["", f"    private static void invoke{number}(ValidationRun run) {{"]
        for invocation in group:
            call = _call(invocation, position)
            places.append((invocation.label, len(lines) + 1, len(lines) + len(call)))
            lines += call
            position += 1
        lines += ["    }"]
    return [*lines, "}"], places


def _imports(invocations: Iterable[Invocation]) -> Iterator[str]:
    yield from sorted({name for invocation in invocations for name in invocation.imports})


def _call(invocation: Invocation, position: int) -> list[str]:
    label = _java_string(invocation.label)
    file = _java_string(_file_name(invocation.label, position))
    return f"        run.invoke({label}, {file}, () -> {invocation.expression});".split("\n")


def _file_name(label: str, position: int) -> str:
    """The label where every file system takes it, or a number."""
    return f"{label}.jsonl" if _SAFE_LABEL.fullmatch(label) else f"query-{position}.jsonl"


def _java_string(text: str) -> str:
    escaped = "".join(
        character if " " <= character <= "~" and character not in '"\\' else _escape(character) for character in text
    )
    return f'"{escaped}"'


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
