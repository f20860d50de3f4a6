"""Random queries over random rows: Neo4j, through the writer, gives the interpreter's rows in its order.

The queries are those that MongoDB is asked in `tests/write/test_agreement.py`, so the three agree on them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime

import neo4j as driver
import pytest

from tests.write.driver import attempt, comparable
from tests.write.neo4j.driver import result
from tests.write.neo4j.test_statements import DESIGNS
from tests.write.random_queries import Generator
from tests.write.random_rows import RowMaker
from tests.write.shop import SCHEMA
from tests.write.test_agreement import PER_DATABASE, canonical
from uom.data.content import content_for
from uom.model.diagnostics import Refusal
from uom.model.expressions import Subquery
from uom.model.mapping import GraphMapping
from uom.model.program import NullOrder, Semantics
from uom.plan.tie_breakers import TieBreaker
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import Database
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.write.neo4j import compile_query
from uom.write.neo4j.graph import Graph

FIRST, LAST = (int(part) for part in os.environ.get("UOM_AGREEMENT", "0:300").split(":"))
FOUND = (4009, 6603)
"""Seeds that once failed: 4009, min() of an indexed property in a CALL; 6603, a list with one value twice."""
Loaded = tuple[Database, GraphMapping, driver.Session]


@pytest.fixture(scope="module")
def databases(neo4j: Neo4jEngine) -> Iterator[Callable[[int], Loaded]]:
    """The rows of a batch of seeds, loaded; the design changes from batch to batch."""
    current: dict[int, Loaded] = {}
    with ExitStack() as stack:

        def database(number: int) -> Loaded:
            if number not in current:
                current.clear()
                stack.close()
                mapping = list(DESIGNS.values())[number % len(DESIGNS)]
                rows = RowMaker(number).database()
                content = content_for(rows, SCHEMA, mapping, Semantics(), "random")
                name = stack.enter_context(neo4j.fresh_database(content))
                session = neo4j.driver.session(database=name, default_access_mode=driver.READ_ACCESS)
                current[number] = rows, mapping, stack.enter_context(session)
            return current[number]

        yield database


@pytest.mark.parametrize("seed", [*range(FIRST, LAST), *FOUND])
def test_engine_and_interpreter_agree(seed: int, databases: Callable[[int], Loaded]) -> None:
    semantics = Semantics(null_order=NullOrder.LAST if seed % 2 else NullOrder.FIRST)
    body = TieBreaker(SCHEMA, None).run(Generator(seed + 1_000_000).body(1 + seed % 6).node)
    assert isinstance(body, Subquery)
    rows, mapping, session = databases(seed // PER_DATABASE)
    run = Run(SCHEMA, rows, semantics, {}, datetime(2020, 1, 1))
    expected = attempt(lambda: evaluate(body, {}, run))
    try:
        compiled = compile_query(body.query, SCHEMA, mapping, semantics)
    except Refusal as refusal:
        pytest.skip(str(refusal))
    actual = attempt(lambda: comparable(result(compiled, session, run, Graph(SCHEMA, mapping))))
    assert canonical(actual, expected) == canonical(comparable(expected), expected), compiled.statement
