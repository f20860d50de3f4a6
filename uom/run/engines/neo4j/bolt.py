"""Bolt on the wire: the handshake, and messages cut into chunks."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

from uom.run.engines.neo4j.packstream import Structure, pack, unpack
from uom.run.engines.relaying import WireProblem

MAGIC = b"\x60\x60\xb0\x17"
NEWEST = 8
"""Minor version of Bolt 5 up to which the relay knows all messages; the oldest is 5.1, where credentials left HELLO."""

HELLO, LOGON, LOGOFF, GOODBYE, RESET = 0x01, 0x6A, 0x6B, 0x02, 0x0F
RUN, PULL, DISCARD, BEGIN, COMMIT, ROLLBACK = 0x10, 0x3F, 0x2F, 0x11, 0x12, 0x13
ROUTE, TELEMETRY = 0x66, 0x54
REQUESTS = frozenset(
    (HELLO, LOGON, LOGOFF, GOODBYE, RESET, RUN, PULL, DISCARD, BEGIN, COMMIT, ROLLBACK, ROUTE, TELEMETRY)
)
SUCCESS, RECORD, FAILURE, IGNORED = 0x70, 0x71, 0x7F, 0x7E

_LARGEST = 1 << 28
_CHUNK = 0xFFFF


def known_versions(handshake: bytes) -> bytes:
    """The client's handshake with the proposals that the relay understands: Bolt 5.1 to 5.8, and no negotiation."""
    if len(handshake) != 20 or handshake[:4] != MAGIC:
        raise WireProblem("no Bolt")
    proposals = []
    for start in range(4, 20, 4):
        _, span, minor, major = handshake[start : start + 4]
        lowest, highest = max(minor - span, 1), min(minor, NEWEST)
        if major == 5 and lowest <= highest:
            proposals.append(bytes((0, highest - lowest, highest, 5)))
    return MAGIC + b"".join(proposals).ljust(16, b"\0")


class Messages:
    """Takes bytes as they come and gives whole messages, each with its chunks as they were."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
        """(tag, chunked bytes) of each message that is complete, with the payload as third; empty ones keep a
        connection alive and have tag 0. Raises WireProblem for what is no message."""
        self._bytes += data
        start = 0
        while (end := self._end(start)) > 0:
            chunked = bytes(self._bytes[start:end])
            start = end
            if len(chunked) == 2:
                yield 0, chunked, b""
                continue
            payload = _joined(chunked)
            if len(payload) < 2 or payload[0] >> 4 != 0xB:
                raise WireProblem("a message that is no structure")
            yield payload[1], chunked, payload
        del self._bytes[:start]
        if len(self._bytes) > _LARGEST:
            raise WireProblem("a message too large")

    def _end(self, start: int) -> int:
        """Where the message that starts there ends; 0 when it is not whole yet."""
        position = start
        while position + 2 <= len(self._bytes):
            size = self._bytes[position] << 8 | self._bytes[position + 1]
            position += 2 + size
            if size == 0:
                return position
        return 0


def _joined(chunked: bytes) -> bytes:
    first = chunked[0] << 8 | chunked[1]
    if first + 4 == len(chunked):
        return chunked[2:-2]
    parts, position = [], 0
    while size := chunked[position] << 8 | chunked[position + 1]:
        parts.append(chunked[position + 2 : position + 2 + size])
        position += 2 + size
    return b"".join(parts)


def chunked(payload: bytes) -> bytes:
    """The payload as it goes over the wire."""
    parts = []
    for start in range(0, len(payload), _CHUNK):
        part = payload[start : start + _CHUNK]
        parts.append(struct.pack(">H", len(part)) + part)
    return b"".join(parts) + b"\0\0"


def message(tag: int, *fields: Any) -> bytes:
    """A whole message of these fields, chunked."""
    return chunked(pack(Structure(tag, fields)))


def fields_of(payload: bytes) -> tuple[Any, ...]:
    value = unpack(payload)
    if not isinstance(value, Structure):
        raise WireProblem("a message that is no structure")
    return value.fields


async def read_some(reader: asyncio.StreamReader) -> bytes:
    """What has come; empty at the end."""
    return await reader.read(1 << 16)
