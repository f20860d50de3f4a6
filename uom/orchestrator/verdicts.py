"""The rules judge: what is known about each query, and the decision that follows. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from uom.orchestrator.compiling import compiled, source_code, target_of
from uom.orchestrator.model_queries import class_name_of
from uom.orchestrator.state import QueryValidationResults, State
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said

Decision = Literal["ACCEPT", "REJECT"]
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Finding:
    """One query: how far it came, and why no further."""

    query: str
    level: str
    equivalent: bool = False
    reason: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        why = f": {self.reason}" if self.reason else ""
        return f"{self.query} [{self.level}]{why}{' ' + self.remedy if self.remedy else ''}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """ACCEPT only when there is something and all of it is equivalent."""

    findings: tuple[Finding, ...]
    by_samples: bool = False
    problem: str = ""

    @property
    def equivalent(self) -> int:
        return sum(f.equivalent for f in self.findings)

    @property
    def decision(self) -> Decision:
        return "ACCEPT" if self.findings and self.equivalent == len(self.findings) else "REJECT"

    @property
    def open(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if not f.equivalent)


def judge(state: State) -> Verdict:
    """Every query of the input has a finding, also those that were refused or never ran."""
    try:
        translation = compiled(source_code(state), target_of(state))
    except INPUT_PROBLEMS as problem:
        return Verdict((), problem=said(problem))
    refused = {r.id: r.reason for r in translation.refused}
    diffs = state.query_equivalence_deep_diffs or {}
    why = _why_nothing_ran(state)
    findings = []
    for query in dict.fromkeys(translation.method_ids()):
        diff = diffs.get(query)
        if diff is not None:
            findings.append(Finding(query, diff.level, diff.equivalent, diff.reason, diff.remedy))
        elif query in refused and translation.planned(query) is None:
            d = refused[query]
            findings.append(
                _unproven(query, state, Finding(query, "refused", False, f"{d.construct}: {d.reason}", d.remedy))
            )
        elif query in refused and query not in state.model_queries:
            d = refused[query]
            findings.append(Finding(query, "refused", False, f"{d.construct}: {d.reason}", d.remedy))
        else:
            findings.append(Finding(query, "translated", False, _own_reason(query, state, why) or why))
    return Verdict(tuple(findings), any(d.verdict == "samples" for d in diffs.values()))


def _unproven(query: str, state: State, refused: Finding) -> Finding:
    """A model may have written Java for what the compiler cannot read; it stays unproven all the same."""
    results = state.target_query_validation_results
    if query not in state.model_queries or results is None:
        return refused
    if not results.passed:
        return Finding(query, "translated", False, _own_reason(query, state, _why_nothing_ran(state)))
    return Finding(query, "compiled", False, f"a model wrote it, and nothing here can prove it ({refused.reason})")


def _why_nothing_ran(state: State) -> str:
    for side, results in (
        ("C#", state.source_query_validation_results),
        ("Java", state.target_query_validation_results),
    ):
        if results is not None and not results.passed:
            return f"{side}: {first_lines(results)}"
    if state.query_equivalence_deep_diffs is not None:
        return "there is no translation of it that ran"
    return "it was not run"


def _own_reason(query: str, state: State, why: str) -> str:
    """For a query that a model wrote: the errors in its own file; for others, that somebody else's stopped the run."""
    results = state.target_query_validation_results
    if results is None or results.passed or not state.model_queries:
        return ""
    own = [line for line in results.output.splitlines() if f"{class_name_of(query)}.java" in line]
    if own:
        return f"it does not compile: {own[0]}"
    return "" if query in state.model_queries else f"another query stopped the run: {why}"


def first_lines(results: QueryValidationResults, count: int = 3) -> str:
    return " | ".join(line for line in results.output.splitlines() if line.strip())[:1000] if count else ""


def summary(verdict: Verdict, engines: Sequence[str] = ()) -> str:
    """The first line says the decision and the count; then one line per query that is not equivalent."""
    word = "ACCEPTED" if verdict.decision == "ACCEPT" else "REJECTED"
    if verdict.problem:
        return f"REJECTED: {verdict.problem}"
    how = "by samples, which is no proof" if verdict.by_samples else "every row compared"
    on = f" ({how}; {' against '.join(engines)})" if engines else ""
    noun = "same samples" if verdict.by_samples else "equivalent"
    lines = [f"{word}: {verdict.equivalent}/{len(verdict.findings)} queries {noun}{on}."]
    lines += [f"- {finding}" for finding in verdict.open[:_SHOWN]]
    if len(verdict.open) > _SHOWN:
        lines.append(f"- and {len(verdict.open) - _SHOWN} more")
    return "\n".join(lines)


def engines_of(state: State) -> tuple[str, ...]:
    """What stood for each side."""
    sides = (state.source_query_validation_results, state.target_query_validation_results)
    return tuple(r.engine for r in sides if r is not None and r.engine)
