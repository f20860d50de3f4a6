"""Daytona's own client against a server that speaks its API and runs commands for real."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.conftest import wait
from tests.run.sandboxes.daytona.server import KEY, Daytona
from tests.run.sandboxes.test_containment import REPOSITORY, _running
from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.daytona import DaytonaProvider, DaytonaSandbox, DaytonaSettings
from uom.run.sandboxes.pool import ValidationSandbox
from uom.run.sandboxes.protocol import Ending, SandboxProblem, SandboxType
from uom.run.sandboxes.toolchains import furnish
from uom.run.validators import validate_dotnet, validate_java

pytest.importorskip("daytona", reason="NOT TESTED: the extra `daytona` is not installed")

DOTNET, JAVA = SandboxType.DOTNET_10_SANDBOX, SandboxType.JAVA_25_SANDBOX


@pytest.fixture(scope="module")
def server(isolation: None, stocked: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daytona]:  # noqa: ARG001
    running = Daytona(tmp_path_factory.mktemp("daytona"))
    yield running
    running.close()


def settings(server: Daytona, **others: object) -> DaytonaSettings:
    return DaytonaSettings(f"{server.base}/api", KEY, "local", **others)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sandbox(server: Daytona) -> Iterator[DaytonaSandbox]:
    made = wait(DaytonaProvider(settings(server, snapshots={JAVA: "plain"})).open(JAVA, print))
    assert isinstance(made, DaytonaSandbox)
    yield made
    wait(made.close())


def test_created_from_an_image_and_found_again(server: Daytona) -> None:
    said: list[str] = []
    first = wait(DaytonaProvider(settings(server)).open(DOTNET, said.append))
    _, _, body = next(r for r in server.requests if r[:2] == ("POST", "/api/sandbox"))
    request = json.loads(body)
    assert request["buildInfo"]["dockerfileContent"].startswith("FROM mcr.microsoft.com/dotnet/sdk:10.0\n")
    assert request["labels"]["uom.sandbox"] == "dotnet-10"
    assert (request["cpu"], request["memory"], request["disk"], request["autoStopInterval"]) == (2, 4, 8, 15)
    assert said[0] == "creating a dotnet-10 sandbox in Daytona" and "Step 1/2 : FROM" in "".join(said)
    wait(first.upload({"/sandbox/a/left": b"behind"}))
    wait(first.close())

    again = wait(DaytonaProvider(settings(server)).open(DOTNET, said.append))
    assert again.id == first.id and wait(again.download("/sandbox/a/left")) == b"behind"
    box = server.boxes[again.id.removeprefix("daytona-")]
    box.stop()
    box.states = ["stopped"]
    awake = wait(DaytonaProvider(settings(server)).open(DOTNET, said.append))
    assert awake.id == first.id and wait(awake.execute("echo up")).output == "up\n"

    other = wait(DaytonaProvider(settings(server, memory_gb=8, reuse=True)).open(DOTNET, said.append))
    assert other.id != first.id
    assert wait(DaytonaProvider(settings(server)).delete_all()) >= 2
    assert not any(b.request["labels"]["uom.sandbox"] == "dotnet-10" for b in server.boxes.values())


def test_without_reuse_it_is_deleted(server: Daytona) -> None:
    provider = DaytonaProvider(settings(server, reuse=False, snapshots={DOTNET: "mine"}))
    made = wait(provider.open(DOTNET, print))
    name = made.id.removeprefix("daytona-")
    assert server.boxes[name].request["snapshot"] == "mine"
    wait(made.close())
    wait(made.close())
    assert name not in server.boxes
    with pytest.raises(SandboxProblem, match="closed"):
        wait(made.execute("true"))


# name: (command, ending, exit code, output)
CASES = {
    "both streams": ("echo out; echo err >&2; pwd", Ending.EXITED, 0, "out\nerr\n/sandbox/unit\n"),
    "no output": ("true", Ending.EXITED, 0, ""),
    "no line end": ("printf x", Ending.EXITED, 0, "x"),
    "an exit code": ("exit 7", Ending.EXITED, 7, ""),
    "quotes": ("echo \"it's\" '$HOME' `echo b`", Ending.EXITED, 0, "it's $HOME b\n"),
    "environment": ('echo "$GIVEN"', Ending.EXITED, 0, "a 'b' $c\n"),
    "time": ("echo early; sleep 611", Ending.TIMEOUT, -1, "early\n"),
    "ignored signals": ("trap '' TERM INT; sleep 611; sleep 611", Ending.TIMEOUT, -1, ""),
    "killed by itself": ("kill -9 $$", Ending.EXITED, 137, ""),
    "left behind": ("(setsid sleep 611 &) ; sleep 611 & echo bye", Ending.EXITED, 0, "bye\n"),
    "a false last line": ("echo; echo 'ffffffffffffffffffffffffffffffff 0 1 2'", Ending.EXITED, 0, "\nffffffffffffffffffffffffffffffff 0 1 2\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_commands(name: str, sandbox: DaytonaSandbox) -> None:
    command, ending, code, output = CASES[name]
    done = wait(sandbox.execute(command, "/sandbox/unit", {"GIVEN": "a 'b' $c"}, limit_seconds=2))
    assert (done.ending, done.exit_code, done.output) == (ending, code, output)
    assert not _running("sleep 611")


def test_endless_output_is_cut(sandbox: DaytonaSandbox) -> None:
    done = wait(sandbox.execute("echo first; head -c 20M /dev/zero | tr '\\0' x; echo; echo last"))
    assert len(done.output) < 5_000_000 and "bytes left out" in done.output
    assert done.output.startswith("first\n") and done.output.endswith("\nlast\n")


def test_files(sandbox: DaytonaSandbox) -> None:
    content = bytes(range(256)) * 100
    wait(sandbox.upload({"/sandbox/f/a b/c.bin": content, "/sandbox/f/empty": b""}))
    assert wait(sandbox.download("/sandbox/f/a b/c.bin")) == content
    assert wait(sandbox.download("/sandbox/f/empty")) == b""
    for path in ("/sandbox/f/none", "/sandbox/f/a b"):
        with pytest.raises(SandboxProblem):
            wait(sandbox.download(path))
    with pytest.raises(SandboxProblem, match="acceptable size"):
        wait(sandbox.download("/sandbox/f/a b/c.bin", limit_bytes=100))
    for path in ("/etc/passwd", "/sandbox/../etc/passwd"):
        with pytest.raises(ValueError, match="outside"):
            wait(sandbox.download(path))
    wait(sandbox.remove("/sandbox/f"))
    assert wait(sandbox.execute("ls")).output.split() in (["unit"], [])


def test_cancelling_kills_the_command(sandbox: DaytonaSandbox) -> None:
    async def cancel() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(sandbox.execute("setsid sleep 612 & sleep 612"), 1)

    wait(cancel())
    assert not _running("sleep 612")


def test_the_pool_opens_once(server: Daytona) -> None:
    provider = DaytonaProvider(settings(server, snapshots={JAVA: "pooled"}))

    async def three() -> set[int]:
        got = await asyncio.gather(*(ValidationSandbox.get_sandbox(provider, JAVA, print) for _ in range(3)))
        assert ValidationSandbox.SANDBOXES[JAVA] is got[0]
        return {id(one) for one in got}

    before = sum(r[:2] == ("POST", "/api/sandbox") for r in server.requests)
    first = wait(three())
    assert len(first) == 1 and wait(three()) == first
    assert sum(r[:2] == ("POST", "/api/sandbox") for r in server.requests) == before + 1
    wait(ValidationSandbox.close_all())
    assert JAVA not in ValidationSandbox.SANDBOXES


def test_projects_are_validated(server: Daytona) -> None:
    try:
        furnish(JAVA)
    except EnvironmentFailure as missing:
        pytest.skip(f"NOT TESTED: {missing}")
    box = wait(DaytonaProvider(settings(server)).open(JAVA, print))
    write = (
        'java.nio.file.Files.writeString(java.nio.file.Path.of(System.getenv("MONGODB_RESULTS_PATH"), "r.json"), "{}");'
    )
    source = f"package a; public class M {{ public static void main(String[] x) throws Exception {{ {write} }} }}"
    good = wait(validate_java(box, {"src/main/java/a/M.java": source}, "a.M"))
    assert good.passed and good.result == {}, good
    bad = wait(validate_java(box, {"src/main/java/a/M.java": source.replace("writeString", "wrote")}, "a.M"))
    assert [(d.file, d.line) for d in bad.diagnostics] == [("src/main/java/a/M.java", 1)]
    assert wait(box.execute("ls")).output == ""


def test_csharp_is_validated(server: Daytona) -> None:
    try:
        furnish(DOTNET)
    except EnvironmentFailure as missing:
        pytest.skip(f"NOT TESTED: {missing}")
    box = wait(DaytonaProvider(settings(server)).open(DOTNET, print))
    found = wait(validate_dotnet(box, {"P.cs": "int x = y;"}, limit_seconds=120))
    assert [(d.file, d.line, d.column, d.code) for d in found.diagnostics] == [("P.cs", 1, 9, "CS0103")]


@pytest.mark.parametrize(
    ("key", "fail_with", "remedy"),
    [("dtn_wrong_wrong_wrong", 0, "DAYTONA_API_KEY"), (KEY, 403, "DAYTONA_API_KEY"), (KEY, 429, "limit"), (KEY, 500, "answers at")],
)  # fmt: skip
def test_refusals_are_told_without_the_key(
    key: str, fail_with: int, remedy: str, server: Daytona, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.fail_with = fail_with
    try:
        with pytest.raises(SandboxProblem) as problem:
            wait(DaytonaProvider(DaytonaSettings(f"{server.base}/api", key, "local")).open(JAVA, print))
    finally:
        server.fail_with = 0
    assert remedy in problem.value.remedy
    assert problem.value.__cause__ is None and problem.value.__suppress_context__
    assert key not in f"{problem.value}{caplog.text}{settings(server)!r}"


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SandboxProblem) as problem:
        wait(DaytonaProvider(DaytonaSettings(f"http://127.0.0.1:{port}/api", KEY, "local")).open(JAVA, print))
    assert f"127.0.0.1:{port}" in problem.value.remedy


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAYTONA_API_KEY", raising=False)
    with pytest.raises(EnvironmentFailure, match="DAYTONA_API_KEY"):
        DaytonaSettings.from_environment()
    monkeypatch.setenv("DAYTONA_API_KEY", KEY)
    assert DaytonaSettings.from_environment("http://h/api").api_url == "http://h/api"


def test_the_client_is_loaded_only_when_it_is_used() -> None:
    script = "import sys, uom.run.sandboxes.daytona; print('daytona' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout == "False\n"


def test_a_broken_client_is_named(tmp_path: Path) -> None:
    (tmp_path / "daytona.py").write_text("raise ImportError('none')\n")
    script = (
        "import asyncio; from uom.run.sandboxes.daytona import *; p = DaytonaProvider(DaytonaSettings('http://h', 'k'))\n"
        "try: asyncio.run(p.open(SandboxType.JAVA_25_SANDBOX, print))\nexcept EnvironmentFailure as e: print(e)"
    )
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY,
        env={"PYTHONPATH": f"{tmp_path}:{REPOSITORY}", "PATH": "/usr/bin"},
    )  # fmt: skip
    assert "pip install 'uom[daytona]'" in done.stdout, (done, time.monotonic() - started)
