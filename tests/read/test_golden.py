"""The golden EF Core cases, if they are at hand: nearly all read, what is refused is refused by name and place.

That the algebra also gives the right rows is the business of `tests/golden`; here it runs through the interpreter.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.golden.cases import Case, expected_value, load_cases, load_code
from tests.golden.runner import _as_expected
from tests.read.wellformed import problems
from uom.data.rows import build_database, read_data_file
from uom.model.program import PROVIDER_SEMANTICS, Program, QueryMethod
from uom.plan.query_filters import apply_query_filters
from uom.read import read_program
from uom.reference.interpreter import evaluate_method
from uom.reference.values import QueryError
from uom.verify.canonical import of_reference
from uom.verify.compare import Comparer
from uom.verify.shapes import shape_of

SHARED = Path(__file__).resolve().parents[3] / "shared"
FOLDER = SHARED / "golden" / "efcore"
REFUSED = {
    "Projections.ContactInitialsOnTheClient",
    "Projections.LabelsAfterAsEnumerable",
    "RawSql.RawSqlWithParameterAndOrder",
    "RawSql.SqlWithIncludedNavigation",
    "RawSql.RawSqlJoinedWithSet",
    "Untranslatable.ComparisonWithStringComparison",
    "Untranslatable.UnmappedPropertyInWhere",
    "Untranslatable.NumberedRows",
    "Untranslatable.OneProductPerCategoryByDistinctBy",
    "Untranslatable.DearestProductByMaxBy",
}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the golden cases are not here")


@cache
def program() -> Program:
    return read_program(load_code(FOLDER))


@cache
def cases() -> list[Case]:
    return load_cases(FOLDER)


def test_every_case_is_found_and_only_these_are_refused() -> None:
    read = program()
    assert {m.id for m in read.methods} == {c.id for c in cases()}
    assert {m.id for m in read.methods if not isinstance(m, QueryMethod)} <= REFUSED
    assert read.diagnostics == ()


def test_refusals_name_construct_reason_and_place() -> None:
    for method in program().methods:
        if not isinstance(method, QueryMethod):
            first = method.diagnostics[0]
            assert first.construct and first.reason and first.place is not None
            assert first.place.file == method.place.file


def test_algebra_is_well_formed() -> None:
    read = program()
    found = {m.id: problems(m, read.schema_of(m)) for m in read.methods if isinstance(m, QueryMethod)}
    assert {name: what for name, what in found.items() if what} == {}


def test_the_interpreter_gives_the_rows_of_ef_core() -> None:
    read, data = program(), read_data_file(SHARED / "data" / "northwind.json")
    methods = {m.id: m for m in read.methods}
    databases = {s.context: build_database(data, s) for s in read.schemas}
    different = {}
    for case in cases():
        method = methods[case.id]
        if not isinstance(method, QueryMethod):
            continue
        schema = read.schema_of(method)
        planned = replace(method, body=apply_query_filters(method.body, schema))
        try:
            value = evaluate_method(planned, schema, databases[method.context], PROVIDER_SEMANTICS["postgres"])
        except QueryError as error:
            if not case.throws:
                different[case.id] = str(error)
            continue
        expected, shape = expected_value(case)
        actual = _as_expected(of_reference(value, shape_of(planned.body, schema)), shape)
        difference = Comparer(inexact=True).compare(expected, actual, shape)
        if difference is not None:
            different[case.id] = str(difference)
    assert different == {}
