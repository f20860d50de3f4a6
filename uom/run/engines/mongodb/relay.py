"""A relay in front of a MongoDB server: records what was asked, and lets nothing but reads through.

The Java harness tells whose commands follow by a `ping` with the comment `uom:begin:<label>`; the relay answers
that itself. A user's database is thus never written while translated code is being verified.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from uom.run.engines.mongodb.wire import (
    OP_COMPRESSED,
    Message,
    WireProblem,
    command_of,
    op_msg,
    read_message,
    reply_of,
    without_compression,
)
from uom.run.failures import EnvironmentFailure

READS = frozenset({"find", "aggregate", "count", "distinct", "getmore", "explain", "listindexes", "listcollections"})
SESSION = frozenset(
    """
    hello ismaster ping buildinfo getparameter connectionstatus endsessions killcursors saslstart saslcontinue
    authenticate logout refreshsessions hostinfo serverstatus
    """.split()
)
WRITING_STAGES = frozenset({"$out", "$merge"})
_MARK = "uom:"
_KEPT_PER_LABEL = 200


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A read that went through. `command` lacks session and cluster fields; `error` is the server's message or ""."""

    name: str
    database: str
    command: dict[str, Any]
    returned: int
    error: str = ""


@dataclass(slots=True)
class _Tracker:
    """What is shared by all connections of one relay."""

    label: str = ""
    recorded: dict[str, list[RecordedCommand]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Relay:
    """Runs in a thread of its own between a free local port and one server. A context manager."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._tracker = _Tracker()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mongodb-relay", daemon=True)
        self._ready = threading.Event()
        self._server: asyncio.Server | None = None
        self.port = 0

    def __enter__(self) -> Relay:
        self._thread.start()
        if not self._ready.wait(10) or self.port == 0:
            raise EnvironmentFailure(
                "MongoDB relay", "no local port could be opened", "Check local network permissions."
            )
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def take(self, label: str) -> list[RecordedCommand]:
        """The reads recorded under a label since the last call."""
        return self._tracker.recorded.pop(label, [])

    def take_refused(self, label: str) -> list[str]:
        """Names of commands that were not let through."""
        return self._tracker.refused.pop(label, [])

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            start = asyncio.start_server(self._accept, "127.0.0.1", 0, limit=1 << 20)
            self._server = self._loop.run_until_complete(start)
            self.port = self._server.sockets[0].getsockname()[1]
        finally:
            self._ready.set()
        self._loop.run_forever()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, WireProblem, asyncio.CancelledError):
            upstream = await asyncio.open_connection(*self._target, limit=1 << 20)
            try:
                await _Connection(reader, writer, *upstream, self._tracker).run()
            finally:
                upstream[1].close()
        writer.close()


@dataclass(slots=True)
class _Connection:
    """One client. Drivers send a command and wait for its reply; streamed handshakes (exhaust) are declined."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server_reader: asyncio.StreamReader
    server_writer: asyncio.StreamWriter
    tracker: _Tracker

    async def run(self) -> None:
        while (message := await read_message(self.reader)) is not None:
            if message.op_code == OP_COMPRESSED:
                raise WireProblem("compression was declined")
            command = command_of(message)
            answer = self.own_answer(message, command)
            if answer is None:
                answer = await self.forward(message, command)
            if answer is None:
                return
            self.writer.write(answer.encoded())
            await self.writer.drain()

    def own_answer(self, message: Message, command: dict[str, Any]) -> Message | None:
        """Markers and refusals are answered here; None means the command may pass."""
        name = next(iter(command), "")
        comment = command.get("comment")
        if name == "ping" and isinstance(comment, str) and comment.startswith(_MARK):
            action, _, label = comment.removeprefix(_MARK).partition(":")
            self.tracker.label = label if action == "begin" else ""
            return op_msg({"ok": 1.0}, message.request_id)
        refusal = refusal_of(name, command)
        if refusal:
            self.tracker.refused[self.tracker.label].append(refusal)
            error = {
                "ok": 0.0,
                "errmsg": f"{refusal}: only reads are let through",
                "code": 13,
                "codeName": "Unauthorized",
            }
            return op_msg(error, message.request_id)
        return None

    async def forward(self, message: Message, command: dict[str, Any]) -> Message | None:
        name = next(iter(command), "").lower()
        if name in ("hello", "ismaster"):
            message = without_compression(message, command)
        self.server_writer.write(message.encoded())
        await self.server_writer.drain()
        answer = await read_message(self.server_reader)
        if answer is not None and name in READS:
            self.record(name, command, reply_of(answer))
        return answer

    def record(self, name: str, command: dict[str, Any], reply: dict[str, Any]) -> None:
        kept = self.tracker.recorded[self.tracker.label]
        if len(kept) >= _KEPT_PER_LABEL:
            return
        bare = {k: v for k, v in command.items() if k not in ("lsid", "$db", "$clusterTime", "$readPreference")}
        error = str(reply.get("errmsg", "")) if not reply.get("ok") else ""
        kept.append(RecordedCommand(name, str(command.get("$db", "")), bare, _returned(reply), error))


def _returned(reply: dict[str, Any]) -> int:
    cursor = reply.get("cursor")
    if cursor is not None:
        batch = cursor.get("firstBatch") or cursor.get("nextBatch") or []
        return len(batch)
    if "values" in reply:
        return len(reply["values"])
    return int(reply.get("n", 0) or 0)


def refusal_of(name: str, command: dict[str, Any]) -> str:
    """Why a command must not pass: its name, or the stage that writes; "" when it only reads."""
    lowered = name.lower()
    if lowered in SESSION:
        return ""
    if lowered not in READS:
        return name or "an empty command"
    for stage in _stage_names(command.get("pipeline")):
        if stage in WRITING_STAGES:
            return stage
    return ""


def _stage_names(value: Any) -> Iterator[str]:
    """Every key below a pipeline: a writing stage must not hide in a nested one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _stage_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _stage_names(inner)


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Polls until the condition holds; False when time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
