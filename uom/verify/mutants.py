"""Wrong translations on purpose: each differs from the original in one place, as a translator's mistake would.

Run through the same machinery they must come out `different`; one that does not shows that the data cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Coalesce,
    Compare,
    Comparison,
    Conditional,
    Const,
    Expr,
    Fn,
    Function,
    In,
    IsNull,
    Lambda,
    Logical,
    LogicalOp,
    New,
    Not,
    Property,
)
from uom.model.program import QueryMethod
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    DefaultIfEmpty,
    Distinct,
    Exists,
    Filter,
    Include,
    Join,
    JoinKind,
    OrderBy,
    SetKind,
    SetOperation,
    Skip,
    SortKey,
    Take,
)
from uom.model.schema import Schema
from uom.model.types import INT, ComplexType, EntityType, as_nullable, is_integer, same_ignoring_null
from uom.model.walk import children, rebuild

Variant = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`what` names the mistake; `method` has an id of its own."""

    what: str
    method: QueryMethod


def mutants(method: QueryMethod, schema: Schema) -> list[Mutant]:
    """All mutants of a method, in a fixed order, each different from the original and from the others."""
    found: list[Mutant] = []
    seen: set[Expr] = {method.body}
    for what, body in mutate(method.body, schema):
        if body not in seen:
            seen.add(body)
            found.append(Mutant(what, replace(method, name=f"{method.name}Mutant{len(found) + 1}", body=body)))
    return found


def mutate(node: Any, schema: Schema) -> Iterator[Variant]:
    """Every variant of a tree with exactly one change."""
    rule = RULES.get(type(node))
    if rule is not None:
        yield from rule(node)
    if isinstance(node, Property):
        yield from _other_columns(node, schema)
    for child in list(children(node)):
        for what, changed in mutate(child, schema):
            yield what, _with_child(node, child, changed)


def _with_child(node: Any, old: Any, new: Any) -> Any:
    return rebuild(node, lambda child: new if child is old else child)


def _filter(node: Filter) -> Iterator[Variant]:
    yield "predicate dropped", node.source
    yield "predicate negated", replace(node, predicate=Lambda(node.predicate.var, Not(node.predicate.body)))
    if node.when is not None:
        yield "condition ignored", replace(node, when=None)


def _other_columns(node: Property, schema: Schema) -> Iterator[Variant]:
    """The next columns of the same type: the mistake of a mapping, or of a hurried reader."""
    owner = node.target.type
    if isinstance(owner, EntityType):
        properties = schema.entity(owner.name).properties
    elif isinstance(owner, ComplexType):
        properties = schema.complex(owner.name).properties
    else:
        return
    others = [
        p for p in properties if p.name != node.name and same_ignoring_null(p.type, node.type) and not p.unsupported
    ]
    for other in others[:3]:
        nullable = other.type.nullable or node.target.type.nullable
        yield f"{node.name} became {other.name}", replace(node, name=other.name, type=as_nullable(other.type, nullable))


_SHIFTED = {
    Comparison.LT: Comparison.LE,
    Comparison.LE: Comparison.LT,
    Comparison.GT: Comparison.GE,
    Comparison.GE: Comparison.GT,
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
}


def _compare(node: Compare) -> Iterator[Variant]:
    yield f"{node.op.value} became {_SHIFTED[node.op].value}", replace(node, op=_SHIFTED[node.op])
    for side in ("left", "right"):
        constant = getattr(node, side)
        if isinstance(constant, Const):
            shifted = _shift(constant)
            if shifted is not None:
                yield "constant shifted", _with_child(node, constant, shifted)


def _shift(constant: Const) -> Const | None:
    value = constant.value
    match value:
        case bool():
            return replace(constant, value=not value)
        case int() | Decimal():
            return replace(constant, value=value + 1)
        case datetime():
            return replace(constant, value=value + timedelta(days=1))
        case str() if value:
            return replace(constant, value=value[:-1])
    return None


def _order(node: OrderBy) -> Iterator[Variant]:
    first = node.keys[0]
    yield "order flipped", replace(node, keys=(_flipped(first), *node.keys[1:]))
    yield "order dropped", node.source
    if len(node.keys) > 1:
        yield (
            "second order flipped",
            replace(node, keys=(first, *map(_flipped, node.keys[1:]))),
        )


def _flipped(key: SortKey) -> SortKey:
    return replace(key, descending=not key.descending)


def _page(node: Skip | Take) -> Iterator[Variant]:
    name = type(node).__name__
    yield f"{name} shifted by one", replace(node, count=_plus_one(node.count))
    yield f"{name} dropped", node.source


def _plus_one(count: Expr) -> Expr:
    if isinstance(count, Const) and isinstance(count.value, int):
        return replace(count, value=count.value + 1)
    return Arithmetic(ArithmeticOp.ADD, count, Const(1, INT), INT)


