"""The part of MongoDB's wire protocol that a relay needs: framing, OP_MSG, and the handshake's OP_QUERY."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass
from typing import Any

import bson
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument

OP_REPLY = 1
OP_QUERY = 2004
OP_COMPRESSED = 2012
OP_MSG = 2013
HEADER = struct.Struct("<iiii")
MAX_MESSAGE = 48_000_000
_CHECKSUM_PRESENT = 1
_OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(document_class=dict, tz_aware=False)


class WireProblem(Exception):
    """The bytes are no message that this relay can read; the connection must end."""


@dataclass(frozen=True, slots=True)
class Message:
    request_id: int
    response_to: int
    op_code: int
    payload: bytes

    def encoded(self) -> bytes:
        return HEADER.pack(len(self.payload) + 16, self.request_id, self.response_to, self.op_code) + self.payload


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """The next message, or None at the end of the stream. Raises WireProblem for impossible lengths."""
    try:
        header = await reader.readexactly(HEADER.size)
        length, request_id, response_to, op_code = HEADER.unpack(header)
        if not HEADER.size <= length <= MAX_MESSAGE:
            raise WireProblem(f"a message of {length} bytes")
        return Message(request_id, response_to, op_code, await reader.readexactly(length - HEADER.size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def command_of(message: Message) -> dict[str, Any]:
    """The command document of an OP_MSG (document sequences folded in) or of the handshake's OP_QUERY."""
    try:
        if message.op_code == OP_MSG:
            return _op_msg(message.payload)
        if message.op_code == OP_QUERY:
            end = message.payload.index(b"\0", 4)
            return dict(bson.decode(_one_document(message.payload, end + 1 + 8), codec_options=_OPTIONS))
    except (struct.error, ValueError, IndexError, bson.InvalidBSON) as error:
        raise WireProblem(str(error)) from error
    raise WireProblem(f"operation {message.op_code} is not relayed")


def _op_msg(payload: bytes) -> dict[str, Any]:
    (flags,) = struct.unpack_from("<I", payload)
    end = len(payload) - (4 if flags & _CHECKSUM_PRESENT else 0)
    position, body, sequences = 4, {}, {}
    while position < end:
        kind = payload[position]
        position += 1
        if kind == 0:
            document = _one_document(payload, position)
            position += len(document)
            body = dict(bson.decode(document, codec_options=_OPTIONS))
        elif kind == 1:
            (size,) = struct.unpack_from("<i", payload, position)
            name_end = payload.index(b"\0", position + 4)
            name = payload[position + 4 : name_end].decode()
            sequences[name] = list(bson.decode_iter(payload[name_end + 1 : position + size], codec_options=_OPTIONS))
            position += size
        else:
            raise WireProblem(f"section of kind {kind}")
    return {**body, **sequences}


def _one_document(payload: bytes, position: int) -> bytes:
    (size,) = struct.unpack_from("<i", payload, position)
    if size < 5 or position + size > len(payload):
        raise WireProblem("a document that is cut off")
    return payload[position : position + size]


def op_msg(document: dict[str, Any], response_to: int, request_id: int = 0) -> Message:
    """A reply or command with one body document."""
    return Message(request_id, response_to, OP_MSG, b"\0\0\0\0\0" + bson.encode(document))


def without_compression(message: Message, command: dict[str, Any]) -> Message:
    """The handshake without its offer to compress: compressed messages could not be read here."""
    if not command.get("compression"):
        return message
    bare = {k: v for k, v in command.items() if k != "compression"}
    if message.op_code == OP_MSG:
        return op_msg(bare, message.response_to, message.request_id)
    end = message.payload.index(b"\0", 4)
    return Message(message.request_id, message.response_to, OP_QUERY, message.payload[: end + 9] + bson.encode(bare))


def reply_of(message: Message) -> dict[str, Any]:
    """The reply document; batches stay raw so that large results cost nothing."""
    if message.op_code != OP_MSG:
        return {}
    try:
        raw = RawBSONDocument(_one_document(message.payload, 5))
        return dict(raw.items())
    except (struct.error, bson.InvalidBSON, WireProblem):
        return {}
