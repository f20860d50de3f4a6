"""The relay between a driver and a real server."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from bson import Regex
from pymongo import InsertOne, MongoClient, WriteConcern
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.monitoring import ServerHeartbeatListener

from tests.engines.conftest import RawConnection
from uom.run.engines.mongodb.embedded import EmbeddedServer
from uom.run.engines.mongodb.guard import refusal_of
from uom.run.engines.mongodb.recording import MOST_KEPT, TOO_MANY, Recorder
from uom.run.engines.mongodb.relay import Relay
from uom.run.engines.mongodb.server import MongoEngine, client_for
from uom.run.engines.mongodb.stand_ins import without_count
from uom.run.engines.mongodb.wire import EXHAUST_ALLOWED, MORE_TO_COME, OP_MSG, Message, op_msg
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

ROWS = [{"_id": i, "v": i % 7, "text": "x" * 100} for i in range(500)]


def marked(client: Any, label: str) -> None:
    client.admin.command("ping", comment=f"uom:begin:{label}")


def test_reads_go_through_and_are_recorded(mongodb: MongoEngine, behind_relay: Any) -> None:
    with mongodb.fresh_database({"rows": ROWS}) as name:
        rows = behind_relay[name].rows
        marked(behind_relay, "one")
        assert len(list(rows.find({"v": 3}))) == 71
        assert rows.count_documents({"v": {"$gt": 3}}) == 213
        marked(behind_relay, "two")
        assert len(list(rows.aggregate([{"$match": {}}], batchSize=100))) == 500
        assert sorted(rows.distinct("v")) == list(range(7))
        with pytest.raises(OperationFailure):
            list(rows.aggregate([{"$frobnicate": 1}]))
    one, two = mongodb.relay.take("one"), mongodb.relay.take("two")
    assert [(c.name, c.returned) for c in one] == [("find", 71), ("aggregate", 1)]
    assert [c.name for c in two] == ["aggregate", "getmore", "getmore", "getmore", "getmore", "getmore", "distinct", "aggregate"]  # fmt: skip
    assert sum(c.returned for c in two[:6]) == 500
    assert "frobnicate" in two[-1].error
    assert one[0].command["filter"] == {"v": 3}
    assert "lsid" not in one[0].command
    assert set(one[0].collections["rows"].fields) == {"_id", "v", "text"}
    assert mongodb.relay.take("one") == []


@pytest.mark.parametrize(
    "write",
    [
        lambda c: c.insert_one({"a": 1}),
        lambda c: c.update_many({}, {"$set": {"a": 2}}),
        lambda c: c.replace_one({}, {"a": 2}),
        lambda c: c.delete_many({}),
        lambda c: c.find_one_and_delete({}),
        lambda c: c.bulk_write([InsertOne({"a": 1})]),
        lambda c: c.drop(),
        lambda c: c.create_index("a"),
        lambda c: c.rename("other"),
        lambda c: c.database.create_collection("other"),
        lambda c: c.database.client.drop_database(c.database.name),
        lambda c: c.database.client.bulk_write([InsertOne({"a": 1}, namespace=f"{c.database.name}.x")]),
        lambda c: c.database.command({"mapReduce": c.name, "map": "m", "reduce": "r", "out": "x"}),
        lambda c: c.database.command({"eval": "db.c.drop()"}),
        lambda c: list(c.aggregate([{"$match": {}}, {"$out": "x"}])),
        lambda c: list(c.aggregate([{"$merge": {"into": "x"}}])),
        lambda c: list(c.aggregate([{"$lookup": {"from": "x", "pipeline": [{"$out": "y"}], "as": "z"}}])),
        lambda c: list(c.aggregate([{"$facet": {"a": [{"$merge": "y"}]}}])),
        lambda c: list(c.aggregate([{"$unionWith": {"coll": "x", "pipeline": [{"$out": "y"}]}}])),
        lambda c: c.database.command({"explain": {"aggregate": c.name, "pipeline": [{"$out": "y"}], "cursor": {}}}),
    ],
)
def test_writes_are_refused(write: Any, mongodb: MongoEngine, behind_relay: Any) -> None:
    with mongodb.fresh_database({"rows": [{"_id": 1, "a": 0}]}) as name:
        marked(behind_relay, "write")
        with pytest.raises(OperationFailure, match="only reads of the rows under test are let through"):
            write(behind_relay[name].rows)
        assert mongodb.relay.take_refused("write")
        assert list(mongodb.client[name].rows.find()) == [{"_id": 1, "a": 0}]
        assert mongodb.client[name].list_collection_names() == ["rows"]


def test_a_write_that_wants_no_reply_gets_none(mongodb: MongoEngine, behind_relay: Any) -> None:
    with mongodb.fresh_database({"rows": [{"_id": 1}]}) as name:
        marked(behind_relay, "silent")
        rows = behind_relay[name].get_collection("rows", write_concern=WriteConcern(w=0))
        rows.insert_one({"_id": 2})
        rows.delete_one({"_id": 1})
        assert [d["_id"] for d in rows.find()] == [1]
        assert [r.split()[0] for r in mongodb.relay.take_refused("silent")] == ["insert", "delete"]


def test_names_of_fields_and_constants_are_no_stages() -> None:
    found = {"find": "$out", "filter": {"a": "$merge", "from": {"db": 1}}}
    assert refusal_of({**found, "$db": "d"}, "d") == ""
    stages = [{"$project": {"a": {"$mergeObjects": ["$x"]}}}, {"$lookup": {"from": "x", "as": "db"}}]
    assert refusal_of({"aggregate": "c", "pipeline": stages, "$db": "d"}, "d") == ""
    assert refusal_of({}, "d") == "an empty command"
    deep: Any = {"$out": "x"}
    for _ in range(5000):
        deep = [deep]
    assert refusal_of({"aggregate": "c", "pipeline": deep, "$db": "d"}, "d") == "$out"


@pytest.mark.parametrize(
    "read",
    [
        lambda c, name: list(c[name].rows.find()),
        lambda c, name: c[name].list_collection_names(),
        lambda c, _: c["uom_not_there"].rows.count_documents({}),
        lambda c, _: list(c.admin.aggregate([{"$currentOp": {}}])),
        lambda c, name: list(
            c[c.mine].rows.aggregate([{"$lookup": {"from": {"db": name, "coll": "rows"}, "as": "x"}}])
        ),
        lambda c, name: list(c[c.mine].rows.aggregate([{"$unionWith": {"db": name, "coll": "rows"}}])),
        lambda c, name: c[c.mine].command({"explain": {"find": "rows", "$db": name}}),
        lambda c, _: c.list_database_names(),
    ],
)
def test_the_users_other_databases_are_not_read(read: Any, mongodb: MongoEngine, behind_relay: Any) -> None:
    name = "uom_production"
    try:
        mongodb.client[name].rows.insert_one({"_id": 1, "secret": True})
        with mongodb.fresh_database({"rows": [{"_id": 2}]}) as mine:
            behind_relay.mine = mine
            marked(behind_relay, "curious")
            with pytest.raises(OperationFailure, match="only reads of the rows under test"):
                read(behind_relay, name)
            assert mongodb.relay.take_refused("curious")
    finally:
        mongodb.client.drop_database(name)


def test_hello_leads_nowhere_else(raw: RawConnection) -> None:
    reply = raw.ask({"hello": 1, "topologyVersion": {"counter": 1}, "maxAwaitTimeMS": 60_000}, EXHAUST_ALLOWED)
    assert reply["ok"] == 1.0
    assert reply["isWritablePrimary"]
    assert not reply.keys() & {"topologyVersion", "hosts", "me", "primary", "setName", "compression"}


def test_every_request_gets_one_reply(raw: RawConnection) -> None:
    started = time.monotonic()
    for number in range(20):
        raw.ask({"hello": 1, "topologyVersion": {"counter": 1}, "maxAwaitTimeMS": 10_000}, EXHAUST_ALLOWED, number)
        raw.ask({"ping": 1}, EXHAUST_ALLOWED, number + 100)
    assert time.monotonic() - started < 3


def test_monitors_run_without_stalls(mongodb: MongoEngine) -> None:
    class Heartbeats(ServerHeartbeatListener):
        beats, failures = 0, 0

        def started(self, _event: Any) -> None: ...

        def succeeded(self, _event: Any) -> None:
            self.beats += 1

        def failed(self, _event: Any) -> None:
            self.failures += 1

    listener = Heartbeats()
    with MongoClient[dict[str, Any]](mongodb.relay_uri, heartbeatFrequencyMS=500, event_listeners=[listener]) as client:
        for _ in range(5):
            client.admin.command("ping")
            time.sleep(0.4)
    assert listener.beats >= 4
    assert listener.failures == 0


def test_old_queries_are_handshakes_only(mongodb: MongoEngine, raw: RawConnection) -> None:
    import bson

    query = b"\0\0\0\0admin.$cmd\0" + b"\0\0\0\0\xff\xff\xff\xff"
    raw.send(Message(1, 0, 2004, query + bson.encode({"isMaster": 1, "helloOk": True})))
    reply = raw.receive()
    assert reply is not None
    document = bson.decode(reply.payload[20:])
    assert document["ok"] == 1.0
    assert "topologyVersion" not in document
    with RawConnection(mongodb.relay.port) as other:
        other.send(Message(1, 0, 2004, query + bson.encode({"find": "c"})))
        assert other.is_closed()


@pytest.mark.parametrize(
    "data",
    [b"\xff" * 64, b"GET / HTTP/1.1\r\n\r\n" * 3, Message(1, 0, OP_MSG, b"\0\0\0\0\7garbage").encoded(), bytes(16)],
)
def test_garbage_closes_the_connection(data: bytes, mongodb: MongoEngine, behind_relay: Any) -> None:
    with RawConnection(mongodb.relay.port) as connection:
        connection.socket.sendall(data)
        assert connection.is_closed()
    assert behind_relay.admin.command("ping")["ok"]


def test_a_marker_is_answered_here(raw: RawConnection) -> None:
    assert raw.ask({"ping": 1, "comment": "uom:begin:label"})["ok"] == 1.0
    raw.send(Message(9, 0, OP_MSG, b"\2" + op_msg({"ping": 1, "$db": "x"}, 0).payload[1:]))
    assert raw.ask({"ping": 1, "comment": "uom:end:label"})["ok"] == 1.0
    assert MORE_TO_COME == 2


def test_replies_of_sixteen_megabytes(mongodb: MongoEngine, behind_relay: Any) -> None:
    text = "x" * 15_000_000
    with mongodb.fresh_database({"rows": [{"_id": 1, "text": text}, {"_id": 2, "text": text}]}) as name:
        rows = list(behind_relay[name].rows.find().sort("_id", 1))
    assert [len(row["text"]) for row in rows] == [15_000_000, 15_000_000]


def test_many_connections_at_once(mongodb: MongoEngine) -> None:
    def work(number: int) -> int:
        with client_for(mongodb.relay_uri) as client:
            return sum(len(list(client[name].rows.find({"v": number % 7}))) for _ in range(3))

    with mongodb.fresh_database({"rows": ROWS}) as name, ThreadPoolExecutor(30) as pool:
        assert sum(pool.map(work, range(60))) == 3 * sum(sum(1 for r in ROWS if r["v"] == n % 7) for n in range(60))


def test_a_server_that_dies_is_a_closed_connection(tools: Toolchain) -> None:
    server = EmbeddedServer(tools)
    try:
        with Relay("127.0.0.1", server.port) as relay, RawConnection(relay.port) as connection:
            assert connection.ask({"ping": 1})["ok"] == 1.0
            server.stop()
            connection.send(op_msg({"ping": 1, "$db": "d"}, 0, 1))
            assert connection.is_closed()
            address = f"mongodb://{relay.address}/?directConnection=true"
            silent = MongoClient[dict[str, Any]](address, serverSelectionTimeoutMS=300)
            with pytest.raises(PyMongoError), silent as client:
                client.admin.command("ping")
    finally:
        server.stop()


class SilentServer:
    """Takes requests and never answers, as a server in the middle of a long query."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.closed = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        while connection.recv(1000):
            pass
        self.closed.set()

    def close(self) -> None:
        self._listener.close()


