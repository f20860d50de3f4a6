"""A worker in a sandbox: what it sees, and how results come out of it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from uom.run.resident.program import WorkerProgram
from uom.run.sandboxes.bubblewrap import Bubblewrap, View, outside_system
from uom.run.sandboxes.confined import Confined, Program
from uom.run.sandboxes.endpoints import TcpEndpoint, endpoints_in
from uom.run.sandboxes.watching import Watch


class IsolatedWorker:
    """A worker's process in bubblewrap. `folder` is its private folder on the host, `socket` a folder in it."""

    def __init__(
        self,
        found: Bubblewrap,
        worker: WorkerProgram,
        folder: Path,
        socket: Path,
        command: Sequence[str],
        log: IO[bytes],
    ) -> None:
        self._results = folder / "results"
        self._tmp = folder / "tmp"
        self._limits = worker.limits
        for made in (self._results, self._tmp):
            made.mkdir()
        shown = outside_system((*worker.shown, socket))
        program = Program(
            argv=tuple(command),
            environment=worker.environment,
            view=View(shown, ((self._results, str(self._results)), (self._tmp, "/tmp"))),
            folder=folder,
            limits=worker.limits,
            reach=worker.reach,
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
        return Watch(self.confined.pid, (self._results, self._tmp), self._limits, self.confined.end)


def fetch_results(inside: Path, target: Path) -> None:
    """Moves the files that a job wrote. Links and the like stay behind: they would be followed on our side."""
    with os.scandir(inside) as entries:
        for entry in entries:
            if stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                os.replace(entry.path, target / entry.name)
