"""Parameters that a condition has shown to be there lose their "may be null" where the condition holds.

`if (!string.IsNullOrEmpty(term)) query = query.Where(x => x.Name.Contains(term))` and `term == null || ...` are how
optional filters are written; without null to think of, they become plain query operators.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from uom.model.expressions import (
    Arithmetic,
    Conditional,
    Convert,
    Expr,
    Fn,
    Function,
    Lambda,
    Logical,
    LogicalOp,
    Negate,
    Parameter,
)
from uom.model.facts import present
from uom.model.queries import Filter
from uom.model.types import as_nullable
from uom.model.walk import children, rebuild

Known = frozenset[Expr]
_NEVER_OF_VALUES = frozenset({Fn.PARSE})
"""Functions that may be null although no argument is."""


def narrow_parameters(body: Expr) -> Expr:
    """The same method; the types of parameters, and of what is computed from them, say less."""
    result: Expr = _narrow(body, frozenset())
    return result


def _narrow(node: Any, known: Known) -> Any:
    match node:
        case Parameter() if node in known:
            return replace(node, type=as_nullable(node.type, False))
        case Filter(source=source, predicate=predicate, when=when) if when is not None:
            here = known | _parameters(when, True)
            body = _narrow(predicate.body, here)
            return replace(
                node,
                source=_narrow(source, known),
                predicate=Lambda(predicate.var, body),
                when=_narrow(when, known),
            )
        case Logical(op=op, left=left, right=right) if op is not LogicalOp.XOR:
            then = known | _parameters(left, op is LogicalOp.AND)
            return replace(node, left=_narrow(left, known), right=_narrow(right, then))
        case Conditional(test=test, then=then, otherwise=otherwise):
            yes, no = known | _parameters(test, True), known | _parameters(test, False)
            parts = {"test": _narrow(test, known), "then": _narrow(then, yes), "otherwise": _narrow(otherwise, no)}
            return replace(node, **parts)
    result = rebuild(node, lambda child: _narrow(child, known))
    return _retyped(result) if result is not node else node


def _parameters(test: Expr, holds: bool) -> Known:
    return frozenset(e for e in present(test, holds) if isinstance(e, Parameter))


def _retyped(node: Any) -> Any:
    """What gives null only for null gives none for operands that are there."""
    if isinstance(node, Arithmetic | Negate | Convert | Function) and node.type.nullable:
        if isinstance(node, Function) and node.fn in _NEVER_OF_VALUES:
            return node
        if not any(part.type.nullable for part in children(node)):  # type: ignore[union-attr]
            return replace(node, type=as_nullable(node.type, False))
    return node
