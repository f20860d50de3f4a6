"""Every column type and a hierarchy: written, filtered, bound as a parameter and read back by Java."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pymongo
import pytest

from tests.write.driver import attempt, body_value
from uom.data.documents import documents
from uom.model import queries as q
from uom.model.diagnostics import Place
from uom.model.expressions import Compare, Comparison, Const, Expr, Lambda, New, Parameter, Property, Subquery, Var
from uom.model.program import MethodParameter, QueryMethod, ResultShape, Semantics
from uom.model.schema import Discriminator, Entity, Schema, ValueConverter
from uom.model.schema import Property as Column
from uom.model.types import (
    INT,
    STRING,
    EntityType,
    EnumType,
    Field,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
)
from uom.plan.mapping.documents import default_mapping
from uom.reference.arithmetic import single
from uom.reference.interpreter import Run
from uom.reference.values import Database, Row
from uom.run.java.harness import Invocation, harness
from uom.run.java.results import ResultsReader
from uom.run.java.worker import JavaWorker, RunStatus
from uom.run.toolchain import Toolchain
from uom.verify.canonical import of_java, of_reference
from uom.verify.compare import Comparer
from uom.verify.shapes import ListShape, Shape, entity_shape, shape_of
from uom.write.mongodb import JavaOptions, java_call, java_property_name, write_bundle

COLOUR = EnumType("Colour", (("Red", 1), ("Green", 5)))
SAMPLES: dict[Kind, tuple[Any, Any]] = {
    Kind.BOOL: (True, False),
    Kind.SBYTE: (-5, 7),
    Kind.BYTE: (200, 3),
    Kind.SHORT: (-300, 300),
    Kind.USHORT: (60000, 1),
    Kind.INT: (-70000, 70000),
    Kind.UINT: (4000000000, 5),
    Kind.LONG: (-(2**62), 9),
    Kind.ULONG: (2**64 - 1, 4),
    Kind.DECIMAL: (Decimal("12345678901234567890.1234"), Decimal("-0.10")),
    Kind.FLOAT: (single(0.1), 2.5),
    Kind.DOUBLE: (0.1, -1e-300),
    Kind.STRING: ("a'\"\\ \u00e4 $x\n?0", ""),
    Kind.CHAR: ("'", "\u00e4"),
    Kind.DATETIME: (datetime(1969, 12, 31, 23, 59, 59, 999000), datetime(9999, 12, 31)),
    Kind.DATETIMEOFFSET: (datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(1950, 1, 1, tzinfo=UTC)),
    Kind.DATEONLY: (date(1815, 12, 10), date(2024, 2, 29)),
    Kind.TIMEONLY: (time(23, 59, 59, 500000), time(0, 0)),
    Kind.TIMESPAN: (timedelta(days=-3, milliseconds=7), timedelta(hours=5)),
    Kind.GUID: (UUID("00112233-4455-6677-8899-aabbccddeeff"), UUID(int=0)),
    Kind.BYTES: (b"\x00\xff", b""),
}
KINDS = tuple(SAMPLES)
COLUMNS: dict[str, Type] = {k.name.title(): ScalarType(k) for k in KINDS}
COLUMNS |= {f"Maybe{k.name.title()}": ScalarType(k, True) for k in KINDS}
COLUMNS |= {"Colour": COLOUR, "MaybeColour": as_nullable(COLOUR)}
KIND_OF = Discriminator("Kind", STRING, (("Animal", "Animal"), ("Dog", "dog"), ("Cat", "CAT")))
SCHEMA = Schema(
    "Zoo",
    (
        Entity(
            "Everything",
            "Everything",
            None,
            ("Id",),
            (Column("Id", INT, "Id"), *(Column(n, t, n) for n, t in COLUMNS.items())),
        ),
        Entity(
            "Animal",
            "Animals",
            None,
            ("AnimalId",),
            (
                Column("AnimalId", STRING, "AnimalId"),
                Column("Class", STRING, "Class"),
                Column("Wild", ScalarType(Kind.BOOL), "Wild", converter=ValueConverter(((True, "Y"), (False, "N")))),
            ),
            discriminator=KIND_OF,
        ),
        Entity("Dog", "Animals", None, ("AnimalId",), (
            Column("AnimalId", STRING, "AnimalId"), Column("Class", STRING, "Class"),
            Column("Wild", ScalarType(Kind.BOOL), "Wild"), Column("Barks", INT, "Barks")), base="Animal", discriminator=KIND_OF),
        Entity("Cat", "Animals", None, ("AnimalId",), (
            Column("AnimalId", STRING, "AnimalId"), Column("Class", STRING, "Class"),
            Column("Wild", ScalarType(Kind.BOOL), "Wild"), Column("Id", INT, "Id2")), base="Animal", discriminator=KIND_OF),
    ),
)  # fmt: skip
MAPPING = default_mapping(SCHEMA)


def _everything(number: int) -> Row:
    values: dict[str, Any] = {"Id": number, "Colour": 5 if number else 1, "MaybeColour": None if number else 5}
    for kind in KINDS:
        values[kind.name.title()] = SAMPLES[kind][number]
        values[f"Maybe{kind.name.title()}"] = None if number else SAMPLES[kind][1]
    return Row("Everything", values, ("Everything", str(number)))


def _animal(entity: str, key: str, **more: Any) -> Row:
    values = {"AnimalId": key, "Class": f"class {key}", "Wild": key > "b", **more}
    return Row(entity, values, ("Animal", key))


DATABASE = Database(
    {
        "Everything": [_everything(0), _everything(1)],
        "Animal": [
            _animal("Animal", "507f1f77bcf86cd799439011"),
            _animal("Dog", "b", Barks=3),
            _animal("Cat", "c", Id=9),
        ],
    }
)
PLACE = Place("Zoo.cs", 1, 1)


def _scan(entity: str) -> q.Scan:
    return q.Scan(entity, EntityType(entity), ())


def _list(query: q.Query) -> Expr:
    return Subquery(query, SequenceType(query.element))


def _where(query: q.Query, name: str, value: Expr) -> q.Query:
    row = Var("x", query.element)
    column = COLUMNS.get(name) or next(p.type for e in SCHEMA.entities for p in e.properties if p.name == name)
    return q.Filter(query, Lambda(row, Compare(Comparison.EQ, Property(row, name, column), value)), query.element)


def _select(query: q.Query, *names: str) -> q.Query:
    row = Var("y", query.element)
    fields = [Field(n, COLUMNS[n]) for n in names]
    body = New(RecordType(None, tuple(fields)), tuple(Property(row, f.name, f.type) for f in fields))
    return q.Map(query, Lambda(row, body), body.type)


def _methods() -> Iterator[tuple[QueryMethod, tuple[Any, ...]]]:
    def method(name: str, body: Expr, *parameters: tuple[str, Type]) -> QueryMethod:
        found = tuple(MethodParameter(n, t) for n, t in parameters)
        return QueryMethod(name, "Zoo", found, body, ResultShape.ROWS, body.type, "Zoo", PLACE, 1)

    yield method("All", _list(_scan("Everything"))), ()
    yield method("AllColumns", _list(_select(_scan("Everything"), *COLUMNS))), ()
    for name, type_ in COLUMNS.items():
        sample = 5 if isinstance(type_, EnumType) else SAMPLES[type_.kind][1]  # type: ignore[union-attr]
        if name.endswith("Bytes"):
            continue
        constant = Const(sample, as_nullable(type_, False))
        yield method(f"By{name}", _list(_where(_scan("Everything"), name, constant))), ()
        computed = _select(_where(_scan("Everything"), name, constant), name)
        yield method(f"Of{name}", _list(computed)), ()
        bound = _where(_scan("Everything"), name, Parameter("value", type_))
        yield method(f"Bound{name}", _list(bound), ("value", type_)), (sample,)
        yield method(f"Raw{name}", _list(_select(bound, name)), ("value", type_)), (sample,)
        row = Var("z", EntityType("Everything"))
        value = q.Map(_scan("Everything"), Lambda(row, Property(row, name, type_)), type_)
        yield method(f"Values{name}", _list(value)), ()
        if name in ("Colour", "Datetimeoffset"):  # 0 is no Colour; the interpreter has no default instant
            continue
        first = q.Pick(
            q.PickKind.FIRST,
            q.Filter(value, Lambda(Var("w", type_), Const(False, COLUMNS["Bool"])), type_),
            True,
            type_,
        )
        yield method(f"Default{name}", Subquery(first, type_)), ()
    for entity in ("Animal", "Dog", "Cat"):
        yield method(f"Every{entity}", _list(_scan(entity))), ()
    yield method("Wild", _list(_where(_scan("Animal"), "Wild", Const(True, COLUMNS["Bool"])))), ()
    yield method("OneAnimal", _list(_where(_scan("Animal"), "AnimalId", Const("507f1f77bcf86cd799439011", STRING)))), ()
    yield method("DogsOnly", _list(q.OfType(_scan("Animal"), "Dog", EntityType("Dog")))), ()


METHODS = list(_methods())


@pytest.fixture(scope="module")
def outcome(server: str, tools: Toolchain, tmp_path_factory: Any) -> ResultsReader:
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server, uuidRepresentation="standard")
    for name, rows in documents(DATABASE, SCHEMA, MAPPING).items():
        client["zoo"][name].insert_many(rows)
    client.close()
    folder: Path = tmp_path_factory.mktemp("zoo")
    bundle = write_bundle([m for m, _ in METHODS], SCHEMA, MAPPING, Semantics(), JavaOptions())
    assert bundle.refusals == ()
    by_id = {m.id: m for m in bundle.methods}
    calls = [Invocation(m.id, java_call(by_id[m.id], arguments)) for m, arguments in METHODS]
    harnessed = harness(bundle, calls, 60)
    with JavaWorker(tools) as worker:
        run = worker.run(harnessed.files, harnessed.main_class, [server, "zoo", str(folder)], 25, 300)
    assert run.status is RunStatus.OK, (run.diagnostics[:5], run.trace, run.stderr[-2000:])
    return ResultsReader(folder)


@pytest.mark.parametrize("number", range(len(METHODS)), ids=[m.name for m, _ in METHODS])
def test_rows(number: int, outcome: ResultsReader) -> None:
    method, arguments = METHODS[number]
    values = dict(zip((p.name for p in method.parameters), arguments, strict=True))
    run = Run(SCHEMA, DATABASE, Semantics(), values, datetime(2020, 1, 1))
    found = outcome.outcomes[method.id]
    assert found.error is None, found.error
    rows: Any = list(outcome.rows(method.id))
    value = rows if found.shape == "list" else rows[0] if rows else None
    shape = _shape(method.body)
    actual = of_java(value, shape, java_property_name)
    expected = of_reference(attempt(lambda: body_value(method.body, run)), shape)
    difference = Comparer(inexact=False).compare(expected, actual, shape)
    assert difference is None, str(difference)


def _shape(body: Expr) -> Shape:
    if isinstance(body, Subquery) and isinstance(body.query, q.Scan):
        return ListShape(entity_shape(body.query.entity, SCHEMA))
    return shape_of(body, SCHEMA)
