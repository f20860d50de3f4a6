"""A data file that does not fit is named with table, row and column."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import SHOP, TABLES, schema_of
from uom.data.documents import documents
from uom.data.rows import DataFile, DataProblem, build_database, read_data_file
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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"tables": {"Sales": {"Id": 1}}}', "a list of rows"),
        (b'{"tables": {"Sales": [{"Id": 1}, null]}}', "Sales, row 2"),
        (b'{"tables": {"Sales": [], "Sales": []}}', "'Sales' occurs twice"),
        (b'{"Sales": [{"Weight": NaN}]}', "NaN is no JSON number"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"1" * 5000, "not valid JSON"),
    ],
)
def test_files_that_are_no_data(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "rows.json").write_bytes(content)
    with pytest.raises(DataProblem) as caught:
        read_data_file(tmp_path / "rows.json")
    assert words in str(caught.value.diagnostic)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_as_other_tools_save_them(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "rows.json").write_text('{"Sales": [{"Id": 1}]}', encoding=encoding)
    assert read_data_file(tmp_path / "rows.json").tables == {"Sales": [{"Id": 1}]}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("Count", "1E+999999999"),
        ("Count", "1.5"),
        ("Count", "[1]"),
        ("Count", "99999"),
        ("Total", "1E+40"),
        ("Total", '"Infinity"'),
        ("Total", "0." + "1" * 60),
        ("Weight", "1E+999"),
        ("Weight", '"' + "x" * 5000 + '"'),
        ("SoldOn", '"10000-01-01"'),
        ("Status", "{}"),
    ],
)
def test_values_out_of_range_are_named_shortly(tmp_path: Path, column: str, value: str) -> None:
    row = {**{k: v for k, v in TABLES["Sales"][0].items() if k != column}, "ClientId": None}
    text = json.dumps(row)[:-1] + f', "{column}": {value}}}'
    (tmp_path / "rows.json").write_text(f'{{"Clients": [], "Sales": [{text}]}}')
    with pytest.raises(DataProblem) as caught:
        build_database(read_data_file(tmp_path / "rows.json"), schema_of(SHOP))
    assert f"Sales, row 1, column {column}" in str(caught.value.diagnostic)
    assert len(str(caught.value.diagnostic)) < 300
