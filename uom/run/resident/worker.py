"""What resident workers share: a process that is started early, replaced when it has to be, and stopped at the end."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from uom.run.resident.process import WorkerProcess
from uom.run.resident.program import WorkerProgram
from uom.run.sandboxes.bubblewrap import Bubblewrap


class ResidentWorker(ABC):
    """One process at a time; jobs of several threads run one after the other.

    With `isolation` (a bubblewrap that works) the process is shut in. After `jobs_per_process` jobs it is replaced.
    """

    def __init__(self, isolation: Bubblewrap | None, jobs_per_process: int) -> None:
        self._isolation = isolation
        self._jobs_per_process = jobs_per_process
        self._process: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._jobs = 0

    @abstractmethod
    def _program(self) -> WorkerProgram:
        """What to start. Raises EnvironmentFailure when there is no such thing."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Returns at once: the first job waits until the process is ready. Raises EnvironmentFailure."""
        with self._lock:
            self._running()

    def stop(self) -> None:
        """End the process and everything it started. May be called from another thread while a job runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    @property
    def pid(self) -> int:
        """The worker's process, 0 when there is none."""
        return self._process.pid if self._process is not None else 0

    def _running(self) -> WorkerProcess:
        if self._process is None:
            self._process = self._start_process()
        return self._process

    def _start_process(self) -> WorkerProcess:
        self._jobs = 0
        return WorkerProcess(self._program(), self._isolation)

    def _count_job(self, process: WorkerProcess, spoiled: bool = False) -> None:
        """After each job."""
        self._jobs += 1
        if spoiled or self._jobs >= self._jobs_per_process:
            process.kill()
            if self._process is process:  # after `stop` none is started
                self._process = self._start_process()  # it gets ready while the caller works on
