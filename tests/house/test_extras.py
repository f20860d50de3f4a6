"""Without the packages of the orchestrator, its commands name what is missing; the others work."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules["langgraph"] = None  # as if it were not installed
from uom.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("arguments", [["run", "-"], ["resume", "x"], ["threads"], ["graph"]], ids=" ".join)
def test_a_missing_package_is_named(arguments: list[str]) -> None:
    command = [sys.executable, "-c", WITHOUT, *arguments]
    done = subprocess.run(
        command, input="```cs\nclass A {}\n```", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "langgraph is not installed" in done.stderr and "pip install 'uom[orchestrator]'" in done.stderr
    assert "Traceback" not in done.stderr
