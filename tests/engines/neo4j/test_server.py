"""The engine: embedded, or a server of a user's with a password, rows of their own, another version, a sudden end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver, GraphDatabase

from uom.data.graph import GraphContent, NodeSet, RelationshipSet
from uom.run.engines.neo4j import bolt, launch, loading
from uom.run.engines.neo4j.addresses import read_address
from uom.run.engines.neo4j.bolt import MAGIC, Messages, fields_of, message
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.engines.owned_server import wait_until
from uom.run.engines.target import IMITATION
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

ODD = "Odd `label` :x"
VALUES: dict[str, Any] = {
    "id": 1,
    "long": -(2**63),
    "text": "é'\"\\`",
    "odd `name`": True,
    "float": 0.1,
    "day": date(2024, 2, 29),
    "clock": time(5, 6, 7, 8),
    "moment": datetime(1, 1, 1, 0, 0, 0, 1),
    "zoned": datetime(1969, 12, 31, 5, 6, 7, 8, tzinfo=timezone(-timedelta(hours=2, minutes=30))),
    "bytes": b"\1\2",
}
CONTENT = GraphContent(
    nodes=(
        NodeSet(("Base", ODD), (0,), (VALUES,)),
        NodeSet(("Base",), (1, 2), ({"id": 2}, {"id": 3, "long": 7})),
    ),
    relationships=(
        RelationshipSet("TO", ((0, 1, {"weight": 5}), (1, 1, {}))),
        RelationshipSet("an odd `type`", ((2, 0, {}),)),
    ),
    unique=(("Base", "id"),),
)


@pytest.fixture(scope="module")
def engine(tools: Toolchain) -> Iterator[Neo4jEngine]:
    with Neo4jEngine(tools) as running:
        yield running


def count(driver: Driver, statement: str = "MATCH (n) RETURN count(n) AS n") -> int:
    return int(driver.execute_query(statement).records[0]["n"])


def test_what_is_loaded_is_there_and_goes_again(engine: Neo4jEngine) -> None:
    with engine.fresh_database(CONTENT) as name, GraphDatabase.driver(engine.relay_uri) as driver:
        assert name == "neo4j"
        (node,) = driver.execute_query("MATCH (n:Base {id: 1}) RETURN n, labels(n) AS l").records
        assert set(node["l"]) == {"Base", ODD}
        found = {k: v.to_native() if hasattr(v, "to_native") else v for k, v in dict(node["n"]).items()}
        assert found == VALUES
        assert found["zoned"].utcoffset() == -timedelta(hours=2, minutes=30)
        ends = "MATCH (a)-[r]->(b) RETURN a.id AS a, type(r) AS t, r.weight AS w, b.id AS b ORDER BY a, b"
        rows = [tuple(r.values()) for r in driver.execute_query(ends).records]
        assert rows == [(1, "TO", 5, 2), (2, "TO", None, 2), (3, "an odd `type`", None, 1)]
    assert count(engine.driver) == 0
    assert count(engine.driver, "SHOW CONSTRAINTS YIELD name RETURN count(*) AS n") == 0
    assert str(engine.info) == "Neo4j 5.26.30 community (Neo4j)"


def test_many_rows_come_in_batches_with_progress(engine: Neo4jEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "BATCH", 1000)
    nodes = NodeSet(("N",), tuple(range(3500)), tuple({"id": i} for i in range(3500)))
    content = GraphContent((nodes,), (RelationshipSet("R", tuple((i, 3499 - i, {}) for i in range(2500))),))
    told: list[tuple[int, int]] = []
    with engine.fresh_database(content, lambda _, done, total: told.append((done, total))):
        assert count(engine.driver, "MATCH (a)-[:R]->(b) WHERE a.id + b.id = 3499 RETURN count(*) AS n") == 2500
    assert told == [(n, 6000) for n in (1000, 2000, 3000, 3500, 4500, 5500, 6000)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("MATCH (n {id: 3}) DETACH DELETE n", "Base: the number is 1, not 2"),
        ("MATCH (n {id: 3}) SET n.long = 8", "Base: the sum of long is 8, not 7"),
        ("MATCH (n {id: 3}) REMOVE n.long", "Base: the number of long is 0, not 1"),
        ("MATCH ()-[r:TO]->() DELETE r", "TO: the number is 0, not 2"),
        ("MATCH ()-[r:TO {weight: 5}]->() SET r.weight = 6", "TO: the sum of weight is 6, not 5"),
    ],
)
def test_what_did_not_arrive_is_noticed(engine: Neo4jEngine, change: str, words: str) -> None:
    with engine.fresh_database(CONTENT), engine.driver.session() as session:
        assert loading.difference(session, CONTENT) == ""
        session.run(change).consume()
        assert words in loading.difference(session, CONTENT)


def test_two_nodes_with_one_key_are_refused(engine: Neo4jEngine) -> None:
    twins = GraphContent((NodeSet(("A",), (0, 1), ({"id": 1}, {"id": 1})),), (), (("A", "id"),))
    with pytest.raises(EnvironmentFailure, match="already exists"), engine.fresh_database(twins):
        pass
    with engine.fresh_database(CONTENT):
        assert count(engine.driver) == 3


def test_a_users_rows_are_left_alone(server: EmbeddedNeo4j, direct: Driver) -> None:
    with Neo4jEngine(None, server.uri) as users:
        assert users.pid == 0
        direct.execute_query("CREATE (:Precious {id: 1})")
        with pytest.raises(EnvironmentFailure, match=r"not empty.*Precious") as failure, users.fresh_database(CONTENT):
            pass
        assert "NEO4J_DATABASE" in failure.value.remedy
        assert count(direct) == 1
        direct.execute_query("MATCH (n) DELETE n")
        with users.fresh_database(CONTENT):
            assert count(direct, "MATCH (n:Base) RETURN count(n) AS n") == 3
        assert count(direct) == 0


def test_what_a_killed_run_left_is_no_obstacle(server: EmbeddedNeo4j, direct: Driver) -> None:
    direct.execute_query("CREATE (:UomVerification {labels: ['Base', 'Old']}), (:Base {id: 1}), (:Base:Old)")
    with Neo4jEngine(None, server.uri) as users:
        with users.fresh_database(CONTENT):
            assert count(direct, "MATCH (n:Base) RETURN count(n) AS n") == 3
        assert count(direct) == 0
        direct.execute_query("CREATE (:UomVerification {labels: ['Base']}), (:Base {id: 1}), (:Base:Mine)")
        with pytest.raises(EnvironmentFailure, match="not empty"), users.fresh_database(CONTENT):
            pass
        assert count(direct) == 3


class WithPassword(EmbeddedNeo4j):
    """As a user's server would be: it wants to know who asks."""

    def command(self) -> list[str]:
        line = super().command()
        settings = self.folder / "conf" / "neo4j.conf"
        settings.write_text(settings.read_text().replace("auth_enabled=false", "auth_enabled=true"))
        return line


