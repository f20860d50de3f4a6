"""Machines where bubblewrap is missing or cannot work: what is refused, what is said, what is still limited."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.conftest import SMALL, wait
from tests.run.sandboxes.test_containment import REPOSITORY, _running
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.local import LocalSandbox
from uom.run.sandboxes.protocol import Ending, SandboxProblem

NONE = Bubblewrap("", reason="bwrap is not on the PATH", remedy="Install it: `apt install bubblewrap`.")


@pytest.fixture
def open_sandbox() -> Iterator[LocalSandbox]:
    made = LocalSandbox(limits=SMALL, found=NONE)
    yield made
    wait(made.close())


def test_model_written_code_is_refused(open_sandbox: LocalSandbox) -> None:
    assert not open_sandbox.isolated
    with pytest.raises(SandboxProblem) as refused:
        wait(open_sandbox.execute("echo run"))
    for part in ("model", "bwrap is not on the PATH", "apt install bubblewrap", "--unsafe-no-sandbox", "Daytona"):
        assert part in str(refused.value)


def test_trusted_code_runs(open_sandbox: LocalSandbox) -> None:
    done = wait(open_sandbox.execute("pwd; echo $HOME", trusted=True))
    assert done.output.splitlines()[0] == open_sandbox.root


def test_the_user_may_take_the_risk() -> None:
    sandbox = LocalSandbox(limits=SMALL, found=NONE, allow_unsafe=True)
    done = wait(sandbox.execute("(setsid sleep 601 > /dev/null 2>&1 &) ; sleep 601", limit_seconds=1))
    wait(sandbox.close())
    assert done.ending is Ending.TIMEOUT
    assert not _running("sleep 601")


@pytest.mark.parametrize(
    ("program", "reason", "remedy"),
    [
        (None, "bwrap is not on the PATH", "apt install bubblewrap"),
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions", "user namespaces"),
    ],
)
def test_detection(program: str | None, reason: str, remedy: str, tmp_path: Path) -> None:
    if program is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "bwrap").chmod(0o755)
    script = "from uom.run.sandboxes.bubblewrap import bubblewrap as b; f = b(); print(f.works, f.reason, f.remedy)"
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    assert done.stdout.startswith("False ")
    assert reason in done.stdout and remedy in done.stdout
