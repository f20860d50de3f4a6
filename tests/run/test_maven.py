"""The portable mode, with the user's Maven; skipped where there is none."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from uom.model.bundle import JavaBundle
from uom.run.java.harness import ENTRYPOINT, Invocation, harness
from uom.run.java.maven import run_script, run_with_maven
from uom.run.java.results import ResultsReader
from uom.run.java.worker import RunStatus

needs_maven = pytest.mark.skipif(not (shutil.which("mvn") and shutil.which("javac")), reason="no JDK or no Maven")


@pytest.fixture
def project(shop_bundle: JavaBundle) -> JavaBundle:
    pom = Path(__file__).with_name("shop").joinpath("pom.xml").read_text()
    return replace(shop_bundle, files=(*shop_bundle.files, ("pom.xml", pom)))


def test_the_script_has_the_documented_commands() -> None:
    script = run_script({"MONGODB_URI": "mongodb://h/?a=1&b=2", "MONGODB_RESULTS_PATH": "/r"}).splitlines()
    assert "mvn -q -B --no-transfer-progress dependency:resolve clean compile" in script
    assert 'mvn -q -B --no-transfer-progress exec:java -Dexec.mainClass="uom.services.ValidationEntrypoint"' in script
    assert "export MONGODB_URI='mongodb://h/?a=1&b=2'" in script
    assert script[-1] == 'printf "\\nJSON_PATH=%s\\n" "$NEWEST_JSON"'


@needs_maven
def test_queries_run(project: JavaBundle, mongo_uri: str, shop_database: str, tmp_path: Path) -> None:
    bundle = harness(
        project, [Invocation("cities", "filters.cities()"), Invocation("sales", "reports.salesByProduct()")]
    )
    environment = {"MONGODB_URI": mongo_uri, "MONGODB_DATABASE": shop_database}
    result = run_with_maven(bundle.files, environment, tmp_path)
    assert result.status == RunStatus.OK, result.output
    assert result.json_path == tmp_path / "results" / "results.json"
    results = ResultsReader(tmp_path / "results")
    assert sorted(results.rows("cities")) == ["Brno", "Olomouc", "Prague"]
    assert results.outcomes["sales"].count == 60


@needs_maven
def test_compile_errors_have_places(project: JavaBundle, tmp_path: Path) -> None:
    bundle = harness(project, [Invocation("bad", "filters.citys()")])
    result = run_with_maven(bundle.files, {}, tmp_path)
    assert result.status == RunStatus.COMPILE_ERROR
    assert [problem.file for problem in result.diagnostics] == [ENTRYPOINT]
    assert bundle.label_at(ENTRYPOINT, result.diagnostics[0].line) == "bad"


@needs_maven
def test_the_time_limit_ends_maven(project: JavaBundle, tmp_path: Path) -> None:
    assert run_with_maven(dict(project.files), {}, tmp_path, 0.5).status == RunStatus.TIMEOUT
