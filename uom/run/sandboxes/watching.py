"""Looks after what the kernel does not limit for a group of processes: their memory, number and files together."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from uom.run.sandboxes.protocol import MEBIBYTE, Ending, Limits

_PAUSE_SECONDS = 0.1
_KEPT_FREE = 256 * MEBIBYTE
"""Of the file system: where less is free, whoever is writing is stopped, whatever we can see of it."""


@dataclass(frozen=True, slots=True)
class Usage:
    processes: int
    memory_bytes: int


class Watch:
    """A thread that calls `exceeded` once, as soon as the processes below `pid` use more than `limits` allow."""

    def __init__(self, pid: int, folders: Sequence[Path], limits: Limits, exceeded: Callable[[Ending], object]) -> None:
        self._pid = pid
        self._folders = folders
        self._limits = limits
        self._exceeded = exceeded
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="sandbox-watch", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        pause = _PAUSE_SECONDS
        while not self._stopped.wait(pause):
            started = time.monotonic()
            ending = self._look()
            if ending is not None:
                if not self._stopped.is_set():
                    self._exceeded(ending)
                return
            # Watching takes a tenth of one core at most, however much there is to see.
            pause = min(2.0, max(_PAUSE_SECONDS, 10 * (time.monotonic() - started)))

    def _look(self) -> Ending | None:
        pids = descendants(self._pid)
        usage = usage_of(pids)
        if usage.processes > self._limits.processes:
            return Ending.PROCESSES
        if usage.memory_bytes > self._limits.memory_mb * MEBIBYTE:
            return Ending.MEMORY
        return Ending.DISK if self._disk_is_full(pids) else None

    def _disk_is_full(self, pids: Sequence[int]) -> bool:
        allowed, count = self._limits.disk_mb * MEBIBYTE, self._limits.files
        for folder in self._folders:
            with contextlib.suppress(OSError):
                free = os.statvfs(folder)
                if free.f_bavail * free.f_frsize < _KEPT_FREE:
                    return True
            for size in file_sizes(folder):
                allowed, count = allowed - size, count - 1
                if allowed < 0 or count < 0:
                    return True
        return sum(unlinked_sizes(pids)) > allowed


def descendants(pid: int) -> list[int]:
    """`pid` and all processes below it. Those that lost their parent belong to the sandbox's first process."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                text = Path(f"/proc/{name}/stat").read_bytes()
                parent = int(text[text.rindex(b")") + 2 :].split()[1])
                children.setdefault(parent, []).append(int(name))
    found = [pid]
    for each in found:
        found += children.get(each, ())
    return found


def end_children() -> None:
    """Kills every process below this one, for when it ends itself."""
    for pid in descendants(os.getpid())[1:]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def usage_of(pids: Sequence[int]) -> Usage:
    """Threads count as processes; memory is what belongs to nobody else, without files that are merely mapped."""
    threads = kilobytes = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
                name, _, value = line.partition(b":")
                if name == b"Threads":
                    threads += int(value)
                elif name in (b"RssAnon", b"RssShmem"):
                    kilobytes += int(value.split()[0])
    return Usage(threads, kilobytes * 1024)


def file_sizes(folder: Path) -> Iterator[int]:
    """Bytes on disk of each file, folder or link below `folder`. Links are not followed."""
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    yield entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def unlinked_sizes(pids: Sequence[int]) -> Iterator[int]:
    """Bytes on disk of files that are open and have no name any more."""
    seen: set[tuple[int, int]] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    found = os.stat(f"/proc/{pid}/fd/{name}")
                    key = (found.st_dev, found.st_ino)
                    if stat.S_ISREG(found.st_mode) and found.st_nlink == 0 and key not in seen:
                        seen.add(key)
                        yield found.st_blocks * 512
