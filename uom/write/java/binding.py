"""Which expressions the Java method computes itself, before it asks the database."""

from __future__ import annotations

from uom.model.expressions import (
    Arithmetic,
    Coalesce,
    Compare,
    Concat,
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    IsNull,
    Logical,
    Negate,
    Not,
    Parameter,
    Property,
    Subquery,
)
from uom.model.queries import Aggregate, AggregateKind, Elements, Exists
from uom.model.types import EnumType, ScalarType, SequenceType, is_integer
from uom.model.walk import children

_COMPUTABLE: tuple[type, ...] = (
    Parameter, Const, Property, Compare, Logical, Not, IsNull, Arithmetic, Negate, Conditional, Coalesce, Concat
)  # fmt: skip

COMPUTABLE_FUNCTIONS = frozenset(
    {
        Fn.NOW, Fn.UTC_NOW, Fn.TODAY, Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE, Fn.TRIM, Fn.LENGTH,
        Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT, Fn.ADD_DAYS, Fn.ADD_MONTHS, Fn.ADD_YEARS, Fn.ADD_HOURS, Fn.ADD_MINUTES, Fn.ADD_SECONDS,
        Fn.DATE, Fn.TO_DATE, Fn.MAKE_DATE, Fn.ADD_MILLISECONDS, Fn.DAY_OF_YEAR, Fn.YEAR, Fn.MONTH, Fn.DAY, Fn.LEAST, Fn.GREATEST, Fn.ABS,
    }
)  # fmt: skip

CLOCKS = frozenset({Fn.NOW, Fn.UTC_NOW, Fn.TODAY})


def is_bindable(node: Expr) -> bool:
    """True when the expression has no row variable, hangs on parameters or the clock, and Java can compute it."""
    hangs = _hangs_on_call(node)
    return hangs is True and isinstance(node.type, ScalarType | EnumType | SequenceType)


def _hangs_on_call(node: Expr) -> bool | None:
    """Whether the value depends on parameters or the clock; None when Java cannot compute it."""
    if isinstance(node, Parameter) or (isinstance(node, Subquery) and is_list_test(node)):
        return True
    if isinstance(node, Convert):
        if not (is_integer(node.type) and is_integer(node.operand.type)) and not _only_null(node):
            return None
    elif isinstance(node, Function):
        if node.fn not in COMPUTABLE_FUNCTIONS:
            return None
    elif not isinstance(node, _COMPUTABLE):
        return None
    found = isinstance(node, Function) and node.fn in CLOCKS
    for part in children(node):
        inner = _hangs_on_call(part)  # type: ignore[arg-type]
        if inner is None:
            return None
        found = found or inner
    return found


def is_list_test(node: Subquery) -> bool:
    """`ids.Count`, `ids.Any()` of a list that is a parameter."""
    match node.query:
        case Aggregate(kind=AggregateKind.COUNT, source=source, selector=None):
            pass
        case Exists(source=source):
            pass
        case _:
            return False
    return isinstance(source, Elements) and isinstance(source.source, Parameter)


def _only_null(node: Convert) -> bool:
    source, target = node.operand.type, node.type
    if isinstance(source, ScalarType) and isinstance(target, ScalarType):
        return source.kind is target.kind
    return isinstance(source, EnumType) and isinstance(target, EnumType) and source.name == target.name
