"""The rules judge: what is known about each query, and the decision that follows. No model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from uom.data.content import losses_in
from uom.data.rows import unknown_tables
from uom.model.diagnostics import Severity, with_remedy
from uom.orchestrator.compiling import compiled, data_of, prepared, source_code, target_of
from uom.orchestrator.model_queries import class_name_of
from uom.orchestrator.state import QueryValidationResults, State
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.translation import RefusedQuery, Translation

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
    place: str = ""
    source_problem: str = ""

    def __str__(self) -> str:
        # one line, whatever a query that throws says: others begin like this one
        why = shortened(" ".join(with_remedy(self.reason, self.remedy).split()))
        where = f" {self.place}" if self.place else ""
        return f"{self.query} [{self.level}]{where}{': ' if why else ''}{why}"


def shortened(text: str, most: int = 600) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


@dataclass(frozen=True, slots=True)
class Verdict:
    """ACCEPT only when there is something, all of it is equivalent, and nothing of the input was left unread."""

    findings: tuple[Finding, ...]
    by_samples: bool = False
    problem: str = ""
    unread: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    of_model: tuple[str, ...] = ()
    """What went wrong when a model was asked for this try."""

    @property
    def equivalent(self) -> int:
        return sum(f.equivalent for f in self.findings)

    @property
    def decision(self) -> Decision:
        whole = not self.unread and not self.problem
        return "ACCEPT" if whole and self.findings and self.equivalent == len(self.findings) else "REJECT"

    @property
    def open(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if not f.equivalent)


def judge(state: State) -> Verdict:
    """Every query of the input has a finding, also those that were refused or never ran."""
    try:
        translation = compiled(source_code(state), target_of(state))
    except INPUT_PROBLEMS as problem:
        return Verdict((), problem=said(problem))
    refused = {r.id: _refusal(r) for r in translation.refused}
    places = {m.id: str(m.place) for m in translation.program.methods}
    diffs = state.query_equivalence_deep_diffs or {}
    why = _why_nothing_ran(state)
    findings = []
    for query in dict.fromkeys(translation.method_ids()):
        diff = diffs.get(query)
        if diff is not None:
            found = Finding(query, diff.level, diff.equivalent, diff.reason, diff.remedy, "", diff.source_problem)
        elif query in refused and translation.planned(query) is None:
            found = _unproven(query, state, refused[query])
        elif query in refused and query not in state.model_queries:
            found = refused[query]
        else:
            found = Finding(query, "translated", False, _own_reason(query, state, why) or why)
        findings.append(found if found.place else replace(found, place=places[query]))
    by_samples = any(d.verdict == "samples" for d in diffs.values())
    units = prepared(source_code(state), state.data_file, state.call_arguments, target_of(state)) if diffs else ()
    losses = [str(loss) for u in units for loss in losses_in(u.database, u.unit.mapping)]
    if units and state.data_file:  # the bundled sample has tables of its own
        losses += map(str, unknown_tables(data_of(state.data_file), translation.program.schemas))
    return Verdict(
        tuple(findings),
        by_samples,
        unread=unread_parts(translation),
        losses=tuple(losses),
        of_model=_model_notes(state),
    )


def _model_notes(state: State) -> tuple[str, ...]:
    """Of the last try: whatever comes after the messages of the one before."""
    for message in reversed(state.translation_messages):
        if message.name == "model":
            return tuple(message.text.splitlines())
        if message.name in ("evaluation", "reviewer"):
            return ()
    return ()


def unread_parts(translation: Translation) -> tuple[str, ...]:
    """Parts of the input that could not be read: whatever is in there has no verdict."""
    broken = (d for d in translation.program.diagnostics if d.severity is Severity.INPUT)
    return tuple(dict.fromkeys(map(str, broken)))


def _refusal(query: RefusedQuery) -> Finding:
    d = query.reason
    reason = f"{d.construct}: {d.reason}"
    return Finding(query.id, "refused", False, reason, d.remedy, str(d.place or query.place))


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
    lines += [f"- not read: {problem}" for problem in verdict.unread[:_SHOWN]]
    lines += [f"- {loss}" for loss in verdict.losses[:_SHOWN]]
    lines += [f"- {shortened(note)}" for note in verdict.of_model[:_SHOWN]]
    problems = Counter(f.source_problem for f in verdict.findings if f.source_problem)
    lines += [f"- {count} not run by dotnet: {problem[:300]}" for problem, count in problems.most_common(3)]
    return "\n".join(lines)


def engines_of(state: State) -> tuple[str, ...]:
    """What stood for each side."""
    sides = (state.source_query_validation_results, state.target_query_validation_results)
    return tuple(r.engine for r in sides if r is not None and r.engine)
