"""One program in isolation: started, given ports and limits, listened to, and ended with all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO

from uom.run.sandboxes import cgroups
from uom.run.sandboxes.bubblewrap import PASSWD, Bubblewrap, View, isolation, outside_system, python_inside
from uom.run.sandboxes.cgroups import ProcessGroup
from uom.run.sandboxes.endpoints import Endpoint, SocketEndpoint, TcpEndpoint, inside_addresses
from uom.run.sandboxes.ports import Forwarding
from uom.run.sandboxes.protocol import MEBIBYTE, Ending, Execution, Limits, SandboxProblem
from uom.run.sandboxes.watching import descendants

_LAUNCHER = "/run/uom/launcher.py"
_START_SECONDS = 20.0
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """What to run. `folder` is a private folder on the host for files that belong to this start.

    `output` takes stdout and stderr; a pipe that `Confined.output` reads where it is None.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    view: View
    folder: Path
    limits: Limits = field(default_factory=Limits)
    reach: tuple[Endpoint, ...] = ()
    output: IO[bytes] | None = None
    cwd: str = "/"
    stays: bool = False
    """It lives on: servers may be added to `reach` later."""


class Confined:
    """A running program. With a `Bubblewrap` that does not work it is only limited, not shut in.

    Raises SandboxProblem when it cannot be started. `kill` may be called from any thread, more than once.
    """

    def __init__(self, program: Program, found: Bubblewrap) -> None:
        self.ending = Ending.EXITED
        self._isolated = found.works
        self._known: set[Endpoint] = set(program.reach)
        self._lock = threading.Lock()
        self._ended = False
        self._forwarding: Forwarding | None = None
        self._group: ProcessGroup | None = None
        addresses, hosts = inside_addresses(program.reach)
        self._shown = _settings(program.folder, {"hosts": hosts, "passwd": PASSWD})
        if self._isolated:
            self._shown += tuple(self._sockets(program))
        self._channel, theirs = socket.socketpair()
        try:
            with theirs:
                command = self._command(program, found, theirs.fileno())
                self.process = _start(command, program, theirs.fileno(), None if self._isolated else program.cwd)
        except OSError as error:
            self._channel.close()
            if self._forwarding is not None:
                self._forwarding.close()
            raise SandboxProblem("The local sandbox", f"it does not start: {error}", "Run `uom doctor`.") from error
        self._request(program, addresses if self._isolated else {})

    @property
    def pid(self) -> int:
        return self.process.pid

    def reach(self, endpoint: TcpEndpoint) -> None:
        """Let it talk to one more local server. Only for programs that stay."""
        with self._lock:
            if not self._isolated or endpoint in self._known:
                return
            if not endpoint.is_local:
                raise SandboxProblem("The local sandbox", f"{endpoint.host} is named too late", "Name it at the start.")
            addresses, _ = inside_addresses((endpoint,))
            self._send({"listen": [[addresses[endpoint], endpoint.port]]})
            self._receive(addresses)
            self._known.add(endpoint)

    def wait(self, limit_seconds: float, kept_bytes: int) -> Execution:
        """Reads what the program prints until it ends or has had its time. Nothing of it is left then."""
        started = time.monotonic()
        output = _Output(kept_bytes)
        assert self.process.stdout is not None
        reader = threading.Thread(target=output.read, args=(self.process.stdout,), name="sandbox-output", daemon=True)
        reader.start()
        try:
            if not has_ended(self.pid, limit_seconds):
                self.end(Ending.TIMEOUT)
        finally:
            self.kill()
        reader.join(_END_SECONDS)
        code = self.process.returncode if self.ending is Ending.EXITED else -1
        code = 128 - code if self.ending is Ending.EXITED and code < 0 else code
        return Execution(code, output.text(), self.ending, time.monotonic() - started)

    def end(self, ending: Ending) -> None:
        """Kill it, and say for what."""
        with self._lock:
            if not self._ended and not has_ended(self.pid, 0):
                self.ending = ending
        self.kill()

    def kill(self) -> None:
        """The end of bubblewrap's first process inside takes all others with it; outside, that of the group."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        # Before it is waited for: afterwards the numbers may be those of others.
        if not self._isolated:
            for pid in descendants(self.pid)[1:]:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_SECONDS)
        self._channel.close()
        if self._forwarding is not None:
            self._forwarding.close()
        if self._group is not None:
            self._group.remove()

    def _command(self, program: Program, found: Bubblewrap, channel: int) -> list[str]:
        interpreter, needed = python_inside()
        if not self._isolated:
            return [interpreter, "-I", "-S", str(_launcher_file()), str(channel)]
        view = View(
            outside_system((*program.view.read_only, *needed)),
            program.view.writable,
            (*program.view.shown, *self._shown, (_launcher_file(), _LAUNCHER)),
        )
        command = isolation(found, view)
        return [*command, "--chdir", program.cwd, "--", interpreter, "-I", "-S", _LAUNCHER, str(channel)]

    def _request(self, program: Program, addresses: Mapping[TcpEndpoint, str]) -> None:
        places = [[address, endpoint.port] for endpoint, address in addresses.items()]
        limits = _resource_limits(program.limits, self._isolated)
        try:
            self._receive({})  # it is there, and waits
            if cgroups.needed():
                self._group = ProcessGroup(program.limits.processes)
                self._group.add(descendants(self.pid))
            request = {"argv": program.argv, "limits": limits, "listen": places, "serve": program.stays}
            self._send({**request, "gather": not self._isolated})
            self._receive(addresses)
        except BaseException:
            self.kill()
            raise

    def _send(self, request: Mapping[str, object]) -> None:
        try:
            self._channel.settimeout(_START_SECONDS)
            self._channel.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise self._broken(str(error)) from error

    def _receive(self, addresses: Mapping[TcpEndpoint, str]) -> None:
        """The launcher's answer, with a listening socket for each address."""
        try:
            answer, numbers, _, _ = socket.recv_fds(self._channel, 4096, max(1, len(addresses)))
        except OSError as error:
            raise self._broken(str(error)) from error
        listeners = [socket.socket(fileno=number) for number in numbers]
        if not answer.startswith(b"+") or len(listeners) != len(addresses):
            for listener in listeners:
                listener.close()
            raise self._broken(answer[1:].decode(errors="replace").strip() or "it ended at once")
        for listener, endpoint in zip(listeners, addresses, strict=True):
            self._forward(listener, endpoint)

    def _forward(self, listener: socket.socket, endpoint: Endpoint) -> None:
        self._forwarding = self._forwarding or Forwarding()
        self._forwarding.add(listener, endpoint)

    def _sockets(self, program: Program) -> Iterator[tuple[Path, str]]:
        """Sockets of ours to show in the place of servers' own, whose folders may be closed to us in there."""
        for number, endpoint in enumerate(program.reach):
            if isinstance(endpoint, SocketEndpoint):
                path = program.folder / f"socket-{number}"
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                listener.bind(str(path))
                listener.listen(64)
                self._forward(listener, endpoint)
                yield path, str(endpoint.path)

    def _broken(self, why: str) -> SandboxProblem:
        said = ""
        if self.process.stdout is not None and has_ended(self.pid, 1.0):
            said = self.process.stdout.read(4000).decode(errors="replace").strip()
        return SandboxProblem("The local sandbox", f"it does not start: {said or why}", "Run `uom doctor`.")