def test_a_client_that_leaves_ends_its_query() -> None:
    server = SilentServer()
    with Relay("127.0.0.1", server.port) as relay:
        with RawConnection(relay.port) as connection:
            connection.send(op_msg({"ping": 1, "$db": "d"}, 0, 1))
            time.sleep(0.2)
        assert server.closed.wait(3)
    server.close()


def test_stopping_with_open_connections_is_quick() -> None:
    server = SilentServer()
    relay = Relay("127.0.0.1", server.port).__enter__()
    with RawConnection(relay.port) as waiting, RawConnection(relay.port) as idle:
        waiting.send(op_msg({"ping": 1, "$db": "d"}, 0, 1))
        time.sleep(0.1)
        started = time.monotonic()
        relay.stop()
        relay.stop()
        assert time.monotonic() - started < 1.5
        assert waiting.is_closed()
        assert idle.is_closed()
    server.close()


def test_no_server_behind_it_is_a_closed_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Relay("127.0.0.1", port) as relay, RawConnection(relay.port) as connection:
        connection.send(op_msg({"ping": 1, "$db": "d"}, 0, 1))
        assert connection.is_closed()


def test_no_port_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    async def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no ports")

    monkeypatch.setattr(asyncio, "start_server", refuse)
    with pytest.raises(EnvironmentFailure, match="no local port"):
        Relay("127.0.0.1", 1).__enter__()


