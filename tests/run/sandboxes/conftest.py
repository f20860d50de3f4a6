"""Real bubblewrap, or a skip that says why."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from uom.run.sandboxes.bubblewrap import bubblewrap
from uom.run.sandboxes.local import LocalSandbox
from uom.run.sandboxes.protocol import Limits

T = TypeVar("T")

SMALL = Limits(cpu_seconds=20, memory_mb=512, processes=150, file_mb=30, disk_mb=80, files=2000, output_bytes=200_000)


def wait(action: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(action)


@pytest.fixture(scope="session")
def isolation() -> None:
    """Requested by tests of what bubblewrap keeps in."""
    found = bubblewrap()
    if not found.works:
        pytest.skip(f"NOT TESTED, no isolation on this machine: {found.reason}. {found.remedy}")


@pytest.fixture
def sandbox(isolation: None) -> Iterator[LocalSandbox]:  # noqa: ARG001
    made = LocalSandbox(limits=SMALL)
    yield made
    wait(made.close())
