"""Rows that nobody has seen, for code that the compiler did not write: it may know the answers for the given ones."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace

from uom.data.shuffling import shuffled
from uom.orchestrator.compiling import Prepared
from uom.orchestrator.validation.evidence import Evidence
from uom.orchestrator.validation.judging import judge_rows
from uom.orchestrator.validation.source import pending, reference_of
from uom.orchestrator.validation.target import read_target
from uom.verify.report import Level, QueryReport

_SEED = "seed.json"
_TRIES = 12
_SECONDS = 2.0


def telling_seed(prepared: Prepared) -> int:
    """How to deal the rows out so that as many queries as possible have another answer. Drawn when it is needed, so
    that nobody can know it before; some are tried, within a limit of time."""
    given = _answers(prepared)
    deadline = time.monotonic() + _SECONDS
    best, most = secrets.randbits(62), -1
    for _ in range(_TRIES):
        seed = secrets.randbits(62)
        other = _answers(shuffled_unit(prepared, seed))
        told = sum(other[method] != answers for method, answers in given.items())
        if told > most:
            best, most = seed, told
        if most == len(given) or time.monotonic() > deadline:
            break
    return best


def _answers(prepared: Prepared) -> dict[str, list[str]]:
    """What the interpreter says of each call, by method."""
    source = reference_of(prepared)
    found: dict[str, list[str]] = {}
    for call in pending(prepared):
        result = source.call(call.label, call.method, call.arguments, call.shape)
        found.setdefault(call.method.id, []).append(repr((result.value, result.exception)))
    return found


def keep_seed(evidence: Evidence, seed: int) -> None:
    evidence.put(_SEED, {"seed": seed})


def shuffled_unit(prepared: Prepared, seed: int) -> Prepared:
    """The same calls on rows that are dealt out anew."""
    return replace(prepared, database=shuffled(prepared.database, prepared.unit.schema, seed))


def confirmed(reports: Sequence[QueryReport], prepared: Prepared, evidence: Evidence) -> list[QueryReport]:
    """What was found on the given rows, held against what the same code returned for others.

    The interpreter says what is right for those: nobody ran the C# on them. Unchanged where nothing ran on others.
    """
    if not (evidence.folder / _SEED).exists():
        return list(reports)
    other = shuffled_unit(prepared, evidence.get(_SEED)["seed"])
    found = {r.id: r for r in judge_rows(other, reference_of(other), read_target(evidence))}
    return [_held_against(report, found.get(report.id)) for report in reports]


def _held_against(report: QueryReport, other: QueryReport | None) -> QueryReport:
    if report.level is not Level.EQUIVALENT or (other is not None and other.level is Level.EQUIVALENT):
        return report
    reason = other.reason if other is not None else "it did not run"
    remedy = "Ask the database for everything that the answer is made of."
    return replace(
        report, level=Level.DIFFERENT, reason=f"right on the given rows, but on shuffled ones: {reason}", remedy=remedy
    )
