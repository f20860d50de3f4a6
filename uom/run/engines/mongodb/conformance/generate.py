"""Writes faults.json: `python -m uom.run.engines.mongodb.conformance.generate`.

Starts the embedded server, runs the suite, and lists each fact that it gets wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uom.run.engines.mongodb.conformance.catalogue import all_facts, operators_of
from uom.run.engines.mongodb.conformance.suite import FactResult, Outcome, run_suite
from uom.run.engines.mongodb.embedded import EmbeddedServer
from uom.run.engines.mongodb.identity import EngineInfo, identify
from uom.run.engines.mongodb.server import client_for
from uom.run.toolchain import Part, ensure


def generated() -> str:
    """The text of faults.json for the embedded server as it is now."""
    server = EmbeddedServer(ensure(parts=[Part.SECANTUS]))
    try:
        with client_for(server.uri) as client:
            return fault_list(identify(client), run_suite(client))
    finally:
        server.stop()


def fault_list(engine: EngineInfo, results: Sequence[FactResult]) -> str:
    counts = Counter(result.outcome.value for result in results)
    content: dict[str, Any] = {
        "engine": engine.name,
        "version": engine.version,
        "facts": {outcome.value: counts[outcome.value] for outcome in Outcome},
        "faults": [_fault(result) for result in results if result.outcome is Outcome.WRONG],
        "refused": [result.fact.id for result in results if result.outcome is Outcome.REFUSED],
        "covered": sorted({operator for fact in all_facts() for operator in operators_of(fact)}),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _fault(result: FactResult) -> dict[str, Any]:
    return {
        "fact": result.fact.id,
        "operators": list(result.fact.operators),
        "expected": result.expected,
        "actual": result.actual,
        "signature": result.fact.signature,
    }


if __name__ == "__main__":
    file = Path(__file__).parents[1] / "faults.json"
    file.write_text(generated(), encoding="utf-8")
    counts = json.loads(file.read_text(encoding="utf-8"))["facts"]
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
