"""The resident C# worker: compiles programs with the SDK's compiler and runs them, again and again, in one process."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uom.run.cache import Progress, silent
from uom.run.dotnet.build import COMMAND_LINE, PROGRAM, worker_folder
from uom.run.dotnet.project import Server, needs_cultures
from uom.run.dotnet.results import RESULTS_FILE, CompileError, DotnetRun, outcomes_in
from uom.run.dotnet.sdk import Sdk, find_sdk, has_cultures
from uom.run.failures import EnvironmentFailure
from uom.run.resident.process import NoAnswer, Silence, WorkerProcess
from uom.run.resident.program import WorkerProgram
from uom.run.resident.wire import file_fields, text_fields
from uom.run.resident.worker import ResidentWorker
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.endpoints import Endpoint, endpoints_in
from uom.run.sandboxes.protocol import Limits
from uom.run.scratch import scratch_folder

_JOBS_PER_PROCESS = 20
"""EF Core keeps a container of services for each kind of options that it meets, and refuses to make many."""
_LIMITS = Limits(cpu_seconds=86_400, memory_mb=3072, processes=400, file_mb=1024, disk_mb=2048, files=20_000)


class DotnetWorker(ResidentWorker):
    """One process with EF Core in it, replaced after a job that ended it and after some jobs.

    `start` returns at once, unless the worker has to be built first. Programs reach the server of `connection` only,
    which need not be up before the first `run`. Between jobs statics of EF Core and of its provider stay; those of the
    programs do not.
    """

    def __init__(
        self, server: Server, connection: str, isolation: Bubblewrap | None = None, progress: Progress = silent
    ) -> None:
        super().__init__(isolation, _JOBS_PER_PROCESS)
        self._server = server
        self._connection = connection
        self._progress = progress
        self._failure: EnvironmentFailure | None = None

    def start(self) -> None:
        """Where it cannot be started, `run` says why."""
        with contextlib.suppress(EnvironmentFailure):
            super().start()

    def _program(self) -> WorkerProgram:
        if self._failure is not None:
            raise self._failure  # to build it again would take as long, and fail again
        try:
            sdk = find_sdk()
            folder = worker_folder(sdk, self._server, self._progress)
        except EnvironmentFailure as failure:
            self._failure = failure
            raise
        reach = endpoints_in(self._connection) if self._isolation is not None else ()
        return _program(sdk, folder, self._server, reach)

    def run(self, files: Mapping[str, str], limit_seconds: float = 300.0) -> DotnetRun:
        """Compiles and runs a program as `project_files` writes it.

        Without an SDK that can build the worker, or where that does not start, the result says why.
        """
        with self._lock, scratch_folder("results") as results:
            try:
                return self._ask(self._running(), files, results, limit_seconds)
            except NoAnswer as silent:
                late = f"it did not end within {limit_seconds:.0f} s"
                return DotnetRun(problem=late if silent.silence is Silence.TIMEOUT else silent.trace.strip())
            except EnvironmentFailure as failure:
                self.stop()
                return DotnetRun(problem=f"{failure.what}: {failure.why}")

    def _ask(self, process: WorkerProcess, files: Mapping[str, str], results: Path, limit_seconds: float) -> DotnetRun:
        # What a connection knows of its database's types is kept by connection string, and the database is made anew.
        given = [f"{self._connection};Application Name=uom-{time.monotonic_ns()}", str(results)]
        try:
            with process.job(given) as inside:
                answer = process.ask(text_fields(inside) + file_fields(_wanted(files)), limit_seconds)
        except NoAnswer:
            self._count_job(process, spoiled=True)
            raise
        self._count_job(process)
        return _decoded(answer, results)


def _wanted(files: Mapping[str, str]) -> dict[str, str]:
    """The worker knows the project."""
    return {path: text for path, text in files.items() if not path.endswith(".csproj")}


def _program(sdk: Sdk, folder: Path, server: Server, reach: tuple[Endpoint, ...]) -> WorkerProgram:
    without_cultures = not needs_cultures(server) or not has_cultures()
    environment = {
        "PATH": os.defpath,
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "DOTNET_ROOT": str(sdk.root),
        "DOTNET_EnableDiagnostics": "0",
        **({"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"} if without_cultures else {}),
    }
    return WorkerProgram(
        "the C# worker",
        lambda address: [str(sdk.program), str(folder / PROGRAM), str(address), str(folder / COMMAND_LINE)],
        environment,
        (sdk.root, folder, *([sdk.packages] if sdk.packages.is_dir() else [])),
        _LIMITS,
        reach,
    )


def _decoded(answer: Mapping[str, Any], results: Path) -> DotnetRun:
    if answer["status"] == "compile_error":
        return DotnetRun(errors=tuple(CompileError(**problem) for problem in answer["diagnostics"]))
    if answer["status"] != "ok":
        return DotnetRun(problem=" | ".join(answer["trace"].strip().splitlines()[:3])[:600])
    if not (results / RESULTS_FILE).exists():
        return DotnetRun(problem="it wrote no results")
    return DotnetRun(outcomes_in(results))