def _join(node: Join) -> Iterator[Variant]:
    other = {
        JoinKind.INNER: JoinKind.LEFT,
        JoinKind.LEFT: JoinKind.INNER,
        JoinKind.RIGHT: JoinKind.INNER,
        JoinKind.FULL: JoinKind.LEFT,
    }
    yield f"{node.kind.value} join became {other[node.kind].value}", replace(node, kind=other[node.kind])


def _aggregate(node: Aggregate) -> Iterator[Variant]:
    for kind in (AggregateKind.SUM, AggregateKind.MIN, AggregateKind.MAX):
        if (
            node.selector is not None
            and kind is not node.kind
            and same_ignoring_null(node.selector.body.type, node.element)
        ):
            yield f"{node.kind.value} became {kind.value}", replace(node, kind=kind)


def _new(node: New) -> Iterator[Variant]:
    for i, left in enumerate(node.args):
        for j in range(i + 1, len(node.args)):
            if left != node.args[j] and same_ignoring_null(left.type, node.args[j].type):
                args = list(node.args)
                args[i], args[j] = args[j], args[i]
                names = node.type.fields
                yield f"{names[i].name} and {names[j].name} swapped", replace(node, args=tuple(args))


def _set(node: SetOperation) -> Iterator[Variant]:
    other = {
        SetKind.UNION: SetKind.CONCAT,
        SetKind.CONCAT: SetKind.UNION,
        SetKind.EXCEPT: SetKind.INTERSECT,
        SetKind.INTERSECT: SetKind.EXCEPT,
    }
    yield f"{node.kind.value} became {other[node.kind].value}", replace(node, kind=other[node.kind])
    yield "right side dropped", node.left


def _include(node: Include) -> Iterator[Variant]:
    for i, child in enumerate(node.tree):
        if child.children:
            shallow = (*node.tree[:i], replace(child, children=()), *node.tree[i + 1 :])
            yield f"Include below {child.navigation} dropped", replace(node, tree=shallow)
    if len(node.tree) == 1:
        yield "Include dropped", node.source


def _logical(node: Logical) -> Iterator[Variant]:
    other = {LogicalOp.AND: LogicalOp.OR, LogicalOp.OR: LogicalOp.AND, LogicalOp.XOR: LogicalOp.OR}
    yield f"{node.op.value} became {other[node.op].value}", replace(node, op=other[node.op])
    yield "left side dropped", node.right
    yield "right side dropped", node.left


def _function(node: Function) -> Iterator[Variant]:
    other = {Fn.CONTAINS: Fn.STARTS_WITH, Fn.STARTS_WITH: Fn.CONTAINS, Fn.ENDS_WITH: Fn.CONTAINS, Fn.UPPER: Fn.LOWER,
             Fn.LOWER: Fn.UPPER, Fn.FLOOR: Fn.CEILING, Fn.CEILING: Fn.FLOOR, Fn.DAY: Fn.MONTH, Fn.MONTH: Fn.DAY,
             Fn.YEAR: Fn.MONTH, Fn.LEAST: Fn.GREATEST, Fn.GREATEST: Fn.LEAST}  # fmt: skip
    if node.fn in other:
        yield f"{node.fn.value} became {other[node.fn].value}", replace(node, fn=other[node.fn])


def _arithmetic(node: Arithmetic) -> Iterator[Variant]:
    other = {ArithmeticOp.ADD: ArithmeticOp.SUB, ArithmeticOp.SUB: ArithmeticOp.ADD, ArithmeticOp.MUL: ArithmeticOp.ADD}
    if (
        node.op in other
        and same_ignoring_null(node.left.type, node.right.type)
        and same_ignoring_null(node.left.type, node.type)
    ):
        yield f"{node.op.value} became {other[node.op].value}", replace(node, op=other[node.op])
    if node.op is ArithmeticOp.SUB and is_integer(node.type):
        yield "operands swapped", replace(node, left=node.right, right=node.left)


def _conditional(node: Conditional) -> Iterator[Variant]:
    if same_ignoring_null(node.then.type, node.otherwise.type):
        yield "branches swapped", replace(node, then=node.otherwise, otherwise=node.then)


RULES: dict[type, Callable[[Any], Iterator[Variant]]] = {
    Filter: _filter,
    Compare: _compare,
    OrderBy: _order,
    Skip: _page,
    Take: _page,
    Join: _join,
    Aggregate: _aggregate,
    New: _new,
    SetOperation: _set,
    Include: _include,
    Logical: _logical,
    Function: _function,
    Arithmetic: _arithmetic,
    Conditional: _conditional,
    Distinct: lambda node: iter([("Distinct dropped", node.source)]),
    DefaultIfEmpty: lambda node: iter([("DefaultIfEmpty dropped", node.source)]),
    In: lambda node: iter([("Contains negated", Not(node))]),
    IsNull: lambda node: iter([("null test negated", Not(node))]),
    Coalesce: lambda node: iter([("default dropped", node.left)] if node.left.type == node.type else []),
    Exists: lambda node: (
        iter([("predicate of Any dropped", replace(node, source=node.source.source))])
        if isinstance(node.source, Filter)
        else iter([])
    ),
}
