"""What people write, and what is read out of it. Each case is a conversation and the fields expected from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from uom.orchestrator.conversation import read_conversation
from uom.orchestrator.files import join_files, split_files

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


_NAMES = st.lists(st.from_regex(r"[A-Za-z0-9_]{1,8}\.(cs|java)", fullmatch=True), unique=True, max_size=4)
_CHARACTERS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
_LINES = st.lists(_CHARACTERS | st.sampled_from(["// file: a.cs", "\\// file: a.cs", "\\\\// file: "])).map("\n".join)


@given(_NAMES, st.lists(_LINES, min_size=4, max_size=4))
def test_files_survive_being_one_text(names: list[str], texts: list[str]) -> None:
    files = {n: f"{t}\n" for n, t in zip(names, texts, strict=False)}
    assert split_files(join_files(files)) == files
