"""What every sandbox can do, whatever keeps it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.endpoints import Endpoint

MEBIBYTE = 1 << 20


class SandboxType(StrEnum):
    """The toolchain inside. The value is the label by which a sandbox is found again."""

    DOTNET_10_SANDBOX = "dotnet-10"
    JAVA_25_SANDBOX = "java-25"


class Ending(StrEnum):
    """How a command ended: by itself, or killed because of the limit that is named."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use. `memory_mb`, `processes` (threads count) and `disk_mb` are sums over all its processes;
    `file_mb` and `cpu_seconds` hold for each process."""

    cpu_seconds: int = 900
    memory_mb: int = 3072
    processes: int = 1024
    file_mb: int = 256
    disk_mb: int = 1024
    files: int = 50_000
    output_bytes: int = 4 * MEBIBYTE
    """Kept of what is printed: half from the start, half from the end."""


@dataclass(frozen=True, slots=True)
class Execution:
    """`output` is stdout and stderr as they came. `exit_code` is -1 where the command was killed for a limit."""

    exit_code: int
    output: str
    ending: Ending = Ending.EXITED
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and self.ending is Ending.EXITED


class SandboxProblem(EnvironmentFailure):
    """The sandbox itself failed: it cannot be had, is gone, or does not take or give a file."""


class Sandbox(Protocol):
    """A place with a toolchain. Paths are those inside and absolute; all work happens below `root`.

    Folders directly below `root` are units of work: a command whose `cwd` is in one sees, in the local sandbox, no
    other one, so that several may run at once. All methods raise SandboxProblem when the sandbox fails.
    """

    @property
    def id(self) -> str: ...

    @property
    def root(self) -> str: ...

    @property
    def isolated(self) -> bool:
        """False where nothing keeps the code in: then only trusted code may run."""

    async def upload(self, files: Mapping[str, bytes]) -> None:
        """Write files (absolute path -> content), with their folders."""

    async def execute(
        self,
        command: str,
        cwd: str = "",
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = 480.0,
        reach: Sequence[Endpoint] = (),
        trusted: bool = False,
    ) -> Execution:
        """Run a shell command in `cwd` (default: `root`). Nothing that it started is left afterwards.

        `reach`: the servers that it may talk to, under their own names. The local sandbox lets it reach no others;
        what Daytona's reach is a matter of how its network is set up.

        `trusted`: the code is the user's own or the compiler's, not a model's; it may run where there is no isolation.
        When the caller is cancelled, the command is killed.
        """

    async def download(self, path: str, limit_bytes: int = 64 * MEBIBYTE) -> bytes:
        """The content of a regular file."""

    async def remove(self, folder: str) -> None:
        """Delete a folder below `root` with all that is in it."""

    async def close(self) -> None:
        """Give the sandbox back. A second call does nothing."""


Listener = Callable[[str], object]
"""Told in one line what is being prepared."""


class SandboxProvider(Protocol):
    """Makes sandboxes of one kind, ready for use."""

    async def open(self, kind: SandboxType, listen: Listener) -> Sandbox: ...
