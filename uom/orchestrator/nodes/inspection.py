"""`schema_inspection`: what is known about the data, short, before anything is translated."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.compiling import source_code
from uom.orchestrator.context import Context, resolve
from uom.orchestrator.inspection import inspect_schema
from uom.orchestrator.routes import last_message_id
from uom.orchestrator.state import State


async def schema_inspection(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
    """Databases where they can be reached, else the code itself. What cannot be reached costs a line, not the run."""
    context = resolve(runtime.context, config)
    code = await asyncio.to_thread(source_code, state)
    found = await inspect_schema(code, state.destination_target, context)
    return {"schema_context": found, "read_message_id": last_message_id(state)}
