"""The suite itself, and the embedded server held against it."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128, Int64

from uom.commands import conformance
from uom.commands.conformance import check_engine
from uom.run.engines.mongodb.conformance import Outcome, all_facts, run_suite
from uom.run.engines.mongodb.conformance.answers import agrees, same_in_any_order, show
from uom.run.engines.mongodb.conformance.catalogue import _Loader, operators_of
from uom.run.engines.mongodb.conformance.extended import from_extended, is_wrapper
from uom.run.engines.mongodb.conformance.generate import fault_list
from uom.run.engines.mongodb.faults import _MEANINGS, FILE, known_faults
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.failures import EnvironmentFailure

WRITER = Path(__file__).resolve().parents[2] / "uom" / "write" / "mongodb"


def test_facts_are_many_and_told_apart() -> None:
    facts = all_facts()
    assert len(facts) >= 1000
    repeated = [name for name, count in Counter(fact.id for fact in facts).items() if count > 1]
    assert not repeated
    assert all(fact.operators and fact.questions for fact in facts)


def test_signatures_have_a_meaning() -> None:
    plain = re.compile(r"operator_(with_option|used):")
    assert {f.signature for f in all_facts() if f.signature and not plain.match(f.signature)} <= _MEANINGS.keys()


def test_all_that_the_writer_emits_is_covered() -> None:
    found = {
        name
        for file in WRITER.rglob("*.py")
        for name in re.findall(r'"(\$[a-z][A-Za-z]*)"', file.read_text(encoding="utf-8"))
    }
    covered = set().union(*(operators_of(fact) for fact in all_facts()))
    fields = {"$value", "$row", "$items", "$key", "$elements", "$side", "$sides"}
    assert {name for name in found - fields - covered if not is_wrapper(name)} == set()


def test_generating_again_gives_the_same_list(mongodb: MongoEngine) -> None:
    kept = resources.files("uom.run.engines.mongodb").joinpath(FILE).read_text("utf-8")
    assert fault_list(mongodb.info, run_suite(mongodb.client)) == kept


def test_the_list_is_of_the_pinned_version(mongodb: MongoEngine) -> None:
    known = known_faults()
    assert (known.engine, known.version) == (mongodb.info.name, mongodb.info.version)
    assert len(known.faults) > 50


def test_a_run_leaves_no_database(mongodb: MongoEngine) -> None:
    before = set(mongodb.client.list_database_names())
    results = run_suite(mongodb.client, ["$unionWith"])
    assert {r.fact.group for r in results} == {"$unionWith"}
    assert set(mongodb.client.list_database_names()) == before


def test_single_facts_can_be_asked(mongodb: MongoEngine) -> None:
    (result,) = run_suite(mongodb.client, ["arithmetic: int + int is int"])
    assert result.outcome is Outcome.RIGHT
    assert (result.expected, result.actual) == ("", "")


def test_doctor_prints_a_table_and_each_difference(mongodb: MongoEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_engine(mongodb.uri, as_json=False) == conformance.DIFFERS
    printed = capsys.readouterr().out
    assert re.search(r"^sum +\d+ +\d+ +\d+$", printed, re.MULTILINE)
    assert "wrong: paths through arrays: a path through an array gives an array" in printed


def test_doctor_speaks_json(mongodb: MongoEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_engine(mongodb.uri, as_json=True) == conformance.DIFFERS
    content = json.loads(capsys.readouterr().out)
    assert content["engine"]["name"] == "SecantusDB"
    assert content["facts"]["right"] > 900
    assert {d["outcome"] for d in content["differences"]} == {"wrong", "refused"}


def test_doctor_is_content_with_a_server_that_is_right(mongodb: MongoEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "run_suite", lambda client: run_suite(client, ["$unionWith"]))
    assert check_engine(mongodb.uri, as_json=True) == conformance.ALL_RIGHT


@pytest.mark.parametrize("uri", ["mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200", "nonsense:x", "mongodb://"])
def test_doctor_says_when_nobody_answers(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from pymongo import MongoClient

    monkeypatch.setattr(conformance, "client_for", MongoClient)
    with pytest.raises(EnvironmentFailure):
        check_engine(uri, as_json=True)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, Int64(1), False),
        (1, True, False),
        (0, False, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        (Decimal128("1.10"), Decimal128("1.1"), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([1, 2], [2, 1], False),
        ({"$anyOrder": [1, 2, 2]}, [2, 1, 2], True),
        ({"$anyOrder": [1, 2]}, [1, 1], False),
        ({"$about": 0.1}, 0.1 + 1e-16, True),
        ({"$about": 0.1}, 0.2, False),
        ("1", 1, False),
        (None, 0, False),
        (b"x", "x", False),
    ],
)
def test_answers_agree_to_the_type(expected: Any, actual: Any, same: bool) -> None:
    assert agrees(expected, actual) is same


def test_by_value_types_of_numbers_do_not_count() -> None:
    assert agrees([1, Decimal128("2.0")], [1.0, Int64(2)], strict=False)
    assert not agrees(1, True, strict=False)
    assert same_in_any_order([{"a": 1}, {"a": 2}], [{"a": 2.0}, {"a": 1}], strict=False)
    assert show({"a": [Int64(1), None, True, "x"]}) == "{a: [long 1, null, true, 'x']}"


def test_extended_json_and_yaml_have_no_surprises() -> None:
    assert from_extended({"$numberLong": "5"}) == Int64(5)
    assert isinstance(from_extended(2**31), Int64)
    assert from_extended({"a": {"$regex": "x"}}) == {"a": {"$regex": "x"}}
    import yaml

    assert yaml.load("{a: 2024-01-01, b: no, c: true, d: 1.0}", _Loader) == {"a": "2024-01-01", "b": "no", "c": True, "d": 1.0}  # fmt: skip
    with pytest.raises(yaml.YAMLError, match="repeated"):
        yaml.load("{a: 1, a: 2}", _Loader)
