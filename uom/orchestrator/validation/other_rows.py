"""Rows that nobody has seen, for code that the compiler did not write: it may know the answers for the given ones."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from uom.orchestrator.compiling import Prepared
from uom.orchestrator.validation.evidence import Evidence
from uom.orchestrator.validation.judging import judge_rows
from uom.orchestrator.validation.source import pending, reference_of
from uom.orchestrator.validation.target import read_target
from uom.verify.compare import Comparer
from uom.verify.other_rows import constants_of, other_rows
from uom.verify.report import Level, QueryReport
from uom.verify.shapes import Shape
from uom.verify.source import SourceResult

_DEALT = "dealt.json"
_MOST = 4
_TRIES = 40
_SECONDS = 3.0

Answers = Mapping[str, SourceResult]
"""What the interpreter says of each call, by label."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """`seeds` of the other rows, and the queries of which some call has another answer on them than on the given ones."""

    seeds: tuple[int, ...]
    told: frozenset[str]


def deal(prepared: Prepared) -> Dealt:
    """Other rows on which as many calls as possible have another answer, a few sets of them.

    Drawn when they are needed, so that nobody can know them before; some are tried, within a limit of time.
    """
    given = _answers(prepared)
    shapes = {call.label: call.shape for call in pending(prepared)}
    deadline = time.monotonic() + _SECONDS
    found: list[tuple[int, frozenset[str]]] = []
    for _ in range(_TRIES):
        seed = secrets.randbits(62)
        other = _answers(on_other_rows(prepared, seed))
        found.append((seed, frozenset(n for n, answer in given.items() if _tells(answer, other[n], shapes[n]))))
        told = frozenset[str]().union(*(labels for _, labels in found))
        if len(told) == len(given) or time.monotonic() > deadline:
            break
    return _most_telling(found)


def _most_telling(found: Sequence[tuple[int, frozenset[str]]]) -> Dealt:
    """Greedily: each next one tells of the most calls that none before it tells of."""
    seeds: list[int] = []
    told: frozenset[str] = frozenset()
    left = list(found)
    while left and len(seeds) < _MOST:
        best = max(left, key=lambda item: len(item[1] - told))
        if seeds and not best[1] - told:
            break
        left.remove(best)
        seeds.append(best[0])
        told |= best[1]
    return Dealt(tuple(seeds), frozenset(label.rpartition("-")[0] for label in told))


def _answers(prepared: Prepared) -> Answers:
    source = reference_of(prepared)
    calls = pending(prepared)
    return {c.label: source.call(c.label, c.method, c.arguments, c.shape) for c in calls}


def _tells(given: SourceResult, other: SourceResult, shape: Shape) -> bool:
    """Whether an answer on other rows is one, and another one, as far as order counts."""
    if other.exception or other.failed:
        return False
    if given.exception or given.failed:
        return True
    return Comparer(inexact=True).compare(given.value, other.value, shape) is not None


def on_other_rows(prepared: Prepared, seed: int) -> Prepared:
    """The same calls on rows that are dealt out anew."""
    constants = constants_of(p.method for p in prepared.planned)
    return replace(prepared, database=other_rows(prepared.database, prepared.unit.schema, constants, seed))


def part_of(evidence: Evidence, number: int) -> Evidence:
    """Where the results on the other rows of one seed are."""
    return evidence.part(f"{number}")


def keep(evidence: Evidence, dealt: Dealt) -> None:
    """Once the code has run on all of them."""
    evidence.put(_DEALT, {"seeds": list(dealt.seeds), "told": sorted(dealt.told)})


def confirmed(reports: Sequence[QueryReport], prepared: Prepared, evidence: Evidence) -> list[QueryReport]:
    """What was found on the given rows, held against what the same code returned for others.

    The interpreter says what is right for those: nobody ran the C# on them. Unchanged where nothing ran on others.
    """
    if not (evidence.folder / _DEALT).exists():
        return list(reports)
    kept = evidence.get(_DEALT)
    held = list(reports)
    for number, seed in enumerate(kept["seeds"]):
        other = on_other_rows(prepared, seed)
        judged = judge_rows(other, reference_of(other), read_target(part_of(evidence, number)))
        found = {r.id: r for r in judged}
        held = [_held_against(report, found.get(report.id)) for report in held]
    return [report if report.id in kept["told"] else _untold(report) for report in held]


def _agrees(other: QueryReport) -> bool:
    """On other rows there need not be any. Calls that could not be compared, by a defect of ours, agree in nothing."""
    compared = bool(other.calls) and not any(c.problem or c.difference for c in other.calls)
    return other.level is Level.EQUIVALENT or (other.level is Level.EXECUTED and compared)


def _held_against(report: QueryReport, other: QueryReport | None) -> QueryReport:
    if report.level is not Level.EQUIVALENT or (other is not None and _agrees(other)):
        return report
    reason = other.reason if other is not None else "it did not run"
    remedy = "Ask the database for everything that the answer is made of."
    return replace(
        report, level=Level.DIFFERENT, reason=f"right on the given rows, but on others: {reason}", remedy=remedy
    )


def _untold(report: QueryReport) -> QueryReport:
    """Code that knows the answer would be right on all rows that were tried."""
    if report.level is not Level.EQUIVALENT:
        return report
    reason = (
        "rows agree, but the right answer was the same on all other rows that were tried, so that it may be a constant"
    )
    return replace(
        report, level=Level.EXECUTED, reason=reason, remedy="Add rows that change the answer, or read the Java."
    )
