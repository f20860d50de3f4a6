"""A package imports only from those above it; the doors below import what they need."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ["model", "read", "plan", "write", "reference", "data", "run", "verify"]
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "read": {"model"},
    "reference": {"model"},
    "plan": {"model", "read", "reference"},
    "write": {"model", "read", "plan"},
    "data": {"model", "read", "plan", "write", "reference"},
    "run": {"model", "read", "plan", "write", "reference", "data"},
    "translation": {"model", "read", "plan", "write"},
    "verify": {*LAYERS, "translation"},
    "orchestrator": {*LAYERS, "translation"},
}
"""Constant folding needs the meaning of operators, so `plan` may look into `reference`; `reference` sees only `model`."""


def imports_of(file: Path) -> set[str]:
    """Rooms of ours that a module imports."""
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        rooms |= {n.split(".")[1] for n in names if n.startswith("uom.")}
    return rooms


def modules() -> list[Path]:
    return [
        f for room in ALLOWED for f in [*(ROOT / "uom" / room).rglob("*.py"), ROOT / "uom" / f"{room}.py"] if f.exists()
    ]


@pytest.mark.parametrize("file", modules(), ids=lambda f: str(f.relative_to(ROOT)))
def test_imports_only_from_above(file: Path) -> None:
    room = file.relative_to(ROOT / "uom").parts[0].removesuffix(".py")
    foreign = imports_of(file) - {room} - ALLOWED[room]
    assert not foreign, f"{room} must not import {sorted(foreign)}"


def test_gpl_server_is_never_imported() -> None:
    for file in [*(ROOT / "uom").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any("secantus" in a.name for a in node.names), file
            elif isinstance(node, ast.ImportFrom):
                assert "secantus" not in (node.module or ""), file
