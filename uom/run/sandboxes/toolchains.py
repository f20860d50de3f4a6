"""What a local sandbox shows of the user's own dotnet, JDK and Maven, and of their packages: all of it read-only."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from uom.run.dotnet.sdk import QUIET, find_sdk, has_cultures
from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.bubblewrap import outside_system
from uom.run.sandboxes.local import HOME, Furnishing
from uom.run.sandboxes.protocol import SandboxType

JAVA_RELEASE = 25
_NO_FEED = ".no-feed"
_JDK_SETTINGS = ("/etc/maven", "/etc/ssl/certs/java", "/etc/pki/java", "/etc/pki/ca-trust/extracted/java")
_SYSTEM_PATH = "/usr/bin:/bin"

_DOTNET_ENVIRONMENT = {
    **QUIET,
    "DOTNET_EnableDiagnostics": "0",
    # MSBuild takes these as properties. There is no network: a package is in the cache, or missing at once.
    "UseSharedCompilation": "false",
    "NuGetAudit": "false",
    "DisableTransitiveFrameworkReferenceDownloads": "true",
    "RestoreSources": f"{HOME}/{_NO_FEED}",
}
_MAVEN_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Duser.timezone=UTC",
    f"-Duser.home={HOME}",
    # Otherwise artifacts that came through the user's mirror count as missing where that is not configured.
    "-Daether.enhancedLocalRepository.trackingFilename=none",
)


def furnish(kind: SandboxType) -> Furnishing:
    """Raises EnvironmentFailure when the toolchain is not on this machine."""
    return dotnet_furnishing() if kind is SandboxType.DOTNET_10_SANDBOX else java_furnishing()


def dotnet_furnishing() -> Furnishing:
    sdk = find_sdk()
    has_packages = _made(sdk.packages)
    environment = {
        **_DOTNET_ENVIRONMENT,
        "DOTNET_ROOT": str(sdk.root),
        "PATH": f"{sdk.root}:{_SYSTEM_PATH}",
        **({"NUGET_PACKAGES": str(sdk.packages)} if has_packages else {}),
        **({} if has_cultures() else {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}),
    }
    shown = outside_system([sdk.root, *([sdk.packages] if has_packages else [])])
    return Furnishing(shown, environment, {f"{_NO_FEED}/README": "Packages come from the cache alone.\n"})


def java_furnishing(release: int = JAVA_RELEASE) -> Furnishing:
    maven = shutil.which("mvn")
    jdk = find_jdk(release)
    if maven is None or jdk is None:
        missing = "mvn is not on the PATH" if maven is None else f"there is no JDK {release}"
        raise EnvironmentFailure(
            "Java", missing, f"Install Maven and a JDK {release} (JAVA_HOME may name it), or use the Daytona sandbox."
        )
    home = Path(maven).resolve().parent.parent
    repository = local_repository()
    _made(repository)
    settings = [Path(name) for name in _JDK_SETTINGS] + sorted(Path("/etc").glob("java-*"))
    paths = [jdk, home, repository, *settings]
    return Furnishing(
        outside_system([path for path in paths if path.exists()]),
        {
            "JAVA_HOME": str(jdk),
            "PATH": f"{jdk}/bin:{home}/bin:{_SYSTEM_PATH}",
            "MAVEN_OPTS": " ".join(_MAVEN_OPTIONS),
        },
        {".m2/settings.xml": _maven_settings(repository)},
    )


def _made(store: Path) -> bool:
    """Whether there is this folder for packages, made as its tool would at first use: a sandbox shows what exists now."""
    with contextlib.suppress(OSError):
        store.mkdir(parents=True, exist_ok=True)
    return store.is_dir()


def find_jdk(release: int) -> Path | None:
    """JAVA_HOME, the JDK of the PATH, or one where systems keep them; of that release or, failing that, a later one."""
    found = {home: number for home in _jdks() if (number := _release_of(home)) >= release}
    return min(found, key=lambda home: found[home], default=None)


def local_repository() -> Path:
    """Where the user's Maven keeps what it has fetched."""
    folder = Path.home() / ".m2"
    try:
        for element in ElementTree.parse(folder / "settings.xml").getroot():
            if element.tag.rpartition("}")[2] == "localRepository" and element.text:
                return Path(element.text.strip().replace("${user.home}", str(Path.home())))
    except (OSError, ElementTree.ParseError):
        pass
    return folder / "repository"


def _maven_settings(repository: Path) -> str:
    settings = ElementTree.Element("settings")
    ElementTree.SubElement(settings, "localRepository").text = str(repository)
    ElementTree.SubElement(settings, "offline").text = "true"
    return ElementTree.tostring(settings, encoding="unicode")


def _jdks() -> Iterator[Path]:
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named).resolve()
    if compiler := shutil.which("javac"):
        yield Path(compiler).resolve().parent.parent
    for pattern in ("/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/jdk*"):
        yield from sorted(path.resolve() for path in Path("/").glob(pattern[1:]))
    yield from sorted((Path.home() / ".sdkman/candidates/java").glob("*"))


def _release_of(home: Path) -> int:
    """0 where there is no JDK."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', text, re.MULTILINE)
    return int(found.group(1)) if found and (home / "bin" / "javac").exists() else 0
