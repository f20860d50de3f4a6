"""Writes the output folder: all of it or nothing of it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import yaml

from uom.model.diagnostics import Diagnostic, Severity
from uom.read.csharp.syntax import InputProblem
from uom.run.failures import EnvironmentFailure
from uom.translation import Translation

MANIFEST = ".uom-files.json"
_STAGING = ".uom-part-"
_MAPPING = "mapping.yaml"


def check_output(folder: Path) -> None:
    """Before any work: raises UsageError or EnvironmentFailure for a folder that cannot be written, or is not ours."""
    if folder.exists() and not folder.is_dir():
        raise click.UsageError(f"{folder} is a file, a folder is expected")
    if folder.is_dir():
        names = {p.name for p in folder.iterdir() if not p.name.startswith(_STAGING)}
        if names - {_MAPPING} and MANIFEST not in names:
            raise click.UsageError(f"{folder} is not empty and was not written by uom; choose another folder")
    nearest = next(p for p in (folder.absolute(), *folder.absolute().parents) if p.exists())
    if not nearest.is_dir():
        raise click.UsageError(f"{nearest} is a file, a folder is expected")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise EnvironmentFailure(str(nearest), "it cannot be written to", "Choose another folder with -o.")


def require_queries(translation: Translation) -> None:
    """Without a query there is nothing to write, and what an earlier run wrote stays. Raises InputProblem."""
    if translation.units or translation.refused:
        return
    problem = next((d for d in translation.program.diagnostics if d.severity is Severity.INPUT), None)
    if problem is not None:
        reason = f"no query methods were found; {problem.construct}: {problem.reason}"
        raise InputProblem("input", reason, problem.place, problem.remedy)
    known = ", ".join(translation.method_ids()[:20])
    if known:
        raise click.UsageError(f"--only names no query method (found: {known})")
    remedy = "Pass methods that use a DbContext, together with its class."
    raise InputProblem("input", "no query methods were found", None, remedy)


def unread(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether parts of the input could not be read: whatever is in there has no verdict."""
    return any(d.severity is Severity.INPUT for d in diagnostics)


def project_files(translation: Translation) -> dict[str, str]:
    """All generated files of all contexts, by path."""
    files: dict[str, str] = {}
    for unit in translation.units:
        for path, text in unit.bundle.files:
            files.setdefault(path, text)
    if translation.units:
        files["mapping.yaml"] = translation.mapping_text()
    return files


def write_project(folder: Path, files: Mapping[str, str], evidence: Mapping[str, Any] | None = None) -> None:
    """Writes everything to a temporary folder first and moves files into place when all are there.

    Files of an earlier run that are no longer generated are removed; anything else in the folder is left alone.
    """
    folder = folder.resolve()
    content = dict(files)
    if evidence is not None:
        content["evidence.json"] = json.dumps(evidence, indent=2, ensure_ascii=False) + "\n"
    content[MANIFEST] = json.dumps(sorted(content), indent=0) + "\n"
    is_new = not folder.exists()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # within an existing folder: its parent may be closed to us, or another file system
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder.parent if is_new else folder))
    try:
        for path, text in content.items():
            file = staging / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")
        if is_new and _become(staging, folder):
            return
        with _only_writer(folder):
            _move(staging, folder, content)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _become(staging: Path, folder: Path) -> bool:
    """False when another run has made the folder meanwhile."""
    mask = os.umask(0)
    os.umask(mask)
    staging.chmod(0o777 & ~mask)
    try:
        os.rename(staging, folder)
    except OSError:
        if not folder.is_dir():
            raise
        return False
    return True


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Two runs into one folder take turns: its files are all of the one or all of the other."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _move(staging: Path, folder: Path, content: Mapping[str, str]) -> None:
    known = _known_files(folder)
    for path in content:
        _check_place(folder, path, path in known or path in (MANIFEST, _MAPPING))
    for path, text in content.items():
        target = folder / path
        if path == _MAPPING and _says_the_same(target, text):
            continue  # the user's comments and layout
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / path, target)
    for path in known - set(content) - {_MAPPING}:
        (folder / path).unlink(missing_ok=True)
        for parent in (folder / path).parents:
            if parent == folder or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()
    for old in folder.glob(f"{_STAGING}*"):
        if old != staging:
            shutil.rmtree(old, ignore_errors=True)  # of a run that was killed: we are the only writer


def _check_place(folder: Path, path: str, ours: bool) -> None:
    """Raises UsageError where something of the user's is in the way, before anything is moved."""
    target = folder / path
    for parent in target.relative_to(folder).parents:
        if (folder / parent).exists() and not (folder / parent).is_dir():
            raise click.UsageError(f"{folder / parent} is in the way: it is a file, a folder is needed")
    if target.is_dir() or (target.exists() and not ours):
        raise click.UsageError(f"{target} is in the way: it was not written by uom; move it or choose another folder")


def _says_the_same(file: Path, text: str) -> bool:
    try:
        return bool(yaml.safe_load(file.read_text(encoding="utf-8")) == yaml.safe_load(text))
    except (OSError, ValueError, yaml.YAMLError):
        return False


def _known_files(folder: Path) -> set[str]:
    """What an earlier run wrote."""
    try:
        known = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {p for p in known if isinstance(p, str) and ".." not in Path(p).parts and not Path(p).is_absolute()}
