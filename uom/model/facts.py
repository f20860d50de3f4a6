"""What a condition says about null: the expressions that are there when it is true, and when it is false."""

from __future__ import annotations

from uom.model.expressions import Compare, Comparison, Const, Expr, Fn, Function, IsNull, Logical, LogicalOp, Not

_NULL_TESTS = frozenset({Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE})


def present(test: Expr, holds: bool) -> frozenset[Expr]:
    """What is certainly not null where the test is true (`holds`) or not true."""
    match test:
        case Not(operand=operand):
            return present(operand, not holds)
        case IsNull(operand=operand):
            return frozenset() if holds else frozenset([operand])
        case Function(fn=fn, args=(text,)) if fn in _NULL_TESTS:
            return frozenset() if holds else frozenset([text])
        case Logical(op=op, left=left, right=right) if op is (LogicalOp.AND if holds else LogicalOp.OR):
            return present(left, holds) | present(right, holds)
        case Compare(op=op, left=left, right=right) if holds:
            return _compared(op, left, right)
    return frozenset()


def _compared(op: Comparison, left: Expr, right: Expr) -> frozenset[Expr]:
    """An order is true of two values only; a value equal to one that is not null is not null."""
    if op is Comparison.EQ:
        sides = ((left, right), (right, left))
        return frozenset(one for one, other in sides if isinstance(other, Const) and other.value is not None)
    return frozenset() if op is Comparison.NE else frozenset([left, right])
