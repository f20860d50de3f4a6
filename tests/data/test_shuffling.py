"""Rows dealt out anew: other rows, of the same kind, that hang together as the given ones do."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from uom.data.rows import DataFile, build_database, check_foreign_keys, read_data_file
from uom.data.shuffling import shuffled
from uom.model.schema import Schema
from uom.read import load_sources, read_program
from uom.reference.values import Database

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "examples" / "northwind", *sorted(p.parent for p in (ROOT / "tests" / "corpus").glob("*/data.json"))]


def loaded(folder: Path) -> list[tuple[Schema, Database, DataFile]]:
    data = read_data_file(next(f for f in (folder / "data.json", folder / "northwind.json") if f.exists()))
    schemas = read_program(load_sources((str(folder),))).schemas
    return [(schema, build_database(data, schema, ()), data) for schema in schemas]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_what_holds_of_shuffled_rows(folder: Path) -> None:
    for schema, database, data in loaded(folder):
        for seed in range(5):
            other = shuffled(database, schema, seed)
            check_foreign_keys(data.name, schema, other)
            again = shuffled(database, schema, seed)
            for root, rows in other.rows.items():
                given = database.rows[root]
                assert len(given) - len(rows) >= (1 if len(given) >= 4 else 0)
                identities = [r.identity for r in rows]
                assert len(set(identities)) == len(identities) and set(identities) <= {r.identity for r in given}
                assert [r.values for r in again.rows[root]] == [r.values for r in rows], "the same seed, the same rows"
                for name in {n for row in rows for n in row.values}:
                    values = Counter(repr(r.values[name]) for r in rows if name in r.values)
                    assert values <= Counter(repr(r.values[name]) for r in given if name in r.values), (root, name)


def test_the_rows_are_others() -> None:
    for schema, database, _ in loaded(ROOT / "examples" / "northwind"):
        other = shuffled(database, schema, random.Random(7).getrandbits(64))
        for root, rows in other.rows.items():
            before = {r.identity: r.values for r in database.rows[root]}
            same = sum(before[r.identity] == r.values for r in rows)
            assert same < len(rows) / 2 or len(rows) < 3, (root, same, len(rows))
