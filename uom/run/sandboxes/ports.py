"""Answers, on the host, on ports and sockets of a sandbox: each connection goes on to one server."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading

from uom.run.sandboxes.endpoints import Endpoint, SocketEndpoint

_BUFFER = 1 << 16
_CONNECT_SECONDS = 15.0


class Forwarding:
    """The ports of one sandbox. `close` ends all its connections."""

    def __init__(self) -> None:
        self._loop = _loop()
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, listener: socket.socket, endpoint: Endpoint) -> None:
        """`listener` came out of the sandbox: where it is no listening socket, nothing is forwarded."""
        listener.setblocking(False)
        start = asyncio.run_coroutine_threadsafe(self._start(listener, endpoint), self._loop)
        with contextlib.suppress(OSError):
            start.result(_CONNECT_SECONDS)

    def close(self) -> None:
        with contextlib.suppress(TimeoutError, RuntimeError):
            asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(5)

    async def _start(self, listener: socket.socket, endpoint: Endpoint) -> None:
        accept = functools.partial(self._accept, endpoint)
        start = asyncio.start_unix_server if listener.family is socket.AF_UNIX else asyncio.start_server
        self._servers.append(await start(accept, sock=listener, limit=_BUFFER))

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        for task in tuple(self._tasks):
            task.cancel()

    async def _accept(self, endpoint: Endpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError), contextlib.closing(writer):
            server_reader, server_writer = await asyncio.wait_for(_connect(endpoint), _CONNECT_SECONDS)
            with contextlib.closing(server_writer):
                # When one direction ends both do: no driver half-closes.
                ways = {
                    asyncio.ensure_future(_copy(reader, server_writer)),
                    asyncio.ensure_future(_copy(server_reader, writer)),
                }
                try:
                    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for way in ways:
                        way.cancel()


async def _connect(endpoint: Endpoint) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(endpoint, SocketEndpoint):
        return await asyncio.open_unix_connection(endpoint.path, limit=_BUFFER)
    return await asyncio.open_connection(endpoint.host, endpoint.port, limit=_BUFFER)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_BUFFER):
            writer.write(data)
            await writer.drain()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """One thread for all sandboxes of this process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="sandbox-ports", daemon=True).start()
    return loop
