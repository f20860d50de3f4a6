"""Servers of our own with other settings than the shared one, and raw connections to a relay."""

from __future__ import annotations

import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bson
import pytest

from uom.run.engines.mongodb.server import MongoEngine, client_for
from uom.run.engines.mongodb.wire import HEADER, Message, op_msg
from uom.run.engines.owned_server import free_port, wait_until
from uom.run.toolchain import Toolchain


@contextmanager
def own_server(tools: Toolchain, folder: Path, *flags: str) -> Iterator[int]:
    """A server with flags of its own; yields its port."""
    port = free_port()
    settings = folder / "secantusd.toml"
    settings.touch()
    command = [str(tools.secantus_python), str(tools.secantus_server), "--config", str(settings)]
    command += ["--host", "127.0.0.1", "--port", str(port), *flags]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: is_open(port), 20)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class RawConnection:
    """Speaks the wire protocol byte by byte, which no driver lets one do."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)

    def send(self, message: Message) -> None:
        self.socket.sendall(message.encoded())

    def receive(self) -> Message | None:
        """The next message; None when the other side closed the connection."""
        header = self._exactly(HEADER.size)
        if header is None:
            return None
        length, request_id, response_to, op_code = HEADER.unpack(header)
        payload = self._exactly(length - HEADER.size)
        return None if payload is None else Message(request_id, response_to, op_code, payload)

    def ask(self, command: dict[str, Any], flags: int = 0, request_id: int = 7) -> dict[str, Any]:
        message = op_msg({**command, "$db": "test"}, 0, request_id)
        self.send(Message(request_id, 0, message.op_code, struct.pack("<I", flags) + message.payload[4:]))
        reply = self.receive()
        assert reply is not None
        assert reply.response_to == request_id
        return dict(bson.decode(reply.payload[5:]))

    def is_closed(self) -> bool:
        try:
            return self.receive() is None
        except ConnectionError:
            return True

    def _exactly(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                return None
            data += part
        return data

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


@pytest.fixture
def raw(mongodb: MongoEngine) -> Iterator[RawConnection]:
    with RawConnection(mongodb.relay.port) as connection:
        yield connection


@pytest.fixture
def behind_relay(mongodb: MongoEngine) -> Iterator[Any]:
    """A driver that only knows the relay."""
    with client_for(mongodb.relay_uri) as client:
        yield client
