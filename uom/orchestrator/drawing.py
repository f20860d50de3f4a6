"""The compiled graph as a Mermaid diagram, for `uom graph` and the README."""

from __future__ import annotations

from uom.orchestrator.graph import NODES, compile_graph

_NAMES = {"__start__": "START", "__end__": "END"}
Edge = tuple[str, str, bool]


def edges() -> list[Edge]:
    """(from, to, whether a gate decides), in the order of the specification's diagram."""
    order = ["__start__", *NODES, "__end__"]
    drawn = compile_graph().get_graph().edges
    found = {(e.source, e.target, bool(e.conditional)) for e in drawn}
    return sorted(found, key=lambda e: (order.index(e[0]), order.index(e[1])))


def mermaid() -> str:
    """Solid arrows are always taken; dotted ones are what a gate may choose."""
    lines = ["graph TD"]
    for source, target, conditional in edges():
        arrow = "-.->" if conditional else "-->"
        lines.append(f"    {_NAMES.get(source, source)} {arrow} {_NAMES.get(target, target)}")
    return "\n".join(lines)
