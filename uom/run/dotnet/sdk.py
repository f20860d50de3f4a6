"""The user's own .NET: where it is, and its environment."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from uom.run.failures import EnvironmentFailure

QUIET = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE": "true",
    "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
    # Otherwise servers of the SDK's stay behind.
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    "MSBUILDDISABLENODEREUSE": "1",
}


@dataclass(frozen=True, slots=True)
class Sdk:
    """`root` holds the program `dotnet`, the SDKs and the runtimes, `packages` what NuGet has fetched."""

    root: Path
    packages: Path

    @property
    def program(self) -> Path:
        return self.root / "dotnet"

    def versions(self) -> list[str]:
        """Of the SDKs in it."""
        return sorted(folder.name for folder in self.root.glob("sdk/*") if folder.is_dir())


def find_dotnet() -> str | None:
    """The user's `dotnet`, if there is one on PATH."""
    return shutil.which("dotnet")


def find_sdk() -> Sdk:
    """Raises EnvironmentFailure without a `dotnet`."""
    found = find_dotnet()
    if found is None:
        remedy = "Install .NET 10, or leave it to the reference interpreter."
        raise EnvironmentFailure("dotnet", "it is not on the PATH", remedy)
    packages = Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages")
    return Sdk(Path(found).resolve().parent, packages)


def has_cultures() -> bool:
    """Whether .NET finds ICU; without the library it does not even start, unless it is told to do without."""
    if os.environ.get("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT") == "1":
        return False
    return any(any(Path("/usr").glob(pattern)) for pattern in ("lib/*/libicuuc.so*", "lib*/libicuuc.so*"))
