"""`make bench`: prints each figure with its target, and ratios of both sides measured in the same run."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figure, median
from benchmarks.graph import graph_figures
from benchmarks.orchestrator import orchestrator_figures
from uom.data.documents import documents
from uom.data.rows import build_database, read_data_file
from uom.read import load_sources
from uom.read.csharp.syntax import SourceFile, parse
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.java.harness import Invocation, harness
from uom.run.java.maven import run_with_maven
from uom.run.java.worker import JavaWorker
from uom.run.memory import peak_kb
from uom.run.sandboxes.bubblewrap import Bubblewrap, usable
from uom.run.sandboxes.local import LocalSandbox
from uom.run.toolchain import Part, ensure
from uom.translation import Translation, TranslationOptions, translate
from uom.verify.arguments import argument_sets
from uom.verify.target import Call, run_target
from uom.write.mongodb import java_call

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "northwind"


def translation_figures() -> list[Figure]:
    sources = load_sources((str(EXAMPLE),))
    options = TranslationOptions()
    translate(sources, options)
    demo = median(lambda: translate(load_sources((str(EXAMPLE),)), options), 7)
    return [Figure("translate the 15-query demo, warm", demo * 1000, "ms", 100)]


def command_figures() -> list[Figure]:
    uom = [sys.executable, "-m", "uom"]
    help_time = median(lambda: subprocess.run([*uom, "--help"], capture_output=True, check=True), 5)
    folder = Path(tempfile.mkdtemp(prefix="uom-bench-"))
    try:
        verify = median(lambda: _verify(uom, folder), 3)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [
        Figure("uom --help", help_time * 1000, "ms", 300),
        Figure("uom verify of the demo, cold process, reference source", verify, "s", 8),
    ]


def _verify(uom: list[str], folder: Path) -> None:
    data = str(EXAMPLE / "northwind.json")
    command = [*uom, "verify", str(EXAMPLE), "--data", data, "-o", str(folder / "out"), "-q", "--source", "reference"]
    subprocess.run(command, capture_output=True, check=True)


def many_queries(count: int) -> list[SourceFile]:
    """The demo's model and `count` different methods made from its first one."""
    model = (EXAMPLE / "Model.cs").read_text(encoding="utf-8")
    methods = [
        f'public static object Q{i}(ShopContext db) => db.Orders.Where(o => o.Freight > {i}m && o.Customer!.Address.Country == "C{i}")'
        f".OrderBy(o => o.Id).Select(o => new {{ o.Id, o.Freight, o.Customer!.CompanyName, Lines = o.Lines.Count() }}).ToList();"
        for i in range(count)
    ]
    queries = (
        "using System.Linq;\nnamespace Northwind.Shop;\npublic static class Many {\n" + "\n".join(methods) + "\n}\n"
    )
    return [parse("Model.cs", model), parse("Many.cs", queries)]


