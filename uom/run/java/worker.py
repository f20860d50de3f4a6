"""The resident Java worker: compiles a bundle and runs it, again and again, in one JVM of ours."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from uom.run.failures import EnvironmentFailure
from uom.run.java.build import BEHAVIOUR_OPTIONS, MEMORY_OPTIONS, java_environment
from uom.run.java.isolation import IsolatedWorker, fetch_results
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.protocol import Ending
from uom.run.sandboxes.watching import descendants
from uom.run.scratch import make_scratch, remove_scratch
from uom.run.toolchain import Toolchain

_START_SECONDS = 60.0
_COMPILE_SECONDS = 60.0
_GRACE_SECONDS = 5.0
_JOBS_PER_PROCESS = 300


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
        self._process: _Process | None = None
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
                    answer = process.ask(request, _COMPILE_SECONDS + limit_seconds + _GRACE_SECONDS)
            except EnvironmentFailure:
                self.stop()
                raise
            run = answer if isinstance(answer, JavaRun) else _decode(answer)
            if args and inside[-1] != args[-1]:
                run = replace(run, stdout=run.stdout.replace(inside[-1], args[-1]))
            self._jobs += 1
            if isinstance(answer, JavaRun) or run.tainted or self._jobs >= self._jobs_per_process:
                self._replace(process)
            return run

    def _start_process(self) -> _Process:
        self._jobs = 0
        self._process = _Process(self._toolchain, self._isolation)
        return self._process

    def _replace(self, spoiled: _Process) -> None:
        """The next JVM starts while the caller works on. After `stop`, none does."""
        spoiled.kill()
        if self._process is spoiled:
            self._start_process()


class _Process:
    """A JVM and the socket to it. Ends with its socket: also when this Python is killed."""

    def __init__(self, toolchain: Toolchain, isolation: Bubblewrap | None) -> None:
        self._folder = make_scratch("java")
        (self._folder / "socket").mkdir()
        address = self._folder / "socket" / "worker.sock"
        self._isolated: IsolatedWorker | None = None
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection: socket.socket | None = None
        self._killed = False
        self._log = open(self._folder / "log", "w+b")  # noqa: SIM115 (closed by kill)
        try:
            self._listener.bind(str(address))
            self._listener.listen(1)
            command = _command(toolchain, address)
            if isolation is not None:
                self._isolated = IsolatedWorker(isolation, toolchain, self._folder, address.parent, command, self._log)
            self._process = self._isolated.confined.process if self._isolated else self._start(command)
        except OSError as error:
            remove_scratch(self._folder)
            raise EnvironmentFailure("Cannot start Java", str(error), "Run `uom doctor`.") from error
        except EnvironmentFailure:
            remove_scratch(self._folder)
            raise
        atexit.register(self.kill)

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=java_environment(),
            cwd=self._folder,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The JVM's: in isolation the innermost process."""
        return descendants(self._process.pid)[-1] if self._isolated else self._process.pid

    @contextlib.contextmanager
    def job(self, args: Sequence[str]) -> Iterator[Sequence[str]]:
        """The arguments as the JVM is to see them. In isolation, results are fetched at the end."""
        isolated = self._isolated
        if isolated is None:
            yield args
            return
        isolated.reach(args)
        inside, results = isolated.results_inside(args)
        watch = isolated.watch()
        try:
            yield inside
        finally:
            watch.stop()
            if results is not None:
                fetch_results(results, Path(args[-1]))

    def ask(self, request: bytes, seconds: float) -> dict[str, Any] | JavaRun:
        """The worker's answer; a JavaRun where it gave none."""
        try:
            connection = self._connection or self._connect()
            connection.settimeout(seconds)
            connection.sendall(request)
            return _answer(connection, seconds)
        except TimeoutError:
            return JavaRun(RunStatus.TIMEOUT, trace="the JVM did not answer and was killed", tainted=True)
        except OSError:
            return self._ended()

    def kill(self) -> None:
        """End the JVM and its children. A second call does nothing: the number may be another process's by then."""
        if self._killed:
            return
        self._killed = True
        atexit.unregister(self.kill)
        if self._isolated is not None:
            self._isolated.confined.kill()
        else:
            with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listener.close()
        self._log.close()
        remove_scratch(self._folder)

    def _connect(self) -> socket.socket:
        """Wait until the JVM has connected and says that it is ready."""
        deadline = time.monotonic() + _START_SECONDS
        try:
            self._listener.settimeout(0.2)
            while self._connection is None:
                try:
                    self._connection, _ = self._listener.accept()
                except TimeoutError:
                    if self._process.poll() is not None or time.monotonic() > deadline:
                        raise
            _answer(self._connection, deadline - time.monotonic())
        except OSError as error:
            if self._killed:
                # Stopped from another thread while it started: the job ended, the surroundings are sound.
                raise
            why = self._log_text() or str(error)
            raise EnvironmentFailure("The Java worker does not start", why, "Run `uom doctor`.") from error
        return self._connection

    def _ended(self) -> JavaRun:
        ending = self._isolated.confined.ending if self._isolated else Ending.EXITED
        if ending is not Ending.EXITED:
            return JavaRun(RunStatus.CRASHED, trace=f"it was ended for its use of {ending.value}", tainted=True)
        try:
            code = self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return JavaRun(RunStatus.CRASHED, trace="the JVM closed its connection", tainted=True)
        if self._isolated and code > 128:  # bubblewrap's way of passing a signal on
            code = 128 - code
        if code >= 0:
            return JavaRun(
                RunStatus.EXIT, trace=f"the JVM ended with exit code {code}\n{self._log_text()}", tainted=True
            )
        return JavaRun(
            RunStatus.CRASHED, trace=f"the JVM was ended by signal {-code}\n{self._log_text()}", tainted=True
        )

    def _log_text(self) -> str:
        try:
            self._log.seek(0)
            return self._log.read()[-4000:].decode(errors="replace")
        except ValueError:  # closed: killed from another thread
            return ""


