"""The first program inside a sandbox; runs with nothing but Python's standard library, and under none of our code.

Reads one JSON line from the socket whose number is its argument: `argv`, `limits` (name of a resource -> number) and
`listen` ([address, port], ...). It opens those ports and hands them out through the socket, so that it is the host
that answers on them: no process inside is needed to reach a database. Then it becomes the program, or with `serve`
stays beside it and opens further ports when asked. With `gather` it ends what the program leaves behind: where there
is no isolation nothing else would.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys

_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    lines = channel.makefile("rb")
    channel.sendall(b"+")  # nothing was started yet: now the host may put us under limits of its own
    request = json.loads(lines.readline())
    for name, number in request["limits"].items():
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        number = number if hard == resource.RLIM_INFINITY else min(number, hard)
        resource.setrlimit(which, (number, number))
    hand_out(channel, request["listen"])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    argv = request["argv"]
    os.environ.pop("PWD", None)  # bubblewrap's; whoever wants it sets it
    if request["gather"]:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(channel.fileno(), False)
    if not request["serve"] and not request["gather"]:
        os.execvp(argv[0], argv)
    child = os.posix_spawnp(argv[0], argv, os.environ)
    gather = bool(request["gather"])
    signal.signal(signal.SIGCHLD, lambda *_: leave(child, gather))
    leave(child, gather)  # it may have ended before we listened
    for line in lines:
        hand_out(channel, json.loads(line)["listen"])
    while True:  # the host is gone
        signal.pause()


def hand_out(channel: socket.socket, places: list[list[object]]) -> None:
    """Answers `+` with the ports, or `-` and why it cannot."""
    opened: list[socket.socket] = []
    try:
        for address, port in places:
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            opened.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((str(address), int(str(port))))
            listener.listen(64)
        socket.send_fds(channel, [b"+\n"], [listener.fileno() for listener in opened])
    except OSError as error:
        channel.sendall(f"-{error}\n".encode())
    for listener in opened:
        listener.close()


def leave(child: int, gather: bool) -> None:
    """End with the program's own code; do nothing while it runs. Orphans that come home are buried."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == child:
            if gather:
                end_orphans()
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)
        if pid == 0:
            return


def end_orphans() -> None:
    """Children of ours that are not ours by birth; killing one brings home its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    while True:
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                if parent == os.getpid():
                    os.kill(int(name), signal.SIGKILL)
            except (OSError, ValueError, IndexError):
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    main()
