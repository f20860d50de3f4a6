"""The wire parser against whatever bytes may come."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from datetime import UTC, datetime
from typing import Any

import bson
import pytest
from bson import Binary, Decimal128, Int64, ObjectId, Regex, Timestamp
from bson.datetime_ms import DatetimeMS
from hypothesis import given, settings
from hypothesis import strategies as st

from uom.run.engines.mongodb.wire import (
    CHECKSUM_PRESENT,
    EXHAUST_ALLOWED,
    MAX_MESSAGE,
    OP_COMPRESSED,
    OP_MSG,
    OP_QUERY,
    OP_REPLY,
    Message,
    command_of,
    op_msg,
    read_message,
    reply_of,
    with_document,
    without_exhaust,
)
from uom.run.engines.relaying import WireProblem

COMMAND = {"find": "c", "filter": {"a": 1}, "$db": "d"}


def parsed(data: bytes) -> list[Message]:
    """All messages of a stream that ends after the data."""

    async def read() -> list[Message]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        found = []
        while (message := await asyncio.wait_for(read_message(reader), 5)) is not None:
            found.append(message)
        return found

    return asyncio.run(read())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_garbage_ends_in_a_problem_or_nothing(data: bytes) -> None:
    try:
        messages = parsed(data)
    except WireProblem:
        return
    for message in messages:
        with contextlib.suppress(WireProblem):
            command_of(message)
        reply_of(message)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255), st.sampled_from([OP_MSG, OP_QUERY]))
def test_one_wrong_byte_never_crashes(place: int, value: int, op_code: int) -> None:
    payload = bytearray(op_msg(COMMAND, 0).payload)
    if op_code == OP_QUERY:
        payload = bytearray(b"\0\0\0\0d.$cmd\0" + bytes(8) + bson.encode({"isMaster": 1}))
    payload[place % len(payload)] = value
    with contextlib.suppress(WireProblem):
        command_of(Message(1, 0, op_code, bytes(payload)))


@given(st.integers(-(2**31), 2**31 - 1))
@settings(max_examples=100, deadline=None)
def test_impossible_lengths(length: int) -> None:
    header = struct.pack("<iiii", length, 1, 0, OP_MSG)
    if 16 <= length <= MAX_MESSAGE:
        assert parsed(header) == ([Message(1, 0, OP_MSG, b"")] if length == 16 else [])
    else:
        with pytest.raises(WireProblem):
            parsed(header)


def test_a_message_cut_off_is_the_end() -> None:
    whole = op_msg(COMMAND, 0, 1).encoded()
    assert parsed(whole[:-1]) == []
    assert parsed(whole + whole[:20]) == [op_msg(COMMAND, 0, 1)]


def test_all_types_survive() -> None:
    command: dict[str, Any] = {
        "aggregate": "c", "i": 1, "l": Int64(1), "d": -0.0, "m": Decimal128("1.10"), "t": DatetimeMS(-(2**53)),
        "s": "ä\0", "b": Binary(b"x" * 16, 4), "old": Binary(b"y", 2), "r": Regex("^a", "im"), "o": ObjectId(),
        "n": None, "ts": Timestamp(1, 2), "nested": {"a": [{"b": []}]}, "$db": "d",
    }  # fmt: skip
    assert command_of(op_msg(command, 0)) == command
    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert command_of(op_msg({"find": "c", "t": at}, 0))["t"] == at.replace(tzinfo=None)


def test_document_sequences_are_part_of_the_command() -> None:
    documents = b"".join(bson.encode({"_id": i}) for i in range(3))
    sequence = b"documents\0" + documents
    payload = op_msg({"insert": "c", "$db": "d"}, 0).payload
    payload += b"\1" + struct.pack("<i", len(sequence) + 4) + sequence
    assert command_of(Message(1, 0, OP_MSG, payload))["documents"] == [{"_id": 0}, {"_id": 1}, {"_id": 2}]


def double_key() -> bytes:
    """`{aggregate: "c", pipeline: [], pipeline: [{$out: "x"}]}`, which no driver writes."""
    parts: list[dict[str, Any]] = [{"aggregate": "c"}, {"pipeline": []}, {"pipeline": [{"$out": "x"}]}]
    body = b"".join(bson.encode(part)[4:-1] for part in parts)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


@pytest.mark.parametrize(
    "payload",
    [
        b"\0\0\0\0\0" + double_key(),
        op_msg(COMMAND, 0).payload + op_msg(COMMAND, 0).payload[4:],
        op_msg({"aggregate": "c", "pipeline": []}, 0).payload + b"\1" + struct.pack("<i", 13) + b"pipeline\0",
        b"\0\0\0\0",
        b"\0\0\0\0\x02",
        op_msg(COMMAND, 0).payload + b"\0",
    ],
    ids=["a key twice", "two bodies", "a sequence over a field", "no body", "an unknown section", "a stray byte"],
)
def test_what_could_be_read_in_two_ways_is_refused(payload: bytes) -> None:
    with pytest.raises(WireProblem):
        command_of(Message(1, 0, OP_MSG, payload))


def test_compressed_messages_are_refused() -> None:
    with pytest.raises(WireProblem):
        command_of(Message(1, 0, OP_COMPRESSED, b"\0" * 30))


def test_exhaust_is_taken_out_with_the_checksum() -> None:
    plain = op_msg(COMMAND, 0, 3)
    flags = struct.pack("<I", EXHAUST_ALLOWED | CHECKSUM_PRESENT)
    summed = Message(3, 0, OP_MSG, flags + plain.payload[4:] + b"sum!")
    assert command_of(summed) == COMMAND
    assert without_exhaust(summed) == plain
    assert without_exhaust(plain) is plain


def test_a_document_is_replaced_in_all_three_forms() -> None:
    for op_code, head in ((OP_MSG, b"\0\0\0\0\0"), (OP_REPLY, bytes(20)), (OP_QUERY, b"\0\0\0\0d.$cmd\0" + bytes(8))):
        message = Message(1, 2, op_code, head + bson.encode({"old": 1}))
        assert bson.decode(with_document(message, {"new": 2}).payload[len(head) :]) == {"new": 2}
    assert reply_of(Message(1, 2, OP_REPLY, bytes(20) + bson.encode({"ok": 1.0}))) == {"ok": 1.0}
    with pytest.raises(WireProblem):
        with_document(op_msg(COMMAND, 0), {})
