"""Temporary folders that never stay: what a killed process leaves behind is removed by the next one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "uom-"
_held: dict[Path, int] = {}


def make_scratch(kind: str) -> Path:
    """A folder `uom-<kind>-<pid>-...`. A lock on it, which ends with this process however that ends, says that it is in use."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-{os.getpid()}-"))
    _held[folder] = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    fcntl.flock(_held[folder], fcntl.LOCK_EX)
    return folder


def remove_scratch(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    handle = _held.pop(folder, None)
    if handle is not None:
        os.close(handle)


@contextlib.contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """A folder for the block."""
    folder = make_scratch(kind)
    try:
        yield folder
    finally:
        remove_scratch(folder)


def _sweep() -> None:
    """Removes folders whose maker is gone. Its number alone does not say so: containers may share the folder."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        made = re.match(rf"{_PREFIX}[a-z0-9]+-(\d+)-", folder.name)
        if made is None or is_alive(int(made.group(1))):
            continue
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
