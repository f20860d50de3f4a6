"""Code that runs in memory keeps C#'s meaning: where the source's database has another one it cannot move into a query."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.program import QueryMethod, Semantics
from uom.reference.functions import CSHARP

_REASONS = {
    "case_sensitive": "it runs as C# on fetched rows, which tells upper from lower case; the database does not",
    "ignore_trailing_blanks": "it runs as C# on fetched rows, where blanks at the end count; in the database they do not",
    "trimmed": "it runs as C# on fetched rows, which takes more for white space than the database does",
}


def check_assumptions(method: QueryMethod, semantics: Semantics) -> None:
    """Raises Refusal where the database does not do what code in memory relies on."""
    for assumption in method.assumptions:
        if getattr(semantics, assumption.aspect) != getattr(CSHARP, assumption.aspect):
            raise Refusal(
                assumption.construct,
                _REASONS[assumption.aspect],
                assumption.place,
                "Move it into the query, before AsEnumerable or ToList.",
            )
