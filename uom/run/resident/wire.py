"""How a resident worker is spoken to: counted fields there, a counted JSON document back. Integers are big-endian."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any


def text_field(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return struct.pack(">i", len(encoded)) + encoded


def text_fields(texts: Sequence[str]) -> bytes:
    return struct.pack(">i", len(texts)) + b"".join(map(text_field, texts))


def file_fields(files: Mapping[str, str]) -> bytes:
    """Path and text of each."""
    return struct.pack(">i", len(files)) + b"".join(text_field(p) + text_field(t) for p, t in files.items())


def receive_answer(connection: socket.socket, seconds: float) -> dict[str, Any]:
    """Raises TimeoutError after that time, another OSError when the other side is gone."""
    deadline = time.monotonic() + seconds
    (length,) = struct.unpack(">i", _receive(connection, 4, deadline))
    answer: dict[str, Any] = json.loads(_receive(connection, length, deadline))
    return answer


def _receive(connection: socket.socket, count: int, deadline: float) -> bytes:
    received = bytearray()
    while len(received) < count:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        chunk = connection.recv(min(count - len(received), 1 << 20))
        if not chunk:
            raise ConnectionResetError("the worker closed the connection")
        received += chunk
    return bytes(received)
