"""A relay in front of a Neo4j server: records what was asked, and lets nothing but reads through.

Every transaction is opened for reading, whatever the client says, so that the server itself refuses to write. The
client's credentials are replaced by the real ones, which translated code never sees. The Java harness tells whose
statements follow by one with a parameter `uom:begin:<label>`.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uom.run.engines.neo4j import bolt
from uom.run.engines.neo4j.bolt import Messages, chunked, fields_of, known_versions, message, read_some
from uom.run.engines.neo4j.guard import refusal_of
from uom.run.engines.neo4j.packstream import pack, read, unpack
from uom.run.engines.neo4j.recording import OpenStatement, RecordedStatement, Recorder, notices_of, plain
from uom.run.engines.relaying import RelayServer, Stream, WireProblem

__all__ = ["MARK", "MARKER", "RecordedStatement", "Relay"]

MARK = "uom:"
MARKER = "RETURN $uom AS uom"
"""The statement that announces whose statements follow: its parameter is `uom:begin:<label>` or `uom:end:<label>`."""
_REFUSED = "THIS STATEMENT WAS NOT LET THROUGH"
"""Sent instead of a refused statement: the server's answer to it keeps both sides in step."""
_WRITE_REFUSED = ("AccessMode", "Forbidden")
_NOT_PASSED_ON = frozenset({"imp_user"})


