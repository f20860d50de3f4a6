"""A data file that does not fit is named with table, row and column."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support import SHOP, TABLES, schema_of
from uom.data.documents import documents
from uom.data.rows import DataFile, DataProblem, build_database
from uom.plan.mapping.documents import default_mapping


def changed(table: str, row: int, **columns: Any) -> DataFile:
    tables = copy.deepcopy(TABLES)
    tables[table][row].update(columns)
    return DataFile("rows.json", tables)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DataFile("rows.json", {"Clients": []}), ["table Sales", "no table for entity Sale"]),
        (changed("Sales", 1, Total="ten"), ["Sales, row 2, column Total", "decimal"]),
        (changed("Sales", 0, SoldOn="yesterday"), ["row 1, column SoldOn", "DateTime"]),
        (changed("Sales", 0, Count=70000), ["column Count", "short"]),
        (changed("Sales", 0, Count=1.5), ["column Count"]),
        (changed("Sales", 0, Total=None), ["column Total", "required"]),
        (changed("Sales", 2, Id=1), ["Sales, row 3", "occurs twice"]),
        (changed("Sales", 0, ClientId=99), ["Sales, row 1", "ClientId = 99", "Clients"]),
    ],
)
def test_problems_are_named(data: DataFile, words: list[str]) -> None:
    with pytest.raises(DataProblem) as problem:
        build_database(data, schema_of(SHOP))
    text = str(problem.value.diagnostic)
    assert all(word in text for word in words), text


def test_documents_have_every_column() -> None:
    schema = schema_of(SHOP)
    made = documents(build_database(DataFile("rows.json", TABLES), schema), schema, default_mapping(schema))
    assert made["clients"][1] == {"_id": 2, "name": "ada", "city": None}
    assert set(made["sales"][0]) == {"_id", "clientId", "total", "tip", "soldOn", "status", "count", "weight"}
    assert str(made["sales"][0]["total"]) == "10.50"
