"""Real parts, started once: the toolchain, the Java worker, the embedded databases behind their relays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.java.worker import JavaWorker
from uom.run.sandboxes.bubblewrap import usable
from uom.run.toolchain import Toolchain, ensure


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return ensure()


@pytest.fixture(scope="session")
def java(tools: Toolchain) -> Iterator[JavaWorker]:
    with JavaWorker(tools, usable()) as worker:
        yield worker


@pytest.fixture(scope="session")
def mongodb(tools: Toolchain) -> Iterator[MongoEngine]:
    with MongoEngine(tools) as engine:
        yield engine


@pytest.fixture(scope="session")
def neo4j(tools: Toolchain) -> Iterator[Neo4jEngine]:
    with Neo4jEngine(tools) as engine:
        yield engine
