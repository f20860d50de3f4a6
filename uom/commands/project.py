"""Writes the output folder: all of it or nothing of it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from uom.plan.mapping.yaml_file import to_yaml
from uom.translation import Translation

MANIFEST = ".uom-files.json"


def check_output(folder: Path) -> None:
    """Raises UsageError when the folder holds something that is not ours to overwrite."""
    if folder.exists() and not folder.is_dir():
        raise click.UsageError(f"{folder} is a file, a folder is expected")
    if folder.is_dir():
        names = {p.name for p in folder.iterdir()}
        if names - {"mapping.yaml"} and MANIFEST not in names:
            raise click.UsageError(f"{folder} is not empty and was not written by uom; choose another folder")


def project_files(translation: Translation) -> dict[str, str]:
    """All generated files of all contexts, by path."""
    files: dict[str, str] = {}
    for unit in translation.units:
        for path, text in unit.bundle.files:
            files.setdefault(path, text)
    if translation.units:
        files["mapping.yaml"] = to_yaml(tuple(u.mapping for u in translation.units))
    return files


def write_project(folder: Path, files: Mapping[str, str], evidence: Mapping[str, Any] | None = None) -> None:
    """Writes to a temporary neighbour first and moves files into place when all are there.

    Files of an earlier run that are no longer generated are removed; anything else in the folder is left alone.
    """
    content = dict(files)
    if evidence is not None:
        content["evidence.json"] = json.dumps(evidence, indent=2, ensure_ascii=False) + "\n"
    content[MANIFEST] = json.dumps(sorted(content), indent=0) + "\n"
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for path, text in content.items():
            file = staging / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        staging.chmod(0o755)
        if not folder.exists():
            os.rename(staging, folder)
            return
        _remove_stale(folder, set(content))
        for path in content:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / path, target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _remove_stale(folder: Path, current: set[str]) -> None:
    try:
        known = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for path in known:
        if (
            isinstance(path, str)
            and path not in current
            and ".." not in Path(path).parts
            and not Path(path).is_absolute()
        ):
            (folder / path).unlink(missing_ok=True)
