"""`uom doctor --engine URI`: a server held against MongoDB 8's documented meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from pymongo.errors import PyMongoError
from rich.table import Table

from uom.commands.console import output, print_json
from uom.run.engines.mongodb.addresses import reason_of, without_password
from uom.run.engines.mongodb.conformance import FactResult, Outcome, run_suite
from uom.run.engines.mongodb.identity import EngineInfo, identify
from uom.run.engines.mongodb.server import client_for
from uom.run.failures import EnvironmentFailure

ALL_RIGHT, DIFFERS = 0, 1


def check_engine(uri: str, as_json: bool) -> int:
    """Exit code 0 when every fact holds, 1 when one does not. Raises EnvironmentFailure when it cannot be asked.

    Needs leave to create a database of its own, which is dropped at the end.
    """
    try:
        with client_for(uri) as client:
            engine = identify(client)
            results = run_suite(client)
    except (PyMongoError, OSError, ValueError) as error:
        raise EnvironmentFailure(without_password(uri), reason_of(error), "Check the server and --engine.") from None
    if as_json:
        print_json(_content(engine, results))
    else:
        _print(engine, results)
    return ALL_RIGHT if all(result.outcome is Outcome.RIGHT for result in results) else DIFFERS


def _content(engine: EngineInfo, results: Sequence[FactResult]) -> dict[str, object]:
    counts = Counter(result.outcome for result in results)
    return {
        "engine": {"name": engine.name, "version": engine.version, "grade": engine.grade},
        "facts": {outcome.value: counts[outcome] for outcome in Outcome},
        "differences": [
            {"fact": r.fact.id, "outcome": r.outcome.value, "expected": r.expected, "actual": r.actual}
            for r in _not_right(results)
        ],
    }


def _print(engine: EngineInfo, results: Sequence[FactResult]) -> None:
    console = output()
    console.print(f"{engine}: {len(results)} facts", markup=False)
    table = Table(box=None, pad_edge=False)
    table.add_column("group")
    for outcome in Outcome:
        table.add_column(outcome.value, justify="right")
    for group, members in groupby(results, key=lambda r: r.fact.group):
        table.add_row(group, *_cells(members))
    table.add_row("sum", *_cells(results))
    console.print(table)
    for result in _not_right(results):
        console.print(f"\n{result.outcome.value}: {result.fact.id}", markup=False)
        console.print(f"  MongoDB  {result.expected}\n  server   {result.actual}", markup=False)


def _cells(results: Iterable[FactResult]) -> list[str]:
    counts = Counter(result.outcome for result in results)
    return [str(counts[outcome] or "") for outcome in Outcome]


def _not_right(results: Iterable[FactResult]) -> list[FactResult]:
    return [result for result in results if result.outcome is not Outcome.RIGHT]
