"""Random queries give the interpreter's rows: a fixed sample here, as many as one likes with UOM_SEEDS=0:5000."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.write.driver import attempt, body_value, comparable, reference_run, result, sorted_rows
from tests.write.random_queries import Generator
from tests.write.shop import MAPPING, SCHEMA
from uom.model.diagnostics import Refusal
from uom.model.expressions import Subquery
from uom.model.program import NullOrder, Semantics
from uom.write.mongodb import compile_query
from uom.write.mongodb.location import Locations

FIRST, LAST = (int(part) for part in os.environ.get("UOM_SEEDS", "0:200").split(":"))


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_rows(seed: int, shop: Any) -> None:
    semantics = Semantics(null_order=NullOrder.LAST if seed % 2 else NullOrder.FIRST)
    body = Generator(seed).body(1 + seed % 5)
    assert isinstance(body.node, Subquery)
    run = reference_run(semantics, {})
    expected = attempt(lambda: comparable(body_value(body.node, run)))
    try:
        compiled = compile_query(body.node.query, SCHEMA, MAPPING, semantics)
    except Refusal as refusal:
        pytest.skip(str(refusal))
    actual = attempt(lambda: comparable(result(compiled, shop, run, Locations(SCHEMA, MAPPING))))
    assert sorted_rows(actual) == sorted_rows(expected), compiled.stages
