"""The worker in a sandbox: what it sees, and how results come out of it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from uom.run.java.build import java_environment
from uom.run.sandboxes.bubblewrap import Bubblewrap, View, outside_system
from uom.run.sandboxes.confined import Confined, Program
from uom.run.sandboxes.endpoints import TcpEndpoint, endpoints_in
from uom.run.sandboxes.protocol import Limits
from uom.run.sandboxes.watching import Watch
from uom.run.toolchain import Toolchain

_LIMITS = Limits(cpu_seconds=86_400, memory_mb=1536, processes=400, file_mb=1024, disk_mb=2048, files=20_000)
"""Heap, classes, buffers and threads of the worker's own options together. One process runs some hundred jobs, so that
its CPU time says nothing; each job has a time limit of its own."""


class IsolatedWorker:
    """A worker's process in bubblewrap. `folder` is its private folder on the host, `socket` a folder in it."""

    def __init__(
        self,
        found: Bubblewrap,
        toolchain: Toolchain,
        folder: Path,
        socket: Path,
        command: Sequence[str],
        log: IO[bytes],
    ) -> None:
        self._results = folder / "results"
        self._tmp = folder / "tmp"
        for made in (self._results, self._tmp):
            made.mkdir()
        shown = outside_system((toolchain.home, toolchain.java.resolve().parent.parent, socket))
        program = Program(
            argv=tuple(command),
            environment=java_environment(),
            view=View(shown, ((self._results, str(self._results)), (self._tmp, "/tmp"))),
            folder=folder,
            limits=_LIMITS,
            output=log,
            cwd="/tmp",
            stays=True,
        )
        self.confined = Confined(program, found)

    def reach(self, args: Sequence[str]) -> None:
        """Let the job talk to the server whose URI is its first argument, and to no other."""
        if args and "://" in args[0]:
            for endpoint in endpoints_in(args[0]):
                if isinstance(endpoint, TcpEndpoint):
                    self.confined.reach(endpoint)

    def results_inside(self, args: Sequence[str]) -> tuple[list[str], Path | None]:
        """`args` with a folder inside in place of the caller's, which is the last one, if it is one."""
        if not args or not os.path.isabs(args[-1]) or not os.path.isdir(args[-1]):
            return list(args), None
        inside = Path(tempfile.mkdtemp(dir=self._results))
        return [*args[:-1], str(inside)], inside

    def watch(self) -> Watch:
        return Watch(self.confined.pid, (self._results, self._tmp), _LIMITS, self.confined.end)


def fetch_results(inside: Path, target: Path) -> None:
    """Moves the files that a job wrote. Links and the like stay behind: they would be followed on our side."""
    with os.scandir(inside) as entries:
        for entry in entries:
            if stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                os.replace(entry.path, target / entry.name)
