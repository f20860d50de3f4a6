"""What relays in front of any database share: a thread with an event loop, connections in pairs, records by label."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from uom.run.failures import EnvironmentFailure

HOST_VARIABLE = "UOM_RELAY_HOST"
"""The name under which sandboxes elsewhere (Daytona) reach this machine. Without it relays are for this machine only."""
_LOCAL = "127.0.0.1"
_BUFFER = 1 << 20
_CONNECT_SECONDS = 10.0
MOST_KEPT = 5000

Item = TypeVar("Item")


class WireProblem(Exception):
    """The bytes are no message that a relay can read; the connection must end."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One side of a relayed connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class RelayServer(ABC):
    """Runs in a thread of its own between a free local port, or a socket file besides, and one server."""

    kind: ClassVar[str]

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext | None = None, socket_file: Path | None = None
    ) -> None:
        self._target = (host, port)
        self._tls = tls
        self._socket_file = socket_file
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=f"{self.kind}-relay", daemon=True)
        self._ready = threading.Event()
        self.port = 0

    @abstractmethod
    async def relay(self, client: Stream, server: Stream) -> None:
        """Passes on what may pass until either side ends."""

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10) or self.port == 0:
            raise EnvironmentFailure(
                f"{self.kind} relay", "no local port could be opened", "Check local network permissions."
            )
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Closes all connections. May be called more than once."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)

    @property
    def address(self) -> str:
        return f"{os.environ.get(HOST_VARIABLE) or _LOCAL}:{self.port}"

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        servers: list[asyncio.Server] = []
        try:
            start = asyncio.start_server(self._accept, _bound_to(), 0, limit=_BUFFER)
            servers.append(self._loop.run_until_complete(start))
            if self._socket_file is not None:
                listen = asyncio.start_unix_server(self._accept, str(self._socket_file), limit=_BUFFER)
                servers.append(self._loop.run_until_complete(listen))
            self.port = servers[0].sockets[0].getsockname()[1]
        except OSError:
            return
        finally:
            self._ready.set()
        self._loop.run_forever()
        for server in servers:
            server.close()
        self._loop.run_until_complete(_cancel_all(self._loop))
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with (
            contextlib.suppress(OSError, EOFError, TimeoutError, WireProblem, asyncio.CancelledError),
            contextlib.closing(writer),
        ):
            # when something fails the client sees a closed connection, as it would without a relay
            name = self._target[0] if self._tls else None
            connecting = asyncio.open_connection(*self._target, limit=_BUFFER, ssl=self._tls, server_hostname=name)
            server_reader, server_writer = await asyncio.wait_for(connecting, _CONNECT_SECONDS)
            with contextlib.closing(server_writer):
                await self.relay(Stream(reader, writer), Stream(server_reader, server_writer))


def _bound_to() -> str:
    """This machine only, unless somebody named it for others: then whoever finds the port may read what is loaded."""
    return "0.0.0.0" if os.environ.get(HOST_VARIABLE) else _LOCAL


async def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = [task for task in asyncio.all_tasks(loop) if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=1) if tasks else None


class LabelledRecorder(Generic[Item]):
    """What was asked, by the label under which it was asked. Shared by connections, read from other threads."""

    def __init__(self) -> None:
        self.label = ""
        self._lock = threading.Lock()
        self._recorded: dict[str, list[Item]] = {}
        self._refused: dict[str, list[str]] = {}

    def take(self, label: str) -> list[Item]:
        """What was recorded under a label since the last call."""
        with self._lock:
            return self._recorded.pop(label, [])

    def take_refused(self, label: str) -> list[str]:
        """Names of what was not let through."""
        with self._lock:
            return self._refused.pop(label, [])

    def refuse(self, what: str, label: str | None = None) -> None:
        """Under the current label, unless another is named."""
        with self._lock:
            kept = self._refused.setdefault(self.label if label is None else label, [])
            if len(kept) < MOST_KEPT:
                kept.append(what)

    def keep(self, label: str, item: Item, more: Item) -> None:
        """Keeps `item`, or `more` once when there are too many."""
        with self._lock:
            kept = self._recorded.setdefault(label, [])
            if len(kept) < MOST_KEPT:
                kept.append(item)
            elif len(kept) == MOST_KEPT:
                kept.append(more)
