"""What sandboxes show of the user's toolchains, also on a machine where those have fetched nothing yet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.protocol import SandboxType
from uom.run.sandboxes.toolchains import furnish


@pytest.mark.parametrize(
    ("kind", "program", "store"),
    [
        (SandboxType.JAVA_25_SANDBOX, "mvn", ".m2/repository"),
        (SandboxType.DOTNET_10_SANDBOX, "dotnet", ".nuget/packages"),
    ],
)
def test_a_store_of_packages_is_shown_before_its_first_use(
    kind: SandboxType, program: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on PATH")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NUGET_PACKAGES", raising=False)
    try:
        shown = furnish(kind).read_only
    except EnvironmentFailure as missing:
        pytest.skip(str(missing))
    assert tmp_path / store in shown
    assert (tmp_path / store).is_dir()
