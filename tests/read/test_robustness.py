"""Whatever the text, the reader answers with a program: no exception escapes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uom.read import read_program
from uom.read.csharp.syntax import InputProblem, parse

FOLDER = Path(__file__).parent / "cases"
GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "efcore"
TEXTS = [f.read_text(encoding="utf-8") for f in sorted([*FOLDER.glob("*.cs"), *GOLDEN.glob("*.cs")])]
SHOP = (FOLDER / "shop.cs").read_text(encoding="utf-8")
TOKENS = [re.findall(r"\w+|\s+|[^\w\s]", t) for t in TEXTS]
VOCABULARY = sorted({t for tokens in TOKENS for t in tokens})
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def read(text: str) -> None:
    try:
        sources = [parse("shop.cs", SHOP), parse("x.cs", text)]
    except InputProblem:
        return
    for method in read_program(sources).methods:
        assert method.place.line >= 1


@RELAXED
@given(st.data())
def test_changed_code(data: st.DataObject) -> None:
    tokens = list(data.draw(st.sampled_from(TOKENS)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        action = data.draw(st.sampled_from(["replace", "delete", "insert", "swap"]))
        if action == "replace":
            tokens[at] = data.draw(st.sampled_from(VOCABULARY))
        elif action == "delete":
            del tokens[at : at + data.draw(st.integers(1, 4))]
        elif action == "insert":
            tokens.insert(at, data.draw(st.sampled_from(VOCABULARY)))
        else:
            other = data.draw(st.integers(0, len(tokens) - 1))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        if not tokens:
            return
    read("".join(tokens))


@RELAXED
@given(st.sampled_from(TEXTS), st.integers(0, 10_000))
def test_cut_off_code(text: str, length: int) -> None:
    read(text[: length % (len(text) + 1)])


@RELAXED
@given(st.text())
def test_any_text(text: str) -> None:
    read(text)


def method(body: str) -> str:
    return f"namespace Shop; public class R {{ ShopContext db; public object M(int x) {{ {body} }} }}"


@pytest.mark.parametrize(
    "body",
    [
        "return db.Sales.Where(s => " + " + ".join(["s.Big"] * 3000) + " > 1).ToList();",
        "return db.Sales.Where(s => " + " || ".join(f"s.Id == {i}" for i in range(350)) + ").ToList();",
        "return db.Sales" + ".Where(s => s.Id > 1)" * 350 + ".ToList();",
        "return db.Sales.Where(s => " + "(" * 2000 + "s.Id > 1" + ")" * 2000 + ").ToList();",
        "return db.Sales.Select(s => " + "s.Id == 1 ? 1 : " * 2000 + "2).ToList();",
        "var q = db.Sales.AsQueryable(); " + "if (x > 1) q = q.OrderBy(s => s.Id); " * 30 + "return q.ToList();",
        "var q = db.Sales.AsQueryable(); " + "if (x > 1) q = q.Where(s => s.Id > 1); " * 300 + "return q.ToList();",
        "return " + "x > 1 ? db.Sales.ToList() : " * 300 + "db.Sales.ToList();",
    ],
)
def test_deep_code(body: str) -> None:
    read(method(body))
