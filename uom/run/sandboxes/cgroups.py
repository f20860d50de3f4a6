"""A limit on the number of processes that holds for root too, whom RLIMIT_NPROC does not bind."""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterable
from pathlib import Path

from uom.run.scratch import is_alive

_MOUNT = Path("/sys/fs/cgroup")
_LEAVE_SECONDS = 2.0


class ProcessGroup:
    """A control group of its own with room for `limit` processes. `path` is None where none can be made."""

    def __init__(self, limit: int) -> None:
        self.path: Path | None = None
        for parent in _parents():
            _sweep(parent)
            path = parent / f"uom-{os.getpid()}-{uuid.uuid4().hex[:12]}"
            try:
                path.mkdir()
            except OSError:
                continue
            try:
                (path / "pids.max").write_text(str(limit), encoding="ascii")
                self.path = path
                return
            except OSError:
                with contextlib.suppress(OSError):
                    path.rmdir()

    def add(self, pids: Iterable[int]) -> None:
        """Put processes in; what they start from now on is in it too."""
        for pid in pids:
            with contextlib.suppress(OSError):
                assert self.path is not None
                (self.path / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def remove(self) -> None:
        """To be called when its processes were killed; they may take a moment to go."""
        deadline = time.monotonic() + _LEAVE_SECONDS
        while self.path is not None:
            try:
                self.path.rmdir()
                self.path = None
            except FileNotFoundError:
                self.path = None
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.01)


def needed() -> bool:
    """Whether RLIMIT_NPROC would not hold."""
    return os.geteuid() == 0


def _sweep(parent: Path) -> None:
    """Groups whose maker was killed. Those that are in use cannot be removed."""
    for path in parent.glob("uom-*-*"):
        if not is_alive(int(path.name.split("-")[1])):
            with contextlib.suppress(OSError):
                path.rmdir()


def _parents() -> list[Path]:
    """Our own group of the pids controller (version 1), or the one above ours (version 2, where only leaves run)."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, own = line.split(":", 2)
            if "pids" in controllers.split(","):
                found.append(_MOUNT / "pids" / own.lstrip("/"))
            elif not controllers:
                found.append((_MOUNT / own.lstrip("/")).parent if own != "/" else _MOUNT)
    return [path for path in found if path.is_dir()]
