"""The cases as a Java project: it compiles, runs, and gives the interpreter's rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.write.calls import CALLS
from tests.write.cases import CASES
from tests.write.driver import attempt, body_value, reference_run
from tests.write.shop import MAPPING, SCHEMA
from uom.model.bundle import JavaBundle
from uom.model.diagnostics import Place
from uom.model.expressions import Subquery
from uom.model.program import MethodParameter, QueryMethod, ResultShape, Semantics
from uom.model.queries import Scan
from uom.run.java.harness import Invocation, harness
from uom.run.java.results import ResultsReader
from uom.run.java.worker import JavaWorker, RunStatus
from uom.run.toolchain import Toolchain
from uom.verify.canonical import Rows, of_java, of_reference
from uom.verify.compare import Comparer
from uom.verify.shapes import ListShape, Shape, entity_shape, shape_of
from uom.write.mongodb import JavaOptions, java_call, java_property_name, write_bundle

PLACE = Place("Shop.cs", 1, 1)


def method_name(case: str) -> str:
    words = "".join(c if c.isalnum() else f"_{ord(c):x}_" for c in case)
    return "".join(w[:1].upper() + w[1:] for w in words.split("_") if w)


METHODS = [
    QueryMethod(method_name(name), "Shop", (), body.node, ResultShape.ROWS, body.node.type, "Shop", PLACE, 1)
    for name, (body, _) in CASES.items()
]


CALLED = [
    QueryMethod(
        name, "Calls", tuple(MethodParameter(n, t) for n, t in parameters.items()), body.node, ResultShape.ROWS,
        body.node.type, "Shop", PLACE, 1,
    )
    for name, (body, parameters, _) in CALLS.items()
]  # fmt: skip
SETS = [(method, number) for method in CALLED for number in range(len(CALLS[method.name][2]))]


@pytest.fixture(scope="module")
def bundle() -> JavaBundle:
    return write_bundle(METHODS + CALLED, SCHEMA, MAPPING, Semantics(), JavaOptions())


@pytest.fixture(scope="module")
def outcome(bundle: JavaBundle, tools: Toolchain, server: str, tmp_path_factory: Any) -> ResultsReader:
    folder: Path = tmp_path_factory.mktemp("results")
    by_id = {m.id: m for m in bundle.methods}
    calls = [Invocation(m.id, java_call(by_id[m.id], ())) for m in METHODS]
    calls += [Invocation(f"{m.id} {n}", java_call(by_id[m.id], CALLS[m.name][2][n])) for m, n in SETS]
    harnessed = harness(bundle, calls, 60)
    with JavaWorker(tools) as worker:
        run = worker.run(harnessed.files, harnessed.main_class, [server, "shop", str(folder)], 25, 300)
    assert run.status is RunStatus.OK, (run.diagnostics[:5], run.trace, run.stderr[-2000:])
    return ResultsReader(folder)


def _shape(method: QueryMethod) -> Shape:
    node = method.body
    if isinstance(node, Subquery) and isinstance(node.query, Scan):
        return ListShape(entity_shape(node.query.entity, SCHEMA))
    return shape_of(node, SCHEMA)


def test_nothing_is_refused(bundle: JavaBundle) -> None:
    assert bundle.refusals == ()


def test_output_is_the_same_each_time(bundle: JavaBundle) -> None:
    assert write_bundle(METHODS + CALLED, SCHEMA, MAPPING, Semantics(), JavaOptions()) == bundle


@pytest.mark.parametrize("number", range(len(METHODS)), ids=list(CASES))
def test_rows(number: int, outcome: ResultsReader) -> None:
    method = METHODS[number]
    ordered = CASES[list(CASES)[number]][1]
    compare(method, method.id, {}, ordered, outcome)


@pytest.mark.parametrize(("method", "number"), SETS, ids=[f"{m.name}-{n}" for m, n in SETS])
def test_arguments(method: QueryMethod, number: int, outcome: ResultsReader) -> None:
    _, parameters, sets = CALLS[method.name]
    compare(method, f"{method.id} {number}", dict(zip(parameters, sets[number], strict=True)), False, outcome)


def compare(method: QueryMethod, label: str, arguments: dict[str, Any], ordered: bool, outcome: ResultsReader) -> None:
    run = reference_run(Semantics(), arguments)
    expected = attempt(lambda: body_value(method.body, run))
    found = outcome.outcomes[label]
    if isinstance(expected, str) and expected.startswith("error"):
        assert found.error is not None
        return
    assert found.error is None, found.error
    rows: Any = list(outcome.rows(label))
    value = rows if found.shape == "list" else rows[0] if rows else None
    shape = _shape(method)
    actual = of_java(value, shape, java_property_name)
    canonical = of_reference(expected, shape)
    if isinstance(canonical, Rows) and not ordered:
        canonical = Rows(canonical, [len(canonical)])
    difference = Comparer(inexact=True).compare(canonical, actual, shape)
    assert difference is None, str(difference)
