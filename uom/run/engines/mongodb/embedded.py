"""The embedded server: a SecantusDB process of ours with its data in memory.

SecantusDB is GPL-2.0: it is started as a program and spoken to over the wire, never imported.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import threading

import pymongo
from pymongo.errors import PyMongoError

from uom.run.engines.mongodb.relay import wait_until
from uom.run.failures import EnvironmentFailure
from uom.run.scratch import make_scratch, remove_scratch
from uom.run.toolchain import Toolchain

_START_SECONDS = 30.0
_TRIES = 3
_WHAT = "embedded MongoDB"
_REMEDY = "Run `uom doctor`."
try:
    _LIBC: ctypes.CDLL | None = ctypes.CDLL(None)
except OSError:
    _LIBC = None


class EmbeddedServer:
    """Ends with this process, however that ends. Its scratch folder goes with it."""

    def __init__(self, toolchain: Toolchain, port: int = 0) -> None:
        if port and not _is_free(port):
            raise EnvironmentFailure(f"port {port}", "it is taken by another program", "Choose another with --port.")
        self._ended = threading.Event()
        self._folder = make_scratch("mongodb")
        atexit.register(self.stop)
        try:
            for _ in range(1 if port else _TRIES):
                self.port = port or free_port()
                self._process = self._start(toolchain)
                if self._came_up():
                    return
                self._kill()
            code = self._process.returncode
            raise EnvironmentFailure(_WHAT, f"it did not start, or ended at once with code {code}", _REMEDY)
        except BaseException:
            self.stop()
            raise

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/?directConnection=true"

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
        remove_scratch(self._folder)

    def _start(self, toolchain: Toolchain) -> subprocess.Popen[bytes]:
        """Started by a thread that lives as long as the server: Linux kills it when its starter's thread ends."""
        # a configuration of its own: it would look for the user's otherwise
        settings = self._folder / "secantusd.toml"
        settings.touch()
        command = [str(toolchain.secantus_python), str(toolchain.secantus_server)]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--config", str(settings)]
        command += ["--storage-path", ":memory:", "--standalone"]
        started: list[subprocess.Popen[bytes] | OSError] = []
        ready = threading.Event()

        def start_and_stay() -> None:
            try:
                started.append(
                    subprocess.Popen(
                        command,
                        cwd=self._folder,
                        env={**os.environ, "TMPDIR": str(self._folder)},
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                        preexec_fn=_die_with_parent,
                    )
                )
            except OSError as error:
                started.append(error)
            ready.set()
            self._ended.wait()

        threading.Thread(target=start_and_stay, name="mongodb-starter", daemon=True).start()
        ready.wait()
        if isinstance(started[0], OSError):
            raise EnvironmentFailure(_WHAT, str(started[0]), _REMEDY) from started[0]
        return started[0]

    def _came_up(self) -> bool:
        """Whether the process answers: it, and no other program that was quicker to take the port."""
        process = self._process
        if not wait_until(lambda: process.poll() is not None or _answers(self.port), _START_SECONDS):
            return False
        return process.poll() is None and _pid_behind(self.uri) == process.pid

    def _kill(self) -> None:
        process = getattr(self, "_process", None)
        if process is None or process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(3)


def _die_with_parent() -> None:
    """Linux: the server is killed when our process dies without cleaning up."""
    with contextlib.suppress(OSError, AttributeError):
        if _LIBC is not None:
            _LIBC.prctl(1, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _pid_behind(uri: str) -> int:
    """The process that the server says it is; 0 when it does not say."""
    try:
        with pymongo.MongoClient[dict[str, object]](uri, serverSelectionTimeoutMS=5000) as client:
            pid = client.admin.command("serverStatus").get("pid", 0)
            return pid if isinstance(pid, int) else 0
    except PyMongoError:
        return 0
