"""The resident Java worker: compiles a bundle and runs it, again and again, in one JVM of ours."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from uom.run.failures import EnvironmentFailure
from uom.run.java.build import BEHAVIOUR_OPTIONS, MEMORY_OPTIONS, java_environment
from uom.run.resident.process import GRACE_SECONDS, NoAnswer, WorkerProcess
from uom.run.resident.program import WorkerProgram
from uom.run.resident.wire import file_fields, text_field, text_fields
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


class JavaWorker:
    """One JVM, replaced when a job spoils it. Jobs of several threads run one after the other.

    `start` returns at once; the first `run` waits for the JVM, which warms up meanwhile.
    With `isolation` (a bubblewrap that works) the JVM is shut in: it sees its jars and the folder for results, and
    reaches the server whose URI is a job's first argument. Code that a model wrote needs that, and `jobs_per_process`
    1: one job could change what the JVM does for the next.
    """

    def __init__(
        self, toolchain: Toolchain, isolation: Bubblewrap | None = None, jobs_per_process: int = _JOBS_PER_PROCESS
    ) -> None:
        self._toolchain = toolchain
        self._isolation = isolation
        self._jobs_per_process = jobs_per_process
        self._process: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._jobs = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        with self._lock:
            if self._process is None:
                self._start_process()

    def stop(self) -> None:
        """End the JVM and everything it started. May be called from another thread while a job runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    @property
    def pid(self) -> int:
        """The JVM's process, 0 when there is none."""
        return self._process.pid if self._process is not None else 0

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
            process = self._process or self._start_process()
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
            self._jobs += 1
            if run.tainted or self._jobs >= self._jobs_per_process:
                self._replace(process)
            return run

    def _start_process(self) -> WorkerProcess:
        self._jobs = 0
        self._process = WorkerProcess(_program(self._toolchain), self._isolation)
        return self._process

    def _replace(self, spoiled: WorkerProcess) -> None:
        """The next JVM starts while the caller works on. After `stop`, none does."""
        spoiled.kill()
        if self._process is spoiled:
            self._start_process()


def _program(toolchain: Toolchain) -> WorkerProgram:
    return WorkerProgram(
        "the JVM",
        lambda address: _command(toolchain, address),
        java_environment(),
        (toolchain.home, toolchain.java.resolve().parent.parent),
        _LIMITS,
    )


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
