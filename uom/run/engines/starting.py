"""The engine of a target: the user's server that the environment names, or the embedded one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from uom.run.engines.target import TargetEngine
from uom.run.toolchain import Toolchain

URI_VARIABLES = {"mongodb": "MONGODB_URI", "neo4j": "NEO4J_URI"}


def named_server(target: str) -> str:
    """The URI of the user's server for this target, "" for none."""
    return os.environ.get(URI_VARIABLES[target], "")


def start_engine(target: str, toolchain: Toolchain) -> TargetEngine:
    """Raises EnvironmentFailure when it cannot be had. What the other target needs is not even imported."""
    if target == "neo4j":
        from uom.run.engines.neo4j.server import Neo4jEngine

        return Neo4jEngine(toolchain, named_server(target))
    from uom.run.engines.mongodb.server import MongoEngine

    return MongoEngine(toolchain, named_server(target))


class StartingEngine:
    """An engine that comes up while something else is done. A context manager that stops it, started or not."""

    def __init__(self, target: str, toolchain: Toolchain) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._coming = self._pool.submit(start_engine, target, toolchain)

    def ready(self) -> TargetEngine:
        """Waits until it is up. Raises EnvironmentFailure when it does not come."""
        return self._coming.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        if self._coming.exception() is None:
            self._coming.result().stop()
