"""Comparisons of text in lower or upper case: `x.Name.ToLower().Contains(term.ToLower())`.

MongoDB changes the case of ASCII letters only (`$toLower`), and the option `i` of its regular expressions takes more
letters for one than a database does (s and ſ, k and the Kelvin sign). So the pattern names, letter by letter, those that
become the wanted one; Java builds it, from a constant as well as from a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.expressions import Compare, Comparison, Const, Expr, Fn, Function
from uom.write.java.binding import is_bindable
from uom.write.mongodb.tree import Bind, LetterCase

_CASES = {Fn.LOWER: LetterCase.LOWER, Fn.UPPER: LetterCase.UPPER}
KINDS = {Fn.CONTAINS: "contains", Fn.STARTS_WITH: "starts", Fn.ENDS_WITH: "ends"}


@dataclass(frozen=True, slots=True)
class FoldedSearch:
    """`text` is found as it is stored; the pattern allows for the other case."""

    text: Expr
    pattern: Bind


def folded_search(text: Expr, part: Expr, kind: str) -> FoldedSearch | None:
    """A search in a text whose case was changed, for what Java knows; None for any other."""
    if not isinstance(text, Function) or text.fn not in _CASES or part.type.nullable:
        return None
    if not is_bindable(part) and not (isinstance(part, Const) and isinstance(part.value, str)):
        return None
    return FoldedSearch(text.args[0], Bind(part, part.type, kind, _CASES[text.fn]))


def folded_equality(left: Expr, right: Expr) -> FoldedSearch | None:
    """The same for `==`, whichever side is the column."""
    return folded_search(left, right, "equals") or folded_search(right, left, "equals")


def unfolded(text: Expr) -> Expr:
    """The text without a change of case, for databases that ignore case anyway."""
    return unfolded(text.args[0]) if isinstance(text, Function) and text.fn in _CASES else text


def searched_in(expr: Expr) -> Expr | None:
    """The text that a pattern is looked for in, where a change of case goes into the pattern."""
    match expr:
        case Function(fn=fn, args=(text, part)) if fn in KINDS:
            found = folded_search(text, part, KINDS[fn])
        case Compare(op=Comparison.EQ | Comparison.NE, left=left, right=right):
            found = folded_equality(left, right)
        case _:
            return None
    return found.text if found is not None else None
