"""What the compiler has to say about the user's code: always with a place, a reason and a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a user's file; line and column count from 1, columns in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Severity(Enum):
    """`REFUSAL`: no artifact for this construct. `LOSS`: something of the source has no effect on rows and is dropped.

    `FALLBACK`: translated in a slower or plainer way than usual. `CONVENTION`: a choice we made (a tie-breaker, a
    name). `INPUT`: the input itself is broken (syntax error, duplicate class).
    """

    REFUSAL = "refusal"
    LOSS = "loss"
    FALLBACK = "fallback"
    CONVENTION = "convention"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message. `construct` names the C# construct (`GroupBy`, `string.Format`); `reason` says why; `remedy` what to do."""

    severity: Severity
    construct: str
    reason: str
    place: Place | None = None
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        kind = "" if self.severity.value == self.construct else f"{self.severity.value}: "
        return f"{where}{kind}{with_remedy(f'{self.construct}: {self.reason}', self.remedy)}"


def with_remedy(reason: str, remedy: str) -> str:
    """Both as sentences."""
    return (
        f"{reason}{'' if reason.endswith(('.', '!', '?')) else '.'} {remedy}" if reason and remedy else reason + remedy
    )


class Refusal(Exception):
    """Raised inside one query when its meaning cannot be translated; caught once per query method.

    It never escapes the package: `diagnostic` is what the user sees.
    """

    def __init__(self, construct: str, reason: str, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(f"{construct}: {reason}")
        self.diagnostic = Diagnostic(Severity.REFUSAL, construct, reason, place, remedy)

    def at(self, place: Place | None) -> Refusal:
        """The same refusal with a place, if it had none."""
        if self.diagnostic.place is not None or place is None:
            return self
        d = self.diagnostic
        return Refusal(d.construct, d.reason, place, d.remedy)
