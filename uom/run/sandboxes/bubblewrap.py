"""Bubblewrap: whether it works here, and the command line that shuts a program in."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PROBE_SECONDS = 10.0
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/nix/store")
"""What programs need to find their libraries. Nothing else of /etc: it names users, hosts and services."""

_ID = "1000"
PASSWD = f"sandbox:x:{_ID}:{_ID}::/home/sandbox:/bin/sh\n"
"""The only user that is known inside. Without any, .NET looks for its name for ever."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """`program` is empty where bubblewrap cannot be used; then `reason` and `remedy` say why and what helps."""

    program: str
    options: tuple[str, ...] = ()
    version: str = ""
    reason: str = ""
    remedy: str = ""

    @property
    def works(self) -> bool:
        return bool(self.program)


@dataclass(frozen=True, slots=True)
class View:
    """What a program sees of the host besides the system: all under the same paths but `writable` and `shown`."""

    read_only: tuple[Path, ...] = ()
    writable: tuple[tuple[Path, str], ...] = ()
    shown: tuple[tuple[Path, str], ...] = ()
    """Like `writable`, and read-only."""


@functools.cache
def bubblewrap() -> Bubblewrap:
    """Tried once per process, with the very options that are used later."""
    program = shutil.which("bwrap")
    if program is None:
        return Bubblewrap("", reason="bwrap is not on the PATH", remedy="Install it: `apt install bubblewrap`.")
    complaint = ""
    for options in (("--disable-userns",), ()):  # before version 0.8 it does not know this one
        found = Bubblewrap(program, options, _version(program))
        try:
            done = _run([*isolation(found, View()), "--", "true"])
        except (OSError, subprocess.TimeoutExpired) as error:
            return Bubblewrap("", reason=f"{program} does not run: {error}", remedy="Install bubblewrap anew.")
        if done.returncode == 0:
            return found
        complaint = complaint or (done.stderr.strip().splitlines() or ["without a word"])[-1]
    return Bubblewrap(
        "",
        reason=f"{program} cannot shut programs in here: {complaint}",
        remedy="Allow unprivileged user namespaces (kernel.unprivileged_userns_clone=1, on Ubuntu an AppArmor profile "
        "for bwrap or kernel.apparmor_restrict_unprivileged_userns=0); in Docker, --security-opt seccomp=unconfined.",
    )


def usable() -> Bubblewrap | None:
    """Bubblewrap where it works. For code that may also run without: the user's own, and what the compiler makes."""
    found = bubblewrap()
    return found if found.works else None


def isolation(found: Bubblewrap, view: View) -> list[str]:
    """The command line up to `--`. No network, no capabilities, nothing of the host but what `view` names.

    The environment is that of the caller of bwrap.
    """
    command = [found.program, "--unshare-all", "--unshare-user", *found.options, "--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--uid", _ID, "--gid", _ID, "--hostname", "sandbox"]
    command += ["--ro-bind", "/usr", "/usr", *_system_links(), "--proc", "/proc", "--dev", "/dev"]
    binds = [(str(path), str(path), "--ro-bind") for path in view.read_only]
    binds += [(str(host), inside, "--ro-bind") for host, inside in view.shown]
    binds += [(str(host), inside, "--bind") for host, inside in view.writable]
    for host, inside, option in sorted(binds, key=lambda bind: bind[1]):  # a folder before what lies in it
        command += [option, host, inside]
    # Both are file systems in memory without a limit of their own.
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/"]


def python_inside() -> tuple[str, tuple[Path, ...]]:
    """The interpreter for the launcher, outside of any virtual environment, and what must be shown for it."""
    program = os.path.realpath(sys.executable)
    base = Path(sys.base_prefix).resolve()
    return program, outside_system((base, Path(program).parent))


def outside_system(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Those that are not visible anyway, the outer ones only."""
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(seen) for seen in (Path("/usr"), *kept)):
            kept.append(path)
    return tuple(kept)


def _system_links() -> list[str]:
    options: list[str] = []
    for name in _SYSTEM:
        if os.path.islink(name):
            options += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            options += ["--ro-bind", name, name]
    for name in _SETTINGS:
        options += ["--ro-bind-try", name, name]
    return options


def _version(program: str) -> str:
    words = _run([program, "--version"]).stdout.split()
    return words[-1] if words else ""


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=_PROBE_SECONDS, stdin=subprocess.DEVNULL
    )
