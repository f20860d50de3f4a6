"""Sandboxes of a Daytona server, through its own Python client (the optional extra `daytona`)."""

from __future__ import annotations

import contextlib
import os
import shlex
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from uom.run.cache import digest
from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.daytona_commands import kill_command, read_answer, size_command, supervised
from uom.run.sandboxes.endpoints import Endpoint
from uom.run.sandboxes.local import in_own_thread
from uom.run.sandboxes.protocol import MEBIBYTE, Execution, Limits, Listener, Sandbox, SandboxProblem, SandboxType

if TYPE_CHECKING:
    from daytona import CreateSandboxFromImageParams, CreateSandboxFromSnapshotParams, Daytona
    from daytona import Sandbox as DaytonaHandle

IMAGES = {
    SandboxType.DOTNET_10_SANDBOX: "mcr.microsoft.com/dotnet/sdk:10.0",
    SandboxType.JAVA_25_SANDBOX: "maven:3.9-eclipse-temurin-25",
}
_LABEL = "uom.sandbox"
_RECIPE_LABEL = "uom.recipe"
_ROOT = 'for d in /sandbox "$HOME/sandbox" /tmp/sandbox; do mkdir -p "$d" 2> /dev/null && [ -w "$d" ] && echo "$d" && exit; done; exit 1'
_PATIENCE_SECONDS = 30
"""For Daytona itself, on top of a command's own time limit."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DaytonaSettings:
    """Where the server is and what to ask of it. `snapshots` has a ready snapshot for a type, instead of the image,
    which Daytona builds once. Databases must be reachable from there: `network_allow_list` (CIDRs) narrows the rest."""

    api_url: str
    api_key: str = field(repr=False)
    target: str = ""
    snapshots: Mapping[SandboxType, str] = field(default_factory=dict)
    images: Mapping[SandboxType, str] = field(default_factory=lambda: IMAGES)
    cpu: int = 2
    memory_gb: int = 4
    disk_gb: int = 8
    auto_stop_minutes: int = 15
    auto_delete_minutes: int = 1440
    network_allow_list: str = ""
    create_seconds: float = 900.0
    reuse: bool = True
    """Leave sandboxes to those that come after us, who find them by their labels. Otherwise `close` deletes them."""
    output_bytes: int = Limits().output_bytes

    @classmethod
    def from_environment(cls, api_url: str = "", **others: Any) -> DaytonaSettings:
        """DAYTONA_API_KEY, DAYTONA_API_URL and DAYTONA_TARGET. Raises EnvironmentFailure without a key."""
        key = os.environ.get("DAYTONA_API_KEY", "")
        if not key:
            raise EnvironmentFailure("Daytona", "DAYTONA_API_KEY is not set", "Set it, or use the local sandbox.")
        url = api_url or os.environ.get("DAYTONA_API_URL", "") or "http://localhost:3000/api"
        return cls(url, key, os.environ.get("DAYTONA_TARGET", ""), **others)


class DaytonaProvider:
    """Raises SandboxProblem for whatever Daytona refuses, and EnvironmentFailure where its client is not installed."""

    def __init__(self, settings: DaytonaSettings) -> None:
        self._settings = settings
        self._client: Daytona | None = None
        self._lock = threading.Lock()

    async def open(self, kind: SandboxType, listen: Listener) -> Sandbox:
        """The sandbox with that label, started if it sleeps, or a new one."""
        return await in_own_thread(lambda: self._open(kind, listen), lambda: None)

    async def delete_all(self) -> int:
        """Delete every sandbox of ours on that server, whoever uses it; how many there were."""

        def delete() -> int:
            found = [handle for kind in SandboxType for handle in self._found({_LABEL: kind.value})]
            for handle in found:
                handle.delete()
            return len(found)

        return await in_own_thread(lambda: self.guarded("delete sandboxes", delete), lambda: None)

    def client(self) -> Daytona:
        """Daytona's client, made once. It takes a second to import."""
        with self._lock:
            if self._client is None:
                try:
                    from daytona import Daytona, DaytonaConfig
                except ImportError:
                    raise EnvironmentFailure(
                        "Daytona", "its client is not installed", "Install it: pip install 'uom[daytona]'."
                    ) from None
                s = self._settings
                config = DaytonaConfig(api_key=s.api_key, api_url=s.api_url, target=s.target or None)
                self._client = self.guarded("connect", lambda: Daytona(config))
            return self._client

    def guarded(self, what: str, action: Callable[[], T]) -> T:
        """`action`, with the client's many exceptions turned into one, and the key taken out of its words."""
        try:
            return action()
        except (SandboxProblem, EnvironmentFailure):
            raise
        except Exception as error:
            status = getattr(error, "status_code", None)
            said = str(getattr(error, "message", "") or error)
            if self._settings.api_key:
                said = said.replace(self._settings.api_key, "<DAYTONA_API_KEY>")
            remedy = {
                401: "Check DAYTONA_API_KEY.",
                403: "Check what DAYTONA_API_KEY may do.",
                429: "Try again later: its limit of requests is reached.",
            }.get(status or 0, f"Check that Daytona answers at {self._settings.api_url}.")
            # The client's own exception holds the request with its headers: it goes no further.
            raise SandboxProblem(f"Daytona cannot {what}", said[:1000], remedy) from None

    def _open(self, kind: SandboxType, listen: Listener) -> DaytonaSandbox:
        self.client()
        handle = self.guarded(f"give a {kind.value} sandbox", lambda: self._reused(kind, listen))
        if handle is None:
            listen(f"creating a {kind.value} sandbox in Daytona")
            handle = self.guarded(f"create a {kind.value} sandbox", lambda: self._created(kind, listen))
        made = handle
        done = self.guarded("make a folder", lambda: made.process.exec(f"bash -c {shlex.quote(_ROOT)}", timeout=60))
        if done.exit_code != 0:
            raise SandboxProblem("Daytona", "there is no folder to write to in the sandbox", "Use another image.")
        return DaytonaSandbox(self, handle, str(done.result).strip(), self._settings)

    def _found(self, labels: dict[str, str]) -> list[DaytonaHandle]:
        from daytona import ListSandboxesQuery

        return list(self.client().list(ListSandboxesQuery(labels=labels)))

    def _reused(self, kind: SandboxType, listen: Listener) -> DaytonaHandle | None:
        if not self._settings.reuse:
            return None
        usable = {"started": 0, "stopped": 1, "starting": 2, "archived": 3}
        found = [h for h in self._found(self._labels(kind)) if _state(h) in usable]
        if not found:
            return None
        handle = min(found, key=lambda h: usable[_state(h)])
        listen(f"using the {kind.value} sandbox that is there in Daytona")
        if _state(handle) != "started":
            handle.start(timeout=self._settings.create_seconds)
        return handle

    def _created(self, kind: SandboxType, listen: Listener) -> DaytonaHandle:
        parameters = self._parameters(kind)
        if kind in self._settings.snapshots:
            return self.client().create(parameters, timeout=self._settings.create_seconds)

        def log(line: str) -> None:
            listen(line)

        return self.client().create(
            parameters,  # type: ignore[arg-type]
            timeout=self._settings.create_seconds,
            on_snapshot_create_logs=log,
        )

    def _parameters(self, kind: SandboxType) -> CreateSandboxFromSnapshotParams | CreateSandboxFromImageParams:
        from daytona import CreateSandboxFromImageParams, CreateSandboxFromSnapshotParams, Image, Resources

        s = self._settings
        shared: dict[str, Any] = {
            "labels": self._labels(kind),
            "auto_stop_interval": s.auto_stop_minutes,
            "auto_delete_interval": s.auto_delete_minutes,
            **({"network_allow_list": s.network_allow_list} if s.network_allow_list else {}),
        }
        if kind in s.snapshots:
            return CreateSandboxFromSnapshotParams(snapshot=s.snapshots[kind], **shared)
        image = Image.base(s.images[kind]).run_commands("mkdir -p /sandbox && chmod 777 /sandbox")
        resources = Resources(cpu=s.cpu, memory=s.memory_gb, disk=s.disk_gb)
        return CreateSandboxFromImageParams(image=image, resources=resources, **shared)

    def _labels(self, kind: SandboxType) -> dict[str, str]:
        """What may be reused is what was asked for in the same way."""
        s = self._settings
        source = s.snapshots.get(kind) or s.images[kind]
        recipe = digest(source, s.network_allow_list, f"{s.cpu} {s.memory_gb} {s.disk_gb}")
        return {_LABEL: kind.value, _RECIPE_LABEL: recipe}


