"""The embedded server's life: one process, one folder, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tests.engines.conftest import is_open
from uom.run.engines.mongodb import embedded
from uom.run.engines.mongodb.embedded import EmbeddedServer, free_port
from uom.run.engines.mongodb.relay import wait_until
from uom.run.engines.mongodb.server import client_for
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"uom-mongodb-{os.getpid()}-*"))


def test_it_starts_answers_and_leaves_nothing(tools: Toolchain) -> None:
    before = folders()
    server = EmbeddedServer(tools)
    with client_for(server.uri) as client:
        client.db.rows.insert_one({"_id": 1})
        assert client.db.rows.count_documents({}) == 1
    assert len(folders() - before) == 1
    server.stop()
    server.stop()
    assert not is_running(server.pid)
    assert not is_open(server.port)
    assert folders() == before


def test_a_taken_port_is_named(tools: Toolchain) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentFailure, match=f"port {port}: it is taken"):
            EmbeddedServer(tools, port)


def test_another_server_on_the_port_is_not_taken_for_ours(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program takes the port after it was found free: nothing must be loaded there."""
    first = EmbeddedServer(tools)
    try:
        ports = iter([first.port, free_port()])
        monkeypatch.setattr(embedded, "free_port", lambda: next(ports))
        second = EmbeddedServer(tools)
        try:
            assert second.port != first.port
        finally:
            second.stop()
        assert is_running(first.pid)
    finally:
        first.stop()


def test_a_program_that_cannot_run_is_said_so(tools: Toolchain, tmp_path: Path) -> None:
    from dataclasses import replace

    before = folders()
    with pytest.raises(EnvironmentFailure, match="embedded MongoDB"):
        EmbeddedServer(replace(tools, secantus_python=tmp_path / "nothing"))
    with pytest.raises(EnvironmentFailure, match="ended at once"):
        EmbeddedServer(replace(tools, secantus_server=tmp_path / "nothing"))
    assert folders() == before


def test_it_outlives_the_thread_that_started_it(tools: Toolchain) -> None:
    """Linux would kill it with that thread otherwise."""
    found: list[EmbeddedServer] = []
    thread = threading.Thread(target=lambda: found.append(EmbeddedServer(tools)))
    thread.start()
    thread.join()
    try:
        assert not wait_until(lambda: not is_running(found[0].pid), 0.5)
    finally:
        found[0].stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills the children of a killed process")
def test_it_dies_with_us(tools: Toolchain) -> None:
    code = (
        "from uom.run.engines.mongodb.embedded import EmbeddedServer\n"
        "from uom.run.toolchain import locate\n"
        "import sys, time\n"
        "print(EmbeddedServer(locate()).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: not is_running(pid), 5)
    left = list(Path(tempfile.gettempdir()).glob(f"uom-mongodb-{parent.pid}-*"))
    assert left
    EmbeddedServer(tools).stop()
    assert not any(folder.exists() for folder in left)