def scale_figures() -> list[Figure]:
    """In a process of its own, so that the peak of memory is that of the translation."""
    script = (
        "import resource, sys, time; from benchmarks.__main__ import many_queries; "
        "from uom.translation import translate, TranslationOptions; n = int(sys.argv[1]); s = many_queries(n); "
        "t = time.perf_counter(); r = translate(s, TranslationOptions()); e = time.perf_counter() - t; "
        "assert len(r.units[0].bundle.methods) == n; "
        "print(e, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    figures = []
    times = {}
    for count, limit in ((250, 0.0), (1000, 5.0)):
        done = subprocess.run(
            [sys.executable, "-c", script, str(count)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        elapsed, memory = (float(x) for x in done.stdout.split())
        times[count] = elapsed
        figures.append(Figure(f"translate {count} queries", elapsed, "s", limit))
        if count == 1000:
            figures.append(Figure("memory of that process", memory, "MB", 300))
    figures.append(Figure("1000 queries / 250 queries (4 is linear)", times[1000] / times[250], "x", 5))
    return figures


def sandbox_figures() -> list[Figure]:
    """What isolation costs. None where bubblewrap does not work."""
    found, tools = usable(), ensure(parts=(Part.JAVA,))
    if found is None:
        return []
    sandbox = LocalSandbox()
    empty = {"a/Main.java": "package a; public class Main { public static void main(String[] a) {} }"}

    def first_job(isolation: Bubblewrap | None) -> None:
        with JavaWorker(tools, isolation) as worker:
            worker.run(empty, "a.Main")

    try:
        command = median(lambda: asyncio.run(sandbox.execute("true")), 9)
    finally:
        asyncio.run(sandbox.close())
    plain, isolated = median(lambda: first_job(None), 5), median(lambda: first_job(found), 5)
    return [
        Figure("a command in the local sandbox", command * 1000, "ms"),
        Figure("start the Java worker, first job", plain * 1000, "ms"),
        Figure("the same in the sandbox", isolated * 1000, "ms"),
    ]


def demo_translation() -> Translation:
    return translate(load_sources((str(EXAMPLE),)), TranslationOptions())


def run_figures() -> list[Figure]:
    tools = ensure()
    (unit,) = demo_translation().units
    data = read_data_file(EXAMPLE / "northwind.json")
    figures = []
    started = time.perf_counter()
    with MongoEngine(tools) as engine, JavaWorker(tools) as worker:
        figures.append(Figure("start the embedded MongoDB", time.perf_counter() - started, "s"))
        database = build_database(data, unit.schema)
        content = documents(database, unit.schema, unit.mapping)
        calls = [
            Call(
                p.method.id,
                p.method.id,
                tuple(
                    argument_sets(p.method, unit.schema, database, unit.semantics)[0][q.name]
                    for q in p.method.parameters
                ),
            )
            for p in unit.planned
        ]
        started = time.perf_counter()
        with engine.fresh_database(content) as name:
            figures.append(Figure("load the demo's rows", time.perf_counter() - started, "s"))
            for _ in range(4):
                run_target(unit, calls, worker, engine, name)
            runs = [run_target(unit, calls, worker, engine, name) for _ in range(5)]
            warm = statistics.median(r.compile_ms + r.run_ms for r in runs) / 1000
            figures.append(Figure("compile the demo's Java, warm", statistics.median(r.compile_ms for r in runs), "ms"))
            figures.append(Figure("compile and run the demo's 15 queries, warm", warm, "s", 1.0))
            for result in sorted(runs[-1].results.values(), key=lambda r: -r.millis)[:5]:
                figures.append(Figure(f"  of which {result.label}", result.millis, "ms"))
            figures.append(Figure("memory of the Java worker", peak_kb(worker.pid) / 1024, "MB"))
            figures.append(Figure("memory of the embedded MongoDB", peak_kb(engine.pid) / 1024, "MB"))
            if shutil.which("mvn") and shutil.which("javac"):
                figures.extend(_maven_figures(unit_files(unit, calls), engine.relay_uri, name, warm))
    return figures


def unit_files(unit: object, calls: list[Call]) -> dict[str, str]:
    from uom.translation import Unit

    assert isinstance(unit, Unit)
    invocations = []
    for call in calls:
        method = unit.java_method(call.method_id)
        assert method is not None
        invocations.append(Invocation(call.label, java_call(method, call.arguments)))
    return harness(unit.bundle, invocations).files


def _maven_figures(files: dict[str, str], uri: str, database: str, warm: float) -> list[Figure]:
    folder = Path(tempfile.mkdtemp(prefix="uom-bench-"))
    try:
        files = {
            p: t.replace("<java.version>25", "<java.version>17").replace("release>25<", "release>17<")
            for p, t in files.items()
        }
        environment = {"MONGODB_URI": uri, "MONGODB_DATABASE": database}
        run_with_maven(files, environment, folder / "first")
        started = time.perf_counter()
        run = run_with_maven(files, environment, folder / "second")
        elapsed = time.perf_counter() - started
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    state = "" if run.json_path is not None else " (FAILED)"
    return [
        Figure(f"the same by the portable Maven commands{state}", elapsed, "s"),
        Figure("portable Maven / warm worker", elapsed / warm, "x"),
    ]


def main() -> int:
    missed = False
    for part in (
        command_figures,
        translation_figures,
        scale_figures,
        sandbox_figures,
        run_figures,
        graph_figures,
        orchestrator_figures,
    ):
        for figure in part():
            print(figure, flush=True)
            missed = missed or figure.missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
