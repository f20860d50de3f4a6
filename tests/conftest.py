"""Real parts, started once: the toolchain, the Java worker, the embedded MongoDB behind its relay."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from uom.run.engines.mongodb.server import MongoEngine
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
