"""A server is what it does, not what it says."""

from __future__ import annotations

from typing import Any

import pytest

from uom.run.engines.mongodb import identity
from uom.run.engines.mongodb.identity import GENUINE, IMITATION, EngineInfo, fingerprint, identify
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.failures import EnvironmentFailure

CLAIMS = {
    "version": "8.0.4",
    "gitVersion": "bc35ab4305d9920d9d0491c1c9ef9b72383d31f9",
    "storageEngines": ["devnull", "wiredTiger"],
    "buildEnvironment": {"distarch": "x86_64"},
}


class Claiming:
    """A client of the embedded server that says it is something else."""

    def __init__(self, client: Any, build: dict[str, Any]) -> None:
        self._client = client
        self._build = build

    @property
    def admin(self) -> Claiming:
        return self

    def command(self, name: str) -> dict[str, Any]:
        assert name == "buildInfo"
        return self._build

    def get_database(self, *args: Any, **options: Any) -> Any:
        return self._client.get_database(*args, **options)


def claiming(engine: MongoEngine, **build: Any) -> Any:
    return Claiming(engine.client, {**CLAIMS, **build})


def test_the_embedded_server_is_named(mongodb: MongoEngine) -> None:
    assert mongodb.info.name == "SecantusDB"
    assert mongodb.info.grade == IMITATION
    assert str(mongodb.info) == f"SecantusDB {mongodb.info.version} (imitation)"


def test_who_only_claims_is_an_imitation(mongodb: MongoEngine) -> None:
    assert not fingerprint(mongodb.client)
    assert identify(claiming(mongodb)).grade == IMITATION


def test_the_fingerprint_stores_nothing(mongodb: MongoEngine) -> None:
    before = mongodb.client.list_database_names()
    fingerprint(mongodb.client)
    assert mongodb.client.list_database_names() == before


def test_who_claims_and_behaves_is_genuine(mongodb: MongoEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "fingerprint", lambda _: True)
    assert identify(claiming(mongodb)) == EngineInfo(GENUINE, "8.0.4", GENUINE)


@pytest.mark.parametrize(
    "build",
    [
        {"gitVersion": "0" * 39},
        {"storageEngines": ["memory"]},
        {"buildEnvironment": {}},
        {"ferretdb": {"version": "2"}},
    ],
)
def test_who_does_not_even_claim_is_not_asked(
    build: dict[str, Any], mongodb: MongoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "fingerprint", lambda _: True)
    assert identify(claiming(mongodb, **build)).grade == IMITATION


def test_an_old_server_is_refused(mongodb: MongoEngine) -> None:
    with pytest.raises(EnvironmentFailure, match=r"version 5\.0\.3"):
        identify(claiming(mongodb, version="5.0.3"))
