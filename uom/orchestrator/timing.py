"""Wraps nodes: says when they begin and end, and counts their seconds."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import Command

from uom.orchestrator.context import Context
from uom.orchestrator.state import State
from uom.orchestrator.usage import NodeUsage, add_usage

Update = dict[str, Any]
Node = Callable[[State, RunnableConfig, Runtime[Context]], Awaitable[Any]]


def timed(name: str, node: Node) -> Any:
    """The node with its share of `State.usage` in what it returns, and progress events on the `custom` stream.

    (Any: LangGraph injects by name, which its types cannot say for these three parameters together.)
    """

    @wraps(node)
    async def run(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        started = time.perf_counter()
        runtime.stream_writer({"node": name, "phase": "begin"})
        result = await node(state, config, runtime)
        seconds = round(time.perf_counter() - started, 3)
        runtime.stream_writer({"node": name, "phase": "end", "seconds": seconds})
        update = (result.update or {}) if isinstance(result, Command) else result
        assert isinstance(update, dict)
        usage = add_usage({name: NodeUsage(1, seconds)}, update.get("usage") or {})
        update = {**update, "usage": usage}
        return Command(goto=result.goto, update=update) if isinstance(result, Command) else update

    return run
