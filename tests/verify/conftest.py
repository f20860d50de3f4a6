"""Both kinds of source."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(params=["reference", "dotnet"])
def dotnet(request: pytest.FixtureRequest) -> bool:
    """Whether real EF Core is the source."""
    real: bool = request.param == "dotnet"
    if real and shutil.which("dotnet") is None:
        pytest.skip("dotnet is not on PATH")
    return real
