"""One MongoDB server with the shop in it, shared by all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymongo
import pytest

from tests.write.shop import DOCUMENTS
from uom.run.engines.mongodb.server import EmbeddedServer
from uom.run.toolchain import Part, Toolchain, ensure


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return ensure(parts=(Part.JAVA, Part.SECANTUS))


@pytest.fixture(scope="session")
def server(tools: Toolchain) -> Iterator[str]:
    running = EmbeddedServer(tools)
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(running.uri, uuidRepresentation="standard")
    for name, rows in DOCUMENTS.items():
        if rows:
            client["shop"][name].insert_many(rows)
    yield running.uri
    client.close()
    running.stop()


@pytest.fixture(scope="session")
def shop(server: str) -> Iterator[Any]:
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    yield client["shop"]
    client.close()
