"""The embedded server: a Neo4j Community process of ours on a store of its own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from uom.run.engines.neo4j import launch
from uom.run.engines.neo4j.build import archive_options
from uom.run.engines.owned_server import OwnedServer
from uom.run.toolchain import Toolchain


class EmbeddedNeo4j(OwnedServer):
    """Takes anybody without a password: it listens on this machine only and holds nothing but rows of a test."""

    what = "embedded Neo4j"
    kind = "neo4j"

    def __init__(self, toolchain: Toolchain, port: int = 0) -> None:
        self._toolchain = toolchain
        super().__init__(port)

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        tools = self._toolchain
        for name in ("data", "logs"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        if tools.neo4j_store.is_dir():
            shutil.copytree(tools.neo4j_store, self.folder / "data")
        launch.write_settings(self.folder, self.port)
        return launch.command(tools.java, tools.neo4j_classpath, self.folder, archive_options(tools.neo4j_archive))

    def came_up(self) -> bool:
        return launch.has_started(self.folder)

    def environment(self) -> Mapping[str, str]:
        return launch.environment()
