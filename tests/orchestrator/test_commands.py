"""The doors: what they print, what they refuse, how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.orchestrator.shop import QUERIES, REFUSED, chat, rows_file
from tests.support import SHOP
from uom.orchestrator.drawing import mermaid

UOM = [sys.executable, "-m", "uom"]
WITHOUT = """
import sys
sys.modules["langgraph"] = None  # as if it were not installed
from uom.cli import main
main(sys.argv[1:])
"""


def uom(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*UOM, *arguments], input=text, capture_output=True, text=True, timeout=180, check=False)


def test_graph_prints_mermaid() -> None:
    done = uom("graph")
    assert (done.returncode, done.stdout.rstrip("\n")) == (0, mermaid())


@pytest.mark.parametrize("command", [["run", "-"], ["resume", "x"], ["threads"], ["graph"]])
def test_without_the_extra(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *command], input="x", capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "pip install 'uom[orchestrator]'" in done.stderr
    assert "Traceback" not in done.stderr


BAD = {
    "no such file": (["run", "nowhere.md"], "", 2, "there is no such file"),
    "empty input": (["run", "-"], " \n", 2, "the input is empty"),
    "no such rows": (["run", "-", "--data", "nowhere.json"], "x", 2, "does not exist"),
    "a folder without C#": (["run", "/proc/self/fdinfo"], "", 2, "no C# file"),
    "two answers": (["resume", "x", "--accept", "--reject", "y"], "", 2, "exclude each other"),
    "no such thread": (["resume", "x"], "", 2, "is not known"),
    "no thread to forget": (["threads", "--forget", "x"], "", 2, "is not known"),
    "incomplete": (["run", "-"], "hello", 2, "Please add"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    arguments, text, code, said = BAD[name]
    done = uom(*arguments, text=text)
    assert done.returncode == code and said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_setting_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_EXECUTION_TIMEOUT", "soon")
    done = uom("run", "-", text="hello")
    assert done.returncode == 3 and "SANDBOX_EXECUTION_TIMEOUT" in done.stderr


def test_files_progress_project_and_evidence(tmp_path: Path) -> None:
    for name, text in (("Model.cs", SHOP), ("Sales.cs", QUERIES)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("Model.cs", "Sales.cs")]
    done = uom("run", *files, "--to", "mongodb", "--data", rows_file(tmp_path), "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ACCEPTED: 2/2") and "validate_query_node" in done.stderr
    assert (tmp_path / "out" / "pom.xml").is_file()
    assert (tmp_path / "out" / "src/main/java/com/example/app/Sales.java").is_file()
    assert not list((tmp_path / "out").rglob("ValidationEntrypoint.java")), "our harness is no part of the project"
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert evidence["status"] == "accepted" and evidence["queries"]["Sales.Totals"]["level"] == "equivalent"
    assert uom("threads").stdout.count("accepted") >= 1


def test_a_waiting_thread_says_how_to_answer() -> None:
    done = uom("run", "-", "--thread", "mine", text=chat(REFUSED))
    assert done.returncode == 1
    assert "uom resume mine --accept" in done.stdout and "uom resume mine --reject" in done.stdout
    document = json.loads(uom("resume", "mine", "--json").stdout)
    assert (document["status"], document["question"]["kind"]) == ("waiting", "translation_review")
    left = uom("threads", "--forget", "mine", "--json")
    assert left.returncode == 0 and "mine" not in [t["thread"] for t in json.loads(left.stdout)]
    assert uom("resume", "mine").returncode == 2
