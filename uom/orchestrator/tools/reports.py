"""What validators say: a marker first, then what people need, and the path of the results as the last line."""

from __future__ import annotations

import uuid

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import get_runtime

from uom.orchestrator.context import Context, resolve
from uom.orchestrator.routes import FAILED, PASSED
from uom.orchestrator.state import QueryValidationResults
from uom.orchestrator.validation.evidence import Evidence, evidence_of
from uom.run.payload import json_path

_MOST_LINES = 60


def report(results: QueryValidationResults) -> str:
    """The tool's answer."""
    failed_calls = sum(bool(s.error) for s in results.queries.values())
    lines = [PASSED if results.passed else FAILED]
    if results.queries:
        errors = f", {failed_calls} of them threw" if failed_calls else ""
        lines.append(f"{results.engine}: {len(results.queries)} calls{errors}")
    lines += results.output.splitlines()[:_MOST_LINES]
    return "\n".join([*lines, f"JSON_PATH={results.json_path}"] if results.json_path else lines)


def results_in(content: str) -> QueryValidationResults:
    """The results that an answer names; without them, what the answer says."""
    path = json_path(content)
    if path is not None:
        from pathlib import Path

        found = Evidence(Path(path).parent).read()
        if found is not None:
            return found
    return QueryValidationResults(False, output=content.removeprefix(FAILED).strip())


def context_in(config: RunnableConfig | None) -> Context:
    """The settings of the run that a tool is called in, or those of the environment."""
    try:
        found: Context | None = get_runtime(Context).context
    except (KeyError, RuntimeError, AttributeError, LookupError):
        found = None  # called alone
    return resolve(found, config)


def evidence_in(config: RunnableConfig | None, call_id: str) -> Evidence:
    """Where this call keeps rows; a call without a name never finds those of another."""
    thread = str(((config or {}).get("configurable") or {}).get("thread_id") or "alone")
    return evidence_of(thread, call_id or uuid.uuid4().hex)
