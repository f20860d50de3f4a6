"""Other rows of the same kind, that hang together as the given ones do."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from uom.data.content import content_for
from uom.data.rows import DataFile, DataProblem, build_database, check_foreign_keys, read_data_file
from uom.read import load_sources
from uom.reference.values import Database
from uom.translation import TranslationOptions, Unit, translate
from uom.verify.other_rows import MOST_ROWS, constants_of, other_rows

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "examples" / "northwind", *sorted(p.parent for p in (ROOT / "tests" / "corpus").glob("*/data.json"))]


def loaded(folder: Path, target: str = "mongodb") -> list[tuple[Unit, Database, DataFile]]:
    data = read_data_file(next(f for f in (folder / "data.json", folder / "northwind.json") if f.exists()))
    units = translate(load_sources((str(folder),)), TranslationOptions(target=target)).units
    return [(unit, build_database(data, unit.schema, ()), data) for unit in units]


@pytest.mark.parametrize("target", ["mongodb", "neo4j"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_what_holds_of_other_rows(folder: Path, target: str) -> None:
    """They hang together, and what the target can store of the given rows it can store of these."""
    for unit, database, data in loaded(folder, target):
        try:
            content_for(database, unit.schema, unit.mapping, unit.semantics, data.name)
        except DataProblem:
            continue
        hold_together(unit, database, data)


def hold_together(unit: Unit, database: Database, data: DataFile) -> None:
    constants = constants_of(p.method for p in unit.planned)
    for seed in range(8):
        other = other_rows(database, unit.schema, constants, seed)
        check_foreign_keys(data.name, unit.schema, other)
        content_for(other, unit.schema, unit.mapping, unit.semantics, data.name)
        again = other_rows(database, unit.schema, constants, seed)
        for root, rows in other.rows.items():
            identities = [r.identity for r in rows]
            assert len(set(identities)) == len(identities) <= MOST_ROWS
            assert set(identities) <= {r.identity for r in database.rows[root]}
            assert [r.values for r in again.rows[root]] == [r.values for r in rows], "the same seed, the same rows"
            for row in rows:
                for column in unit.schema.entity(row.entity).properties:
                    value = row.values[column.name]
                    assert value is not None or column.type.nullable, (root, column.name)


def test_the_rows_are_others() -> None:
    for unit, database, _ in loaded(ROOT / "examples" / "northwind"):
        sizes: dict[str, set[int]] = {}
        for seed in range(40):
            other = other_rows(database, unit.schema, [], seed)
            for root, rows in other.rows.items():
                before = {r.identity: r.values for r in database.rows[root]}
                sizes.setdefault(root, set()).add(len(rows))
                changed = sum(before[r.identity] != r.values for r in rows)
                assert changed > len(rows) / 2 or len(rows) < 4, (root, changed, len(rows))
        for root, found in sizes.items():
            assert 0 in found and max(found) > min(len(database.rows[root]), MOST_ROWS) / 3, (root, found)


def test_values_come_near_what_a_query_asks_for() -> None:
    """Of a price that no row has, neighbours are among the values; of a date and a text too."""
    for unit, database, _ in loaded(ROOT / "examples" / "northwind"):
        wanted = [Decimal("123456.75"), "Xanadu"]
        rows = [
            row
            for seed in range(10)
            for found in other_rows(database, unit.schema, wanted, seed).rows.values()
            for row in found
        ]
        values = {v for row in rows for v in row.values.values() if isinstance(v, str | Decimal)}
        assert {Decimal("123456.75"), Decimal("123457.75"), "Xanadu", "xanadu"} <= values
