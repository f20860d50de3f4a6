"""The format of a golden folder: themes, methods, and the rows that the real framework returned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from uom.model.types import EnumType, Kind, ScalarType
from uom.read.csharp.syntax import SourceFile, decode, parse
from uom.verify.canonical import Canonical, Rows
from uom.verify.shapes import ListShape, ObjectShape, ScalarShape, Shape


@dataclass(frozen=True)
class Case:
    """One method. `content` is the case's JSON object as the format's README describes it."""

    theme: str
    method: str
    content: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.theme}.{self.method}"

    @property
    def throws(self) -> bool:
        return bool(self.content["kind"] == "throws")


def load_cases(folder: Path) -> list[Case]:
    """All cases of a folder, by theme and in file order."""
    cases: list[Case] = []
    for file in sorted((folder / "expected").glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
        cases.extend(Case(file.stem, method, case) for method, case in content.items())
    return cases


def load_code(folder: Path) -> list[SourceFile]:
    return [parse(f.name, decode(f.name, f.read_bytes())) for f in sorted(folder.glob("*.cs"))]


def shape_of(columns: Any) -> Shape:
    """The shape that a case's `columns` describe."""
    if isinstance(columns, str):
        name = columns.removesuffix("?")
        kinds = {kind.value: kind for kind in Kind}
        if name in kinds:
            return ScalarShape(ScalarType(kinds[name], columns.endswith("?")))
        return ScalarShape(EnumType(name, (), nullable=columns.endswith("?")))
    if isinstance(columns, list):
        return ListShape(shape_of(columns[0]))
    if set(columns) == {""}:
        return shape_of(columns[""])
    return ObjectShape(tuple((name, shape_of(inner)) for name, inner in columns.items()))


def expected_value(case: Case) -> tuple[Canonical, Shape]:
    """What the case expects, and its shape; a `single` is one row or null."""
    content = case.content
    kind = content["kind"]
    columns = content.get("columns", {})
    if kind == "scalar":
        value = content["value"]
        shape = shape_of(columns)
        return _canonical(value, shape, frozenset(), ""), shape
    row = shape_of(columns)
    ordered = frozenset(content.get("nested_ordered", ()))
    rows = [_canonical(r, row, ordered, "") for r in content["rows"]]
    if kind == "single":
        return (rows[0] if rows else None), row
    return Rows(rows, [1] * len(rows) if content["ordered"] else [len(rows)]), ListShape(row)


def _canonical(value: Any, shape: Shape, ordered: frozenset[str], path: str) -> Canonical:
    if value is None:
        return None
    match shape:
        case ScalarShape(type=ScalarType(kind=Kind.DECIMAL)):
            return Decimal(value)
        case ScalarShape(type=ScalarType(kind=kind)) if kind in (Kind.FLOAT, Kind.DOUBLE):
            return float(value)
        case ListShape(element=element):
            items = [_canonical(v, element, ordered, path) for v in value]
            return Rows(items, [1] * len(items) if path in ordered else [len(items)])
        case ObjectShape(fields=fields):
            return {n: _canonical(value.get(n), s, ordered, f"{path}.{n}".lstrip(".")) for n, s in fields}
    return value


def to_json(value: Canonical) -> Any:
    """A canonical value as `expected/` writes it: decimals as text without trailing zeros."""
    match value:
        case Decimal():
            text = format(value, "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        case dict():
            return {k: to_json(v) for k, v in value.items()}
        case list():
            return [to_json(v) for v in value]
    return value
