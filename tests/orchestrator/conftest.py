"""Threads and rows of tests stay in a folder of their own; engines are started once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from uom.orchestrator.context import ENVIRONMENT_NAMES, Context
from uom.orchestrator.engines import ENGINES


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing of the settings of whoever runs the tests."""
    for name in Context.__dataclass_fields__:
        monkeypatch.delenv(ENVIRONMENT_NAMES.get(name, name.upper()), raising=False)
    monkeypatch.setenv("UOM_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("CHECKPOINT_URI", f"sqlite:///{tmp_path}/threads.sqlite")


@pytest.fixture(scope="session", autouse=True)
def _engines() -> Iterator[None]:
    yield
    ENGINES.close()
