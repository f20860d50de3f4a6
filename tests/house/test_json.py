"""`--json`: one document on stdout, also when nothing works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.test_cli import MODEL, QUERY, uom


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (("translate", "missing.cs", "-o", "out"), "input", 2),
        (("translate", "a.cs"), "usage", 2),
        (("translate", "a.cs", "-o", "a.cs"), "usage", 2),
        (("verify", "a.cs", "--data", "missing.json", "-o", "out"), "input", 2),
        (("verify", "a.cs", "--data", "a.cs", "-o", "out"), "input", 2),
        (("explain", "a.cs", "--method", "Nope"), "usage", 2),
        (("engine", "mongodb", "--port", "0"), "usage", 2),
        (("doctor", "--engine", "mongodb://u:secret@127.0.0.1:1/?serverSelectionTimeoutMS=100"), "environment", 3),
        (("doctor", "--engine", "nonsense"), "environment", 3),
        (("doctor", "--engine", "bolt://u:secret@127.0.0.1:1"), "environment", 3),
        (("engine", "neo4j", "--port", "0"), "usage", 2),
        (("nonsense",), "usage", 2),
    ],
)
def test_failures_are_documents_too(tmp_path: Path, arguments: tuple[str, ...], kind: str, code: int) -> None:
    (tmp_path / "a.cs").write_text(MODEL + QUERY)
    done = uom(*arguments, "--json", cwd=tmp_path)
    content = json.loads(done.stdout)
    assert (content["error"]["kind"], content["exit_code"], done.returncode) == (kind, code, code)
    assert content["error"]["message"]
    assert "secret" not in done.stdout + done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.cs"]


def test_what_a_locale_cannot_show_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.cs").write_text(MODEL + QUERY.replace("Cheap", "Größe"), encoding="utf-8")
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    for extra in ((), ("--json",)):
        done = subprocess.run(
            [sys.executable, "-m", "uom", "explain", "a.cs", *extra], capture_output=True, cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, done.stderr
        if extra:
            assert "Q.Größe" in json.loads(done.stdout)


def test_streams_that_are_closed(tmp_path: Path) -> None:
    (tmp_path / "a.cs").write_text(MODEL + QUERY)
    uom_ = f"{sys.executable} -m uom"
    for command, code in (
        (f"{uom_} translate - -o out <&-", 2),
        (f"{uom_} translate a.cs -o out >&- 2>&-", 0),
        (f"set -o pipefail; {uom_} explain a.cs | true", 0),
        (f"set -o pipefail; {uom_} --help | true", 0),
    ):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
