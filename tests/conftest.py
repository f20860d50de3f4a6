"""Real parts, started once: the toolchain, the Java worker, the embedded databases behind their relays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.engines.target import TargetEngine
from uom.run.failures import EnvironmentFailure
from uom.run.java.worker import JavaWorker
from uom.run.sandboxes.bubblewrap import usable
from uom.run.sandboxes.pool import LocalProvider
from uom.run.sandboxes.protocol import SandboxType
from uom.run.toolchain import Toolchain, ensure


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return ensure()


@pytest.fixture(scope="session")
def stocked() -> None:
    """The caches of the user's Maven and NuGet hold what validated projects need, as images of Daytona's do."""

    async def prepare(kind: SandboxType) -> None:
        with suppress(EnvironmentFailure):  # the tests say what they miss
            await (await LocalProvider().open(kind, print)).close()

    for kind in SandboxType:
        asyncio.run(prepare(kind))


@pytest.fixture(scope="session")
def java(tools: Toolchain) -> Iterator[JavaWorker]:
    with JavaWorker(tools, usable()) as worker:
        yield worker


@pytest.fixture(scope="session")
def neo4j_java(tools: Toolchain) -> Iterator[JavaWorker]:
    """The worker with the class path of Neo4j bundles."""
    with JavaWorker(tools.serving("neo4j"), usable()) as worker:
        yield worker


@pytest.fixture(scope="session")
def mongodb(tools: Toolchain) -> Iterator[MongoEngine]:
    with MongoEngine(tools) as engine:
        yield engine


@pytest.fixture(scope="session")
def neo4j(tools: Toolchain) -> Iterator[Neo4jEngine]:
    with Neo4jEngine(tools) as engine:
        yield engine


@pytest.fixture(scope="session", params=["mongodb", "neo4j"])
def engine(request: pytest.FixtureRequest) -> TargetEngine:
    """Each target in turn."""
    found: TargetEngine = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def target_java(engine: TargetEngine, request: pytest.FixtureRequest) -> JavaWorker:
    """The worker for bundles of `engine`'s kind."""
    found: JavaWorker = request.getfixturevalue("java" if engine.kind == "mongodb" else "neo4j_java")
    return found
