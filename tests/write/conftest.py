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
            client["sparse"][name].insert_many([_without_nulls(row) for row in rows])
    yield running.uri
    client.close()
    running.stop()


@pytest.fixture(scope="session")
def shop(server: str) -> Iterator[Any]:
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    yield client["shop"]
    client.close()


@pytest.fixture(scope="session")
def sparse(server: str) -> Iterator[Any]:
    """The same rows as Spring would save them: a field that would be null is missing."""
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    yield client["sparse"]
    client.close()


def _without_nulls(value: Any) -> Any:
    return {k: _without_nulls(v) for k, v in value.items() if v is not None} if isinstance(value, dict) else value
