"""The local sandbox: each command in a bubblewrap of its own, over folders that stay from one command to the next."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
import sys
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from uom.run.sandboxes.bubblewrap import Bubblewrap, View, bubblewrap
from uom.run.sandboxes.confined import Confined, Program
from uom.run.sandboxes.endpoints import Endpoint
from uom.run.sandboxes.protocol import MEBIBYTE, Execution, Limits, SandboxProblem
from uom.run.sandboxes.watching import Watch
from uom.run.scratch import make_scratch, remove_scratch

INSIDE = "/sandbox"
HOME = "/home/sandbox"
_COMMAND = "/run/uom/command.sh"
_SHARED = "shared"
"""The unit of commands that run in the root itself."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Furnishing:
    """What a sandbox brings along: paths of the host to show, files of its home, and environment variables.

    `home` is written anew for each command: none can leave anything there for the next.
    """

    read_only: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    home: Mapping[str, str] = field(default_factory=dict)


class LocalSandbox:
    """A `Sandbox` on this machine.

    Where bubblewrap does not work it runs trusted code only, unless `allow_unsafe`: then everything, with no
    more than limits and a process group that is killed.
    """

    def __init__(
        self,
        furnishing: Furnishing | None = None,
        limits: Limits | None = None,
        allow_unsafe: bool = False,
        found: Bubblewrap | None = None,
    ) -> None:
        self._furnishing = furnishing or Furnishing()
        self._limits = limits or Limits()
        self._allow_unsafe = allow_unsafe
        self._found = found or bubblewrap()
        self._folder = make_scratch("sandbox")
        self._running: set[Confined] = set()
        self._closed = False
        self.id = f"local-{uuid.uuid4().hex[:12]}"
        (self._folder / "work").mkdir()

    @property
    def isolated(self) -> bool:
        return self._found.works

    @property
    def root(self) -> str:
        return INSIDE if self.isolated else str(self._folder / "work")

    async def upload(self, files: Mapping[str, bytes]) -> None:
        for path, content in files.items():
            self._write(path, content)

    async def execute(
        self,
        command: str,
        cwd: str = "",
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = 480.0,
        reach: Sequence[Endpoint] = (),
        trusted: bool = False,
    ) -> Execution:
        self._require(trusted)
        own = self._folder / f"run-{uuid.uuid4().hex[:12]}"
        program = self._program(own, cwd or self.root, environment or {}, tuple(reach))
        started: list[Confined] = []
        cancelled = threading.Event()

        def run() -> Execution:
            with _Own(own, self._furnishing.home):
                own.joinpath("command.sh").write_text(command, encoding="utf-8")
                confined = Confined(program, self._found)
                started.append(confined)
                self._running.add(confined)
                if cancelled.is_set() or self._closed:
                    confined.kill()
                return self._await(confined, program, limit_seconds)

        def stop() -> None:
            cancelled.set()
            for confined in started:
                confined.kill()

        return await in_own_thread(run, stop)

    async def download(self, path: str, limit_bytes: int = 64 * MEBIBYTE) -> bytes:
        """No link is followed: it would be followed on this side of the wall."""
        return read_below(self._folder / "work", self._relative(path), limit_bytes)

    async def remove(self, folder: str) -> None:
        relative = self._relative(folder)
        if len(relative.parts) != 1:
            raise ValueError(f"{folder} is not directly below {self.root}")
        await asyncio.to_thread(shutil.rmtree, self._folder / "work" / relative, ignore_errors=True)

    async def close(self) -> None:
        self._closed = True
        for confined in tuple(self._running):
            confined.kill()
        remove_scratch(self._folder)

    def _require(self, trusted: bool) -> None:
        if self._closed:
            raise SandboxProblem("The local sandbox", "it has been closed", "Open another one.")
        if sys.platform != "linux":
            raise SandboxProblem("The local sandbox", "it needs Linux", "Use the Daytona sandbox.")
        if not (self.isolated or trusted or self._allow_unsafe):
            raise SandboxProblem(
                "Code that a model wrote is not run here without isolation",
                self._found.reason,
                f"{self._found.remedy} Or take the risk with --unsafe-no-sandbox, or use the Daytona sandbox.",
            )

    def _program(self, own: Path, cwd: str, environment: Mapping[str, str], reach: tuple[Endpoint, ...]) -> Program:
        work = self._folder / "work"
        relative = self._relative(cwd)
        unit = relative.parts[0] if relative.parts else ""
        (work / relative).mkdir(parents=True, exist_ok=True)
        view = View(
            self._furnishing.read_only,
            ((work / unit, str(PurePosixPath(self.root) / unit)), (own / "home", HOME), (own / "tmp", "/tmp")),
            ((own / "command.sh", _COMMAND),),
        )
        return Program(
            argv=("bash", _COMMAND if self.isolated else str(own / "command.sh")),
            environment={
                "PATH": os.defpath if self.isolated else os.environ.get("PATH", os.defpath),
                "HOME": HOME if self.isolated else str(own / "home"),
                "TMPDIR": "/tmp" if self.isolated else str(own / "tmp"),
                "TZ": "UTC",
                "LANG": "C.UTF-8",
                **self._furnishing.environment,
                **environment,
            },
            view=view,
            folder=own,
            limits=self._limits,
            reach=reach,
            cwd=cwd,
        )

    def _await(self, confined: Confined, program: Program, limit_seconds: float) -> Execution:
        folders = [host for host, _ in program.view.writable]
        watch = Watch(confined.pid, folders, self._limits, confined.end)
        try:
            return confined.wait(limit_seconds, self._limits.output_bytes)
        finally:
            watch.stop()
            self._running.discard(confined)

    def _write(self, path: str, content: bytes) -> None:
        target = self._folder / "work"
        *folders, name = self._relative(path).parts
        with _opened_folder(target, folders, make=True) as folder:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(name, flags, 0o644, dir_fd=folder)
        with open(handle, "wb") as file:
            file.write(content)

    def _relative(self, path: str) -> PurePosixPath:
        found = PurePosixPath(path)
        if not found.is_relative_to(self.root) or ".." in found.parts:
            raise ValueError(f"{path} is outside of {self.root}")
        return found.relative_to(self.root)


