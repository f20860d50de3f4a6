"""What rows can tell: a wrong translation that gives the same rows is named."""

from __future__ import annotations

import time
from typing import Any

from tests.support import SHOP, TABLES
from uom.data.rows import DataFile, build_database
from uom.read.csharp.syntax import parse
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import argument_sets
from uom.verify.shapes import shape_of
from uom.verify.source import ReferenceSource
from uom.verify.strength import Strength, strength_of


def strength(query: str, seconds: float = 60, **tables: Any) -> Strength:
    code = f"{SHOP} public class Q(ShopContext db) {{ public object Run(int n) => {query}; }}"
    (unit,) = translate([parse("q.cs", code)], TranslationOptions()).units
    method = unit.planned[0].method
    database = build_database(DataFile("rows.json", {**TABLES, **tables}), unit.schema)
    source = ReferenceSource(unit.schema, database, unit.semantics)
    sets = argument_sets(method, unit.schema, database, unit.semantics)
    return strength_of(method, source, sets, shape_of(method.body, unit.schema), time.monotonic() + seconds)


ORDERED = "db.Clients.Where(c => c.Id > n).OrderBy(c => c.Name).ThenBy(c => c.Id).Select(c => c.Id).ToList()"


def test_rows_tell_wrong_translations_apart() -> None:
    found = strength(ORDERED)
    assert found.caught > found.tried / 2
    assert found.tried == found.caught + len(found.survivors)
    assert not {"predicate dropped", "predicate negated", "order flipped"} & set(found.survivors)


def test_a_single_row_tells_less() -> None:
    found = strength(ORDERED, Clients=TABLES["Clients"][:1], Sales=[])
    assert {"order flipped", "second order flipped"} <= set(found.survivors)
    assert "predicate negated" not in found.survivors


def test_what_ties_may_change_places_is_no_difference() -> None:
    same = [{**row, "Name": "Ada"} for row in TABLES["Clients"]]
    query = "db.Clients.OrderBy(c => c.Name).Select(c => c.Id).ToList()"
    assert {"order flipped", "order dropped"} <= set(strength(query, Clients=same).survivors)


def test_there_is_an_end_to_it() -> None:
    assert strength(ORDERED, seconds=-1) == Strength(0, 0, ())