def has_ended(pid: int, seconds: float) -> bool:
    """Wait for a child of ours without taking its exit code."""
    deadline = time.monotonic() + seconds
    try:
        handle = os.pidfd_open(pid)
    except OSError:  # before Linux 5.3, or gone
        handle = -1
    try:
        while not _is_over(pid):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if handle >= 0:
                select.select([handle], [], [], min(left, 3600.0))
            else:
                time.sleep(min(left, 0.02))
        return True
    finally:
        if handle >= 0:
            os.close(handle)


def _is_over(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _resource_limits(limits: Limits, isolated: bool) -> dict[str, int]:
    found = {
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": 4096,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_FSIZE": limits.file_mb * MEBIBYTE,
        "RLIMIT_DATA": limits.memory_mb * MEBIBYTE,
    }
    if isolated and _counts_per_namespace():
        found["RLIMIT_NPROC"] = limits.processes
    return found


def _settings(folder: Path, files: Mapping[str, str]) -> tuple[tuple[Path, str], ...]:
    """Files of ours to show in /etc."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple((folder / name, f"/etc/{name}") for name in files)


@cache
def _counts_per_namespace() -> bool:
    """Before Linux 5.14 RLIMIT_NPROC counts all processes of the user, also those outside."""
    try:
        major, minor = (int(part) for part in os.uname().release.split(".")[:2])
    except ValueError:
        return False
    return (major, minor) >= (5, 14)


@cache
def _launcher_file() -> Path:
    return Path(str(resources.files("uom.run.sandboxes").joinpath("launcher.py"))).resolve()


def _start(command: Sequence[str], program: Program, channel: int, cwd: str | None) -> subprocess.Popen[bytes]:
    """bwrap ends with the *thread* that started it, so that this is always the same one, which never ends."""

    def popen() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=program.output or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(program.environment),
            cwd=cwd,
            pass_fds=(channel,),
            start_new_session=True,
        )

    return _in_lasting_thread(popen)


def _in_lasting_thread(action: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    answers: queue.SimpleQueue[subprocess.Popen[bytes] | BaseException] = queue.SimpleQueue()
    _starter().put((action, answers))
    answer = answers.get()
    if isinstance(answer, BaseException):
        raise answer
    return answer


_Jobs = queue.SimpleQueue[
    tuple[Callable[[], subprocess.Popen[bytes]], "queue.SimpleQueue[subprocess.Popen[bytes] | BaseException]"]
]


@cache
def _starter() -> _Jobs:
    jobs: _Jobs = queue.SimpleQueue()

    def work() -> None:
        while True:
            action, answers = jobs.get()
            try:
                answers.put(action())
            except BaseException as error:
                answers.put(error)

    threading.Thread(target=work, name="sandbox-starter", daemon=True).start()
    return jobs


class _Output:
    """The start and the end of what was printed; what lies between is counted."""

    def __init__(self, kept_bytes: int) -> None:
        self._half = max(1, kept_bytes // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._add(chunk)

    def text(self) -> str:
        tail = self._tail[-self._half :]
        dropped = self._dropped + len(self._tail) - len(tail)
        gap = f"\n[{dropped} bytes left out]\n".encode() if dropped else b""
        return (bytes(self._head) + gap + bytes(tail)).decode("utf-8", "replace")

    def _add(self, chunk: bytes) -> None:
        room = self._half - len(self._head)
        self._head += chunk[:room] if room > 0 else b""
        self._tail += chunk[max(0, room) :]
        if len(self._tail) > 2 * self._half:
            self._dropped += len(self._tail) - self._half
            del self._tail[: len(self._tail) - self._half]
