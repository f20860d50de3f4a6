"""One warm sandbox per toolchain and provider, shared by all that validate in this process."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import ClassVar

from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.local import LocalSandbox
from uom.run.sandboxes.protocol import Limits, Listener, Sandbox, SandboxProvider, SandboxType
from uom.run.sandboxes.toolchains import furnish

_PAUSE_SECONDS = 0.05


def _silent(_line: str) -> None:
    pass


class LocalProvider:
    """Sandboxes on this machine, with the user's own dotnet, JDK and Maven.

    `allow_unsafe` is the user's `--unsafe-no-sandbox`: where bubblewrap does not work, run even what a model wrote.
    """

    def __init__(
        self, allow_unsafe: bool = False, limits: Limits | None = None, found: Bubblewrap | None = None
    ) -> None:
        self._allow_unsafe = allow_unsafe
        self._limits = limits
        self._found = found

    async def open(self, kind: SandboxType, listen: Listener) -> Sandbox:
        """Raises EnvironmentFailure where the toolchain is missing, SandboxProblem where it does not work inside."""
        from uom.run.validators.preparing import prepare

        furnishing = furnish(kind)
        sandbox = LocalSandbox(furnishing, self._limits, self._allow_unsafe, self._found)
        try:
            await prepare(sandbox, kind, furnishing, listen)
        except BaseException:
            await sandbox.close()
            raise
        if not sandbox.isolated:
            listen("WARNING: no bubblewrap: code runs without isolation, if it may run at all")
        return sandbox


class ValidationSandbox:
    """The sandboxes of this process. May be used from several event loops."""

    SANDBOXES: ClassVar[dict[SandboxType, Sandbox]] = {}
    """The one that was opened last, by type."""

    _opened: ClassVar[dict[tuple[int, SandboxType], tuple[SandboxProvider, Sandbox]]] = {}
    _opening: ClassVar[set[tuple[int, SandboxType]]] = set()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    async def get_sandbox(cls, provider: SandboxProvider, kind: SandboxType, listen: Listener = _silent) -> Sandbox:
        """The provider's sandbox of that type: opened once, then the same one. Who waits for it meanwhile gets it too."""
        key = (id(provider), kind)
        while not cls._claim(key):
            if key in cls._opened:
                return cls._opened[key][1]
            await asyncio.sleep(_PAUSE_SECONDS)
        try:
            sandbox = await provider.open(kind, listen)
            with cls._lock:
                cls._opened[key] = (provider, sandbox)
                cls.SANDBOXES[kind] = sandbox
            return sandbox
        finally:
            with cls._lock:
                cls._opening.discard(key)

    @classmethod
    async def close_all(cls) -> None:
        """Give all back. What is asked for afterwards is opened anew."""
        with cls._lock:
            opened = list(cls._opened.values())
            cls._opened.clear()
            cls.SANDBOXES.clear()
        for _, sandbox in opened:
            with contextlib.suppress(Exception):
                await sandbox.close()

    @classmethod
    def _claim(cls, key: tuple[int, SandboxType]) -> bool:
        """Whether the caller is the one to open it."""
        with cls._lock:
            if key in cls._opened or key in cls._opening:
                return False
            cls._opening.add(key)
            return True
