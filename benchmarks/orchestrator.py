"""The whole graph: warm, cold, its own overhead, beside the portable commands, and whether the event loop stays free."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.figures import Figure, median
from uom.orchestrator.checkpointer import open_threads
from uom.orchestrator.context import Context
from uom.orchestrator.engines import ENGINES, source_server
from uom.orchestrator.runner import Event, Outcome, Runner
from uom.orchestrator.state import FrameworkEnum
from uom.run.sandboxes.bubblewrap import usable
from uom.run.sandboxes.toolchains import JAVA_RELEASE, find_jdk

ROOT = Path(__file__).resolve().parents[1]
CHAT = ROOT / "examples" / "northwind" / "efcore.md"
_ROWS = 100_000
_MODEL = """
using Microsoft.EntityFrameworkCore;
public class Item { public int Id { get; set; } public string Name { get; set; } = null!; public decimal Price { get; set; } }
public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
public class Q(ShopContext db) { public object All() => db.Items.OrderBy(i => i.Id).ToList(); }
"""


@contextlib.contextmanager
def own_folders() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="uom-bench-"))
    names = {"UOM_RUNS": str(folder / "runs"), "CHECKPOINT_URI": f"sqlite:///{folder}/threads.sqlite"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield folder
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        shutil.rmtree(folder, ignore_errors=True)


async def once(text: str, context: Context, listen: Callable[[Event], None] = lambda _: None) -> tuple[Outcome, float]:
    """The outcome, and the seconds from the first node to the last."""
    async with open_threads() as threads:
        started = time.perf_counter()
        outcome = await Runner(threads, context, listen).start(text, FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
        return outcome, time.perf_counter() - started


def orchestrator_figures() -> list[Figure]:
    with own_folders() as folder:
        cold = median(lambda: _command(folder), 3)
        figures = [Figure("uom run of the demo, cold process", cold, "s")]
        text = CHAT.read_text(encoding="utf-8")
        asyncio.run(once(text, Context()))
        runs = [asyncio.run(once(text, Context())) for _ in range(5)]
        assert all(outcome.status == "accepted" for outcome, _ in runs)
        warm = statistics.median(elapsed for _, elapsed in runs)
        own = statistics.median(t - sum(u.seconds for u in o.values["usage"].values()) for o, t in runs)
        figures += [
            Figure("the whole graph over the demo, warm", warm, "s", 3),
            Figure("of which the graph itself, checkpoints included", own * 1000, "ms", 100),
            *_portable_figures(text, warm, cold),
            *_loop_figures(folder),
        ]
        ENGINES.close()
    return figures


def _command(folder: Path) -> None:
    command = [sys.executable, "-m", "uom", "run", str(CHAT), "-q", "-o", str(folder / "out")]
    subprocess.run(command, capture_output=True, check=True, cwd=ROOT)


def _portable_figures(text: str, warm: float, cold: float) -> list[Figure]:
    """The whole graph again, with the commands of the specification for both sides: nothing stays between two runs."""
    if not (shutil.which("mvn") and find_jdk(JAVA_RELEASE) and usable()):
        return []
    asyncio.run(once(text, Context(portable=True)))  # Maven fetches its plugins
    runs = [asyncio.run(once(text, Context(portable=True))) for _ in range(3)]
    assert all(outcome.status == "accepted" for outcome, _ in runs), runs[0][0].explanation
    portable = statistics.median(elapsed for _, elapsed in runs)
    sides = "both sides" if source_server(Context()) else "Java only"
    return [
        Figure(f"the whole graph over the demo, portable commands, {sides}", portable, "s"),
        Figure("portable / warm", portable / warm, "x", 15, at_least=True),
        Figure("portable / cold", portable / cold, "x", 4, at_least=True),
    ]


def _loop_figures(folder: Path) -> list[Figure]:
    rows = [{"Id": i, "Name": f"item {i % 977}", "Price": f"{i % 1000}.{i % 100:02d}"} for i in range(_ROWS)]
    data = folder / "many.json"
    data.write_text(json.dumps({"tables": {"Items": rows}}))
    text = f"EF Core to MongoDB\n```cs\n{_MODEL}\n```"
    outcome, elapsed, blocked = asyncio.run(_watched(text, Context(data_file=str(data))))
    assert outcome.status == "accepted", outcome.explanation
    comparing = blocked.get("check_query_equivalence_node", 0.0)
    return [
        Figure("the whole graph over 100,000 rows", elapsed, "s"),
        Figure("longest time that the event loop was blocked in it", max(blocked.values()) * 1000, "ms"),
        Figure("the same, while the rows were compared", comparing * 1000, "ms", 50),
    ]


async def _watched(text: str, context: Context) -> tuple[Outcome, float, dict[str, float]]:
    """And the longest wait for the event loop, by node."""
    longest: dict[str, float] = {}
    node, done = "", False

    def listen(event: Event) -> None:
        nonlocal node
        node = event["node"]

    async def tick() -> None:
        while not done:
            started = time.perf_counter()
            await asyncio.sleep(0.002)
            longest[node] = max(longest.get(node, 0.0), time.perf_counter() - started - 0.002)

    ticking = asyncio.create_task(tick())
    outcome, elapsed = await once(text, context, listen)
    done = True
    await ticking
    return outcome, elapsed, longest
