"""The verdict by rows, and DeepDiff's view of edge rows, which explains and (in samples mode only) decides."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from deepdiff import DeepDiff

from uom.orchestrator.compiling import Prepared
from uom.orchestrator.state import QueryEquivalenceDeepDiff, QuerySample
from uom.orchestrator.validation.target import KeptTarget
from uom.run.engines.target import Recorded
from uom.verify.report import Level, QueryReport
from uom.verify.session import Doubts, judge_query, report_without_calls
from uom.verify.source import SourceEngine
from uom.verify.target import CallResult

SAMPLES_LEVEL = "same samples"
_MOST_LEAVES = 400
_MOST_TEXT = 2_000

Samples = Mapping[str, QuerySample]


def judge_rows(prepared: Prepared, source: SourceEngine, target: KeptTarget) -> list[QueryReport]:
    """Every query that ran on the target, all rows against all rows."""
    reports = []
    for planned in prepared.planned:
        method = planned.method
        sets = prepared.sets[method.id]
        if not sets:
            reports.append(report_without_calls(prepared.unit, method, prepared.lost.get(method.id)))
            continue
        labels = [f"{method.id}-{i}" for i in range(len(sets))]
        if not any(label in target.results for label in labels):
            continue  # it was refused, so nothing was run
        results = {label: target.results.get(label, _never_ran(label)) for label in labels}
        doubts = list(dict.fromkeys(doubt for label in labels for doubt in target.doubts.get(label, ())))
        unit, database = prepared.unit, prepared.database
        reports.append(judge_query(planned, unit, sets, results, source, database, _known(doubts), target.remedy))
    return reports


def _never_ran(label: str) -> CallResult:
    return CallResult(label, failure="it never ran")


def _known(found: Sequence[str]) -> Doubts:
    def doubts(_: Sequence[Recorded]) -> Sequence[str]:
        return found

    return doubts


def by_rows(report: QueryReport, source: Samples, target: Samples) -> QueryEquivalenceDeepDiff:
    """A row verdict with what DeepDiff says about the edge rows of the first call that differs, or of the first."""
    wrong = next((i for i, c in enumerate(report.calls) if c.difference is not None or c.problem), 0)
    label = f"{report.id}-{wrong}"
    ours, theirs = source.get(label, QuerySample(0)), target.get(label, QuerySample(0))
    equivalent = report.level is Level.EQUIVALENT
    return QueryEquivalenceDeepDiff(
        equivalent=equivalent,
        verdict="rows",
        level=report.level.value,
        reason=report.reason,
        remedy=report.remedy,
        source_count=ours.count,
        target_count=theirs.count,
        first_diff={} if equivalent else explain(ours.firstSample, theirs.firstSample),
        last_diff={} if equivalent else explain(ours.lastSample, theirs.lastSample),
        source_problem=next((c.source_problem for c in report.calls if c.source_problem), ""),
    )


def by_samples(source: QuerySample, target: QuerySample) -> QueryEquivalenceDeepDiff:
    """The specification's check of one call: counts, DeepDiff of edge rows, and the edge rows swapped."""
    if source.error or target.error:
        same = bool(source.error) and bool(target.error)
        reason = "" if same else f"source: {source.error or 'returns'}; target: {target.error or 'returns'}"
        return _sampled(same, reason, source, target)
    if source.count != target.count:
        return _sampled(False, f"the source has {source.count} rows, the target {target.count}", source, target)
    first, last = differences(source.firstSample, target.firstSample), differences(source.lastSample, target.lastSample)
    if not first and not last:
        return _sampled(True, "", source, target)
    crossed = [
        differences(source.firstSample, target.lastSample),
        differences(source.lastSample, target.firstSample),
    ]
    if not any(crossed):
        return _sampled(True, "the edge rows are the same, swapped", source, target, swapped=True)
    return _sampled(False, "the edge rows differ", source, target, first, last)


def _sampled(
    equivalent: bool,
    reason: str,
    source: QuerySample,
    target: QuerySample,
    first: dict[str, Any] | None = None,
    last: dict[str, Any] | None = None,
    swapped: bool = False,
) -> QueryEquivalenceDeepDiff:
    level = SAMPLES_LEVEL if equivalent else Level.DIFFERENT.value
    return QueryEquivalenceDeepDiff(
        equivalent, "samples", level, reason, "", source.count, target.count, first or {}, last or {}, swapped
    )


def differences(source: Any, target: Any) -> dict[str, Any]:
    """DeepDiff with the specification's options; {} when it finds nothing.

    Decided by what it lists and never by `deep_distance`, which is 0 for some real differences too. Rows too large
    for it (it takes quadratic time) are compared as they are.
    """
    if _leaves(source) + _leaves(target) > _MOST_LEAVES:
        return {} if _canonical(source) == _canonical(target) else {"too_large": "the rows differ"}
    try:
        diff = DeepDiff(
            source,
            target,
            ignore_order=True,
            report_repetition=True,
            significant_digits=3,
            cutoff_intersection_for_pairs=1,
            cutoff_distance_for_pairs=1,
            get_deep_distance=True,
        )
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        same = _canonical(source) == _canonical(target)
        return {} if same else {"not_compared": f"DeepDiff failed ({type(error).__name__}), and the rows differ"}
    return _bounded({k: v for k, v in diff.items() if k != "deep_distance"})


def explain(source: Any, target: Any) -> dict[str, Any]:
    """What differs between two rows, for people: exact, unlike the check by samples."""
    if _leaves(source) + _leaves(target) > _MOST_LEAVES:
        return {} if _canonical(source) == _canonical(target) else {"too_large": "the rows differ"}
    try:
        diff = DeepDiff(source, target, ignore_numeric_type_changes=True, verbose_level=2)
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        return {"not_compared": type(error).__name__}
    return _bounded(dict(diff))


def _bounded(found: dict[str, Any]) -> dict[str, Any]:
    """Plain values that fit into state."""
    kept: dict[str, Any] = {}
    for kind, what in found.items():
        text = json.dumps(what, default=str, ensure_ascii=False)
        kept[kind] = json.loads(text) if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}..."
    return kept


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_leaves, value.values())) + 1
    if isinstance(value, list | tuple):
        return sum(map(_leaves, value)) + 1
    return 1


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
