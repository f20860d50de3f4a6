"""Each case gives the interpreter's rows when its statement runs in Neo4j, however the order lines are stored."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j as driver
import pytest

from tests.write.calls import CALLS
from tests.write.cases import CASES
from tests.write.driver import attempt, body_value, comparable, reference_run, sorted_rows
from tests.write.neo4j.driver import result
from tests.write.shop import DATABASE, SCHEMA, E
from tests.write.test_pipelines import close
from uom.data.content import content_for
from uom.model.diagnostics import Refusal
from uom.model.expressions import Subquery
from uom.model.mapping import GraphMapping
from uom.model.program import PROVIDER_SEMANTICS, NullOrder, Semantics
from uom.plan.mapping.graphs import as_relationship, default_graph
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.write.neo4j import compile_query
from uom.write.neo4j.graph import Graph

SEMANTICS = {"nulls_first": Semantics(), "nulls_last": Semantics(null_order=NullOrder.LAST)}
NODES = default_graph(SCHEMA)
DESIGNS = {"nodes": NODES, "links": as_relationship(NODES, SCHEMA, "OrderDetail")}


@pytest.fixture(scope="module", params=DESIGNS)
def shop(request: pytest.FixtureRequest, neo4j: Neo4jEngine) -> Iterator[tuple[GraphMapping, driver.Session]]:
    mapping = DESIGNS[request.param]
    with (
        neo4j.fresh_database(content_for(DATABASE, SCHEMA, mapping, Semantics(), "shop")) as name,
        neo4j.driver.session(database=name, default_access_mode=driver.READ_ACCESS) as session,
    ):
        yield mapping, session


def check(
    body: E,
    semantics: Semantics,
    arguments: dict[str, object],
    shop: tuple[GraphMapping, driver.Session],
    ordered: bool,
) -> None:
    mapping, session = shop
    assert isinstance(body.node, Subquery)
    compiled = compile_query(body.node.query, SCHEMA, mapping, semantics)
    run = reference_run(semantics, arguments)
    expected = attempt(lambda: comparable(body_value(body.node, run)))
    actual = attempt(lambda: comparable(result(compiled, session, run, Graph(SCHEMA, mapping))))
    if not ordered:
        expected, actual = sorted_rows(expected), sorted_rows(actual)
    assert actual == close(expected), compiled.statement


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("name", CASES)
def test_rows(name: str, semantics: str, shop: tuple[GraphMapping, driver.Session]) -> None:
    body, ordered = CASES[name]
    check(body, SEMANTICS[semantics], {}, shop, ordered)


_CALLS = [(n, i) for n, (b, _, sets) in CALLS.items() for i in range(len(sets)) if isinstance(b.node, Subquery)]


@pytest.mark.parametrize(("name", "number"), _CALLS)
def test_arguments(name: str, number: int, shop: tuple[GraphMapping, driver.Session]) -> None:
    body, parameters, sets = CALLS[name]
    check(body, Semantics(), dict(zip(parameters, sets[number], strict=True)), shop, ordered=False)


_GROUPED = [n for n in CASES if "group" in n]


@pytest.mark.parametrize("name", _GROUPED)
def test_groups_where_case_does_not_count(name: str, shop: tuple[GraphMapping, driver.Session]) -> None:
    """The key of a group is spelt as in one of its rows; here, as in the first."""
    body, ordered = CASES[name]
    try:
        check(body, PROVIDER_SEMANTICS["sqlserver"], {}, shop, ordered)
    except Refusal as refusal:
        assert "ignores case" in refusal.diagnostic.reason or "Guid" in refusal.diagnostic.construct
