"""Random queries over random rows: the engine, through the writer, gives the interpreter's rows in its order.

Rows that tie may come in any order, at every level of nesting. UOM_AGREEMENT=0:5000 runs as many as one likes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tests.write.driver import attempt, comparable, result
from tests.write.random_queries import Generator
from tests.write.random_rows import RowMaker
from tests.write.shop import MAPPING, SCHEMA
from uom.data.documents import documents
from uom.model.diagnostics import Refusal
from uom.model.expressions import Subquery
from uom.model.program import NullOrder, Semantics
from uom.plan.tie_breakers import TieBreaker
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import Database, RowList
from uom.write.mongodb import compile_query
from uom.write.mongodb.location import Locations

FIRST, LAST = (int(part) for part in os.environ.get("UOM_AGREEMENT", "0:300").split(":"))
PER_DATABASE = 25
"""Queries on one set of random rows: loading costs more than asking."""


@pytest.fixture(scope="module")
def databases(server: str) -> Iterator[Any]:
    import pymongo

    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    loaded: dict[int, tuple[Database, Any]] = {}

    def database(number: int) -> tuple[Database, Any]:
        if number not in loaded:
            for old in loaded:
                client.drop_database(f"random{old}")
            loaded.clear()
            rows = RowMaker(number).database()
            target = client[f"random{number}"]
            for name, made in documents(rows, SCHEMA, MAPPING).items():
                if made:
                    target[name].insert_many(made)
            loaded[number] = (rows, target)
        return loaded[number]

    yield database
    client.close()


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_engine_and_interpreter_agree(seed: int, databases: Any) -> None:
    semantics = Semantics(null_order=NullOrder.LAST if seed % 2 else NullOrder.FIRST)
    body = TieBreaker(SCHEMA, None).run(Generator(seed + 1_000_000).body(1 + seed % 6).node)
    assert isinstance(body, Subquery)
    rows, target = databases(seed // PER_DATABASE)
    run = Run(SCHEMA, rows, semantics, {}, datetime(2020, 1, 1))
    expected = attempt(lambda: evaluate(body, {}, run))
    try:
        compiled = compile_query(body.query, SCHEMA, MAPPING, semantics)
    except Refusal as refusal:
        pytest.skip(str(refusal))
    actual = attempt(lambda: comparable(result(compiled, target, run, Locations(SCHEMA, MAPPING))))
    assert canonical(actual, expected) == canonical(comparable(expected), expected), compiled.stages


def canonical(value: Any, like: Any) -> Any:
    """The value with rows that tie in a fixed order; `like` is the interpreter's, which knows the ties."""
    if isinstance(value, list):
        if isinstance(like, RowList) and len(like) == len(value):
            if all(size == 1 for size in like.ties):
                return [canonical(v, inner) for v, inner in zip(value, like, strict=True)]
            done, at = [], 0
            for size in like.ties:
                done.extend(sorted((canonical(v, None) for v in value[at : at + size]), key=repr))
                at += size
            return done
        return sorted((canonical(v, None) for v in value), key=repr)
    if isinstance(value, dict):
        known = like if isinstance(like, dict) else {}
        return {k: canonical(v, known.get(k)) for k, v in value.items()}
    return value