def test_more_commands_than_are_kept_leave_a_mark() -> None:
    recorder = Recorder()
    for number in range(MOST_KEPT + 10):
        recorder.record("find", {"find": "c", "n": number, "$db": "d"}, {"ok": 1, "cursor": {"firstBatch": []}})
    kept = recorder.take("")
    assert len(kept) == MOST_KEPT + 1
    assert kept[-1].name == TOO_MANY


COUNT = [{"$group": {"_id": None, "n": {"$sum": 1}}}, {"$project": {"_id": 0}}]


@pytest.mark.parametrize(
    ("pipeline", "asked"),
    [
        ([{"$count": "n"}], COUNT),
        ([{"$match": {}}, {"$count": "n"}, {"$set": {"m": 1}}], [{"$match": {}}, *COUNT, {"$set": {"m": 1}}]),
        ([{"$facet": {"a": [{"$count": "n"}]}}], [{"$facet": {"a": COUNT}}]),
        (
            [{"$unionWith": {"coll": "c", "pipeline": [{"$count": "n"}]}}],
            [{"$unionWith": {"coll": "c", "pipeline": COUNT}}],
        ),
        (
            [{"$lookup": {"from": "c", "pipeline": [{"$count": "n"}], "as": "x"}}],
            [{"$lookup": {"from": "c", "pipeline": COUNT, "as": "x"}}],
        ),
    ],
)
def test_count_in_its_long_form(pipeline: list[Any], asked: list[Any]) -> None:
    assert without_count({"aggregate": "c", "pipeline": pipeline})["pipeline"] == asked


