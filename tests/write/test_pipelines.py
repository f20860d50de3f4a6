"""Each case gives the interpreter's rows when its pipeline runs in MongoDB."""

from __future__ import annotations

from typing import Any

import pytest

from tests.write.cases import CASES
from tests.write.driver import attempt, body_value, comparable, reference_run, result, sorted_rows
from tests.write.shop import MAPPING, SCHEMA
from uom.model.expressions import Subquery
from uom.model.program import NullOrder, Semantics
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


def close(value: Any) -> Any:
    """Quotients differ in their last digits."""
    if isinstance(value, list):
        return [close(v) for v in value]
    if isinstance(value, dict):
        return {k: close(v) for k, v in value.items()}
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
