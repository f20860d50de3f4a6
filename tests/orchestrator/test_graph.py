"""The compiled graph is the specification's diagram, and the gates decide as its section 4 says."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from uom.orchestrator import routes
from uom.orchestrator.drawing import edges
from uom.orchestrator.graph import NODES
from uom.orchestrator.state import FrameworkEnum, QueryValidationResults, State, TranslationType

HERE = Path(__file__).parent
ACCEPTED_BY_A_PERSON = ("human_intervention_node", "__end__")
"""The diagram leaves out where "accept" of section 3 leads."""


def edges_of_the_diagram() -> set[tuple[str, str]]:
    """Arrows between nodes: those through a gate go from what is before it to what is behind it."""
    text = (HERE / "specification.mmd").read_text(encoding="utf-8")
    gates = set(re.findall(r"state (\w+) <<choice>>", text))
    arrows = re.findall(r"^\s*(\w+) --> (\w+)", text, re.M)
    behind: dict[str, list[str]] = defaultdict(list)
    for source, target in arrows:
        behind[source].append(target)
    names = {"START": "__start__", "END": "__end__"}
    return {
        (names.get(source, source), names.get(end, end))
        for source, target in arrows
        if source not in gates
        for end in (behind[target] if target in gates else [target])
    }


def test_the_compiled_graph_is_the_diagram() -> None:
    compiled = {(source, target) for source, target, _ in edges()}
    assert compiled - {ACCEPTED_BY_A_PERSON} == edges_of_the_diagram()
    assert ACCEPTED_BY_A_PERSON in compiled


def test_eleven_nodes() -> None:
    assert len(NODES) == 11


def state(**fields: Any) -> State:
    """A state as a case file writes it: enums by name, results as passed or not."""
    kinds = {"translation_type": TranslationType, "source_target": FrameworkEnum, "destination_target": FrameworkEnum}
    made: dict[str, Any] = {n: kinds[n](v) if n in kinds and v is not None else v for n, v in fields.items()}
    for side in ("source_query_validation_results", "target_query_validation_results"):
        if side in made:
            made[side] = QueryValidationResults(bool(made[side])) if made[side] is not None else None
    return State(**made)


CASES = json.loads((HERE / "cases" / "routes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['gate']}-{c['to']}-{c['because']}")
def test_gates(case: dict[str, Any]) -> None:
    assert getattr(routes, case["gate"])(state(**case["state"])) == case["to"]