def _command(toolchain: Toolchain, address: Path) -> list[str]:
    command = [str(toolchain.java)]
    if toolchain.java_archive.is_file() and toolchain.java_archive.stat().st_size:
        command.append(f"-XX:AOTCache={toolchain.java_archive}")
    command += [*MEMORY_OPTIONS, *BEHAVIOUR_OPTIONS, "-XX:-CreateCoredumpOnCrash"]
    command += ["-cp", os.pathsep.join(map(str, (toolchain.worker_jar, *toolchain.classpath)))]
    return [*command, "uom.worker.Worker", str(address), os.pathsep.join(map(str, toolchain.classpath))]


def _answer(connection: socket.socket, seconds: float) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    (length,) = struct.unpack(">i", _receive(connection, 4, deadline))
    answer: dict[str, Any] = json.loads(_receive(connection, length, deadline))
    return answer


def _receive(connection: socket.socket, count: int, deadline: float) -> bytes:
    received = bytearray()
    while len(received) < count:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        chunk = connection.recv(min(count - len(received), 1 << 20))
        if not chunk:
            raise ConnectionResetError("the worker closed the connection")
        received += chunk
    return bytes(received)


def _encode(
    sources: Mapping[str, str], main_class: str, args: Sequence[str], release: int, limit_seconds: float
) -> bytes:
    """The request as `Request.read` in Worker.java takes it apart."""
    parts = [struct.pack(">iq", release, max(1, round(limit_seconds * 1000))), _text(main_class)]
    parts += [struct.pack(">i", len(args)), *map(_text, args), struct.pack(">i", len(sources))]
    for path, text in sources.items():
        parts += [_text(path), _text(text)]
    return b"".join(parts)


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return struct.pack(">i", len(encoded)) + encoded


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
