"""The part of MongoDB's wire protocol that a relay needs: framing, OP_MSG, and the handshake's OP_QUERY and OP_REPLY.

Whatever bytes come, the functions here either return or raise WireProblem.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bson
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument

from uom.run.engines.relaying import WireProblem

OP_REPLY = 1
OP_QUERY = 2004
OP_COMPRESSED = 2012
OP_MSG = 2013
HEADER = struct.Struct("<iiii")
MAX_MESSAGE = 48_000_000
CHECKSUM_PRESENT = 1
MORE_TO_COME = 1 << 1
EXHAUST_ALLOWED = 1 << 16
_REPLY_DOCUMENT = 20
_DEEPEST = 200
_OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(
    document_class=dict, tz_aware=False, datetime_conversion=DatetimeConversion.DATETIME_AUTO
)


@dataclass(frozen=True, slots=True)
class Message:
    request_id: int
    response_to: int
    op_code: int
    payload: bytes

    def encoded(self) -> bytes:
        return HEADER.pack(len(self.payload) + 16, self.request_id, self.response_to, self.op_code) + self.payload

    @property
    def flags(self) -> int:
        """The flags of an OP_MSG; 0 for anything else."""
        if self.op_code != OP_MSG or len(self.payload) < 4:
            return 0
        return int(struct.unpack_from("<I", self.payload)[0])


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """The next message, or None at the end of the stream. Raises WireProblem for impossible lengths."""
    try:
        header = await reader.readexactly(HEADER.size)
        length, request_id, response_to, op_code = HEADER.unpack(header)
        if not HEADER.size <= length <= MAX_MESSAGE:
            raise WireProblem(f"a message of {length} bytes")
        return Message(request_id, response_to, op_code, await reader.readexactly(length - HEADER.size))
    except (asyncio.IncompleteReadError, OSError):
        return None


def command_of(message: Message) -> dict[str, Any]:
    """The command document of an OP_MSG (document sequences folded in) or of the handshake's OP_QUERY."""
    try:
        if message.op_code == OP_MSG:
            return _op_msg(message)
        if message.op_code == OP_QUERY:
            return _decoded(_one_document(message.payload, _query_document(message.payload)))
    except (struct.error, ValueError, IndexError, RecursionError, bson.errors.BSONError) as error:
        raise WireProblem(str(error)) from error
    raise WireProblem(f"operation {message.op_code} is not relayed")


def _op_msg(message: Message) -> dict[str, Any]:
    payload = message.payload
    end = len(payload) - (4 if message.flags & CHECKSUM_PRESENT else 0)
    position = 4
    body: dict[str, Any] | None = None
    sequences: dict[str, Any] = {}
    while position < end:
        kind = payload[position]
        position += 1
        if kind == 0 and body is None:
            document = _one_document(payload, position)
            position += len(document)
            body = _decoded(document)
        elif kind == 1:
            name, documents, size = _sequence(payload[:end], position)
            if name in sequences:
                raise WireProblem(f"two sequences {name}")
            sequences[name] = documents
            position += size
        else:
            raise WireProblem(f"a section of kind {kind}")
    if body is None or position != end or body.keys() & sequences.keys():
        raise WireProblem("a message that could be read in two ways")
    return {**body, **sequences}


def _sequence(payload: bytes, position: int) -> tuple[str, list[dict[str, Any]], int]:
    """(name, documents, length) of a document sequence."""
    (size,) = struct.unpack_from("<i", payload, position)
    if size < 5 or position + size > len(payload):
        raise WireProblem("a sequence that is cut off")
    end = position + size
    name_end = payload.index(b"\0", position + 4, end)
    documents = []
    at = name_end + 1
    while at < end:
        document = _one_document(payload[:end], at)
        documents.append(_decoded(document))
        at += len(document)
    return payload[position + 4 : name_end].decode(), documents, size


def _one_document(payload: bytes, position: int) -> bytes:
    (size,) = struct.unpack_from("<i", payload, position)
    if size < 5 or position + size > len(payload):
        raise WireProblem("a document that is cut off")
    return payload[position : position + size]


def _decoded(document: bytes) -> dict[str, Any]:
    """The document. One with a repeated key could mean one thing to us and another to the server."""
    decoded = dict(bson.decode(document, codec_options=_OPTIONS))
    if len(bson.encode(decoded, codec_options=_OPTIONS)) != len(document):
        raise WireProblem("a document that could be read in two ways")
    return decoded


def _query_document(payload: bytes) -> int:
    """Where the query document of an OP_QUERY starts: after flags, collection name and two numbers."""
    return payload.index(b"\0", 4) + 1 + 8


def op_msg(document: Mapping[str, Any], response_to: int, request_id: int = 0) -> Message:
    """A reply or command with one body document."""
    return Message(request_id, response_to, OP_MSG, b"\0\0\0\0\0" + bson.encode(document, codec_options=_OPTIONS))


def reply_of(message: Message) -> dict[str, Any]:
    """The reply document, {} if there is none; batches stay raw so that large results cost nothing."""
    start = 5 if message.op_code == OP_MSG else _REPLY_DOCUMENT
    try:
        raw = RawBSONDocument(_one_document(message.payload, start))
        return dict(raw.items())
    except (struct.error, ValueError, RecursionError, bson.errors.BSONError, WireProblem):
        return {}


def with_document(message: Message, document: Mapping[str, Any]) -> Message:
    """The message with another body document, and no flags."""
    if not document:
        raise WireProblem("a message without a document")
    encoded = bson.encode(document, codec_options=_OPTIONS)
    if message.op_code == OP_MSG:
        return Message(message.request_id, message.response_to, OP_MSG, b"\0\0\0\0\0" + encoded)
    start = _query_document(message.payload) if message.op_code == OP_QUERY else _REPLY_DOCUMENT
    return Message(message.request_id, message.response_to, message.op_code, message.payload[:start] + encoded)


def without_exhaust(message: Message) -> Message:
    """The request without leave to answer it several times: the relay passes on one reply for each request."""
    if not message.flags & EXHAUST_ALLOWED:
        return message
    flags = message.flags & ~EXHAUST_ALLOWED
    if flags & CHECKSUM_PRESENT:
        payload = struct.pack("<I", flags & ~CHECKSUM_PRESENT) + message.payload[4:-4]
    else:
        payload = struct.pack("<I", flags) + message.payload[4:]
    return Message(message.request_id, message.response_to, message.op_code, payload)
