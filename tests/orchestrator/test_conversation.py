"""What people write, and what is read out of it. Each case is a conversation and the fields expected from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from uom.model.diagnostics import Severity
from uom.orchestrator.compiling import compiled, source_code
from uom.orchestrator.conversation import read_conversation
from uom.orchestrator.files import join_files, split_files
from uom.orchestrator.state import State
from uom.orchestrator.verdicts import unread_parts
from uom.read import read_program
from uom.read.csharp.syntax import parse

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "conversations.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(c["because"]))
def test_conversation(case: dict[str, Any]) -> None:
    found = read_conversation(case["text"])
    expected = case["expected"]
    for name in ("translation_type", "source_target", "destination_target", "source_target_version"):
        value = getattr(found, name)
        assert (value.value if hasattr(value, "value") else value) == expected.get(name), name
    assert sorted(split_files(found.source_schema_code or "")) == sorted(expected.get("schema", []))
    assert sorted(split_files(found.source_query_code or "")) == sorted(expected.get("query", []))


FENCES = yaml.safe_load((Path(__file__).parent / "cases" / "fences.yaml").read_text(encoding="utf-8"))
MODEL = """```csharp
public class Client { public int Id { get; set; } }
public class Shop : DbContext { public DbSet<Client> Clients { get; set; } }
```"""


@pytest.mark.parametrize("case", FENCES, ids=lambda c: str(c["because"]))
def test_code_is_taken_wherever_it_stands(case: dict[str, Any]) -> None:
    found = read_conversation(case["text"].replace("MODEL", MODEL))
    state = State(source_schema_code=found.source_schema_code, source_query_code=found.source_query_code)
    code = source_code(state)
    translation = compiled(code)
    assert sorted(translation.method_ids()) == case["methods"]
    files = split_files(code)
    unread = [d.place for d in translation.program.diagnostics if d.severity is Severity.INPUT]
    lines = {files[p.file].split("\n")[p.line - 1] for p in unread if p is not None}
    assert_named(lines, case)
    assert len(unread_parts(translation)) == len(unread)


@pytest.mark.parametrize("case", FENCES, ids=lambda c: str(c["because"]))
def test_a_file_with_words_is_read_like_a_conversation(case: dict[str, Any]) -> None:
    text = case["text"].replace("MODEL", MODEL)
    program = read_program([parse("chat.md", text)])
    # a file cannot say the same twice
    twice = {m.id for m in program.methods if m.id.endswith("#2")}
    assert sorted({m.id for m in program.methods} - twice) == case["methods"]
    unread = [d.place for d in program.diagnostics if d.severity is Severity.INPUT and "duplicate" not in d.construct]
    assert_named({text.split("\n")[p.line - 1] for p in unread if p is not None}, case)


def assert_named(lines: set[str], case: dict[str, Any]) -> None:
    """Every line with a problem is one that is expected, and the other way round."""
    expected = case.get("unread", [])
    assert [line for line in lines if not any(line.lstrip().startswith(e) for e in expected)] == []
    assert [e for e in expected if not any(line.lstrip().startswith(e) for line in lines)] == []


_NAMES = st.lists(st.from_regex(r"[A-Za-z0-9_]{1,8}\.(cs|java)", fullmatch=True), unique=True, max_size=4)
_CHARACTERS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
_LINES = st.lists(_CHARACTERS | st.sampled_from(["// file: a.cs", "\\// file: a.cs", "\\\\// file: "])).map("\n".join)


@given(_NAMES, st.lists(_LINES, min_size=4, max_size=4))
def test_files_survive_being_one_text(names: list[str], texts: list[str]) -> None:
    files = {n: f"{t}\n" for n, t in zip(names, texts, strict=False)}
    assert split_files(join_files(files)) == files
