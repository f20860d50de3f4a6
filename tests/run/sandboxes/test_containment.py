"""Shell code that tries to get out or to use up the machine. Other languages: test_languages.py."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.conftest import wait
from uom.run.sandboxes.endpoints import SocketEndpoint, TcpEndpoint
from uom.run.sandboxes.local import LocalSandbox
from uom.run.sandboxes.protocol import Ending, SandboxProblem

REPOSITORY = Path(__file__).resolve().parents[3]
WORK = "/sandbox/unit"

# name: (command, how it ends, exit code or None for any but 0, what it prints)
CASES = {
    "an ordinary command": ("echo out; echo err >&2; pwd", Ending.EXITED, 0, "out\nerr\n/sandbox/unit\n"),
    "an exit code": ("exit 7", Ending.EXITED, 7, ""),
    "a signal": ("kill -9 $$", Ending.EXITED, 137, ""),
    "users of the host": ("cat /etc/passwd", Ending.EXITED, 0, "sandbox:x:1000:1000::/home/sandbox:/bin/sh\n"),
    "passwords of the host": ("cat /etc/shadow", Ending.EXITED, 1, "No such file"),
    "the host's home": (f"ls -a {Path.home()} | grep -v -e '^[.]*$' -e pyenv -e local", Ending.EXITED, 1, ""),
    "our own files": (f"cat {REPOSITORY}/pyproject.toml", Ending.EXITED, 1, "No such file"),
    "the host's processes": ("ls -d /proc/[0-9]* | wc -l | grep -x [2-6]", Ending.EXITED, 0, ""),
    "environment": ("env | cut -d= -f1 | sort | xargs", Ending.EXITED, 0, "HOME LANG PATH PWD SHLVL TMPDIR TZ _\n"),
    "writing elsewhere": ("for d in / /usr /etc /dev/shm /run/uom; do touch $d/x; done", Ending.EXITED, None, "Read-only"),
    "another machine": ("exec 3<>/dev/tcp/192.0.2.1/80", Ending.EXITED, 1, "Network is unreachable"),
    "a name": ("getent hosts example.com", Ending.EXITED, 2, ""),
    "privileges": ("grep -h Cap[EPB] /proc/self/status | cut -f2 | sort -u", Ending.EXITED, 0, "0000000000000000\n"),
    "namespaces": ("unshare -Ur true", Ending.EXITED, None, ""),
    "remounting": ("mount -o remount,rw /usr", Ending.EXITED, None, ""),
    "a sleeper": ("sleep 600", Ending.TIMEOUT, -1, ""),
    "a busy loop": ("while :; do :; done", Ending.TIMEOUT, -1, ""),
    "ignored signals": ("trap '' TERM INT HUP; sleep 600; sleep 600", Ending.TIMEOUT, -1, ""),
    "one big file": ("head -c 100M /dev/zero > big", Ending.EXITED, 1, "File too large"),
    "many files": (
        "for i in 1 2 3 4 5; do head -c 25M /dev/zero > f$i; done; sleep 9; echo survived", Ending.DISK, -1, "",
    ),
    "files without a name": (
        "for i in 4 5 6 7 8; do eval \"exec $i<>f\"; rm f; head -c 25M /dev/zero >&$i; done; sleep 9; echo survived",
        Ending.DISK, -1, "",
    ),
    "very many files": ("while :; do seq -f d%g 900 | xargs mkdir -p; cd d1; done", Ending.DISK, -1, ""),
    "a full temporary folder": (
        "for i in 1 2 3 4 5; do head -c 25M /dev/zero > /tmp/f$i; done; sleep 9; echo survived", Ending.DISK, -1, "",
    ),
    "memory of one": ("head -c 900M /dev/zero | tail -n 1", Ending.EXITED, None, "memory exhausted"),
    "memory of several": (
        "for i in 1 2 3; do ((head -c 250M /dev/zero; sleep 9) | tail -n 1) & done; wait; echo survived", Ending.MEMORY, -1, "",
    ),
    "an orphan": ("(setsid sleep 600 > /dev/null 2>&1 &); echo bye", Ending.EXITED, 0, "bye\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_contained(name: str, sandbox: LocalSandbox) -> None:
    command, ending, code, printed = CASES[name]
    limit = 2.0 if ending is Ending.TIMEOUT else 60.0
    done = wait(sandbox.execute(command, WORK, limit_seconds=limit))
    assert done.ending is ending, done
    assert done.exit_code == code if code is not None else done.exit_code != 0, done
    assert printed in done.output
    assert "survived" not in done.output
    assert not _running("sleep 600")


def test_a_fork_bomb(sandbox: LocalSandbox) -> None:
    """It cannot grow, so that it ends by the clock; this machine has processes left all the while."""

    async def explode() -> tuple[Ending, int]:
        bomb = asyncio.create_task(sandbox.execute(":(){ :|:& };: 2> /dev/null; sleep 60", WORK, limit_seconds=3))
        await asyncio.sleep(2)
        free = await asyncio.create_subprocess_exec("true")
        return (await bomb).ending, await free.wait()

    assert wait(explode()) in ((Ending.TIMEOUT, 0), (Ending.PROCESSES, 0))


def test_endless_output_is_cut(sandbox: LocalSandbox) -> None:
    done = wait(sandbox.execute("echo first; head -c 20M /dev/zero | tr '\\0' x; echo; echo last", WORK))
    assert len(done.output) < 300_000
    assert done.output.startswith("first\n")
    assert done.output.endswith("\nlast\n")
    assert "bytes left out" in done.output


def test_units_do_not_see_each_other(sandbox: LocalSandbox) -> None:
    wait(sandbox.upload({"/sandbox/a/secret": b"1", "/sandbox/b/own": b"2"}))
    assert wait(sandbox.execute("ls /sandbox; ls", "/sandbox/b")).output == "b\nown\n"


def test_nothing_stays_outside_of_the_unit(sandbox: LocalSandbox) -> None:
    wait(sandbox.execute("touch ~/x /tmp/x ./x", WORK))
    assert wait(sandbox.execute("ls ~ /tmp .", WORK)).output == ".:\nx\n\n/home/sandbox:\n\n/tmp:\n"


def test_files_travel_unchanged(sandbox: LocalSandbox) -> None:
    content = bytes(range(256)) * 300
    wait(sandbox.upload({f"{WORK}/deep/er/f.bin": content}))
    wait(sandbox.execute("cp deep/er/f.bin g.bin", WORK))
    assert wait(sandbox.download(f"{WORK}/g.bin")) == content
    wait(sandbox.remove(WORK))
    with pytest.raises(SandboxProblem, match="No such file"):
        wait(sandbox.download(f"{WORK}/g.bin"))


@pytest.mark.parametrize(
    "make",
    [
        "ln -s /etc/shadow f",
        "mkdir real; echo 1 > real/f; ln -s real d",
        "mkfifo f",
        "mkdir f",
        "head -c 2000 /dev/zero > f",
    ],
)
def test_only_plain_files_come_out(make: str, sandbox: LocalSandbox) -> None:
    """A link would be followed on our side of the wall, a pipe would hold us up."""
    wait(sandbox.execute(make, WORK))
    with pytest.raises(SandboxProblem):
        wait(sandbox.download(f"{WORK}/d/f" if " d" in make else f"{WORK}/f", limit_bytes=1000))


def test_uploads_follow_no_links(sandbox: LocalSandbox, tmp_path: Path) -> None:
    wait(sandbox.execute(f"ln -s {tmp_path} out; ln -s {tmp_path}/f f", WORK))
    for path in (f"{WORK}/out/f", f"{WORK}/f"):
        with pytest.raises(OSError):
            wait(sandbox.upload({path: b"x"}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["/etc/x", "/sandbox/../etc/x", "relative"])
def test_paths_stay_inside(path: str, sandbox: LocalSandbox) -> None:
    with pytest.raises(ValueError, match="outside"):
        wait(sandbox.upload({path: b""}))
    with pytest.raises(ValueError, match="outside"):
        wait(sandbox.download(path))


@pytest.fixture
def server() -> Iterator[int]:
    """Says hello on a port of this machine."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"hello\n" + connection.recv(100))

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


