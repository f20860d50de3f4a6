"""The embedded server's life: one process, one folder, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from tests.engines.conftest import is_open
from uom.run.engines import owned_server
from uom.run.engines.mongodb.embedded import EmbeddedServer
from uom.run.engines.mongodb.server import client_for
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.owned_server import free_port, wait_until
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def folders() -> set[Path]:
    return {f for kind in ("mongodb", "neo4j") for f in Path(tempfile.gettempdir()).glob(f"uom-{kind}-{os.getpid()}-*")}


SERVERS = pytest.mark.parametrize("server_class", [EmbeddedServer, EmbeddedNeo4j])
ServerClass = type[EmbeddedServer] | type[EmbeddedNeo4j]


def counts_what_it_stores(server: EmbeddedServer | EmbeddedNeo4j) -> bool:
    if isinstance(server, EmbeddedServer):
        with client_for(server.uri) as client:
            client.db.rows.insert_one({"_id": 1})
            return client.db.rows.count_documents({}) == 1
    with GraphDatabase.driver(server.uri) as driver:
        driver.execute_query("CREATE (:Row {id: 1})")
        return bool(driver.execute_query("MATCH (n:Row) RETURN count(n) = 1 AS one").records[0]["one"])


@SERVERS
def test_it_starts_answers_and_leaves_nothing(tools: Toolchain, server_class: ServerClass) -> None:
    before = folders()
    server = server_class(tools)
    assert counts_what_it_stores(server)
    assert len(folders() - before) == 1
    server.stop()
    server.stop()
    assert not is_running(server.pid)
    assert not is_open(server.port)
    assert folders() == before


@SERVERS
def test_a_taken_port_is_named(tools: Toolchain, server_class: ServerClass) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentFailure, match=f"port {port}: it is taken"):
            server_class(tools, port)


@SERVERS
def test_another_server_on_the_port_is_not_taken_for_ours(
    tools: Toolchain, server_class: ServerClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program takes the port after it was found free: nothing must be loaded there."""
    first = server_class(tools)
    try:
        ports = iter([first.port, free_port()])
        monkeypatch.setattr(owned_server, "free_port", lambda: next(ports))
        second = server_class(tools)
        try:
            assert second.port != first.port
        finally:
            second.stop()
        assert is_running(first.pid)
    finally:
        first.stop()


def test_a_program_that_cannot_run_is_said_so(tools: Toolchain, tmp_path: Path) -> None:
    before = folders()
    with pytest.raises(EnvironmentFailure, match="embedded MongoDB"):
        EmbeddedServer(replace(tools, secantus_python=tmp_path / "nothing"))
    with pytest.raises(EnvironmentFailure, match="ended at once"):
        EmbeddedServer(replace(tools, secantus_server=tmp_path / "nothing"))
    with pytest.raises(EnvironmentFailure, match="embedded Neo4j"):
        EmbeddedNeo4j(replace(tools, java=tmp_path / "nothing"))
    with pytest.raises(EnvironmentFailure, match=r"ended at once with code 1: .*ClassNotFoundException"):
        EmbeddedNeo4j(replace(tools, neo4j_classpath=(tmp_path,)))
    assert folders() == before


def test_it_works_without_archive_and_store(tools: Toolchain, tmp_path: Path) -> None:
    empty = tmp_path / "empty.aot"
    empty.touch()
    server = EmbeddedNeo4j(replace(tools, neo4j_archive=empty, neo4j_store=tmp_path / "none"))
    try:
        assert counts_what_it_stores(server)
    finally:
        server.stop()


@SERVERS
def test_it_outlives_the_thread_that_started_it(tools: Toolchain, server_class: ServerClass) -> None:
    """Linux would kill it with that thread otherwise."""
    found: list[EmbeddedServer | EmbeddedNeo4j] = []
    thread = threading.Thread(target=lambda: found.append(server_class(tools)))
    thread.start()
    thread.join()
    try:
        assert not wait_until(lambda: not is_running(found[0].pid), 0.5)
    finally:
        found[0].stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills the children of a killed process")
@SERVERS
def test_it_dies_with_us(tools: Toolchain, server_class: ServerClass) -> None:
    code = (
        f"from {server_class.__module__} import {server_class.__name__} as Server\n"
        "from uom.run.toolchain import locate\n"
        "import sys, time\n"
        "print(Server(locate()).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: not is_running(pid), 5)
    left = list(Path(tempfile.gettempdir()).glob(f"uom-{server_class.kind}-{parent.pid}-*"))
    assert left
    server_class(tools).stop()
    assert not any(folder.exists() for folder in left)
