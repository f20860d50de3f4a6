"""The resident Java worker in a sandbox: Java that wants out, and a job that talks to the database it was given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.test_containment import REPOSITORY, server
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.java.worker import JavaWorker, RunStatus
from uom.run.memory import peak_kb
from uom.run.sandboxes.bubblewrap import usable
from uom.run.toolchain import Toolchain

__all__ = ["server"]

PROGRAM = """\
package a;
import java.nio.file.*;
public class Main {
    public static void main(String[] args) throws Exception {
        %s
    }
}
"""

# name: (Java, status, in stdout or trace)
CASES = {
    "files of the host": ('System.out.print(Files.readString(Path.of("/etc/shadow")));', RunStatus.EXCEPTION, "NoSuchFile"),
    "our own files": (f'Files.readString(Path.of("{REPOSITORY}/Makefile"));', RunStatus.EXCEPTION, "NoSuchFile"),
    "our jars": (
        'String jar = System.getProperty("java.class.path").split(":")[0]; Files.delete(Path.of(jar));',
        RunStatus.EXCEPTION, "Read-only file system",
    ),
    "another machine": ('new java.net.Socket("192.0.2.1", 80);', RunStatus.EXCEPTION, "Network is unreachable"),
    "environment": ("System.out.print(new java.util.TreeSet<>(System.getenv().keySet()));", RunStatus.OK, "[LANG, PATH, TZ]"),
    "the disk": (
        'for (int i = 0; i < 100_000; i++) Files.createFile(Path.of("/tmp/f" + i)); Thread.sleep(20_000);',
        RunStatus.CRASHED, "disk",
    ),
    "the end of its JVM": (
        'Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 0);', RunStatus.EXIT, "exit code 0",
    ),
    "a signal": ('new ProcessBuilder("sh", "-c", "kill -9 $PPID").start().waitFor();', RunStatus.CRASHED, "signal 9"),
}  # fmt: skip


@pytest.fixture(scope="module")
def worker(isolation: None, tools: Toolchain) -> Iterator[JavaWorker]:  # noqa: ARG001
    with JavaWorker(tools, usable()) as running:
        yield running


@pytest.mark.parametrize("name", CASES)
def test_contained(name: str, worker: JavaWorker) -> None:
    body, status, said = CASES[name]
    run = worker.run({"a/Main.java": PROGRAM % body}, "a.Main", limit_seconds=60)
    assert run.status is status, run
    assert said in run.stdout + run.trace
    assert worker.run({"a/Main.java": PROGRAM % ""}, "a.Main").status is RunStatus.OK


def test_what_else_is_kept_beside_the_jars_is_not_seen(worker: JavaWorker, tools: Toolchain) -> None:
    """Threads with questions and rows, evidence, other workers: by default all of it has one home."""
    kept = tools.home / "runs" / "of-a-test" / "rows.json"
    kept.parent.mkdir(parents=True)
    try:
        kept.write_text("a secret")
        body = f'System.out.print(Files.exists(Path.of("{kept}")) + " "); for (var p : Files.list(Path.of("{tools.home}")).toList()) System.out.print(p.getFileName() + " ");'
        run = worker.run({"a/Main.java": PROGRAM % body}, "a.Main", limit_seconds=60)
        seen = run.stdout.split()
        assert seen[0] == "false" and set(seen[1:]) <= {"java", "jars", "python"}, run
    finally:
        kept.unlink()
        kept.parent.rmdir()


def test_processes_do_not_grow(worker: JavaWorker) -> None:
    body = 'for (;;) new ProcessBuilder("sleep", "602").start();'
    run = worker.run({"a/Main.java": PROGRAM % body}, "a.Main", limit_seconds=20)
    assert run.status in (RunStatus.EXCEPTION, RunStatus.CRASHED), run


def test_only_the_named_server_is_reached(worker: JavaWorker, server: int) -> None:
    body = (
        "var to = new java.net.Socket(\"127.0.0.1\", Integer.parseInt(args[1])); to.getOutputStream().write('!');"
        "System.out.print(new String(to.getInputStream().readAllBytes()));"
    )
    files = {"a/Main.java": PROGRAM % body}
    assert worker.run(files, "a.Main", ["", str(server)]).status is RunStatus.EXCEPTION
    named = worker.run(files, "a.Main", [f"mongodb://127.0.0.1:{server}/?x=y", str(server)])
    assert named.stdout == "hello\n!", named.trace


def test_results_come_out_and_links_do_not(worker: JavaWorker, tmp_path: Path) -> None:
    body = (
        'Path out = Path.of(args[2]); Files.writeString(out.resolve("a.json"), "1"); System.out.print(out.resolve("a.json"));'
        'Files.createSymbolicLink(out.resolve("b.json"), Path.of("/etc/shadow")); Files.createDirectory(out.resolve("c"));'
    )
    run = worker.run({"a/Main.java": PROGRAM % body}, "a.Main", ["", "", str(tmp_path)])
    assert os.listdir(tmp_path) == ["a.json"]
    assert run.stdout == str(tmp_path / "a.json")


def test_a_database_answers(worker: JavaWorker, mongodb: MongoEngine, tmp_path: Path) -> None:
    body = (
        "try (var client = com.mongodb.client.MongoClients.create(args[0])) {"
        '  System.out.print(client.getDatabase(args[1]).getCollection("rows").countDocuments()); }'
    )
    with mongodb.fresh_database({"rows": [{"_id": i} for i in range(7)]}) as name:
        run = worker.run({"a/Main.java": PROGRAM % body}, "a.Main", [mongodb.relay_uri, name, str(tmp_path)])
    assert (run.status, run.stdout) == (RunStatus.OK, "7"), run.trace


def test_the_jvm_is_found(worker: JavaWorker) -> None:
    """Its memory, not bubblewrap's, is what is reported."""
    assert peak_kb(worker.pid) > 50_000


@pytest.mark.usefixtures("isolation")
def test_one_process_per_job(tools: Toolchain) -> None:
    """What a job leaves in the JVM does not reach the next one."""
    with JavaWorker(tools, usable(), jobs_per_process=1) as alone:
        spoil = 'java.security.Security.setProperty("left", "behind");'
        look = 'System.out.print(java.security.Security.getProperty("left"));'
        assert alone.run({"a/Main.java": PROGRAM % spoil}, "a.Main").status is RunStatus.OK
        assert alone.run({"a/Main.java": PROGRAM % look}, "a.Main").stdout == "null"
