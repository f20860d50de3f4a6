"""The relay between drivers and a real Neo4j."""

from __future__ import annotations

import socket
import threading
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import ClientError, Neo4jError, ServiceUnavailable

from tests.engines.neo4j.conftest import RawBolt
from uom.run.engines import relaying
from uom.run.engines.neo4j import bolt
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.neo4j.guard import refusal_of
from uom.run.engines.neo4j.packstream import Structure, pack, unpack
from uom.run.engines.neo4j.relay import MARKER, Relay
from uom.run.engines.relaying import WireProblem


def marked(driver: Driver, label: str, **more: Any) -> None:
    with driver.session() as session:
        session.run(MARKER, uom=f"uom:begin:{label}", **more).consume()


def test_statements_are_recorded_under_their_label(direct: Driver, behind_relay: Driver, relay: Relay) -> None:
    direct.execute_query("UNWIND range(1, 5000) AS i CREATE (:Row {id: i, v: i % 7})")
    marked(behind_relay, "one")
    with behind_relay.session() as session:
        assert len(session.run("MATCH (n:Row) WHERE n.v = $v RETURN n", v=3).data()) == 714
        rows = session.run("MATCH (n:Row) RETURN n.id AS id ORDER BY id")
        assert [r["id"] for r in rows] == list(range(1, 5001))
    marked(behind_relay, "two")
    when = datetime(2024, 2, 29, 5, 6, 7, 8, tzinfo=UTC)
    behind_relay.execute_query("RETURN $d, $t, $b, $l", d=date(2024, 2, 29), t=when, b=b"\1", l=[1, None, {"a": 2.5}])
    with pytest.raises(ClientError, match="Variable `m` not defined"):
        behind_relay.execute_query("MATCH (n) RETURN m")
    with behind_relay.session() as session:
        assert session.run("MATCH (n:Nope) RETURN n.missing").single() is None
    one, two = relay.take("one"), relay.take("two")
    assert [(s.statement, s.returned, s.error) for s in one] == [
        ("MATCH (n:Row) WHERE n.v = $v RETURN n", 714, ""),
        ("MATCH (n:Row) RETURN n.id AS id ORDER BY id", 5000, ""),
    ]
    assert one[0].parameters == {"v": 3}
    assert [s.returned for s in two] == [1, 0, 0]
    parameters = {"d": "2024-02-29", "t": "2024-02-29T05:06:07.000008+00:00", "b": "AQ==", "l": [1, None, {"a": 2.5}]}
    assert two[0].parameters == parameters
    assert "not defined" in two[1].error
    assert any(notice.startswith("01N50") for notice in two[2].notices)
    assert relay.take("one") == []


def test_two_open_results_of_one_transaction_are_told_apart(direct: Driver, behind_relay: Driver, relay: Relay) -> None:
    direct.execute_query("UNWIND range(1, 3000) AS i CREATE (:Row {id: i})")
    marked(behind_relay, "both")
    with behind_relay.session(fetch_size=100) as session, session.begin_transaction() as transaction:
        first = transaction.run("MATCH (n:Row) RETURN n.id AS id ORDER BY id LIMIT 2000")
        second = transaction.run("MATCH (n:Row) WHERE n.id > 2500 RETURN n.id AS id")
        assert len(list(zip(first, second, strict=False))) == 500
        assert len(list(first)) >= 1499
    assert sorted(s.returned for s in relay.take("both")) == [500, 2000]


