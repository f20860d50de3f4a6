"""Setting up: quick when done, honest when impossible, and never a download from `inspect`."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from uom.run.cache import silent
from uom.run.failures import EnvironmentFailure
from uom.run.jars import Jar, fetch_jars, locked_jars
from uom.run.toolchain import Part, Toolchain, ensure, inspect

WRONG = Jar("org.example", "thing", "1.0", "0" * 64)


def test_ensure_is_quick_when_everything_is_there(toolchain: Toolchain) -> None:
    start = time.monotonic()
    again = ensure(parts=(Part.JAVA, Part.SECANTUS))
    assert time.monotonic() - start < 0.05
    assert again == toolchain


def test_everything_is_where_it_should_be(toolchain: Toolchain) -> None:
    files = (toolchain.java, toolchain.ecj, toolchain.worker_jar, toolchain.secantus_server, *toolchain.classpath)
    assert [file for file in files if not file.is_file()] == []


def test_inspect_only_looks(tmp_path: Path) -> None:
    states = inspect(tmp_path / "empty")
    assert {state.state for state in states} == {"not set up"}
    assert all(state.remedy for state in states)
    assert not (tmp_path / "empty").exists()


def test_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UOM_MAVEN_REPOSITORY", "http://127.0.0.1:1/maven2")
    with pytest.raises(EnvironmentFailure, match="Connection refused") as failure:
        fetch_jars(tmp_path, locked_jars("ecj"), "compiler", silent)
    assert "UOM_MAVEN_REPOSITORY" in failure.value.remedy
    assert list(tmp_path.rglob("*.jar")) == []


def test_a_changed_jar_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = tmp_path / "repository" / WRONG.path
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"something else")
    monkeypatch.setenv("UOM_MAVEN_REPOSITORY", (tmp_path / "repository").as_uri())
    with pytest.raises(EnvironmentFailure, match="not the file that was expected"):
        fetch_jars(tmp_path / "cache", (WRONG,), "thing", silent)
    assert not WRONG.in_cache(tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFailure, match="Cannot write to") as failure:
        ensure(parts=(Part.JAVA,), home=tmp_path / "file" / "cache")
    assert "UOM_HOME" in failure.value.remedy
