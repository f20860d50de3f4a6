"""Keeps credentials that come as `configurable` out of traces and checkpoints.

LangGraph copies every text in there into the metadata of both. A SecretStr is no text to it, and our Context takes one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from uom.orchestrator.context import ADDRESSES, SECRETS

_HIDDEN = SECRETS | ADDRESSES


def discreet(config: RunnableConfig | None) -> RunnableConfig | None:
    """The configuration with its credentials wrapped."""
    named = (config or {}).get("configurable") or {}
    if config is None or not _HIDDEN & set(named):
        return config
    wrapped = {n: SecretStr(v) if n in _HIDDEN and isinstance(v, str) else v for n, v in named.items()}
    return {**config, "configurable": wrapped}


class DiscreetGraph(CompiledStateGraph):  # type: ignore[type-arg]
    """A compiled graph that wraps credentials before LangGraph sees them; invoke and ainvoke go through here too."""

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        async for part in super().astream(input, discreet(config), **options):
            yield part

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        yield from super().stream(input, discreet(config), **options)


def made_discreet(graph: CompiledStateGraph[Any, Any, Any, Any]) -> DiscreetGraph:
    """The same graph. (`StateGraph.compile` has no way to name the class of what it makes.)"""
    graph.__class__ = DiscreetGraph
    assert isinstance(graph, DiscreetGraph)
    return graph
