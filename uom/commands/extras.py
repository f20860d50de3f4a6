"""Parts of the product that are installed on demand."""

from __future__ import annotations

from importlib.util import find_spec

from uom.run.failures import EnvironmentFailure

_PACKAGES = ("langgraph", "langchain", "langchain_core", "pydantic", "aiosqlite", "deepdiff", "sqlalchemy", "openai")


def require_orchestrator() -> None:
    """Raises EnvironmentFailure with the way to get it when a package of the orchestrator's is not installed."""
    missing = next((name for name in _PACKAGES if find_spec(name) is None), None)
    if missing is not None:
        remedy = "pip install 'uom[orchestrator]'"
        raise EnvironmentFailure("orchestrator", f"the package {missing} is not installed", remedy)