class _Own:
    """Home and temporary folder of one command."""

    def __init__(self, folder: Path, home: Mapping[str, str]) -> None:
        self._folder = folder
        self._home = home

    def __enter__(self) -> None:
        for name in ("home", "tmp"):
            (self._folder / name).mkdir(parents=True)
        for path, text in self._home.items():
            file = self._folder / "home" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def read_below(root: Path, relative: PurePosixPath, limit_bytes: int) -> bytes:
    """A regular file below `root`, by a path without links. Raises SandboxProblem for anything else."""
    *folders, name = relative.parts or ("",)
    try:
        with _opened_folder(root, folders) as folder:
            # Without the last flag a named pipe would hold us up.
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > limit_bytes:
                raise SandboxProblem(f"Cannot take {relative}", "it is no regular file of acceptable size", "")
            return file.read(limit_bytes)
    except OSError as error:
        raise SandboxProblem(f"Cannot take {relative}", error.strerror or str(error), "") from error


@contextlib.contextmanager
def _opened_folder(root: Path, folders: Sequence[str], make: bool = False) -> Iterator[int]:
    """A descriptor of the folder, reached without following links."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(root, flags)
    try:
        for name in folders:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
            inner = os.open(name, flags, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


async def in_own_thread(run: Callable[[], T], stop: Callable[[], object]) -> T:
    """Like `asyncio.to_thread`, with a thread that no other work waits for. `stop` makes `run` end when we are
    cancelled; we return when it has."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if not future.done():
            future.set_exception(error) if error is not None else future.set_result(value)  # type: ignore[arg-type]

    def work() -> None:
        value, problem = None, None
        try:
            value = run()
        except BaseException as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, value, problem)

    threading.Thread(target=work, name="sandbox", daemon=True).start()
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        stop()
        await _quiet(future)
        raise


async def _quiet(future: Awaitable[object]) -> None:
    with contextlib.suppress(Exception, asyncio.CancelledError):
        await asyncio.wait_for(future, 15)
