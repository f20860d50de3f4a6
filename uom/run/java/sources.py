"""The Java that we ship as text: the resident worker, and the static half of the validation harness."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from uom.run.cache import digest

TARGETS = ("mongodb", "neo4j")


@cache
def worker_sources() -> tuple[tuple[str, str], ...]:
    """(path, text) of the worker's classes, sorted by path."""
    return _sources("worker")


@cache
def service_sources(target: str) -> tuple[tuple[str, str], ...]:
    """(path, text) of `uom.services`: what goes into a bundle for `target` beside the generated entry point."""
    return tuple(sorted((*_sources("services"), *_sources(target))))


@cache
def warm_up_sources() -> tuple[tuple[str, str], ...]:
    """The canned bundles that a worker runs first, each in a folder of its target; they go into its jar as text."""
    return tuple(
        (f"{target}/{path}", text)
        for target in TARGETS
        for path, text in sorted((*_sources(f"warmup-{target}"), *service_sources(target)))
    )


@cache
def sources_digest() -> str:
    """Changes when any of our Java changes."""
    return digest(*(part for source in (*worker_sources(), *warm_up_sources()) for part in source))


def _sources(name: str) -> tuple[tuple[str, str], ...]:
    root = resources.files("uom.run.java").joinpath("resources", name)
    return tuple(sorted(_walk(root, "")))


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".java"):
            found.append((prefix + entry.name, entry.read_text(encoding="utf-8")))
    return found