def test_a_server_with_a_password(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = WithPassword(tools)
    try:
        with GraphDatabase.driver(guarded.uri, auth=("neo4j", "neo4j")) as driver:
            change = "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO 'correct horse'"
            driver.execute_query(change, database_="system")
        for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD"):
            monkeypatch.delenv(name, raising=False)
        for uri in (guarded.uri, guarded.uri.replace("//", "//neo4j:wrong@")):
            with pytest.raises(EnvironmentFailure) as failure:
                Neo4jEngine(None, uri)
            assert "NEO4J_PASSWORD" in failure.value.remedy
            assert "wrong" not in str(failure.value)
        monkeypatch.setenv("NEO4J_PASSWORD", "correct horse")
        with Neo4jEngine(None, guarded.uri) as users, users.fresh_database(CONTENT):
            assert "horse" not in users.relay_uri
            with GraphDatabase.driver(users.relay_uri) as nobody:
                assert count(nobody, "MATCH (n:Base) RETURN count(n) AS n") == 3
    finally:
        guarded.stop()


class WithTls(EmbeddedNeo4j):
    """Its certificate is nobody's but its own."""

    def command(self) -> list[str]:
        line = super().command()
        folder = self.folder / "certificates"
        folder.mkdir(exist_ok=True)
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
        files = ["-keyout", str(folder / "private.key"), "-out", str(folder / "public.crt")]
        subprocess.run([*make, *files], check=True, capture_output=True)
        policy = f"enabled=true,base_directory={folder},client_auth=NONE".split(",")
        settings = self.folder / "conf" / "neo4j.conf"
        more = [*(f"dbms.ssl.policy.bolt.{one}" for one in policy), "server.bolt.tls_level=REQUIRED", ""]
        settings.write_text(settings.read_text() + "\n".join(more))
        return line


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_server_with_tls(tools: Toolchain) -> None:
    server = WithTls(tools)
    try:
        for scheme in ("bolt+ssc", "neo4j+ssc"):
            with (
                Neo4jEngine(None, server.uri.replace("bolt", scheme)) as users,
                users.fresh_database(CONTENT),
                GraphDatabase.driver(users.relay_uri) as client,
            ):
                assert count(client, "MATCH (n:Base) RETURN count(n) AS n") == 3
        with pytest.raises(EnvironmentFailure, match=r"(?i)certificate") as failure:
            Neo4jEngine(None, server.uri.replace("bolt", "bolt+s"))
        assert "NEO4J_URI" in failure.value.remedy
    finally:
        server.stop()


def test_a_server_that_goes_away(tools: Toolchain) -> None:
    server = EmbeddedNeo4j(tools)
    try:
        with Neo4jEngine(None, server.uri) as users:

            def kill(*_: object) -> None:
                os.kill(server.pid, signal.SIGKILL)
                wait_until(lambda: not server.is_running, 5)

            with pytest.raises(EnvironmentFailure, match=r"Neo4j: bolt://127"), users.fresh_database(CONTENT, kill):
                pass
            with pytest.raises(EnvironmentFailure, match=r"127\.0\.0\.1"):
                users.check()
    finally:
        server.stop()
    with Neo4jEngine(tools) as embedded:
        embedded.check()
        with pytest.raises(EnvironmentFailure, match="ended during the run"), embedded.fresh_database(CONTENT):
            os.kill(embedded.pid, signal.SIGKILL)
            assert wait_until(lambda: not embedded._embedded.is_running, 5)  # type: ignore[union-attr]
            embedded.check()


def test_the_command_line_says_why(tmp_path: Path) -> None:
    """No traceback, exit code 3, nothing written; and a doctor who knows a real one."""
    example = Path(__file__).resolve().parents[3] / "examples" / "northwind"
    verify = [
        "verify",
        str(example),
        "--to",
        "neo4j",
        "--data",
        str(example / "northwind.json"),
        "-o",
        str(tmp_path / "out"),
    ]
    command = [sys.executable, "-m", "uom", *verify, "-q", "--source", "reference"]
    environment = {**os.environ, "NEO4J_URI": "bolt://u:secret@127.0.0.1:1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 3
    assert "Connection refused" in done.stderr and "NEO4J_URI" in done.stderr
    assert "secret" not in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_doctor_knows_a_real_one(server: EmbeddedNeo4j) -> None:
    command = [sys.executable, "-m", "uom", "doctor", "--engine", server.uri]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "Neo4j 5.26.30 community (Neo4j), database neo4j\n"


def test_nobody_there() -> None:
    with pytest.raises(EnvironmentFailure, match=r"127\.0\.0\.1:1") as failure:
        Neo4jEngine(None, "bolt://127.0.0.1:1")
    assert "NEO4J_URI" in failure.value.remedy


@contextmanager
def pretender(version: str) -> Iterator[int]:
    """Speaks just enough Bolt to be asked who it is; an old Neo4j is too large to fetch for one answer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        messages, last = Messages(), ""
        connection.recv(20)
        connection.sendall(b"\0\0\x04\x05")
        while data := connection.recv(65536):
            for tag, _, payload in messages.feed(data):
                hello = {"server": "Neo4j/x", "connection_id": "1"} if tag == bolt.HELLO else {"db": "neo4j"}
                answer = message(bolt.SUCCESS, hello)
                if tag == bolt.RUN:
                    last = fields_of(payload)[0]
                    answer = message(bolt.SUCCESS, {"fields": ["name", "version", "edition"]})
                elif tag == bolt.PULL and "components" in last:
                    answer = message(bolt.RECORD, ["Neo4j Kernel", version, "community"]) + answer
                if tag not in (0, bolt.GOODBYE):
                    connection.sendall(answer)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with listener:
        assert MAGIC
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_another_version_is_named() -> None:
    with pretender("5.12.0") as port, pytest.raises(EnvironmentFailure, match=r"version 5\.12\.0") as failure:
        Neo4jEngine(None, f"bolt://127.0.0.1:{port}")
    assert "5.23" in failure.value.remedy


def test_one_that_only_says_it_is_neo4j_proves_nothing() -> None:
    with pretender("5.26.30") as port, Neo4jEngine(None, f"bolt://127.0.0.1:{port}") as users:
        assert users.info.grade == IMITATION
        assert users.doubts([])


@pytest.mark.parametrize(
    ("uri", "environment", "expected"),
    [
        ("bolt://h", {}, ("bolt://h:7687", "h", 7687, "", "", "", "")),
        ("neo4j+s://h:1/db", {"NEO4J_PASSWORD": "p"}, ("neo4j+s://h:1", "h", 1, "+s", "neo4j", "p", "db")),
        ("bolt+ssc://u:p%40@h", {"NEO4J_PASSWORD": "x"}, ("bolt+ssc://h:7687", "h", 7687, "+ssc", "u", "p@", "")),
        ("bolt://[::1]:2", {"NEO4J_DATABASE": "d"}, ("bolt://[::1]:2", "::1", 2, "", "", "", "d")),
    ],
)
def test_addresses(uri: str, environment: dict[str, str], expected: tuple[object, ...]) -> None:
    a = read_address(uri, environment)
    assert (a.uri, a.host, a.port, a.security, a.user, a.password, a.database) == expected
    assert "p@" not in repr(a)


@pytest.mark.parametrize(
    "uri", ["localhost:7687", "http://h", "bolt://", "bolt://h:x", "mongodb://u:secret@h", "bolt+x://h"]
)
def test_what_is_no_address(uri: str) -> None:
    with pytest.raises(EnvironmentFailure, match="NEO4J_URI") as failure:
        read_address(uri, {})
    assert "secret" not in str(failure.value)
    assert launch.environment().keys() == {"PATH", "TZ", "LANG"}
