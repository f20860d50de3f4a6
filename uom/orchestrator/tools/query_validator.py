"""`check_query_equivalence`: rows decide and DeepDiff explains; or samples decide, which is said and is no proof."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from langchain_core.tools import tool

from uom.orchestrator.compiling import prepared
from uom.orchestrator.pauses import no_pauses
from uom.orchestrator.projects import prefix_of
from uom.orchestrator.routes import FAILED, PASSED
from uom.orchestrator.state import FrameworkEnum, QueryEquivalenceDeepDiff, QuerySample
from uom.orchestrator.validation.evidence import Evidence
from uom.orchestrator.validation.judging import by_rows, by_samples, judge_rows
from uom.orchestrator.validation.other_rows import confirmed
from uom.orchestrator.validation.source import read_source
from uom.orchestrator.validation.target import read_target

NO_PROOF = "verdict by samples: counts and edge rows agree, which is no proof of equivalence"


@tool(parse_docstring=True)
async def check_query_equivalence(
    source_results: dict[str, dict[str, Any]],
    target_results: dict[str, dict[str, Any]],
    source_json_path: str = "",
    target_json_path: str = "",
    source_code: str = "",
    arguments: str = "",
    data_file: str = "",
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB,
    verdict: Literal["rows", "samples"] = "rows",
) -> str:
    """Compares what both sides of a translation returned, query by query.

    With verdict=rows every row that the validators kept is compared; DeepDiff only explains. With verdict=samples
    counts and first and last rows are compared, which can accept a wrong translation and is never called a proof.

    Args:
        source_results: For each call of the C#: count, firstSample, lastSample, error.
        target_results: The same of the Java.
        source_json_path: What validate_dotnet_code gave after JSON_PATH=; needed for rows.
        target_json_path: What validate_java_code gave after JSON_PATH=; needed for rows.
        source_code: The C#; needed for rows.
        arguments: Argument values of the calls, as the graph's generation wrote them.
        data_file: JSON file with the rows of each table.
        target: The Spring Data module.
        verdict: rows or samples.
    """
    ours = {label: QuerySample(**sample) for label, sample in source_results.items()}
    theirs = {label: QuerySample(**sample) for label, sample in target_results.items()}
    comparison = Comparison(ours, theirs, source_json_path, target_json_path, source_code, arguments, data_file, target)
    compare = comparison.by_rows if verdict == "rows" else comparison.by_samples
    return answer(await asyncio.to_thread(compare), verdict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of one validation."""

    source: dict[str, QuerySample]
    target: dict[str, QuerySample]
    source_json_path: str
    target_json_path: str
    code: str
    arguments: str
    data_file: str
    framework: FrameworkEnum

    @no_pauses()
    def by_rows(self) -> dict[str, QueryEquivalenceDeepDiff]:
        """Raises EnvironmentFailure when rows that are to be compared are gone or damaged."""
        units = prepared(self.code, self.data_file, self.arguments, self.framework)
        found = {}
        for unit in units:
            name = prefix_of(unit, units).strip("/")
            if Evidence(Path(self.target_json_path).parent).part(f"java-{name}").read() is None:
                continue  # a context without a translated query
            kept = read_target(Evidence(Path(self.target_json_path).parent).part(f"java-{name}"))
            ran = Evidence(Path(self.source_json_path).parent).part(f"dotnet-{name}")
            engine = read_source(ran, unit, self.code, self.data_file)
            others = Evidence(Path(self.target_json_path).parent).part(f"java-others-{name}")
            for report in confirmed(judge_rows(unit, engine, kept), unit, others):
                found[report.id] = by_rows(report, self.source, self.target)
        return found

    def by_samples(self) -> dict[str, QueryEquivalenceDeepDiff]:
        """The worst of a query's calls stands for it."""
        calls: dict[str, list[QueryEquivalenceDeepDiff]] = defaultdict(list)
        for label in {**self.source, **self.target}:
            missing = QuerySample(0, error="it never ran")
            calls[_query_of(label)].append(by_samples(self.source.get(label, missing), self.target.get(label, missing)))
        return {query: next((d for d in diffs if not d.equivalent), diffs[0]) for query, diffs in calls.items()}


def _query_of(label: str) -> str:
    """`Class.Method-0` is a call of `Class.Method`; any other label is a query's own name."""
    query, dash, number = label.rpartition("-")
    return query if dash and number.isdigit() else label


def answer(diffs: dict[str, QueryEquivalenceDeepDiff], verdict: str) -> str:
    """The marker, a sentence, and the findings as the last line."""
    same = bool(diffs) and all(d.equivalent for d in diffs.values())
    count = sum(d.equivalent for d in diffs.values())
    if verdict == "samples":
        said = NO_PROOF if same else "verdict by samples: they differ"
    else:
        said = f"every row compared: {count} of {len(diffs)} queries equivalent"
    content = json.dumps({query: asdict(d) for query, d in diffs.items()}, ensure_ascii=False)
    return "\n".join([PASSED if same else FAILED, said, content])


def diffs_in(content: str) -> dict[str, QueryEquivalenceDeepDiff]:
    """The findings in an answer; {} where there are none."""
    last = content.rstrip().rpartition("\n")[2]
    try:
        found = json.loads(last)
        return {query: QueryEquivalenceDeepDiff(**fields) for query, fields in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
