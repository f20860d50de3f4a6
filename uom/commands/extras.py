"""Parts of the product that are installed on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from uom.run.failures import EnvironmentFailure

_NOT_OURS = ("langgraph", "langchain", "langchain_core", "pydantic", "aiosqlite", "deepdiff", "sqlalchemy", "openai")


@contextmanager
def needs_orchestrator() -> Iterator[None]:
    """Around imports: a missing package is named with the way to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NOT_OURS:
            raise
        remedy = "pip install 'uom[orchestrator]'"
        raise EnvironmentFailure("orchestrator", f"the package {missing} is not installed", remedy) from None
