"""A server, a relay in front of it, and raw Bolt connections."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from neo4j import Driver, GraphDatabase

from uom.run.engines.neo4j import bolt
from uom.run.engines.neo4j.bolt import Messages, fields_of, message
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.neo4j.relay import Relay
from uom.run.toolchain import Toolchain


@pytest.fixture(scope="session")
def server(tools: Toolchain) -> Iterator[EmbeddedNeo4j]:
    running = EmbeddedNeo4j(tools)
    yield running
    running.stop()


@pytest.fixture
def relay(server: EmbeddedNeo4j) -> Iterator[Relay]:
    with Relay("127.0.0.1", server.port, {"scheme": "none"}, "neo4j") as running:
        yield running


@pytest.fixture
def direct(server: EmbeddedNeo4j) -> Iterator[Driver]:
    with GraphDatabase.driver(server.uri) as driver:
        yield driver
        driver.execute_query("MATCH (n) DETACH DELETE n")


@pytest.fixture
def behind_relay(relay: Relay) -> Iterator[Driver]:
    """A driver that only knows the relay, and no password."""
    with GraphDatabase.driver(f"bolt://{relay.address}") as driver:
        yield driver


class RawBolt:
    """Speaks Bolt byte by byte, which no driver lets one do."""

    def __init__(self, port: int, proposal: bytes = b"\0\x07\x08\x05") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.sendall(bolt.MAGIC + proposal.ljust(16, b"\0"))
        self.version = self.socket.recv(4)
        self._messages = Messages()
        self._ready: list[tuple[int, tuple[Any, ...]]] = []

    def log_on(self, auth: dict[str, Any] | None = None) -> None:
        assert self.ask(bolt.HELLO, {"user_agent": "raw/1", "bolt_agent": {"product": "raw/1"}})[0] == bolt.SUCCESS
        assert self.ask(bolt.LOGON, auth or {"scheme": "none"})[0] == bolt.SUCCESS

    def send(self, tag: int, *fields: Any) -> None:
        self.socket.sendall(message(tag, *fields))

    def ask(self, tag: int, *fields: Any) -> tuple[int, Any]:
        self.send(tag, *fields)
        return self.receive()

    def receive(self) -> tuple[int, Any]:
        while not self._ready:
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionResetError
            self._ready += [(t, fields_of(p)) for t, _, p in self._messages.feed(data) if t]
        tag, fields = self._ready.pop(0)
        return tag, fields[0] if fields else None

    def is_closed(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def __enter__(self) -> RawBolt:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