class Relay(RelayServer):
    """Between drivers and one Neo4j server. A context manager.

    `auth` is what LOGON says to the server; `database` is the only one that clients get.
    """

    kind = "neo4j"

    def __init__(
        self,
        host: str,
        port: int,
        auth: Mapping[str, Any],
        database: str,
        tls: ssl.SSLContext | None = None,
        socket_file: Path | None = None,
    ) -> None:
        super().__init__(host, port, tls, socket_file)
        self._auth = dict(auth)
        self.database = database
        self.recorder = Recorder()

    def take(self, label: str) -> list[RecordedStatement]:
        """The statements recorded under a label since the last call."""
        return self.recorder.take(label)

    def take_refused(self, label: str) -> list[str]:
        """What was not let through."""
        return self.recorder.take_refused(label)

    async def relay(self, client: Stream, server: Stream) -> None:
        version = await _shake_hands(client, server)
        connection = _Connection(self.recorder, self._auth, self.database, self.address, version)
        upwards = asyncio.ensure_future(_pump(client, server, connection.request))
        downwards = asyncio.ensure_future(_pump(server, client, connection.answer))
        try:
            # when one side has gone the other must go: a statement that nobody waits for is given up
            await asyncio.wait({upwards, downwards}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            upwards.cancel()
            downwards.cancel()
            await asyncio.gather(upwards, downwards, return_exceptions=True)
            connection.end()


async def _shake_hands(client: Stream, server: Stream) -> int:
    """The minor version of Bolt 5 that both sides and the relay speak."""
    proposals = known_versions(await client.reader.readexactly(20))
    server.writer.write(proposals)
    await server.writer.drain()
    chosen = await server.reader.readexactly(4)
    client.writer.write(chosen)
    await client.writer.drain()
    if chosen[3] != 5 or not 1 <= chosen[2] <= bolt.NEWEST:
        raise WireProblem("no version in common")
    return chosen[2]


async def _pump(source: Stream, target: Stream, change: Callable[[int, bytes, bytes], bytes]) -> None:
    messages = Messages()
    while data := await read_some(source.reader):
        passed = [change(tag, whole, payload) if tag else whole for tag, whole, payload in messages.feed(data)]
        target.writer.write(b"".join(passed))
        await target.writer.drain()


@dataclass(slots=True)
class _Request:
    """Something the server still has to answer; `statement` is what its answer is about."""

    tag: int
    statement: OpenStatement | None = None


@dataclass(slots=True)
class _Connection:
    """Both directions of one connection. Answers come in the order of the requests."""

    recorder: Recorder
    auth: dict[str, Any]
    database: str
    address: str
    version: int
    waiting: deque[_Request] = field(default_factory=deque)
    open: list[OpenStatement] = field(default_factory=list)
    last: OpenStatement | None = None
    by_query_id: dict[int, OpenStatement] = field(default_factory=dict)

    def request(self, tag: int, whole: bytes, payload: bytes) -> bytes:
        """What the server gets for a message of the client."""
        if tag not in bolt.REQUESTS:
            raise WireProblem(f"an unknown request 0x{tag:02x}")
        if tag == bolt.GOODBYE:
            return whole
        statement = None
        if tag == bolt.LOGON:
            whole = message(tag, self.auth)
        elif tag == bolt.BEGIN:
            whole = message(tag, self.for_reading(fields_of(payload)[0]))
        elif tag == bolt.RUN:
            statement, whole = self.run(payload)
            self.last = statement
        elif tag in (bolt.PULL, bolt.DISCARD):
            statement = self.streamed(fields_of(payload)[0])
        self.waiting.append(_Request(tag, statement))
        return whole

    def run(self, payload: bytes) -> tuple[OpenStatement | None, bytes]:
        """The statement and its parameters stay as they are, byte for byte."""
        text, after_text = read(payload, 2)
        parameters, after_parameters = read(payload, after_text)
        extra = unpack(payload[after_parameters:])
        if not isinstance(text, str) or not isinstance(parameters, dict) or not isinstance(extra, dict):
            raise WireProblem("a RUN of another form")
        mark = parameters.get("uom")
        marker = text == MARKER and isinstance(mark, str) and mark.startswith(MARK)
        statement = None
        if marker:
            self.mark(str(mark), parameters.get("limit"))
        else:
            refusal = refusal_of(text)
            statement = OpenStatement(self.recorder.label, text, plain(parameters), refusal)
            self.open.append(statement)
            if refusal:
                self.recorder.refuse(refusal)
                return statement, message(bolt.RUN, _REFUSED, {}, self.for_reading(extra))
        return statement, chunked(payload[:after_parameters] + pack(self.for_reading(extra)))

    def mark(self, mark: str, limit: Any) -> None:
        action, _, label = mark.removeprefix(MARK).partition(":")
        self.recorder.label = label if action == "begin" else ""
        self.recorder.limit_ms = limit if isinstance(limit, int) and action == "begin" else 0

    def for_reading(self, extra: Any) -> dict[str, Any]:
        """The settings of a transaction: reading, our database, a time limit."""
        if not isinstance(extra, dict):
            raise WireProblem("settings that are no map")
        kept = {key: value for key, value in extra.items() if key not in _NOT_PASSED_ON}
        if self.recorder.limit_ms:
            kept["tx_timeout"] = self.recorder.limit_ms
        return {**kept, "mode": "r", "db": self.database}

    def streamed(self, extra: Any) -> OpenStatement | None:
        """Whose rows are asked for: of the statement with that number, or of the last one."""
        number = extra.get("qid", -1) if isinstance(extra, dict) else -1
        return self.by_query_id.get(number, self.last)

    def answer(self, tag: int, whole: bytes, payload: bytes) -> bytes:
        """What the client gets for a message of the server."""
        if not self.waiting:
            raise WireProblem("an answer that was not asked for")
        request = self.waiting[0]
        statement = request.statement
        if tag == bolt.RECORD:
            if statement is not None:
                statement.returned += 1
            return whole
        self.waiting.popleft()
        if tag == bolt.SUCCESS:
            return self.success(request, whole, payload)
        if tag == bolt.FAILURE:
            return self.failure(statement, whole, payload)
        if tag != bolt.IGNORED:
            raise WireProblem(f"an unknown answer 0x{tag:02x}")
        if request.tag == bolt.RUN and statement in self.open:
            self.open.remove(statement)  # it never ran
        return whole

    def success(self, request: _Request, whole: bytes, payload: bytes) -> bytes:
        statement = request.statement
        if request.tag == bolt.RUN and statement is not None:
            number = fields_of(payload)[0].get("qid")
            if isinstance(number, int):
                self.by_query_id[number] = statement
        elif request.tag in (bolt.PULL, bolt.DISCARD) and statement is not None:
            summary = fields_of(payload)[0]
            if not summary.get("has_more"):
                statement.notices = notices_of(summary)
                self.close(statement)
        elif request.tag == bolt.ROUTE:
            return message(bolt.SUCCESS, {"rt": self.routing_table()})
        elif request.tag in (bolt.RESET, bolt.COMMIT, bolt.ROLLBACK):
            self.end()
        return whole

    def routing_table(self) -> dict[str, Any]:
        """One server for everything: us."""
        servers = [{"addresses": [self.address], "role": role} for role in ("ROUTE", "READ", "WRITE")]
        return {"ttl": 3600, "db": self.database, "servers": servers}

    def failure(self, statement: OpenStatement | None, whole: bytes, payload: bytes) -> bytes:
        found = fields_of(payload)[0]
        code = str(found.get("neo4j_code") or found.get("code") or "")
        if statement is not None and statement.refusal:
            whole = message(bolt.FAILURE, self.refused(statement.refusal))
            self.close(statement)
        elif statement is not None:
            statement.error = str(found.get("message") or code)
            if code.endswith(_WRITE_REFUSED):
                self.recorder.refuse(_first_words(statement.statement), statement.label)
            self.close(statement)
        return whole

    def refused(self, refusal: str) -> dict[str, Any]:
        """What FAILURE says, in the form of this version of Bolt."""
        text, code = f"{refusal}: only reads are let through", "Neo.ClientError.Security.Forbidden"
        if self.version < 7:
            return {"code": code, "message": text}
        return {
            "neo4j_code": code,
            "message": text,
            "gql_status": "42NFF",
            "description": f"error: syntax error or access rule violation - permission denied. {text}",
            "diagnostic_record": {"OPERATION": "", "OPERATION_CODE": "0", "CURRENT_SCHEMA": "/"},
        }

    def close(self, statement: OpenStatement) -> None:
        if statement in self.open:
            self.open.remove(statement)
            self.recorder.close(statement)

    def end(self) -> None:
        """Statements whose rows nobody fetched to the end are done as well."""
        for statement in list(self.open):
            self.close(statement)
        self.by_query_id.clear()


def _first_words(statement: str) -> str:
    return " ".join(statement.split())[:80]