@pytest.mark.parametrize("body", ["", "$n", "a.b", "_id", 5, None])
def test_a_wrong_count_stays_wrong(body: Any) -> None:
    command = {"aggregate": "c", "pipeline": [{"$count": body}]}
    assert without_count(command) is command


def test_count_of_nothing_gives_no_document_through_the_relay(mongodb: MongoEngine, behind_relay: Any) -> None:
    with mongodb.fresh_database({"rows": ROWS}) as name:
        marked(behind_relay, "count")
        rows = behind_relay[name].rows
        assert list(rows.aggregate([{"$match": {"v": 99}}, {"$count": "n"}])) == []
        assert list(rows.aggregate([{"$count": "n"}])) == [{"n": 500}]
    first, second = mongodb.relay.take("count")
    assert first.command["pipeline"] == [{"$match": {"v": 99}}, {"$count": "n"}]
    assert first.stood_in
    assert second.stood_in


def test_patterns_arrive_as_they_are(mongodb: MongoEngine, behind_relay: Any) -> None:
    with mongodb.fresh_database({"rows": [{"_id": 1, "s": "Abc"}]}) as name:
        marked(behind_relay, "regex")
        assert behind_relay[name].rows.find_one({"s": Regex("^a", "i")}) is not None
    assert mongodb.relay.take("regex")[0].command["filter"]["s"] == Regex("^a", "i")
