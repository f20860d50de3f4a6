"""mapping.yaml: written, edited, obeyed; mistakes in it are named with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import SHOP, schema_of
from uom.plan.mapping.documents import camel_case, default_mapping
from uom.plan.mapping.yaml_file import MappingProblem, read_yaml, to_yaml


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CustomerId", "customerId"),
        ("ID", "id"),
        ("IPAddress", "ipAddress"),
        ("URL", "url"),
        ("x", "x"),
        ("_a", "_a"),
        ("X", "x"),
    ],
)
def test_camel_case(name: str, expected: str) -> None:
    assert camel_case(name) == expected


def test_round_trip(tmp_path: Path) -> None:
    defaults = (default_mapping(schema_of(SHOP)),)
    file = tmp_path / "mapping.yaml"
    file.write_text(to_yaml(defaults), encoding="utf-8")
    assert read_yaml(file, defaults) == defaults


def test_edits_are_obeyed(tmp_path: Path) -> None:
    defaults = (default_mapping(schema_of(SHOP)),)
    file = tmp_path / "mapping.yaml"
    file.write_text(
        to_yaml(defaults).replace("collection: clients", "collection: people").replace("City: city", "City: town")
    )
    changed = read_yaml(file, defaults)[0].entity("Client")
    assert changed.collection == "people"
    assert changed.field("City").path == "town"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Client:", "Klient:", ["no entity Klient", "Known: Client"]),
        ("City: city", "Town: city", ["no property Town"]),
        ("City: city", "City: $city", ["no field name"]),
        ("City: city", "City: name", ["stored at 'name'"]),
        ("collection: clients", "kollection: clients", ["'kollection' is not known"]),
        ("contexts:", "contexts: [", ["not valid YAML"]),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    defaults = (default_mapping(schema_of(SHOP)),)
    file = tmp_path / "mapping.yaml"
    file.write_text(to_yaml(defaults).replace(old, new, 1))
    with pytest.raises(MappingProblem) as problem:
        read_yaml(file, defaults)
    text = str(problem.value.diagnostic)
    assert all(word in text for word in words), text
    assert problem.value.diagnostic.place is not None
