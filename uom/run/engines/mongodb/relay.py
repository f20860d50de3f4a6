"""A relay in front of a MongoDB server: records what was asked, and lets nothing but reads through.

The Java harness tells whose commands follow by a `ping` with the comment `uom:begin:<label>`; the relay answers
that itself. A user's database is thus never written while translated code is being verified.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from uom.run.engines.mongodb.guard import HANDSHAKES, refusal_of
from uom.run.engines.mongodb.handshake import plain_reply, plain_request
from uom.run.engines.mongodb.login import Login, log_in
from uom.run.engines.mongodb.observing.learning import Knowledge
from uom.run.engines.mongodb.recording import READS, RecordedCommand, Recorder
from uom.run.engines.mongodb.wire import (
    MORE_TO_COME,
    OP_MSG,
    Message,
    command_of,
    op_msg,
    read_message,
    reply_of,
    with_document,
    without_exhaust,
)
from uom.run.engines.relaying import RelayServer, Stream, WireProblem

__all__ = ["RecordedCommand", "Relay"]

_MARK = "uom:"
_LOOK_AFTER_CLIENT = 0.5
"""Seconds between looks whether the client still waits for its reply."""


StandIn = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Relay(RelayServer):
    """Between drivers and one MongoDB server. A context manager."""

    kind = "mongodb"

    def __init__(
        self,
        host: str,
        port: int,
        tls: ssl.SSLContext | None = None,
        stand_in: StandIn | None = None,
        login: Login | None = None,
    ) -> None:
        """`stand_in` gives the form in which a read is asked of this server (see stand_ins); `login` is who asks."""
        super().__init__(host, port, tls)
        self._login = login
        self._stand_in = stand_in
        self.recorder = Recorder()

    @property
    def knowledge(self) -> Knowledge:
        """What was loaded into the server's databases; whoever loads them tells it."""
        return self.recorder.knowledge

    def take(self, label: str) -> list[RecordedCommand]:
        """The reads recorded under a label since the last call."""
        return self.recorder.take(label)

    def take_refused(self, label: str) -> list[str]:
        """Names of commands that were not let through."""
        return self.recorder.take_refused(label)

    async def relay(self, client: Stream, server: Stream) -> None:
        if self._login is not None:
            await log_in(server, self._login)
        await _Connection(
            client.reader, client.writer, server.reader, server.writer, self.recorder, self._stand_in
        ).run()


@dataclass(slots=True)
class _Connection:
    """One client, and its own connection to the server. A reply follows each request."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server_reader: asyncio.StreamReader
    server_writer: asyncio.StreamWriter
    recorder: Recorder
    stand_in: StandIn | None

    async def run(self) -> None:
        while (message := await read_message(self.reader)) is not None:
            command = command_of(message)
            answer = self.own_answer(message, command)
            if answer is None:
                answer = await self.forward(message, command)
            if answer is None:
                return
            if message.flags & MORE_TO_COME:
                # the client expects no answer
                continue
            self.writer.write(answer.encoded())
            await self.writer.drain()

    def own_answer(self, message: Message, command: dict[str, Any]) -> Message | None:
        """Markers and refusals are answered here; None means the command may pass."""
        name = next(iter(command), "")
        if message.op_code != OP_MSG and name.lower() not in HANDSHAKES:
            raise WireProblem("an old query that is no handshake")
        comment = command.get("comment")
        if name == "ping" and isinstance(comment, str) and comment.startswith(_MARK):
            action, _, label = comment.removeprefix(_MARK).partition(":")
            self.recorder.label = label if action == "begin" else ""
            return op_msg({"ok": 1.0}, message.request_id)
        refusal = refusal_of(command, self.recorder.knowledge.databases)
        if not refusal and message.flags & MORE_TO_COME:
            refusal = f"{name} without a reply"
        if not refusal:
            return None
        self.recorder.refuse(refusal)
        text = f"{refusal}: only reads of the rows under test are let through"
        error = {"ok": 0.0, "errmsg": text, "code": 13, "codeName": "Unauthorized"}
        return op_msg(error, message.request_id)

    async def forward(self, message: Message, command: dict[str, Any]) -> Message | None:
        name = next(iter(command), "").lower()
        request = without_exhaust(message)
        asked: Mapping[str, Any] = command
        if name in HANDSHAKES:
            request = with_document(request, plain_request(command))
        elif name in READS and self.stand_in is not None:
            asked = self.stand_in(command)
            request = request if asked is command else with_document(request, asked)
        self.server_writer.write(request.encoded())
        await self.server_writer.drain()
        answer = await self._reply()
        if answer is None:
            return None
        if answer.response_to != request.request_id or answer.flags & MORE_TO_COME:
            raise WireProblem("a reply that was not asked for")
        if name in HANDSHAKES:
            return with_document(answer, plain_reply(reply_of(answer)))
        if name in READS:
            self.recorder.record(name, command, reply_of(answer), asked is not command)
        return answer

    async def _reply(self) -> Message | None:
        """The server's reply; None when either side is gone. A query nobody waits for any more is given up."""
        reading = asyncio.ensure_future(read_message(self.server_reader))
        try:
            while not reading.done():
                await asyncio.wait({reading}, timeout=_LOOK_AFTER_CLIENT)
                if self.reader.at_eof():
                    return None
            return await reading
        finally:
            reading.cancel()
