"""The resident Java worker: compiles a bundle and runs it, again and again, in one JVM of ours."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from uom.run.failures import EnvironmentFailure
from uom.run.java.build import BEHAVIOUR_OPTIONS, MEMORY_OPTIONS, java_environment
from uom.run.resident.process import GRACE_SECONDS, NoAnswer
from uom.run.resident.program import WorkerProgram
from uom.run.resident.wire import file_fields, text_field, text_fields
from uom.run.resident.worker import ResidentWorker
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.protocol import Limits
from uom.run.toolchain import Toolchain

_COMPILE_SECONDS = 60.0
_JOBS_PER_PROCESS = 300
_LIMITS = Limits(cpu_seconds=86_400, memory_mb=1536, processes=400, file_mb=1024, disk_mb=2048, files=20_000)
"""Heap, classes, buffers and threads of the worker's own options together. One process runs some hundred jobs, so that
its CPU time says nothing; each job has a time limit of its own."""


class RunStatus(StrEnum):
    """How a job ended. `CRASHED`: the JVM itself ended, e.g. killed for its memory."""

    OK = "ok"
    COMPILE_ERROR = "compile_error"
    EXCEPTION = "exception"
    EXIT = "exit"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class JavaDiagnostic:
    """What the compiler says about a place. Lines and columns count from 1; 0 means it named none."""

    file: str
    line: int
    column: int
    message: str
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class JavaRun:
    """One job: `trace` is the Java stack trace of an exception, or what is known about an exit or a crash.

    `tainted` means that something of the bundle was still running afterwards, so that the process was replaced.
    """

    status: RunStatus
    compile_ms: int = 0
    run_ms: int = 0
    diagnostics: tuple[JavaDiagnostic, ...] = ()
    stdout: str = ""
    stderr: str = ""
    trace: str = ""
    tainted: bool = False
    loaders: int = 0
    """Class loaders of bundles that are still in memory, this one included: a measure of leaks."""


class JavaWorker(ResidentWorker):
    """One JVM, replaced when a job spoils it. It warms up while nobody asks.

    In isolation it sees its jars and the folder for results, and reaches the server whose URI is a job's first
    argument. Code that a model wrote needs that, and a worker of its own: one job could change what the JVM does for
    the next.
    """

    def __init__(
        self, toolchain: Toolchain, isolation: Bubblewrap | None = None, jobs_per_process: int = _JOBS_PER_PROCESS
    ) -> None:
        super().__init__(isolation, jobs_per_process)
        self._toolchain = toolchain

    def _program(self) -> WorkerProgram:
        toolchain = self._toolchain
        return WorkerProgram(
            "the JVM",
            lambda address: _command(toolchain, address),
            java_environment(),
            toolchain.java_paths,
            _LIMITS,
        )

    def run(
        self,
        files: Mapping[str, str],
        main_class: str,
        args: Sequence[str] = (),
        release: int = 25,
        limit_seconds: float = 60.0,
    ) -> JavaRun:
        """Compile the .java files of `files` (path -> text) and call `main_class`'s main with `args`.

        Other files are ignored. `release` is the language version (17 to 25); the library is always Java 25's.
        Raises EnvironmentFailure only when no JVM can be started.
        """
        sources = {path: text for path, text in files.items() if path.endswith(".java")}
        with self._lock:
            process = self._running()
            try:
                with process.job(args) as inside:
                    request = _encode(sources, main_class, inside, release, limit_seconds)
                    run = _decode(process.ask(request, _COMPILE_SECONDS + limit_seconds + GRACE_SECONDS))
            except NoAnswer as silent:
                run = JavaRun(RunStatus(silent.silence.value), trace=silent.trace, tainted=True)
            except EnvironmentFailure:
                self.stop()
                raise
            if args and inside[-1] != args[-1]:
                run = replace(run, stdout=run.stdout.replace(inside[-1], args[-1]))
            self._count_job(process, run.tainted)
            return run


def _command(toolchain: Toolchain, address: Path) -> list[str]:
    command = [str(toolchain.java)]
    if toolchain.java_archive.is_file() and toolchain.java_archive.stat().st_size:
        command.append(f"-XX:AOTCache={toolchain.java_archive}")
    command += [*MEMORY_OPTIONS, *BEHAVIOUR_OPTIONS, "-XX:-CreateCoredumpOnCrash"]
    command += ["-cp", os.pathsep.join(map(str, (toolchain.worker_jar, *toolchain.classpath)))]
    return [*command, "uom.worker.Worker", str(address), os.pathsep.join(map(str, toolchain.classpath))]


def _encode(
    sources: Mapping[str, str], main_class: str, args: Sequence[str], release: int, limit_seconds: float
) -> bytes:
    """The request as `Request.read` in Worker.java takes it apart."""
    numbers = struct.pack(">iq", release, max(1, round(limit_seconds * 1000)))
    return numbers + text_field(main_class) + text_fields(args) + file_fields(sources)


def _decode(answer: Mapping[str, Any]) -> JavaRun:
    diagnostics = (JavaDiagnostic(**problem) for problem in answer.get("diagnostics", ()))
    return JavaRun(
        status=RunStatus(answer["status"]),
        compile_ms=answer["compile_ms"],
        run_ms=answer.get("run_ms", 0),
        diagnostics=tuple(sorted(diagnostics, key=lambda problem: (problem.file, problem.line, problem.column))),
        stdout=answer.get("stdout", ""),
        stderr=answer.get("stderr", ""),
        trace=answer.get("trace", ""),
        tainted=answer.get("tainted", False),
        loaders=answer.get("loaders", 0),
    )
