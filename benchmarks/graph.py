"""Figures of the target Neo4j: start with and without the archive, loading, the demo."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from neo4j import GraphDatabase

from benchmarks.figures import Figure, median, seconds
from uom.data.content import content_for
from uom.data.graph import GraphContent, NodeSet, RelationshipSet
from uom.data.rows import build_database, read_data_file
from uom.read import load_sources
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.java.worker import JavaWorker
from uom.run.memory import peak_kb
from uom.run.toolchain import Toolchain, ensure
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import argument_sets
from uom.verify.target import Call, run_target

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "northwind"
MANY = 50_000


def graph_figures() -> list[Figure]:
    tools = ensure()
    return [*_translation(), *_starts(tools), *_loading(tools), *_demo(tools), *_command()]


def _translation() -> list[Figure]:
    sources, options = load_sources((str(EXAMPLE),)), TranslationOptions(target="neo4j")
    translate(sources, options)
    return [
        Figure("translate the demo to Cypher, warm", median(lambda: translate(sources, options), 7) * 1000, "ms", 100)
    ]


def _starts(tools: Toolchain) -> list[Figure]:
    empty = Path(tempfile.mkdtemp(prefix="uom-bench-"))
    try:
        (empty / "none.aot").touch()
        plain = replace(tools, neo4j_archive=empty / "none.aot", neo4j_store=empty / "none")
        without, used = (median(lambda t=t: _first_answer(t), 3) for t in (plain, tools))  # type: ignore[misc]
    finally:
        shutil.rmtree(empty)
    return [
        Figure("Neo4j: first answer, without archive and store", without, "s"),
        Figure("Neo4j: first answer, with them", used, "s"),
        Figure("with / without", used / without, "x", 0.5),
    ]


def _first_answer(tools: Toolchain) -> None:
    server = EmbeddedNeo4j(tools)
    try:
        with GraphDatabase.driver(server.uri) as driver:
            driver.execute_query("RETURN 1")
    finally:
        server.stop()


def _loading(tools: Toolchain) -> list[Figure]:
    start = datetime(2024, 1, 1)
    rows = tuple(
        {"id": i, "name": f"name {i}", "price": i * 100 + 7, "placed": start + timedelta(minutes=i), "open": i % 2 == 0}
        for i in range(MANY)
    )
    customers, orders = MANY // 10, MANY - MANY // 10
    nodes = (
        NodeSet(("Customer",), tuple(range(customers)), rows[:customers]),
        NodeSet(("Order",), tuple(range(customers, MANY)), rows[customers:]),
    )
    links = RelationshipSet("PLACED", tuple((i % customers, customers + i % orders, {}) for i in range(MANY)))
    content = GraphContent(nodes, (links,), (("Customer", "id"), ("Order", "id")))
    with Neo4jEngine(tools) as engine:
        times = [time.perf_counter()]
        with engine.fresh_database(content):
            times.append(time.perf_counter())
        times.append(time.perf_counter())
        memory = peak_kb(engine.pid) / 1024
    return [
        Figure("load 50k nodes and 50k relationships, checked", times[1] - times[0], "s", 20),
        Figure("take them away again", times[2] - times[1], "s"),
        Figure("memory of Neo4j after that", memory, "MB"),
    ]


def _demo(tools: Toolchain) -> list[Figure]:
    (unit,) = translate(load_sources((str(EXAMPLE),)), TranslationOptions(target="neo4j")).units
    data = read_data_file(EXAMPLE / "northwind.json")
    database = build_database(data, unit.schema)
    content = content_for(database, unit.schema, unit.mapping, unit.semantics, data.name)
    calls = []
    for planned in unit.planned:
        method = planned.method
        arguments = argument_sets(method, unit.schema, database, unit.semantics)[0]
        calls.append(Call(method.id, method.id, tuple(arguments[p.name] for p in method.parameters)))
    with Neo4jEngine(tools) as engine, JavaWorker(tools.serving("neo4j")) as worker:
        run_target(unit, calls[:1], worker, engine, engine.database)
        started = time.perf_counter()
        with engine.fresh_database(content) as name:
            loaded = time.perf_counter() - started
            first = seconds(lambda: run_target(unit, calls, worker, engine, name))
            for _ in range(3):
                run_target(unit, calls, worker, engine, name)
            runs = [run_target(unit, calls, worker, engine, name) for _ in range(5)]
        warm = statistics.median(r.compile_ms + r.run_ms for r in runs) / 1000
        compiling = statistics.median(r.compile_ms for r in runs)
        slowest = sorted(runs[-1].results.values(), key=lambda r: -r.millis)[:3]
        return [
            Figure("load the demo's rows into the graph", loaded, "s"),
            Figure("compile and run its 15 queries, statements new to the server", first, "s"),
            Figure("compile its Java, warm", compiling, "ms"),
            Figure("compile and run its 15 queries, warm", warm, "s", 2.0),
            *(Figure(f"  of which {r.label}", r.millis, "ms") for r in slowest),
            Figure("memory of the Java worker", peak_kb(worker.pid) / 1024, "MB"),
        ]


def _command() -> list[Figure]:
    folder = Path(tempfile.mkdtemp(prefix="uom-bench-"))
    command = [sys.executable, "-m", "uom", "verify", str(EXAMPLE), "--to", "neo4j", "-q", "--source", "reference"]
    command += ["--data", str(EXAMPLE / "northwind.json"), "-o", str(folder / "out")]
    try:
        cold = median(lambda: subprocess.run(command, capture_output=True, check=False), 3)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [Figure("uom verify of the demo to Neo4j, cold process", cold, "s")]
