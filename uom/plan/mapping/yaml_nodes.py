"""Reading `mapping.yaml`: nodes with their lines, so that an error can say where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import yaml

from uom.model.diagnostics import Diagnostic, Place, Severity


class MappingProblem(Exception):
    """The file cannot be used; `diagnostic` says what and where."""

    def __init__(self, file: str, line: int, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.diagnostic = Diagnostic(Severity.INPUT, "mapping.yaml", reason, Place(file, line, 1), remedy)


class Mapped(Protocol):
    """A design of either kind."""

    @property
    def context(self) -> str: ...


M = TypeVar("M", bound=Mapped)


def read_contexts(
    path: Path, target: str, defaults: Sequence[M], allowed: Sequence[str], merge: Callable[[str, M, yaml.Node], M]
) -> tuple[M, ...]:
    """The defaults with the file's changes, each made by `merge(file, default, node)`.

    Raises MappingProblem for anything unknown, and for a file that was written for another target.
    """
    name = str(path)
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        why = problem or ("it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else "it is nested too deeply")
        raise MappingProblem(
            name, mark.line + 1 if mark else 1, f"not valid YAML: {why}", "Mend or delete it."
        ) from None
    if node is None:
        return tuple(defaults)
    only(name, node, ("version", "target", "contexts"))
    found = child(name, node, "target")
    if (found.value if found is not None else "mongodb") != target:
        line = found.start_mark.line + 1 if found is not None else 1
        raise MappingProblem(name, line, f"the file is not for {target}", "Choose another folder for this target.")
    version = child(name, node, "version")
    if version is not None and version.value != "1":
        raise MappingProblem(name, version.start_mark.line + 1, f"version {version.value} is not known", "Use 1.")
    contexts = child(name, node, "contexts")
    if contexts is not None:
        only(name, contexts, [m.context or "default" for m in defaults])
    result = []
    for mapping in defaults:
        here = child(name, contexts, mapping.context or "default") if contexts is not None else None
        if here is not None:
            only(name, here, allowed)
        result.append(merge(name, mapping, here) if here is not None else mapping)
    return tuple(result)


def pairs(file: str, node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise MappingProblem(
            file, node.start_mark.line + 1, "a mapping of names is expected here", "Indent names below it."
        )
    seen: set[str] = set()
    for key, _ in node.value:
        if str(key.value) in seen:
            raise MappingProblem(file, key.start_mark.line + 1, f"'{key.value}' is there twice", "Remove one.")
        seen.add(str(key.value))
    return list(node.value)


def only(file: str, node: yaml.Node, allowed: Iterable[str]) -> None:
    """A name that nobody asks for would be an edit without effect."""
    for key, _ in pairs(file, node):
        if key.value not in allowed:
            known = ", ".join(allowed)
            raise MappingProblem(file, key.start_mark.line + 1, f"'{key.value}' is not known here", f"Known: {known}.")


def child(file: str, node: yaml.Node, name: str) -> yaml.Node | None:
    return next((value for key, value in pairs(file, node) if key.value == name), None)
