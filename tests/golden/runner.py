"""Translates, compiles and runs the methods of a golden folder in batches, and judges each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.golden.cases import Case, expected_value, load_code, to_json
from uom.data.content import content_for
from uom.data.rows import DataFile, build_database
from uom.model.program import Program, Semantics
from uom.model.types import EnumType
from uom.read import read_program
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.translation import Translation, TranslationOptions, translate_program
from uom.verify.canonical import Canonical, Rows, Unreadable, of_java
from uom.verify.compare import Comparer
from uom.verify.shapes import ListShape, ObjectShape, ScalarShape, Shape, shape_of
from uom.verify.target import Call, CallResult, run_target
from uom.write.names import java_property_name

BATCH = 60
STATUSES = ("equivalent", "different", "refused", "withheld", "failed")


@dataclass(frozen=True)
class Verdict:
    case: Case
    status: str
    reason: str = ""
    place: str = ""
    rows: Any = None


def run_folder(
    folder: Path,
    cases: Sequence[Case],
    data: DataFile,
    semantics: Semantics,
    worker: JavaWorker,
    engine: TargetEngine,
) -> Iterator[Verdict]:
    """A verdict per case, batch by batch, so that memory stays bounded."""
    program = read_program(load_code(folder))
    for _, theme in groupby(cases, key=lambda c: c.theme):
        methods = list(theme)
        for start in range(0, len(methods), BATCH):
            yield from _run_batch(program, methods[start : start + BATCH], data, semantics, worker, engine)


def _run_batch(
    program: Program,
    cases: Sequence[Case],
    data: DataFile,
    semantics: Semantics,
    worker: JavaWorker,
    engine: TargetEngine,
) -> Iterator[Verdict]:
    wanted = {c.id for c in cases}
    translation = translate_program(
        program, TranslationOptions(semantics=semantics, target=engine.kind, only=wanted.__contains__)
    )
    results: dict[str, CallResult] = {}
    for unit in translation.units:
        calls = [Call(p.method.id, p.method.id) for p in unit.planned if unit.java_method(p.method.id) is not None]
        database = build_database(data, unit.schema, unit.entities())
        content = content_for(database, unit.schema, unit.mapping, unit.semantics, data.name)
        with engine.fresh_database(content) as name:
            results.update(run_target(unit, calls, worker, engine, name).results)
    for case in cases:
        yield _judge(case, translation, results.get(case.id), engine)


def _judge(case: Case, translation: Translation, result: CallResult | None, engine: TargetEngine) -> Verdict:
    refused = next((r for r in translation.refused if r.id == case.id), None)
    if refused is not None:
        status = "equivalent" if case.throws else "refused"
        return Verdict(
            case,
            status,
            f"{refused.reason.construct}: {refused.reason.reason}",
            str(refused.reason.place or refused.place),
        )
    planned = translation.planned(case.id)
    if planned is None or result is None:
        status = "equivalent" if case.throws and planned is None else "failed"
        return Verdict(case, status, "the method was not found" if planned is None else "it never ran")
    place = str(planned.method.place)
    if result.compile_error:
        return Verdict(case, "failed", f"does not compile: {result.compile_error}", place)
    if result.failure:
        return Verdict(case, "equivalent" if case.throws else "failed", result.failure, place)
    if case.throws:
        return Verdict(case, "different", f"{case.content['error']} was expected, rows came back", place)
    unit = translation.unit_of(case.id)
    assert unit is not None
    shape = shape_of(planned.method.body, unit.schema)
    try:
        actual = of_java(result.value, shape, java_property_name)
    except Unreadable as problem:
        return Verdict(case, "failed", str(problem), place)
    return _compare(case, actual, result, engine, place)


def _compare(case: Case, actual: Canonical, result: CallResult, engine: TargetEngine, place: str) -> Verdict:
    expected, shape = expected_value(case)
    rows = to_json(actual)
    difference = Comparer(inexact=True).compare(expected, _as_expected(actual, shape), shape)
    if difference is not None:
        return Verdict(case, "different", str(difference), place, rows)
    touched = engine.doubts(result.commands)
    if touched:
        return Verdict(case, "withheld", "; ".join(touched), place, rows)
    return Verdict(case, "equivalent", "", place, rows)


def _as_expected(actual: Canonical, shape: Shape) -> Canonical:
    """Numbers by value: an int where a decimal is expected is that decimal, and so on."""
    if actual is None:
        return None
    match shape:
        case ScalarShape(type=type_) if not isinstance(type_, EnumType):
            if isinstance(actual, bool) or not isinstance(actual, int | float | Decimal):
                return actual
            if type_.kind.value == "decimal":
                return Decimal(str(actual))
            if type_.kind.value in ("double", "float"):
                return float(actual)
            return int(actual) if actual == int(actual) else actual
        case ListShape(element=element) if isinstance(actual, list):
            return Rows([_as_expected(v, element) for v in actual], None)
        case ObjectShape(fields=fields) if isinstance(actual, dict):
            known: Mapping[str, Shape] = dict(fields)
            return {n: _as_expected(v, known[n]) if n in known else v for n, v in actual.items()}
    return actual


Progress = Callable[[Verdict], None]
