"""Jars by coordinates and SHA-256, fetched from a Maven repository into the cache."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from uom.run.cache import Progress, lock_text
from uom.run.failures import EnvironmentFailure

DEFAULT_REPOSITORY = "https://repo1.maven.org/maven2"
_ATTEMPTS = 3
_TIMEOUT_SECONDS = 60
_RETRY = "Connect to the internet, or name a mirror in UOM_MAVEN_REPOSITORY, and run the command again."


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of jars.lock."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def path(self) -> str:
        """Where a repository keeps it, and where the cache does."""
        name = f"{self.artifact}-{self.version}.jar"
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{name}"

    def in_cache(self, root: Path) -> Path:
        return jar_store(root) / self.path


def jar_store(root: Path) -> Path:
    """Where the jars of a cache are."""
    return root / "jars"


@cache
def locked_jars(section: str) -> tuple[Jar, ...]:
    """The jars of `[section]` in jars.lock, in the order of the file, which is the order of the class path."""
    jars: list[Jar] = []
    current = ""
    for line in lock_text("jars.lock").splitlines():
        line = line.strip()
        if line.startswith("["):
            current = line.strip("[]")
        elif line and not line.startswith("#") and current == section:
            coordinates, sha256 = line.split()
            group, artifact, version = coordinates.split(":")
            jars.append(Jar(group, artifact, version, sha256))
    return tuple(jars)


def missing_jars(root: Path, jars: tuple[Jar, ...]) -> tuple[Jar, ...]:
    return tuple(jar for jar in jars if not jar.in_cache(root).is_file())


def fetch_jars(root: Path, jars: tuple[Jar, ...], label: str, progress: Progress) -> None:
    """Download what is missing, a few at a time. A file that is there has been checked: it got its name by rename."""
    wanted = missing_jars(root, jars)
    if not wanted:
        return
    done = len(jars) - len(wanted)
    progress(label, done, len(jars))
    with ThreadPoolExecutor(max_workers=6) as pool:
        futures = [pool.submit(_fetch, root, jar) for jar in wanted]
        try:
            for future in as_completed(futures):
                future.result()
                done += 1
                progress(label, done, len(jars))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(root: Path, jar: Jar) -> None:
    repository = os.environ.get("UOM_MAVEN_REPOSITORY") or DEFAULT_REPOSITORY
    url = f"{repository.rstrip('/')}/{jar.path}"
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
                content: bytes = response.read()
            break
        except urllib.error.HTTPError as error:
            raise EnvironmentFailure(f"Cannot download {url}", f"the server answered {error.code}", _RETRY) from error
        except (OSError, ValueError) as error:
            if attempt == _ATTEMPTS or isinstance(error, ValueError):
                reason = getattr(error, "reason", None) or error
                raise EnvironmentFailure(f"Cannot download {url}", str(reason), _RETRY) from error
    found = hashlib.sha256(content).hexdigest()
    if found != jar.sha256:
        raise EnvironmentFailure(
            f"{url} is not the file that was expected",
            f"its SHA-256 is {found}, the lock file says {jar.sha256}",
            "The repository or something on the way changed it. Use another one: UOM_MAVEN_REPOSITORY.",
        )
    target = jar.in_cache(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)


def write_whole(target: Path, content: bytes) -> None:
    """Write under another name and rename, so that nobody ever sees half a file."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
