"""What every store of threads shares: how it is used, how state is read back, and what never goes into one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from uom.orchestrator.context import ADDRESSES, SECRETS
from uom.run.failures import EnvironmentFailure

_TYPES = (
    ("uom.orchestrator.frameworks", "TranslationType"),
    ("uom.orchestrator.frameworks", "FrameworkEnum"),
    ("uom.orchestrator.state", "QuerySample"),
    ("uom.orchestrator.state", "QueryValidationResults"),
    ("uom.orchestrator.state", "QueryEquivalenceDeepDiff"),
    ("uom.orchestrator.usage", "NodeUsage"),
)


class Threads(Protocol):
    """A checkpointer, and what we need beside it."""

    @property
    def saver(self) -> BaseCheckpointSaver[Any]: ...

    async def ids(self) -> list[str]:
        """All threads, the latest first."""
        ...

    def claim(self, thread: str) -> AbstractAsyncContextManager[None]:
        """Holds a thread for this process; the claim ends with the process, however that ends. Raises
        EnvironmentFailure when another one holds it."""
        ...


def serializer() -> JsonPlusSerializer:
    """Reads back our own types and those of LangChain, nothing else."""
    return JsonPlusSerializer(allowed_msgpack_modules=_TYPES)


def without_secrets(metadata: CheckpointMetadata, config: RunnableConfig) -> tuple[CheckpointMetadata, RunnableConfig]:
    """LangGraph copies what is `configurable` into a checkpoint's metadata; credentials must not go there."""
    hidden = SECRETS | ADDRESSES
    kept: Any = {name: value for name, value in metadata.items() if name not in hidden}
    configurable = {name: value for name, value in config.get("configurable", {}).items() if name not in hidden}
    return kept, {**config, "configurable": configurable}


def taken(thread: str) -> EnvironmentFailure:
    return EnvironmentFailure(f"thread {thread}", "another process is working on it", "Wait for it, or end it.")


class UnknownThread(Exception):
    """Nothing is kept under that name."""


async def known_thread(threads: Threads, thread: str) -> None:
    """Raises UnknownThread for a thread that is not there."""
    found = await threads.saver.aget_tuple({"configurable": {"thread_id": thread}})
    if found is None:
        ids: Sequence[str] = (await threads.ids())[:5]
        known = f"Known: {', '.join(ids)}." if ids else "There is none yet."
        raise UnknownThread(f"thread {thread} is not known. {known}")
