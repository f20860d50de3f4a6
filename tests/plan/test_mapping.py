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


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("version: 1", "version: 2", "version 2"),
        ("contexts:", "context:", "Known: version, target, contexts"),
        ("entities:", "entitys:", "Known: entities"),
        ("ShopContext:", "OtherContext:", "Known: ShopContext"),
        ("City: city", "City: city\n          City: town", "'City' is there twice"),
        ("City: city", "City: a.$where", "no field name"),
        ("City: city", "City: .a", "no field name"),
        ("City: city", "City: 'a\"b'", "no field name"),
        ("collection: clients", "collection: sales", "used twice"),
        ("collection: clients", "collection: system.users", "no name for a collection"),
        ("collection: clients", "collection: " + "x" * 300, "no name for a collection"),
        ("Id: _id", "Id: _id.only", "the only one in _id"),
        ("version: 1", "[" * 3000, "not valid YAML"),
    ],
)
def test_an_edit_without_effect_or_sense_is_named(tmp_path: Path, before: str, after: str, words: str) -> None:
    defaults = (default_mapping(schema_of(SHOP)),)
    file = tmp_path / "mapping.yaml"
    text = to_yaml(defaults)
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(MappingProblem) as caught:
        read_yaml(file, defaults)
    assert words in str(caught.value.diagnostic)
    assert str(file) in str(caught.value.diagnostic)


def test_names_that_differ_only_in_case_get_fields_of_their_own(tmp_path: Path) -> None:
    text = (
        "public class Item { public int Id { get; set; } public int ID { get; set; } public int id { get; set; }"
        " public int _id { get; set; } public string Name { get; set; } public string name { get; set; } }"
        " public class ShopContext : DbContext { public DbSet<Item> Items { get; set; } }"
    )
    defaults = (default_mapping(schema_of(text)),)
    paths = [f.path for f in defaults[0].entity("Item").fields]
    assert len(set(paths)) == len(paths), paths
    (tmp_path / "mapping.yaml").write_text(to_yaml(defaults), encoding="utf-8")
    assert read_yaml(tmp_path / "mapping.yaml", defaults) == defaults
