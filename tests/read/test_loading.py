"""Where C# comes from: files, folders, standard input, Markdown."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from uom.model.program import QueryMethod
from uom.read import load_sources, read_program
from uom.read.csharp.syntax import InputProblem

ENTITY = "class Order { public int Id { get; set; } public decimal Total { get; set; } }\n"
QUERY = "public List<Order> Large() => _db.Orders.Where(o => o.Total > 5).ToList();\n"


def test_folder_without_build_output(tmp_path: Path) -> None:
    for name, text in {"a/Order.cs": ENTITY, "b/Queries.cs": QUERY, "obj/Order.cs": ENTITY, "bin/x.cs": "?"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "empty.cs").write_text("", encoding="utf-8")
    sources = load_sources([tmp_path])
    assert [s.name for s in sources] == ["a/Order.cs", "b/Queries.cs"]


def test_markdown_keeps_line_numbers(tmp_path: Path) -> None:
    file = tmp_path / "question.md"
    file.write_text(f"# How?\n\n```csharp\n{ENTITY}{QUERY}```\n\nand `this`?\n", encoding="utf-8")
    (method,) = read_program(load_sources([file])).methods
    assert isinstance(method, QueryMethod)
    assert method.place.line == 5


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO((ENTITY + QUERY).encode())))
    (method,) = read_program(load_sources(["-"])).methods
    assert method.name == "Large"


@pytest.mark.parametrize("content", [b"", b"\0\1", b"\xff\xfe\x00", b"caf\xe9"])
def test_what_is_no_text_is_said_so(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.cs"
    file.write_bytes(content)
    with pytest.raises(InputProblem) as problem:
        load_sources([file])
    assert problem.value.diagnostic.reason


def test_missing_and_empty(tmp_path: Path) -> None:
    for path in (tmp_path / "none.cs", tmp_path):
        with pytest.raises(InputProblem):
            load_sources([path])