@pytest.mark.parametrize(
    "write",
    [
        "CREATE (:X)",
        "MERGE (:X {id: 1})",
        "MATCH (n) SET n.a = 1",
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) REMOVE n.id",
        "MATCH (n) CALL (n) { CREATE (:X) } RETURN n",
        "FOREACH (i IN [1] | CREATE (:X))",
        "CREATE INDEX x FOR (n:X) ON (n.id)",
        "CREATE CONSTRAINT x FOR (n:X) REQUIRE n.id IS UNIQUE",
        "/* harmless */ CREATE (:X)",
        "EXPLAIN CREATE USER x SET PASSWORD '12345678'",
        "CALL db.createLabel('X')",
        "CALL db.clearQueryCaches()",
        "CALL dbms.listConfig()",
        "MATCH (n) CALL `db`.`clearQueryCaches`() YIELD value RETURN n",
        "\\u0043ALL db.clearQueryCaches()",
        "SHOW TRANSACTIONS",
        "TERMINATE TRANSACTION 'neo4j-transaction-1'",
        "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
        "USE system SHOW USERS",
    ],
)
@pytest.mark.parametrize("how", ["automatic", "explicit", "managed"])
def test_nothing_but_reads_goes_through(
    direct: Driver, behind_relay: Driver, relay: Relay, write: str, how: str
) -> None:
    direct.execute_query("CREATE (:Row {id: 1})")
    marked(behind_relay, "w")
    with pytest.raises(ClientError), behind_relay.session(default_access_mode="WRITE") as session:
        if how == "automatic":
            session.run(write).consume()
        elif how == "explicit":
            with session.begin_transaction() as transaction:
                transaction.run(write).consume()
        else:
            session.execute_write(lambda transaction: transaction.run(write).consume())
    left = direct.execute_query("MATCH (n) RETURN labels(n) AS l, properties(n) AS p").records
    assert [r.data() for r in left] == [{"l": ["Row"], "p": {"id": 1}}]
    assert (
        direct.execute_query("SHOW INDEXES YIELD type WHERE type <> 'LOOKUP' RETURN count(*) AS n").records[0]["n"] == 0
    )
    assert relay.take_refused("w")
    assert behind_relay.execute_query("MATCH (n:Row) RETURN n.id AS id").records[0]["id"] == 1


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("MATCH (n) WHERE n.text = 'CALL db.x()' RETURN n", ""),
        ("MATCH (n:CALL) RETURN n.call AS call ORDER BY call", ""),
        ("WITH 1 AS call RETURN call", ""),
        ("CALL () { RETURN 1 AS x } RETURN x", ""),
        ("CALL { RETURN 1 AS x } RETURN x", ""),
        ("MATCH (show) WITH show AS start RETURN start", ""),
        ("MATCH (n) RETURN n.`LOAD CSV`", ""),
        ("RETURN 'it''s' + \"LOAD CSV\" // CALL a.b()", ""),
        ("CALL db.labels()", ""),
        ("CALL\n db . index.fulltext.queryNodes('i', 'x') YIELD node RETURN node", ""),
        ("CYPHER 5 runtime = slotted CALL apoc.cypher.runWrite('x', {})", "CALL apoc.cypher.runWrite"),
        ("OPTIONAL CALL apoc.load.json('x') YIELD value RETURN value", "CALL apoc.load.json"),
        ("CALL/**/`apoc`.export.csv.all('x', {})", "CALL apoc.export.csv.all"),
        ("RETURN 'a' \\u0043ALL x.y()", "CALL x.y"),
        ("RETURN '\\u0027 CALL x.y() //'", "CALL x.y"),
        ("PROFILE ALTER DATABASE x", "ALTER"),
        ("PROFILE USE a.b MATCH (n) RETURN n", "USE"),
        ("MATCH (n) RETURN n UNION ALL USE other MATCH (n) RETURN n", "USE"),
        ("CALL { USE graph.byName('x') MATCH (n) RETURN n } RETURN n", "USE"),
        ("WITH {use: 1} AS use RETURN use ORDER BY use.use", ""),
        ("RETURN '\\\\u0027' + `x\\\\u0060 CALL a.b() //`", "CALL a.b"),
        ("  ; DROP DATABASE x", "DROP"),
        ("load csv from 'x' as r return r", "LOAD CSV"),
    ],
)
def test_what_the_guard_refuses(statement: str, refusal: str) -> None:
    assert refusal_of(statement) == refusal


def test_a_refusal_leaves_the_connection_in_step(relay: Relay) -> None:
    """Requests that were already on their way are ignored, and after a reset all goes on."""
    with RawBolt(relay.port) as raw:
        raw.log_on()
        for tag, fields in [
            (bolt.RUN, ("CALL x.y()", {}, {})),
            (bolt.PULL, ({"n": 10},)),
            (bolt.RUN, ("RETURN 1", {}, {})),
            (bolt.RESET, ()),
            (bolt.RUN, ("RETURN 2 AS two", {}, {})),
            (bolt.PULL, ({"n": 10},)),
        ]:
            raw.send(tag, *fields)
        answers = [raw.receive() for _ in range(7)]
    assert [tag for tag, _ in answers] == [bolt.FAILURE, bolt.IGNORED, bolt.IGNORED, bolt.SUCCESS, bolt.SUCCESS, bolt.RECORD, bolt.SUCCESS]  # fmt: skip
    assert "only reads" in answers[0][1]["message"]
    assert [s.statement for s in relay.take("")] == ["RETURN 2 AS two"]
    assert relay.take_refused("") == ["CALL x.y"]


def test_old_and_new_forms_of_failure(relay: Relay) -> None:
    for proposal, key in ((b"\0\0\x06\x05", "code"), (b"\0\0\x07\x05", "neo4j_code")):
        with RawBolt(relay.port, proposal) as raw:
            raw.log_on()
            assert raw.ask(bolt.RUN, "SHOW USERS", {}, {})[1][key] == "Neo.ClientError.Security.Forbidden"


def test_the_client_may_lie_about_access_database_and_user(relay: Relay) -> None:
    with RawBolt(relay.port) as raw:
        raw.log_on({"scheme": "basic", "principal": "mallory", "credentials": "x"})
        extra = {"mode": "w", "db": "system", "imp_user": "neo4j"}
        assert raw.ask(bolt.BEGIN, extra)[0] == bolt.SUCCESS
        assert raw.ask(bolt.RUN, "CALL db.info() YIELD name RETURN name", {}, {})[0] == bolt.SUCCESS
        assert raw.ask(bolt.PULL, {"n": 1})[1] == ["neo4j"]
        assert raw.receive()[0] == bolt.SUCCESS
        tag, failure = raw.ask(bolt.RUN, "MERGE (:X)", {}, {"mode": "w"})
        assert tag == bolt.FAILURE
        assert failure["neo4j_code"].endswith(("AccessMode", "Forbidden"))
    assert relay.take_refused("") == ["MERGE (:X)"]


