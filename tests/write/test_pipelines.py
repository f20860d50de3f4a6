"""Each case gives the interpreter's rows when its pipeline runs in MongoDB."""

from __future__ import annotations

from typing import Any

import pytest

from tests.write.calls import CALLS
from tests.write.cases import CASES
from tests.write.driver import attempt, body_value, comparable, reference_run, result, sorted_rows
from tests.write.shop import MAPPING, SCHEMA, E, Q, related, scan
from uom.model.expressions import Const, Fn, Function, Subquery
from uom.model.program import NullOrder, Semantics
from uom.model.types import STRING
from uom.write.mongodb import compile_query
from uom.write.mongodb.location import Locations

SEMANTICS = {"nulls_first": Semantics(), "nulls_last": Semantics(null_order=NullOrder.LAST)}


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("name", CASES)
def test_rows(name: str, semantics: str, shop: Any) -> None:
    body, ordered = CASES[name]
    node = body.node
    assert isinstance(node, Subquery)
    compiled = compile_query(node.query, SCHEMA, MAPPING, SEMANTICS[semantics])
    run = reference_run(SEMANTICS[semantics], {})
    expected = attempt(lambda: comparable(body_value(node, run)))
    actual = attempt(lambda: comparable(result(compiled, shop, run, Locations(SCHEMA, MAPPING))))
    if not ordered:
        expected, actual = sorted_rows(expected), sorted_rows(actual)
    assert actual == close(expected), compiled.stages


@pytest.mark.parametrize("name", CASES)
def test_missing_counts_as_null(name: str, sparse: Any) -> None:
    test_rows(name, "nulls_first", sparse)


_CALLS = [(name, number) for name, (_, _, sets) in CALLS.items() for number in range(len(sets))]


@pytest.mark.parametrize(("name", "number"), _CALLS)
def test_arguments(name: str, number: int, shop: Any) -> None:
    body, parameters, sets = CALLS[name]
    node = body.node
    if not isinstance(node, Subquery):
        pytest.skip("computed in Java")
    run = reference_run(Semantics(), dict(zip(parameters, sets[number], strict=True)))
    compiled = compile_query(node.query, SCHEMA, MAPPING, Semantics())
    expected = comparable(body_value(node, run))
    actual = comparable(result(compiled, shop, run, Locations(SCHEMA, MAPPING)))
    assert sorted_rows(actual) == sorted_rows(expected), compiled.stages


def test_texts_of_a_list_are_joined(shop: Any) -> None:
    """The interpreter has no Join over lists, so the rows are worked out by hand."""
    query = scan("Customer").order(lambda c: c.CustomerId).select(lambda c: joined(" + ", related(c, "Orders")))
    compiled = compile_query(query.node, SCHEMA, MAPPING, Semantics())
    found = result(compiled, shop, reference_run(Semantics(), {}), Locations(SCHEMA, MAPPING))
    assert found == ["Germany + Germany", "France + ", "", "Germany + Brazil", ""]


def joined(separator: str, orders: Q) -> E:
    texts = orders.order(lambda o: o.OrderId).select(lambda o: o.ShipCountry).list()
    return E(Function(Fn.JOIN, (Const(separator, STRING), texts.node), STRING))


def close(value: Any) -> Any:
    """Quotients differ in their last digits."""
    if isinstance(value, list):
        return [close(v) for v in value]
    if isinstance(value, dict):
        return {k: close(v) for k, v in value.items()}
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
