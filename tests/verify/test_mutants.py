"""Wrong translations of the demo's queries, compiled and run like right ones, must be found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from uom.data.content import content_for
from uom.data.rows import DataFile, build_database, read_data_file
from uom.plan.planner import Planned
from uom.read import load_sources
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import TranslationOptions, Unit, translate
from uom.verify.arguments import argument_sets
from uom.verify.canonical import Canonical, Unreadable, of_java
from uom.verify.compare import Comparer
from uom.verify.mutants import Mutant, mutants
from uom.verify.session import is_inexact
from uom.verify.shapes import Shape, shape_of
from uom.verify.source import ReferenceSource
from uom.verify.target import Call, CallResult, run_target
from uom.write.names import java_property_name

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "northwind"
AT_LEAST = 6


@pytest.fixture(scope="module")
def unit(engine: TargetEngine) -> Unit:
    (only,) = translate(load_sources((str(EXAMPLE),)), TranslationOptions(target=engine.kind)).units
    return only


@pytest.fixture(scope="module")
def data() -> DataFile:
    return read_data_file(EXAMPLE / "northwind.json")


def test_each_demo_query_has_mutants_that_are_found_out(
    unit: Unit, data: DataFile, target_java: JavaWorker, engine: TargetEngine
) -> None:
    assert len(unit.planned) == 15
    database = build_database(data, unit.schema)
    source = ReferenceSource(unit.schema, database, unit.semantics)
    content = content_for(database, unit.schema, unit.mapping, unit.semantics, data.name)
    with engine.fresh_database(content) as name:
        for planned in unit.planned:
            sets = argument_sets(planned.method, unit.schema, database, unit.semantics)
            shape = shape_of(planned.method.body, unit.schema)
            expected = [source.call("", planned.method, arguments, shape).value for arguments in sets]
            found = mutants(planned.method, unit.schema)
            wrong = with_methods(unit, found)
            calls = [
                Call(f"{m.method.id}-{i}", m.method.id, tuple(s[p.name] for p in m.method.parameters))
                for m in found
                for i, s in enumerate(sets)
                if wrong.java_method(m.method.id) is not None
            ]
            results = run_target(wrong, calls, target_java, engine, name).results
            caught = {m.what for m in found if is_caught(m, planned, shape, expected, results)}
            assert len(caught) >= AT_LEAST, f"{planned.method.id}: only {sorted(caught)} of {[m.what for m in found]}"


def with_methods(unit: Unit, found: list[Mutant]) -> Unit:
    return unit.rewritten(tuple(Planned(m.method, ()) for m in found))


def is_caught(
    mutant: Mutant, planned: Planned, shape: Shape, expected: Sequence[Canonical], results: Mapping[str, CallResult]
) -> bool:
    """Whether at least one call of the mutant ran and returned something else than the original's meaning."""
    for number, rows in enumerate(expected):
        result = results.get(f"{mutant.method.id}-{number}")
        if result is None or result.compile_error or result.failure:
            continue
        try:
            actual = of_java(result.value, shape, java_property_name)
        except Unreadable:
            return True
        if Comparer(inexact=is_inexact(planned.method)).compare(rows, actual, shape) is not None:
            return True
    return False
