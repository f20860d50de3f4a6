"""Several contexts are several programs: their results as one."""

from __future__ import annotations

from collections.abc import Mapping

from uom.orchestrator.state import QueryValidationResults


def merged(parts: Mapping[str, QueryValidationResults]) -> QueryValidationResults:
    """Passed when every part passed. Labels of calls are unique over all parts."""
    queries = {label: sample for part in parts.values() for label, sample in part.queries.items()}
    output = "\n".join(f"{prefix}{line}" for prefix, part in parts.items() for line in part.output.splitlines())
    engines = dict.fromkeys(part.engine for part in parts.values() if part.engine)
    passed = bool(parts) and all(part.passed for part in parts.values())
    return QueryValidationResults(passed, queries, engine=" and ".join(engines), output=output)
