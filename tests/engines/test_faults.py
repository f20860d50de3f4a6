"""Which commands touch a fault: every one that does, and few that do not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo.errors import OperationFailure

from uom.run.engines.mongodb.conformance import Fact, all_facts
from uom.run.engines.mongodb.faults import faults_touched, known_faults
from uom.run.engines.mongodb.identity import GENUINE, IMITATION, EngineInfo
from uom.run.engines.mongodb.recording import TOO_MANY, RecordedCommand
from uom.run.engines.mongodb.server import MongoEngine

BY_TOLERANCE = {"$group, accumulators: $sum of doubles does not gather errors"}
"""The last digits of doubles are not compared; the fault counts where a sum decides something."""
STOOD_IN = "count_of_nothing"
MOST_TOUCHED_THOUGH_RIGHT = 0.08


@pytest.fixture(scope="module")
def touched(mongodb: MongoEngine) -> Iterator[dict[str, list[str]]]:
    """Every fact, asked through the relay over documents that were loaded by us: the reasons not to trust it."""
    from uom.run.engines.mongodb.server import client_for

    found = {}
    with client_for(mongodb.relay_uri) as client:
        for fact in all_facts():
            found[fact.id] = reasons(fact, mongodb, client)
    yield found


def reasons(fact: Fact, engine: MongoEngine, client: Any) -> list[str]:
    rows = {name: [dict(document) for document in documents] for name, documents in fact.collections.items()}
    with engine.fresh_database(rows) as name:
        client.admin.command("ping", comment=f"uom:begin:{fact.id}")
        for question in fact.questions:
            with contextlib.suppress(OperationFailure):
                client[name].command(question.command)
        client.admin.command("ping", comment="uom:end:")
        commands = engine.relay.take(fact.id)
        assert len(commands) == len(fact.questions)
        return faults_touched(engine.info, commands)


def test_every_fault_is_touched_by_its_own_fact(touched: dict[str, list[str]]) -> None:
    faults = [f for f in known_faults().faults if f.fact not in BY_TOLERANCE and f.signature != STOOD_IN]
    assert [fault.fact for fault in faults if not touched[fault.fact]] == []


def test_few_others_are(touched: dict[str, list[str]]) -> None:
    wrong = {fault.fact for fault in known_faults().faults}
    right = [fact.id for fact in all_facts() if fact.id not in wrong]
    assert sum(1 for name in right if touched[name]) <= len(right) * MOST_TOUCHED_THOUGH_RIGHT


def test_reasons_can_be_read(touched: dict[str, list[str]]) -> None:
    assert touched["paths through arrays: $sum over a path"] == [
        "SecantusDB gets this wrong: a path through an array in an expression ($it.p)"
    ]


AGGREGATE = {"aggregate": "rows", "pipeline": [{"$project": {"v": {"$sum": "$lines.price"}}}], "cursor": {}}


def asked(command: dict[str, Any], **more: Any) -> list[RecordedCommand]:
    return [RecordedCommand(next(iter(command)).lower(), "d", command, 0, **more)]


def secantus() -> EngineInfo:
    return EngineInfo(known_faults().engine, known_faults().version, IMITATION)


def test_genuine_servers_have_no_faults() -> None:
    assert faults_touched(EngineInfo(GENUINE, "8.0.4", GENUINE), asked(AGGREGATE)) == []


def test_unknown_imitations_prove_nothing() -> None:
    simple = asked({"find": "rows", "filter": {}})
    for engine in (EngineInfo("unknown server", "7.0", IMITATION), EngineInfo("SecantusDB", "0.0", IMITATION)):
        (reason,) = faults_touched(engine, simple)
        assert "uom doctor --engine" in reason
    assert faults_touched(secantus(), simple) == []


def test_documents_that_nobody_loaded_may_hold_anything() -> None:
    assert any("path through an array" in r for r in faults_touched(secantus(), asked(AGGREGATE)))


def test_operators_without_a_fact_prove_nothing() -> None:
    stage = {"$setWindowFields": {"sortBy": {"a": 1}, "output": {}}}
    (reason,) = faults_touched(secantus(), asked({"aggregate": "rows", "pipeline": [stage]}))
    assert reason.endswith("$setWindowFields, which no fact covers")


def test_commands_that_were_not_kept_prove_nothing() -> None:
    assert faults_touched(secantus(), [RecordedCommand(TOO_MANY, "d", {}, 0)])


def test_commands_of_unknown_form_prove_nothing() -> None:
    (reason,) = faults_touched(secantus(), asked({"aggregate": "rows", "pipeline": [{"$unwind": {}}]}))
    assert "unknown form" in reason


def test_count_matters_when_it_counted_nothing() -> None:
    command = {"aggregate": "rows", "pipeline": [{"$match": {}}, {"$count": "n"}]}
    assert faults_touched(secantus(), asked(command)) == []
    assert faults_touched(secantus(), asked(command, counted_nothing=True))
    assert faults_touched(secantus(), asked(command, counted_nothing=True, stood_in=True)) == []
    inner = {"aggregate": "rows", "pipeline": [{"$facet": {"a": [{"$count": "n"}]}}]}
    assert faults_touched(secantus(), asked(inner))


def test_a_fault_without_a_signature_is_touched_by_its_operators_together(monkeypatch: pytest.MonkeyPatch) -> None:
    from uom.run.engines.mongodb import faults
    from uom.run.engines.mongodb.faults import Fault, FaultList

    known = known_faults()
    fault = Fault("some fact", ("$group", "$sum"), "", "", "")
    monkeypatch.setattr(faults, "known_faults", lambda: FaultList(known.engine, known.version, (fault,), known.covered))
    both = {"aggregate": "rows", "pipeline": [{"$group": {"_id": None, "n": {"$sum": 1}}}]}
    one = {"aggregate": "rows", "pipeline": [{"$group": {"_id": None, "n": {"$max": "$a"}}}]}
    assert faults_touched(secantus(), asked(both)) == ["SecantusDB gets this wrong: some fact"]
    assert faults_touched(secantus(), asked(one)) == []
