"""A database server that is a process of ours: it ends with us, however that ends, and leaves nothing behind."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from uom.run.failures import EnvironmentFailure
from uom.run.scratch import make_scratch, remove_scratch

START_SECONDS = 60.0
_TRIES = 3
_REMEDY = "Run `uom doctor`."
_OUTPUT = "output"
try:
    _LIBC: ctypes.CDLL | None = ctypes.CDLL(None)
except OSError:
    _LIBC = None


class OwnedServer(ABC):
    """One process on a port of this machine, with a scratch folder that goes with it.

    A subclass says how it is started and how one knows that it has come up. Raises EnvironmentFailure when the port is
    taken or the program does not start.
    """

    what: ClassVar[str]
    """Its name in messages, e.g. `embedded MongoDB`."""
    kind: ClassVar[str]
    """One word, small letters: the name of its scratch folder and its thread."""

    def __init__(self, port: int = 0) -> None:
        if port and not _is_free(port):
            raise EnvironmentFailure(f"port {port}", "it is taken by another program", "Choose another with --port.")
        self._ended = threading.Event()
        self.folder = make_scratch(self.kind)
        atexit.register(self.stop)
        try:
            for _ in range(1 if port else _TRIES):
                self.port = port or free_port()
                self._process = self._start()
                if wait_until(lambda: not self.is_running or self.came_up(), START_SECONDS) and self.is_running:
                    return
                self._kill()
            code = self._process.returncode
            why = f"it did not start, or ended at once with code {code}{self._last_words()}"
            raise EnvironmentFailure(self.what, why, _REMEDY)
        except BaseException:
            self.stop()
            raise

    @abstractmethod
    def command(self) -> list[str]:
        """What is run, in `folder`, to listen at `port`."""

    @abstractmethod
    def came_up(self) -> bool:
        """Whether it answers: it, and no other program that was quicker to take the port."""

    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "TMPDIR": str(self.folder)}

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Kills it: what it holds is ours, there is nothing to save. May be called more than once."""
        atexit.unregister(self.stop)
        self._kill()
        self._ended.set()
        remove_scratch(self.folder)

    def _start(self) -> subprocess.Popen[bytes]:
        """Started by a thread that lives as long as the server: Linux kills it when its starter's thread ends."""
        command = self.command()
        started: list[subprocess.Popen[bytes] | OSError] = []
        ready = threading.Event()

        def start_and_stay() -> None:
            try:
                with open(self.folder / _OUTPUT, "wb") as output:
                    started.append(
                        subprocess.Popen(
                            command,
                            cwd=self.folder,
                            env=dict(self.environment()),
                            stdin=subprocess.DEVNULL,
                            stdout=output,
                            stderr=output,
                            start_new_session=True,
                            preexec_fn=_die_with_parent,
                        )
                    )
            except OSError as error:
                started.append(error)
            ready.set()
            self._ended.wait()

        threading.Thread(target=start_and_stay, name=f"{self.kind}-starter", daemon=True).start()
        ready.wait()
        if isinstance(started[0], OSError):
            raise EnvironmentFailure(self.what, str(started[0]), _REMEDY) from started[0]
        return started[0]

    def _last_words(self) -> str:
        try:
            text = (self.folder / _OUTPUT).read_text(errors="replace").strip()
        except OSError:
            return ""
        return f": {text.splitlines()[-1][:300]}" if text else ""

    def _kill(self) -> None:
        process = getattr(self, "_process", None)
        if process is None or process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(3)


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Polls until the condition holds; False when time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Whether anything listens there."""
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def text_of(file: Path) -> str:
    """A file that another process writes; "" while it is not there."""
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def _die_with_parent() -> None:
    """Linux: the server is killed when our process dies without cleaning up."""
    with contextlib.suppress(OSError, AttributeError):
        if _LIBC is not None:
            _LIBC.prctl(1, signal.SIGKILL)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
