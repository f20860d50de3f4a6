"""The portable validator of C# behind the worker's interface: each program is built and run by `dotnet` in a sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from uom.run.dotnet.results import RESULTS_FILE, CompileError, DotnetRun, outcomes_in
from uom.run.sandboxes.protocol import Sandbox
from uom.run.scratch import scratch_folder
from uom.run.validators.dotnet import validate_dotnet


@dataclass(frozen=True, slots=True)
class SandboxDotnet:
    """A `DotnetRunner` for the user's own C#. Call it from a thread without an event loop."""

    sandbox: Sandbox
    connection: str

    def run(self, files: Mapping[str, str], limit_seconds: float = 300.0) -> DotnetRun:
        """Raises SandboxProblem when the sandbox fails."""
        with scratch_folder("results") as results:
            found = asyncio.run(
                validate_dotnet(
                    self.sandbox,
                    files,
                    connection_string=self.connection,
                    limit_seconds=limit_seconds,
                    trusted=True,
                    keep=results,
                )
            )
            if (results / RESULTS_FILE).exists() and found.passed:
                return DotnetRun(outcomes_in(results))
        errors = [d for d in found.diagnostics if d.severity == "error"]
        if errors:
            return DotnetRun(errors=tuple(CompileError(d.file, d.line, d.column, d.code, d.message) for d in errors))
        return DotnetRun(problem=" | ".join([found.reason, *found.output.strip().splitlines()[-2:]])[:600])