TALK = "exec 3<>/dev/tcp/{}/{} && echo question >&3 && cat <&3"


def test_only_named_servers_are_reached(sandbox: LocalSandbox, server: int) -> None:
    alone = wait(sandbox.execute(TALK.format("127.0.0.1", server), WORK))
    assert alone.exit_code != 0 and "refused" in alone.output
    named = wait(sandbox.execute(TALK.format("localhost", server), WORK, reach=[TcpEndpoint("127.0.0.1", server)]))
    assert named.output == "hello\nquestion\n"


def test_a_socket_is_reached_where_it_is(sandbox: LocalSandbox, tmp_path: Path) -> None:
    """Although its folder lies behind the private temporary folder."""
    path = tmp_path / "s"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    threading.Thread(target=lambda: listener.accept()[0].sendall(b"hello"), daemon=True).start()
    talk = f"perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => \"{path}\")->getline'"
    with listener:
        assert wait(sandbox.execute(talk, WORK, reach=[SocketEndpoint(path)], limit_seconds=20)).output == "hello"


def test_another_machine_is_reached_by_its_name(sandbox: LocalSandbox, server: int) -> None:
    other = TcpEndpoint(socket.gethostname(), server)
    done = wait(sandbox.execute("cat /etc/hosts", WORK, reach=[other, TcpEndpoint("localhost", server)]))
    assert done.output == f"127.0.0.1 localhost\n127.0.0.2 {socket.gethostname()}\n"


def _running(command: str) -> bool:
    """Whether a process with that command line is left, for a moment longer than the kernel needs to end it."""
    wanted = command.replace(" ", "\0").encode() + b"\0"
    for _ in range(50):
        if not any(_command_line(pid) == wanted for pid in os.listdir("/proc") if pid.isdecimal()):
            return False
        time.sleep(0.02)
    return True


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda n: n.name)
def test_everything_ends_with_us(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, and what cannot be caught. The sandbox is used from a thread that is not the main one."""
    seconds = 600_000 + number
    script = textwrap.dedent(
        f"""
        import asyncio, signal
        from uom.run.sandboxes.local import LocalSandbox

        # whoever started the tests in the background may have left it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)

        async def main():
            sandbox = LocalSandbox()
            try:
                await sandbox.execute("touch started; setsid sleep {seconds} & sleep {seconds}")
            finally:
                await sandbox.close()

        asyncio.run(main())
        """
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ours = subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE, cwd=REPOSITORY)
    deadline = time.monotonic() + 20
    while not list(tmp_path.rglob("started")) and time.monotonic() < deadline:
        time.sleep(0.05)
    ours.send_signal(number)
    try:
        ours.wait(20)
    finally:
        ours.kill()
    assert not _running(f"sleep {seconds}")
    if number is signal.SIGINT:
        assert not list(tmp_path.glob("uom-sandbox-*"))


def test_cancelling_kills_the_command(sandbox: LocalSandbox) -> None:
    async def cancel() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(sandbox.execute("sleep 700", WORK), 1)

    wait(cancel())
    assert not _running("sleep 700")


def test_a_closed_sandbox_says_so(sandbox: LocalSandbox) -> None:
    wait(sandbox.close())
    with pytest.raises(SandboxProblem, match="closed"):
        wait(sandbox.execute("true", WORK))
