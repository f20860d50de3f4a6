"""Cases as files: each `cases/X.cs` is read together with `shop.cs`; `X.txt` has what must come out.

Run with UOM_UPDATE_CASES=1 to write the expectations anew, and read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.read.wellformed import problems
from uom.model.printing import print_method
from uom.model.program import Program, QueryMethod
from uom.read import read_program
from uom.read.csharp.syntax import parse

FOLDER = Path(__file__).parent / "cases"
THEMES = sorted(p.stem for p in FOLDER.glob("*.cs") if p.stem != "shop")


def read(theme: str) -> Program:
    files = [FOLDER / "shop.cs", FOLDER / f"{theme}.cs"]
    return read_program([parse(f.name, f.read_text(encoding="utf-8")) for f in files])


def printed(program: Program) -> str:
    blocks = []
    for method in (m for m in program.methods if m.place.file != "shop.cs"):
        if isinstance(method, QueryMethod):
            notes = [f"    // {d}" for d in method.diagnostics]
            blocks.append("\n".join([print_method(method), *notes]))
        else:
            blocks.append("\n".join([f"refused {method.id}", *(f"    // {d}" for d in method.diagnostics)]))
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize("theme", THEMES)
def test_algebra_is_as_expected(theme: str) -> None:
    actual = printed(read(theme))
    expected = FOLDER / f"{theme}.txt"
    if os.environ.get("UOM_UPDATE_CASES"):
        expected.write_text(actual, encoding="utf-8")
    assert actual == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", THEMES)
def test_algebra_is_well_formed(theme: str) -> None:
    program = read(theme)
    for method in program.methods:
        if isinstance(method, QueryMethod):
            assert problems(method, program.schema_of(method)) == [], method.id


def test_every_refusal_names_place_reason_and_construct() -> None:
    for theme in THEMES:
        for method in read(theme).methods:
            if not isinstance(method, QueryMethod):
                first = method.diagnostics[0]
                assert first.construct and first.reason and first.place is not None, method.id