class DaytonaSandbox:
    """A `Sandbox` on a Daytona server. Its memory, CPU and disk are limited there, its network too.

    All units of work live in one container: they see each other. Commands and what they start are killed at the end,
    as far as they can be found.
    """

    isolated = True

    def __init__(self, provider: DaytonaProvider, handle: DaytonaHandle, root: str, settings: DaytonaSettings) -> None:
        self._provider = provider
        self._settings = settings
        self._closed = False
        self.handle = handle
        """Daytona's own object, for those that speak to it directly (`langchain_daytona`)."""
        self.root = root

    @property
    def id(self) -> str:
        return f"daytona-{self.handle.id}"

    async def upload(self, files: Mapping[str, bytes]) -> None:
        from daytona import FileUpload

        for path in files:
            self._check(path)
        folders = sorted({str(PurePosixPath(path).parent) for path in files})
        await self.execute("mkdir -p " + " ".join(map(shlex.quote, folders)), limit_seconds=60)
        uploads = [FileUpload(source=content, destination=path) for path, content in files.items()]
        await self._ask("take files", lambda: self.handle.fs.upload_files(uploads))

    async def execute(
        self,
        command: str,
        cwd: str = "",
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = 480.0,
        reach: Sequence[Endpoint] = (),  # noqa: ARG002 (its network is set up on the server)
        trusted: bool = False,  # noqa: ARG002 (it is isolated)
    ) -> Execution:
        if self._closed:
            raise SandboxProblem("The Daytona sandbox", "it has been closed", "Open another one.")
        folder = cwd or self.root
        self._check(folder, itself=True)
        mark = uuid.uuid4().hex
        line = supervised(command, folder, mark, limit_seconds, self._settings.output_bytes)
        patience = round(limit_seconds) + _PATIENCE_SECONDS
        values = dict(environment or {})

        def run() -> Execution:
            done = self._provider.guarded(
                "run a command", lambda: self.handle.process.exec(line, env=values, timeout=patience)
            )
            return read_answer(str(done.result or ""), mark)

        def stop() -> None:
            threading.Thread(target=self._kill, args=(mark,), name="daytona-kill", daemon=True).start()

        return await in_own_thread(run, stop)

    async def download(self, path: str, limit_bytes: int = 64 * MEBIBYTE) -> bytes:
        """Daytona's client finds no files whose names are not ASCII."""
        self._check(path)
        known = await self.execute(size_command(path), limit_seconds=60)
        if not known.ok or not known.output.strip().isdecimal() or int(known.output) > limit_bytes:
            raise SandboxProblem(f"Cannot take {path}", "it is no regular file of acceptable size", "")
        return await self._ask("give a file", lambda: self.handle.fs.download_file(path))

    async def remove(self, folder: str) -> None:
        self._check(folder)
        if PurePosixPath(folder).parent != PurePosixPath(self.root):
            raise ValueError(f"{folder} is not directly below {self.root}")
        await self.execute(f"rm -rf {shlex.quote(folder)}", limit_seconds=120)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            if not self._settings.reuse:
                await self._ask("delete a sandbox", lambda: self.handle.delete())

    async def _ask(self, what: str, action: Callable[[], T]) -> T:
        return await in_own_thread(lambda: self._provider.guarded(what, action), lambda: None)

    def _kill(self, mark: str) -> None:
        with contextlib.suppress(Exception):
            self.handle.process.exec(kill_command(mark), timeout=_PATIENCE_SECONDS)

    def _check(self, path: str, itself: bool = False) -> None:
        found = PurePosixPath(path)
        inside = found.is_relative_to(self.root) and (itself or str(found) != self.root)
        if not inside or ".." in found.parts:
            raise ValueError(f"{path} is outside of {self.root}")


def _state(handle: DaytonaHandle) -> str:
    return str(getattr(handle.state, "value", handle.state) or "")
