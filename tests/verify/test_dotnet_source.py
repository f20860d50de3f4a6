"""The C# side for real. Needs dotnet on PATH; without it these tests say that they were skipped."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.golden.cases import Case, expected_value, load_cases
from tests.golden.record import ef_core, record
from uom.run.dotnet.results import DotnetRunner
from uom.verify.compare import Comparer

ROOT = Path(__file__).resolve().parents[2]
CORPUS = sorted(p.parent for p in (ROOT / "tests" / "corpus").glob("*/expected"))

needs_dotnet = pytest.mark.skipif(shutil.which("dotnet") is None, reason="dotnet is not on PATH")


@pytest.fixture(scope="module")
def runner() -> Iterator[DotnetRunner]:
    with ef_core() as found:
        yield found


@needs_dotnet
@pytest.mark.parametrize("folder", CORPUS, ids=lambda p: p.name)
def test_the_corpus_is_what_ef_core_returns(folder: Path, runner: DotnetRunner) -> None:
    """Nobody edits a yardstick: what is committed is what the framework says today."""
    said = record(folder, runner)
    for case in load_cases(folder):
        now = json.loads(json.dumps(said[case.theme][case.method]), parse_float=Decimal)
        assert now["kind"] == case.content["kind"], case.id
        if case.throws:
            assert now["error"] == case.content["error"], case.id
            continue
        expected, shape = expected_value(case)
        actual, _ = expected_value(Case(case.theme, case.method, {**now, "columns": case.content["columns"]}))
        difference = Comparer().compare(expected, actual, shape)
        assert difference is None, f"{case.id}: {difference}"


@needs_dotnet
def test_demo_against_ef_core(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "uom", "demo", "--to", "mongodb", "-q", "--json", "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["source"] == "EF Core on PostgreSQL"
    calls = [c for q in report["queries"].values() for c in q["calls"]]
    assert all(c["source"] == "EF Core on PostgreSQL" and not c["source_problem"] for c in calls)
    assert len(calls) > 15


def test_an_interpreter_is_never_called_ef_core(tmp_path: Path) -> None:
    """With dotnet left out, the report says what stood for the source."""
    example = str(ROOT / "examples" / "northwind")
    command = [sys.executable, "-m", "uom", "verify", example, "--data", f"{example}/northwind.json", "-o"]
    command += [
        str(tmp_path / "out"),
        "-q",
        "--json",
        "--source",
        "reference",
        "--only",
        "ShopQueries.DeliveryCountries",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["source"] == "reference interpreter"
    assert "EF Core" not in done.stdout.replace("EF Core can", "")
