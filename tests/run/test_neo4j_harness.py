"""A bundle for Neo4j against a server behind its relay: rows, failures, limits, and a worker that stays clean."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from uom.data.graph import GraphContent, NodeSet, RelationshipSet
from uom.model.bundle import JavaBundle
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.java.harness import Invocation, harness
from uom.run.java.portable import JavaRunner, PortableRunner
from uom.run.java.results import ResultsReader
from uom.run.java.worker import JavaWorker, RunStatus
from uom.run.toolchain import Part, Toolchain, ensure

SOURCES = Path(__file__).with_name("graph_shop")
SEEN = datetime(2024, 2, 29, 5, 6, 7, 8)
CONTENT = GraphContent(
    nodes=(
        NodeSet(
            ("Person",),
            (0, 1),
            (
                {"id": 1, "called": "Eva", "mood": "WILD", "born": date(1990, 1, 2), "seen": SEEN, "picture": b"\1",
                 "at": SEEN.replace(tzinfo=timezone(timedelta(hours=2)))},
                {"id": 2, "called": "Bob", "born": date(1991, 1, 2)},
            ),
        ),
    ),
    relationships=(RelationshipSet("KNOWS", ((0, 1, {"weight": 105}), (0, 0, {"weight": 1}))),),
)  # fmt: skip


@pytest.fixture(scope="module")
def graph_tools() -> Toolchain:
    return ensure(parts=(Part.JAVA_NEO4J, Part.NEO4J))


@pytest.fixture(scope="module")
def neo4j(graph_tools: Toolchain) -> Iterator[Neo4jEngine]:
    with Neo4jEngine(graph_tools) as engine, engine.fresh_database(CONTENT):
        yield engine


@pytest.fixture(scope="module")
def graph_worker(graph_tools: Toolchain) -> Iterator[JavaWorker]:
    with JavaWorker(graph_tools.serving("neo4j")) as running:
        yield running


@pytest.fixture(scope="module")
def bundle() -> JavaBundle:
    root = "src/main/java/com/example/graph"
    files = [(f"{root}/{f.relative_to(SOURCES).as_posix()}", f.read_text()) for f in sorted(SOURCES.rglob("*.java"))]
    files.append(("pom.xml", (SOURCES / "pom.xml").read_text()))
    return JavaBundle(
        files=tuple(files),
        package="com.example.graph",
        query_classes=("com.example.graph.People",),
        configuration="com.example.graph.GraphConfiguration",
        methods=(),
        target="neo4j",
    )


CALLS = ("born(1990)", "rows()", "count()", "nobody()", "anything()")


def check(runner: JavaRunner, bundle: JavaBundle, engine: Neo4jEngine, folder: Path) -> None:
    harnessed = harness(bundle, [Invocation(c, f"people.{c}") for c in CALLS])
    result = runner.run(harnessed.files, harnessed.main_class, [engine.relay_uri, "neo4j", str(folder)], release=17)
    assert result.status == RunStatus.OK, (result.diagnostics, result.trace)
    assert not result.tainted
    reader = ResultsReader(folder)
    rows = {c: list(reader.rows(c)) for c in CALLS}
    assert rows["born(1990)"] == [
        {"id": 1, "name": "Eva", "mood": "WILD", "born": "1990-01-02", "seen": "2024-02-29T05:06:07.000008Z",
         "picture": "AQ==", "friends": []}
    ]  # fmt: skip
    (row,) = rows["rows()"]
    assert sorted(row.pop("ids")) == [1, 2]
    assert row == {"name": "Eva", "sum": "1.06", "when": "2024-02-29T05:06:07.000008", "at": "2024-02-29T05:06:07.000008+02:00"}  # fmt: skip
    assert rows["count()"] == [2]
    assert rows["nobody()"] == [None]
    (anything,) = rows["anything()"]
    assert anything["node"]["called"] == "Eva"
    assert anything["node"]["seen"] == "2024-02-29T05:06:07.000008"
    assert (anything["span"], str(anything["number"])) == ("P0M1DT0S", "1.5")
    asked = {c: engine.take(c) for c in CALLS}
    assert [len(statements) for statements in asked.values()] == [1] * len(CALLS)
    assert asked["born(1990)"][0].parameters == {"year": 1990}
    assert [asked[c][0].returned for c in CALLS] == [1, 1, 1, 0, 1]


def test_rows_and_statements(graph_worker: JavaWorker, bundle: JavaBundle, neo4j: Neo4jEngine, tmp_path: Path) -> None:
    check(graph_worker, bundle, neo4j, tmp_path)


@pytest.mark.skipif(not (shutil.which("mvn") and shutil.which("javac")), reason="no JDK or no Maven")
def test_with_maven(bundle: JavaBundle, neo4j: Neo4jEngine, tmp_path: Path) -> None:
    check(PortableRunner(), bundle, neo4j, tmp_path)


def test_failures_take_no_other_query_down(
    graph_worker: JavaWorker, bundle: JavaBundle, neo4j: Neo4jEngine, tmp_path: Path
) -> None:
    calls = [
        Invocation("write", "((java.util.concurrent.Callable<Object>) () -> { people.write(); return 1; }).call()"),
        Invocation("slow", "people.slow()"),
        Invocation("throws", "java.util.List.of(1).get(2)"),
        Invocation("after", "people.count()"),
    ]
    harnessed = harness(bundle, calls, limit_seconds=1)
    result = graph_worker.run(harnessed.files, harnessed.main_class, [neo4j.relay_uri, "neo4j", str(tmp_path)])
    assert result.status == RunStatus.OK, (result.diagnostics, result.trace)
    found = ResultsReader(tmp_path)
    write, slow, throws = (found.outcomes[label].error for label in ("write", "slow", "throws"))
    assert write is not None and "Writing in read access mode not allowed" in write.message
    assert slow is not None and (slow.type == "TimeLimit" or "time" in slow.message.lower())
    assert throws is not None and throws.type.endswith("IndexOutOfBoundsException")
    assert list(found.rows("after")) == [2]
    assert neo4j.take_refused("write") == ["MATCH (p:Person) SET p.called = 'x'"]


def test_the_worker_stays_clean(
    graph_worker: JavaWorker, bundle: JavaBundle, neo4j: Neo4jEngine, tmp_path: Path
) -> None:
    """No thread and no class loader of a bundle stays; one that closes the shared driver does no harm."""
    config = next(path for path, _ in bundle.files if path.endswith("GraphConfiguration.java"))
    text = bundle.file(config).replace("        return Neo4jClient.with(driver)", "        driver.close();\n        return Neo4jClient.with(driver)")  # fmt: skip
    closing = replace(bundle, files=tuple((p, text if p == config else t) for p, t in bundle.files))
    pid = graph_worker.pid
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        harnessed = harness(
            closing if number == 3 else bundle,
            [Invocation("count", "people.count()"), Invocation("born", "people.born(1990)")],
        )
        result = graph_worker.run(harnessed.files, harnessed.main_class, [neo4j.relay_uri, "neo4j", str(folder)])
        assert not result.tainted
        outcome = ResultsReader(folder).outcomes["count"]
        assert (outcome.error is not None) == (number == 3)
    collect = {"a/Main.java": "package a; public class Main { public static void main(String[] a) { System.gc(); } }"}
    for _ in range(3):
        result = graph_worker.run(collect, "a.Main")
    assert graph_worker.pid == pid
    assert result.loaders <= 4


def test_no_server(graph_worker: JavaWorker, bundle: JavaBundle, tmp_path: Path) -> None:
    harnessed = harness(bundle, [Invocation(str(i), "people.count()") for i in range(20)])
    result = graph_worker.run(harnessed.files, harnessed.main_class, ["bolt://127.0.0.1:1", "neo4j", str(tmp_path)])
    assert result.status == RunStatus.OK
    errors = [outcome.error for outcome in ResultsReader(tmp_path).outcomes.values()]
    assert {e.type for e in errors if e is not None} == {"org.neo4j.driver.exceptions.ServiceUnavailableException"}
