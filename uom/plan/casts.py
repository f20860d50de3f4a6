"""Casts of a fraction to an integer, as the source's database does them: PostgreSQL rounds where C# cuts."""

from __future__ import annotations

from uom.model.expressions import Convert, Expr, Fn, Function
from uom.model.program import Semantics
from uom.model.types import FLOATS, Kind, ScalarType, is_integer
from uom.model.walk import free_variables, transform

_FRACTIONS = FLOATS | {Kind.DECIMAL}


def round_casts(body: Expr, semantics: Semantics) -> Expr:
    """`(int)row.Price` with the rounding that the database adds; what needs no row is computed by C#, which cuts."""
    return _rounded(body) if semantics.casts_round else body


def means_the_same(body: Expr, planned: Semantics, other: Semantics) -> bool:
    """Whether a planned body has no cast that another database does differently."""
    return planned.casts_round == other.casts_round or _rounded(body) == body


def _rounded(body: Expr) -> Expr:
    def change(node: object) -> object:
        if not isinstance(node, Convert) or not is_integer(node.type) or not free_variables(node.operand):
            return node
        source = node.operand.type
        if not isinstance(source, ScalarType) or source.kind not in _FRACTIONS:
            return node
        if isinstance(node.operand, Function) and node.operand.fn is Fn.TRUNCATE:
            return node  # there is no fraction left
        rounded = Function(Fn.ROUND, (node.operand,), source, node.place)
        return Convert(rounded, node.type, node.place)

    return transform(body, change)
