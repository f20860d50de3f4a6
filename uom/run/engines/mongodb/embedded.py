"""The embedded server: a SecantusDB process of ours with its data in memory.

SecantusDB is GPL-2.0: it is started as a program and spoken to over the wire, never imported.
"""

from __future__ import annotations

import pymongo
from pymongo.errors import PyMongoError

from uom.run.engines.owned_server import OwnedServer, answers
from uom.run.toolchain import Toolchain


class EmbeddedServer(OwnedServer):
    what = "embedded MongoDB"
    kind = "mongodb"

    def __init__(self, toolchain: Toolchain, port: int = 0) -> None:
        self._toolchain = toolchain
        super().__init__(port)

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/?directConnection=true"

    def command(self) -> list[str]:
        # a configuration of its own: it would look for the user's otherwise
        settings = self.folder / "secantusd.toml"
        settings.touch()
        command = [str(self._toolchain.secantus_python), str(self._toolchain.secantus_server)]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--config", str(settings)]
        return [*command, "--storage-path", ":memory:", "--standalone", "--log-level", "ERROR"]

    def came_up(self) -> bool:
        if not answers(self.port) or not self.is_running:
            return False
        if _pid_behind(self.uri) != self.pid:
            self._kill()  # another program was quicker to take the port
        return self.is_running


def _pid_behind(uri: str) -> int:
    """The process that the server says it is; 0 when it does not say."""
    try:
        with pymongo.MongoClient[dict[str, object]](uri, serverSelectionTimeoutMS=5000) as client:
            pid = client.admin.command("serverStatus").get("pid", 0)
            return pid if isinstance(pid, int) else 0
    except PyMongoError:
        return 0
