"""Where parts that users do not install are kept, and the lock that lets one process at a time set them up."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Protocol

from uom.run.failures import EnvironmentFailure


class Progress(Protocol):
    """Told what is being fetched or built: `done` of `total` steps of `label`."""

    def __call__(self, label: str, done: int, total: int, /) -> None: ...


def silent(label: str, done: int, total: int, /) -> None:
    """The progress callback of callers that show nothing."""


def cache_root() -> Path:
    """`UOM_HOME`, or `~/.cache/uom`. Not created here."""
    named = os.environ.get("UOM_HOME")
    try:
        return Path(named).expanduser().absolute() if named else Path.home() / ".cache" / "uom"
    except RuntimeError:
        raise EnvironmentFailure("the cache", "there is no home folder", "Set UOM_HOME to a folder.") from None


@contextmanager
def set_up_lock(root: Path) -> Iterator[None]:
    """Hold the cache for writing. A second process waits here and then finds everything done."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        handle = open(root / "set-up.lock", "w")  # noqa: SIM115 (closed below; the error belongs to this try)
    except OSError as error:
        raise EnvironmentFailure(
            f"Cannot write to {root}", error.strerror or str(error), "Set UOM_HOME to a folder that you can write to."
        ) from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def lock_text(name: str) -> str:
    """The text of one of our lock files, e.g. `jars.lock`."""
    return resources.files("uom.run").joinpath("locks", name).read_text(encoding="utf-8")


def digest(*parts: str | bytes) -> str:
    """A short name for content: two things with the same digest are the same thing."""
    running = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        running.update(len(data).to_bytes(8, "big") + data)
    return running.hexdigest()[:16]
