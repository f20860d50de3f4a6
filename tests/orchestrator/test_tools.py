"""The tools alone, as an agent or an MCP server would call them."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.orchestrator.shop import QUERIES, rows_file
from tests.support import SHOP
from uom.orchestrator.compiling import arguments_text, prepared
from uom.orchestrator.context import Context
from uom.orchestrator.files import join_files, split_files
from uom.orchestrator.projects import programs_of
from uom.orchestrator.routes import FAILED, PASSED
from uom.orchestrator.tools import check_query_equivalence, validate_dotnet_code, validate_java_code
from uom.orchestrator.tools.query_validator import NO_PROOF, diffs_in
from uom.orchestrator.tools.reports import results_in
from uom.run.sandboxes.bubblewrap import usable

SAMPLES = yaml.safe_load((Path(__file__).parent / "cases" / "samples.yaml").read_text(encoding="utf-8"))
CODE = join_files({"shop.cs": SHOP, "sales.cs": QUERIES})


def call(tool: Any, **arguments: Any) -> str:
    return str(asyncio.run(tool.ainvoke(arguments)))


def programs(data_file: str) -> tuple[dict[str, str], dict[str, str]]:
    """Arguments of both validators for the small shop."""
    units = prepared(CODE, data_file)
    found = programs_of(units, CODE, data_file, Context())
    shared = {"source_code": CODE, "arguments": arguments_text(units), "data_file": data_file}
    source = {**shared, "schema_code": found.source_schema, "harness_code": found.source_harness}
    target = {**shared, "schema_code": found.translated_schema, "query_code": found.translated_query}
    return source, {**target, "harness_code": found.target_harness}


@pytest.mark.parametrize("case", SAMPLES, ids=lambda c: str(c["because"]))
def test_samples(case: dict[str, Any]) -> None:
    said = call(
        check_query_equivalence,
        source_results={"Q": case["source"]},
        target_results={"Q": case["target"]},
        verdict="samples",
    )
    found = diffs_in(said)["Q"]
    assert (found.equivalent, found.swapped) == (case["equivalent"], case.get("swapped", False)), said
    assert said.startswith(PASSED if case["equivalent"] else FAILED)
    assert found.verdict == "samples" and found.level != "equivalent"
    assert (NO_PROOF in said) == case["equivalent"]


def test_large_rows_do_not_take_quadratic_time() -> None:
    """With its options DeepDiff takes minutes for such rows."""
    ours = [{"A": {"B": i, "C": str(i)}} for i in range(300)]
    theirs = [{"A": {"B": i + 1000, "C": "x"}} for i in range(300)]
    samples = [{"count": 1, "firstSample": {"Rows": rows}, "lastSample": None} for rows in (ours, theirs)]
    started = time.monotonic()
    said = call(
        check_query_equivalence, source_results={"Q": samples[0]}, target_results={"Q": samples[1]}, verdict="samples"
    )
    assert not diffs_in(said)["Q"].equivalent
    assert time.monotonic() - started < 60


def test_both_sides_and_every_row(tmp_path: Path) -> None:
    source, target = programs(rows_file(tmp_path))
    ours, theirs = call(validate_dotnet_code, **source), call(validate_java_code, **target)
    assert ours.startswith(PASSED) and theirs.startswith(PASSED)
    assert theirs.splitlines()[-1].startswith("JSON_PATH=")
    results = {"source_results": results_in(ours), "target_results": results_in(theirs)}
    samples = {side: {label: vars(s) for label, s in found.queries.items()} for side, found in results.items()}
    paths = {"source_json_path": results_in(ours).json_path, "target_json_path": results_in(theirs).json_path}
    rows = {name: source[name] for name in ("source_code", "arguments", "data_file")}
    said = call(check_query_equivalence, **samples, **paths, **rows)
    assert said.startswith(PASSED) and "every row compared: 2 of 2" in said
    assert {d.verdict for d in diffs_in(said).values()} == {"rows"}
    by_samples = call(check_query_equivalence, **samples, verdict="samples")
    assert diffs_in(by_samples).keys() == diffs_in(said).keys()


def test_a_named_call_is_made_once(tmp_path: Path) -> None:
    _, target = programs(rows_file(tmp_path))
    first = call(validate_java_code, **target, call_id="one")
    stamp = Path(results_in(first).json_path).stat().st_mtime_ns
    assert call(validate_java_code, **target, call_id="one") == first
    assert Path(results_in(first).json_path).stat().st_mtime_ns == stamp
    assert results_in(call(validate_java_code, **target)).json_path != results_in(first).json_path


@pytest.mark.skipif(usable() is None, reason="bubblewrap does not work here")
def test_a_compile_error_has_its_place(tmp_path: Path) -> None:
    """Code that the compiler did not write is compiled in a sandbox."""
    _, target = programs(rows_file(tmp_path))
    target["query_code"] = target["query_code"].replace("return mongo.find(", "return mango.find(")
    said = call(validate_java_code, **target)
    assert said.startswith(FAILED)
    file = next(p for p in split_files(target["query_code"]) if p.endswith("Sales.java"))
    line = next(n for n, text in enumerate(split_files(target["query_code"])[file].splitlines(), 1) if "mango" in text)
    assert f"{file}:{line}:" in said and "mango" in said


def test_foreign_code_without_a_sandbox_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uom.orchestrator.validation.isolation.usable", lambda: None)
    _, target = programs(rows_file(tmp_path))
    target["query_code"] += "// a word more\n"
    said = call(validate_java_code, **target)
    assert said.startswith(FAILED) and "runs only in a sandbox" in said


@pytest.mark.parametrize("path", ["../evil.java", "/etc/evil.java", "a/../../evil.java"])
def test_paths_stay_in_the_project(path: str, tmp_path: Path) -> None:
    source, target = programs(rows_file(tmp_path))
    target["query_code"] += f"// file: {path}\nclass Evil {{}}\n"
    assert "the path leaves the project" in call(validate_java_code, **target)
    source["schema_code"] += f"// file: {path}\nclass Evil {{}}\n"
    assert "the path leaves the project" in call(validate_dotnet_code, **source)


def test_bad_input_is_an_answer() -> None:
    assert call(validate_java_code, harness_code="x", source_code="hello").startswith(FAILED)
    assert call(validate_dotnet_code, source_code="hello").startswith(FAILED)
    assert "the entry point is Program" in call(validate_dotnet_code, source_code=CODE, entry_type_name="Evil")
    assert call(check_query_equivalence, source_results={}, target_results={}, verdict="samples").startswith(FAILED)


def test_the_arguments_are_typed() -> None:
    """What an agent or an MCP client gets to see: nothing of the run's configuration."""
    for tool in (validate_dotnet_code, validate_java_code, check_query_equivalence):
        schema = tool.tool_call_schema.model_json_schema()  # type: ignore[union-attr]
        assert "config" not in schema["properties"]
        assert all("description" in p for p in schema["properties"].values()), tool.name