@pytest.mark.parametrize("proposal", [b"\0\0\x04\x04", b"\0\0\x01\xff", b"\0\x02\x20\x07"])
def test_other_versions_of_bolt_are_not_spoken(relay: Relay, proposal: bytes) -> None:
    with RawBolt(relay.port, proposal) as raw:
        assert raw.version == b"\0\0\0\0"
        assert raw.is_closed()


def test_what_is_not_bolt_is_cut_off(relay: Relay, behind_relay: Driver) -> None:
    for rubbish in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\xff" * 20):
        with socket.create_connection(("127.0.0.1", relay.port), timeout=5) as connection:
            connection.sendall(rubbish)
            assert connection.recv(10) == b""
    for message in (b"\0\x02\xb0\x99\0\0", b"\0\x01\x00\0\0", b"\0\x03\xb1\x10\x01\0\0"):
        with RawBolt(relay.port) as raw:
            raw.log_on()
            raw.socket.sendall(message)
            assert raw.is_closed()
    behind_relay.verify_connectivity()


def test_routing_leads_back_to_the_relay(relay: Relay) -> None:
    with GraphDatabase.driver(f"neo4j://{relay.address}") as driver:
        assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1
    assert [s.statement for s in relay.take("")] == ["RETURN 1 AS one"]


def test_a_statement_that_takes_too_long_is_ended(behind_relay: Driver) -> None:
    marked(behind_relay, "slow", limit=300)
    with pytest.raises(Neo4jError, match=r"(?i)time"):
        behind_relay.execute_query("UNWIND range(1, 100000000) AS a UNWIND range(1, 100000000) AS b RETURN count(*)")


def test_a_statement_that_nobody_waits_for_is_ended(direct: Driver, relay: Relay) -> None:
    with RawBolt(relay.port) as raw:
        raw.log_on()
        raw.send(bolt.RUN, "UNWIND range(1, 100000000) AS a UNWIND range(1, 100000000) AS b RETURN count(*)", {}, {})
        raw.send(bolt.PULL, {"n": 1})
        running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND' RETURN count(*) AS n"
        assert _soon(lambda: direct.execute_query(running).records[0]["n"] == 1)
    assert _soon(lambda: direct.execute_query(running).records[0]["n"] == 0)


def _soon(condition: Any) -> bool:
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_only_so_many_are_kept(behind_relay: Driver, relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "MOST_KEPT", 20)
    marked(behind_relay, "many")
    with behind_relay.session() as session, session.begin_transaction() as transaction:
        for _ in range(23):
            transaction.run("RETURN 1").consume()
    kept = relay.take("many")
    assert len(kept) == 21
    assert kept[-1].statement == "(more statements)"


def test_a_socket_file_besides_the_port(server: EmbeddedNeo4j, tmp_path: Path) -> None:
    file = tmp_path / "bolt.sock"
    with (
        Relay("127.0.0.1", server.port, {"scheme": "none"}, "neo4j", socket_file=file),
        socket.socket(socket.AF_UNIX) as connection,
    ):
        connection.connect(str(file))
        connection.sendall(bolt.MAGIC + b"\0\0\x04\x05".ljust(16, b"\0"))
        assert connection.recv(4) == b"\0\0\x04\x05"


def test_without_a_server_the_client_is_cut_off() -> None:
    with Relay("127.0.0.1", 1, {"scheme": "none"}, "neo4j") as relay, pytest.raises(ServiceUnavailable):
        GraphDatabase.driver(f"bolt://{relay.address}").verify_connectivity()


def test_many_connections_at_once(direct: Driver, behind_relay: Driver, relay: Relay) -> None:
    direct.execute_query("UNWIND range(1, 2000) AS i CREATE (:Row {id: i})")
    counts: list[int] = []

    def read() -> None:
        with behind_relay.session() as session:
            counts.extend(len(session.run("MATCH (n:Row) RETURN n").data()) for _ in range(5))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2000] * 40
    assert [s.returned for s in relay.take("")] == [2000] * 40


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -16, -17, 127, 128, -129, 2**15, -(2**31) - 1, 2**63 - 1, -(2**63), 1.5, float("inf"),
        "", "é" * 15, "x" * 16, "x" * 300, "x" * 70000, b"", b"\0" * 300, [], [1] * 20, [[None]] * 300, {},
        {"a": {"b": [1, 2.5, "c"]}}, {str(i): i for i in range(20)}, Structure(0x44, (19782,)),
    ],
    ids=lambda v: repr(v)[:20],
)  # fmt: skip
def test_values_survive_packing(value: Any) -> None:
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("data", [b"", b"\xd0", b"\xd0\x05abc", b"\x92\x01", b"\xc7", b"\x81\xff", b"\xa1\x01\x01", b"\x01\x01", b"\x91" * 5000])  # fmt: skip
def test_broken_values_are_a_problem_and_no_crash(data: bytes) -> None:
    with pytest.raises(WireProblem):
        unpack(data)
