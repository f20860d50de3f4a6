"""The portable validator behind the worker's interface: each job is a Maven project that is run in a sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from uom.run.java.worker import JavaDiagnostic, JavaRun, RunStatus
from uom.run.sandboxes.protocol import Sandbox
from uom.run.validators.java import validate_java
from uom.run.validators.outcome import Validation

_TIMEOUT = "did not end in time"


@dataclass(frozen=True, slots=True)
class SandboxRunner:
    """A `JavaRunner` for code that a model wrote. Call it from a thread without an event loop.

    `uri_variable` is where the entry point looks for its server: MONGODB_URI or NEO4J_URI.
    """

    sandbox: Sandbox
    uri_variable: str = "MONGODB_URI"
    trusted: bool = False
    patience_seconds: float = 120.0
    """For Maven itself, on top of a job's own limit."""

    def run(
        self,
        files: Mapping[str, str],
        main_class: str,
        args: Sequence[str] = (),
        release: int = 25,  # noqa: ARG002
        limit_seconds: float = 60.0,
    ) -> JavaRun:
        """`args` are (URI, database, folder for results); the pom says which release it is.

        Raises SandboxProblem when the sandbox fails.
        """
        uri, database, results = args
        found = asyncio.run(
            validate_java(
                self.sandbox,
                files,
                main_class,
                mongodb_uri=uri if self.uri_variable == "MONGODB_URI" else "",
                neo4j_uri=uri if self.uri_variable == "NEO4J_URI" else "",
                environment={self.uri_variable.replace("_URI", "_DATABASE"): database},
                limit_seconds=limit_seconds + self.patience_seconds,
                trusted=self.trusted,
                keep=Path(results),
            )
        )
        status = _status(found)
        diagnostics = tuple(JavaDiagnostic(d.file, d.line, d.column, d.message, d.severity) for d in found.diagnostics)
        trace = "" if found.passed else f"{found.reason}\n{found.output[-4000:]}"
        return JavaRun(
            status, run_ms=round(found.seconds * 1000), diagnostics=diagnostics, stdout=found.output, trace=trace
        )


def _status(found: Validation) -> RunStatus:
    if found.passed:
        return RunStatus.OK
    if found.diagnostics:
        return RunStatus.COMPILE_ERROR
    if _TIMEOUT in found.reason:
        return RunStatus.TIMEOUT
    return RunStatus.CRASHED if found.reason.startswith("it was killed") else RunStatus.EXCEPTION
