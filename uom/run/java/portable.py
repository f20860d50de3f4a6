"""The portable mode behind the worker's interface: each job is a Maven project, built and run as anyone could."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from uom.run.java.maven import run_with_maven, settings
from uom.run.java.worker import JavaRun, RunStatus
from uom.run.scratch import make_scratch, remove_scratch


class JavaRunner(Protocol):
    """Compiles files and calls a main class with (URI, database, folder for results)."""

    def run(
        self,
        files: Mapping[str, str],
        main_class: str,
        args: Sequence[str] = (),
        release: int = 25,
        limit_seconds: float = 60.0,
    ) -> JavaRun: ...


@dataclass(frozen=True, slots=True)
class PortableRunner:
    """The user's own JDK and Maven. Slow, and the same for everybody; the JDK must know the bundle's release."""

    patience_seconds: float = 600.0
    """For Maven itself, which may have to fetch its plugins, on top of a job's own limit."""

    def run(
        self,
        files: Mapping[str, str],
        main_class: str,  # noqa: ARG002
        args: Sequence[str] = (),
        release: int = 25,  # noqa: ARG002
        limit_seconds: float = 60.0,
    ) -> JavaRun:
        """Raises EnvironmentFailure where there is no Maven or no JDK."""
        uri, database, results = args
        folder = make_scratch("maven")
        target = "mongodb" if uri.startswith("mongodb") else "neo4j"
        wanted = settings(target, uri, database, results)
        try:
            done = run_with_maven(files, wanted, folder, limit_seconds + self.patience_seconds, target)
        finally:
            remove_scratch(folder)
        trace = "" if done.status is RunStatus.OK else done.output[-2000:]
        return JavaRun(done.status, diagnostics=done.diagnostics, stdout=done.output[-2000:], trace=trace)
