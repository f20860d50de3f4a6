"""Runs facts against a server and says which it gets right, which wrong, and which it refuses."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pymongo
from bson.codec_options import CodecOptions, DatetimeConversion
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from uom.run.engines.mongodb.addresses import reason_of
from uom.run.engines.mongodb.conformance.answers import agrees, same_in_any_order, show
from uom.run.engines.mongodb.conformance.catalogue import Answer, Document, Fact, Question, Reading, all_facts

Client = pymongo.MongoClient[dict[str, Any]]
_CODEC: CodecOptions[dict[str, Any]] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_AUTO)


class Outcome(StrEnum):
    """REFUSED is an error where MongoDB answers: never silent, so it cannot prove anything wrong right."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FactResult:
    """`expected` and `actual` are texts for people; for facts that are right they are empty."""

    fact: Fact
    outcome: Outcome
    expected: str = ""
    actual: str = ""


def run_suite(client: Client, only: Collection[str] | None = None) -> list[FactResult]:
    """Checks all facts, or those of the groups (or with the ids) in `only`, in a database that is dropped after.

    Raises ConnectionFailure when the server goes away.
    """
    facts = [f for f in all_facts() if only is None or f.group in only or f.id in only]
    name = f"uom_conformance_{uuid.uuid4().hex[:12]}"
    database = client.get_database(name, codec_options=_CODEC)
    loaded: dict[str, tuple[Document, ...]] = {}
    try:
        return [_check(fact, database, loaded) for fact in facts]
    finally:
        with contextlib.suppress(PyMongoError):
            client.drop_database(name)


class _Missing:
    """The answer of an expression whose field is left out."""

    def __repr__(self) -> str:
        return "no field"


MISSING = _Missing()


def check_in_passing(fact: Fact, client: Client) -> FactResult:
    """Checks a fact about one collection without storing anything: the command carries the documents."""
    questions = [q for q in fact.questions if "pipeline" in q.command]
    (documents,) = (fact.collections[str(q.command["aggregate"])] for q in questions[:1])

    def ask(command: Document) -> Document:
        pipeline = [{"$documents": [dict(document) for document in documents]}, *command["pipeline"]]
        database = client.get_database("admin", codec_options=_CODEC)
        return dict(database.command({**command, "aggregate": 1, "pipeline": pipeline}))

    return _judge(fact, questions, ask)


def _check(fact: Fact, database: Any, loaded: dict[str, tuple[Document, ...]]) -> FactResult:
    _load(database, fact.collections, loaded)
    return _judge(fact, fact.questions, database.command)


def _judge(fact: Fact, questions: Sequence[Question], ask: Callable[[Document], Document]) -> FactResult:
    expected = _expected(fact.answer)
    refused: FactResult | None = None
    for question in questions:
        try:
            actual = _read(ask(question.command), question.reading)
        except ConnectionFailure:
            raise
        except (OperationFailure, PyMongoError) as error:
            if not fact.answer.fails:
                refused = refused or FactResult(fact, Outcome.REFUSED, expected, reason_of(error))
            continue
        if fact.answer.fails or not _is_answer(fact.answer, actual, question):
            return FactResult(fact, Outcome.WRONG, expected, _shown(actual))
    return refused or FactResult(fact, Outcome.RIGHT)


def _load(database: Any, wanted: Mapping[str, tuple[Document, ...]], loaded: dict[str, tuple[Document, ...]]) -> None:
    """Fills collections; those that hold the wanted documents already are left alone."""
    for name in loaded.keys() - wanted.keys():
        database[name].drop()
        del loaded[name]
    for name, documents in wanted.items():
        # `is`: equality would take 1 for 1.0
        if loaded.get(name) is documents:
            continue
        database[name].drop()
        loaded.pop(name, None)
        if documents:
            database[name].insert_many([dict(document) for document in documents])
            loaded[name] = documents


def _read(reply: dict[str, Any], reading: Reading) -> Any:
    if reading is Reading.NUMBER:
        return reply["n"]
    if reading is Reading.VALUES:
        return reply["values"]
    cursor = reply["cursor"]
    if cursor["id"]:
        raise OperationFailure("the answer does not fit into one batch")
    rows = cursor["firstBatch"]
    if reading is Reading.IDS:
        return [row.get("_id", MISSING) for row in rows]
    if reading is Reading.VALUE:
        return rows[0].get("v", MISSING) if len(rows) == 1 else rows
    return rows


def _is_answer(answer: Answer, actual: Any, question: Question) -> bool:
    if answer.missing:
        return actual is MISSING
    if question.reading is Reading.NUMBER:
        return bool(actual == len(answer.value))
    if answer.ordered or not isinstance(actual, list):
        return agrees(answer.value, actual, answer.strict)
    return same_in_any_order(answer.value, actual, answer.strict)


def _expected(answer: Answer) -> str:
    return "an error" if answer.fails else _shown(MISSING if answer.missing else answer.value)


def _shown(value: Any) -> str:
    return repr(value) if value is MISSING else show(value)
