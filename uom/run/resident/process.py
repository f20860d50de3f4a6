"""One process of a worker, from its start to its end, and the socket to it."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from uom.run.failures import EnvironmentFailure
from uom.run.resident.isolated import IsolatedWorker, fetch_results
from uom.run.resident.program import WorkerProgram
from uom.run.resident.wire import receive_answer
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.protocol import Ending
from uom.run.sandboxes.watching import descendants
from uom.run.scratch import make_scratch, remove_scratch

_START_SECONDS = 60.0
GRACE_SECONDS = 5.0


class Silence(StrEnum):
    """Why a worker gave no answer. `CRASHED`: it was ended, e.g. for its use of memory."""

    TIMEOUT = "timeout"
    EXIT = "exit"
    CRASHED = "crashed"


class NoAnswer(Exception):
    """The worker is gone, or must be replaced; `trace` says what is known about it."""

    def __init__(self, silence: Silence, trace: str) -> None:
        super().__init__(trace)
        self.silence = silence
        self.trace = trace


class WorkerProcess:
    """Started at once; the first `ask` waits until it is ready. Ends with its socket: also when this Python is killed.

    Raises EnvironmentFailure when it cannot be started.
    """

    def __init__(self, program: WorkerProgram, isolation: Bubblewrap | None) -> None:
        self._program = program
        self._folder = make_scratch("worker")
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
            command = program.command(address)
            if isolation is not None:
                self._isolated = IsolatedWorker(isolation, program, self._folder, address.parent, command, self._log)
            self._process = self._isolated.confined.process if self._isolated else self._start(command)
        except OSError as error:
            remove_scratch(self._folder)
            raise EnvironmentFailure(f"Cannot start {program.name}", str(error), "Run `uom doctor`.") from error
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
            env=dict(self._program.environment),
            cwd=self._folder,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The worker's own: in isolation the innermost process."""
        return descendants(self._process.pid)[-1] if self._isolated else self._process.pid

    @contextlib.contextmanager
    def job(self, args: Sequence[str]) -> Iterator[Sequence[str]]:
        """The arguments as the worker is to see them. In isolation, results are fetched at the end."""
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

    def ask(self, request: bytes, seconds: float) -> dict[str, Any]:
        """The worker's answer. Raises NoAnswer, and EnvironmentFailure when it does not even start."""
        try:
            connection = self._connection or self._connect()
            connection.settimeout(seconds)
            connection.sendall(request)
            return receive_answer(connection, seconds)
        except TimeoutError:
            name = self._program.name
            raise NoAnswer(Silence.TIMEOUT, f"{name} did not answer and was killed") from None
        except OSError:
            raise self._ended() from None

    def kill(self) -> None:
        """End it and its children. A second call does nothing: the number may be another process's by then."""
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
        """Wait until it has connected and says that it is ready."""
        deadline = time.monotonic() + _START_SECONDS
        try:
            self._listener.settimeout(0.2)
            while self._connection is None:
                try:
                    self._connection, _ = self._listener.accept()
                except TimeoutError:
                    if self._process.poll() is not None or time.monotonic() > deadline:
                        raise
            receive_answer(self._connection, deadline - time.monotonic())
        except OSError as error:
            if self._killed:
                # Stopped from another thread while it started: the job ended, the surroundings are sound.
                raise
            why = self._log_text() or str(error)
            raise EnvironmentFailure(f"{self._program.name} does not start", why, "Run `uom doctor`.") from error
        return self._connection

    def _ended(self) -> NoAnswer:
        name = self._program.name
        ending = self._isolated.confined.ending if self._isolated else Ending.EXITED
        if ending is not Ending.EXITED:
            return NoAnswer(Silence.CRASHED, f"it was ended for its use of {ending.value}")
        try:
            code = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return NoAnswer(Silence.CRASHED, f"{name} closed its connection")
        if self._isolated and code > 128:  # bubblewrap's way of passing a signal on
            code = 128 - code
        if code >= 0:
            return NoAnswer(Silence.EXIT, f"{name} ended with exit code {code}\n{self._log_text()}")
        return NoAnswer(Silence.CRASHED, f"{name} was ended by signal {-code}\n{self._log_text()}")

    def _log_text(self) -> str:
        try:
            self._log.seek(0)
            return self._log.read()[-4000:].decode(errors="replace")
        except ValueError:  # closed: killed from another thread
            return ""
