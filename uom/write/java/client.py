"""Expressions that Java computes itself: bound parameters, and what a method does with the results of its queries."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from uom.model.diagnostics import Refusal
from uom.model.expressions import (
    Coalesce,
    Compare,
    Comparison,
    Concat,
    Conditional,
    Const,
    Expr,
    IsNull,
    Logical,
    LogicalOp,
    New,
    Not,
    Parameter,
    Property,
    Subquery,
    Var,
)
from uom.model.facts import present
from uom.model.program import Semantics
from uom.model.queries import Elements, Exists, Query
from uom.model.types import (
    FLOATS,
    EntityType,
    EnumType,
    Kind,
    RecordType,
    ScalarType,
    Type,
    describe,
    is_integer,
    is_string,
)
from uom.model.walk import children
from uom.write.java.binding import is_list_test
from uom.write.java.literals import java_literal
from uom.write.java.precedence import Java, Level, binary, conditional, is_not_null, is_null, joined, negated
from uom.write.java.source import Imports
from uom.write.java.types import JavaModel, box_of, is_primitive
from uom.write.names import java_parameter_name, java_property_name

LINE = 100
"""Longer calls are broken."""


@dataclass(frozen=True, slots=True)
class ClientContext:
    """`locals` maps the sub-queries of the method to the Java variables (or calls) that hold their results."""

    imports: Imports
    model: JavaModel
    semantics: Semantics
    hint: str
    locals: Mapping[Subquery, str] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    """Helper classes that the text needs; filled while writing."""
    nullable: frozenset[str] = frozenset()
    """C# names of the method's parameters that may be null, whatever a condition has shown about them."""


def client_expression(node: Expr, context: ClientContext) -> str:
    """Java text. Raises Refusal for what Java would compute differently."""
    return java(node, context).text


def nested(node: Expr, context: ClientContext) -> str:
    """The text as an operand: in parentheses unless it is one piece."""
    return java(node, context).piece


def java(node: Expr, context: ClientContext) -> Java:
    """The expression with how tightly it binds."""
    try:
        return _write(node, context)
    except Refusal as refusal:
        raise refusal.at(node.place) from None


def absent(node: Expr, context: ClientContext, test: Expr | None = None) -> list[str]:
    """Java conditions under which a value cannot be computed: a parameter that is taken for present is null.

    `x == null || e.At < x` reads x as a value that is there; Java computes it before the database sees the condition.
    `test`: known to hold.
    """
    found: dict[Parameter, None] = {}
    known = frozenset() if test is None else present(test, True)
    waiting: list[tuple[Any, frozenset[Expr]]] = [(node, known)]
    while waiting:
        current, there = waiting.pop()
        if isinstance(current, Parameter):
            names = {p.name for p in there if isinstance(p, Parameter)}
            if not current.type.nullable and current.name in context.nullable and current.name not in names:
                found[current] = None
            continue
        waiting += [(part, there | more) for part, more in reversed(_evaluated(current))]
    return [is_null(java(n, context)).text for n in found]


def _evaluated(node: Any) -> list[tuple[Any, frozenset[Expr]]]:
    """The parts of an expression that Java computes, each with what is certainly not null when it comes to it."""
    nothing: frozenset[Expr] = frozenset()
    match node:
        case IsNull(operand=Parameter()):
            return []
        case Logical(op=LogicalOp.AND | LogicalOp.OR as op, left=left, right=right):
            return [(left, nothing), (right, present(left, op is LogicalOp.AND))]
        case Conditional(test=test, then=then, otherwise=otherwise):
            return [(test, nothing), (then, present(test, True)), (otherwise, present(test, False))]
    return [(part, nothing) for part in children(node)]


def call(function: str, texts: Sequence[str]) -> str:
    """A call on one line, or with one argument per line when that is too long."""
    flat = f"{function}({', '.join(texts)})"
    if len(flat) <= LINE and "\n" not in flat:
        return flat
    return f"{function}(\n        " + ",\n        ".join(text.replace("\n", "\n        ") for text in texts) + ")"


Writer = Callable[[Expr, ClientContext], Java]


@singledispatch
def _write(node: Expr, context: ClientContext) -> Java:
    raise Refusal(type(node).__name__, "cannot be computed in Java", remedy="Move it into the query.")


def register(cls: type) -> Callable[[Writer], Writer]:
    """Adds a node type from another module."""
    return _write.register(cls)


@_write.register
def _parameter(node: Parameter, context: ClientContext) -> Java:
    return Java(java_parameter_name(node.name))


@_write.register
def _var(node: Var, context: ClientContext) -> Java:
    return Java(node.name)


@_write.register
def _const(node: Const, context: ClientContext) -> Java:
    text = java_literal(node.value, node.type, context.imports, context.model)
    return Java(text, Level.UNARY if text.startswith("-") else Level.PRIMARY)


@_write.register
def _subquery(node: Subquery, context: ClientContext) -> Java:
    known = context.locals.get(node)
    if known is not None:
        return Java(known)
    if is_list_test(node):
        return _list_test(node.query, context)
    raise Refusal("sub-query", "it cannot be computed in Java", remedy="Ask the database first, in a variable.")


def _list_test(query: Query, context: ClientContext) -> Java:
    """`ids.Any()`, `ids.Count`."""
    source = query.source  # type: ignore[union-attr]
    assert isinstance(source, Elements)
    items = nested(source.source, context)
    return negated(Java(f"{items}.isEmpty()")) if isinstance(query, Exists) else Java(f"{items}.size()")


@_write.register
def _property(node: Property, context: ClientContext) -> Java:
    if node.target.type.nullable:
        raise Refusal(node.name, "the object may be null")
    owner = nested(node.target, context)
    name = java_property_name(node.name)
    if isinstance(node.target.type, RecordType):
        return Java(f"{owner}.{name}()")
    if isinstance(node.target.type, EntityType):
        boolean = isinstance(node.type, ScalarType) and node.type.kind is Kind.BOOL and not node.type.nullable
        return Java(f"{owner}.{'is' if boolean else 'get'}{name[0].upper()}{name[1:]}()")
    raise Refusal(node.name, "cannot be read in Java")


@_write.register
def _new(node: New, context: ClientContext) -> Java:
    name = context.model.java_type(node.type, context.imports, context.hint)
    return Java(call(f"new {name}", [client_expression(arg, context) for arg in node.args]))


# -- logic -----------------------------------------------------------------------------------------------------------


@_write.register
def _compare(node: Compare, context: ClientContext) -> Java:
    left, right = node.left, node.right
    if node.op is Comparison.EQ:
        return _equality(left, right, context)
    if node.op is Comparison.NE:
        return negated(_equality(left, right, context))
    guards = [is_not_null(java(side, context)) for side in (left, right) if side.type.nullable]
    return joined("&&", Level.AND, [*guards, _ordered(node, context)])


def _equality(left: Expr, right: Expr, context: ClientContext) -> Java:
    a, b = java(left, context), java(right, context)
    if isinstance(left.type, EnumType) or (is_primitive(left.type) and is_primitive(right.type)):
        return binary(a, "==", b, Level.EQUALITY)
    if kind_of(left.type) in (Kind.DECIMAL, Kind.ULONG):
        if left.type.nullable or right.type.nullable:
            raise Refusal("==", "two decimals of which one may be null")
        return Java(f"{a.piece}.compareTo({b}) == 0", Level.EQUALITY)
    if kind_of(left.type) in FLOATS:
        return _equal_doubles(left, right, context)
    return Java(f"{context.imports.use('java.util.Objects')}.equals({a}, {b})")


def _equal_doubles(left: Expr, right: Expr, context: ClientContext) -> Java:
    """Java's boxes tell 0.0 from -0.0 and take NaN for itself; C# does neither."""
    boxed = [java(side, context) for side in (left, right) if side.type.nullable]
    if len(boxed) > 1:
        raise Refusal("==", "two doubles that may be null")
    same = binary(java(left, context), "==", java(right, context), Level.EQUALITY)
    return joined("&&", Level.AND, [is_not_null(boxed[0]), same])


def _ordered(node: Compare, context: ClientContext) -> Java:
    a, b = java(node.left, context), java(node.right, context)
    if is_java_number(node.left.type):
        return binary(a, node.op.value, b, Level.RELATION)
    if isinstance(node.left.type, ScalarType) and node.left.type.kind not in (Kind.STRING, Kind.GUID, Kind.BOOL):
        return Java(f"{a.piece}.compareTo({b}) {node.op.value} 0", Level.RELATION)
    raise Refusal(node.op.value, f"{describe(node.left.type)} is ordered differently in Java")


_LOGIC = {
    LogicalOp.AND: ("&&", Level.AND),
    LogicalOp.OR: ("||", Level.OR),
    LogicalOp.XOR: ("^", Level.XOR),
}


@_write.register
def _logical(node: Logical, context: ClientContext) -> Java:
    operator, level = _LOGIC[node.op]
    return joined(operator, level, [_strict(part, context) for part in (node.left, node.right)])


@_write.register
def _not(node: Not, context: ClientContext) -> Java:
    if isinstance(node.operand, IsNull):
        return is_not_null(java(node.operand.operand, context))
    if isinstance(node.operand, Not) and not node.operand.operand.type.nullable:
        return java(node.operand.operand, context)
    return negated(_strict(node.operand, context))


def _strict(node: Expr, context: ClientContext) -> Java:
    """A nullable bool counts as false when null."""
    if node.type.nullable:
        return Java(f"Boolean.TRUE.equals({client_expression(node, context)})")
    return java(node, context)


@_write.register
def _is_null(node: IsNull, context: ClientContext) -> Java:
    if is_primitive(node.operand.type):
        return Java("false")
    return is_null(java(node.operand, context))


@_write.register
def _conditional(node: Conditional, context: ClientContext) -> Java:
    branches = (node.then, node.otherwise)
    then, otherwise = (java(branch, context) for branch in branches)
    if any(branch.type.nullable and not _is_null_literal(branch) for branch in branches):
        then, otherwise = (boxed(b, t) for b, t in zip(branches, (then, otherwise), strict=True))
    return conditional(_strict(node.test, context), then, otherwise)


def _is_null_literal(node: Expr) -> bool:
    return isinstance(node, Const) and node.value is None


def boxed(node: Expr, text: Java) -> Java:
    """A branch as an object: beside a primitive one Java would unbox the other, and fail where it is null."""
    if kind_of(node.type) is Kind.CHAR and isinstance(node, Const) and node.value is not None:
        return Java(f"Character.valueOf({text})")
    return Java(f"{box_of(node.type)}.valueOf({text})") if is_primitive(node.type) else text


@_write.register
def _coalesce(node: Coalesce, context: ClientContext) -> Java:
    if not node.left.type.nullable and not is_string(node.left.type):
        return java(node.left, context)
    left, right = java(node.left, context), java(node.right, context)
    if not left.text.isidentifier():
        if node.right.type.nullable:
            raise Refusal("??", "its right side may be null too")
        name = f"{context.imports.use('java.util.Objects')}.requireNonNullElse"
        at_hand = isinstance(node.right, Const | Parameter | Subquery)
        return Java(f"{name}({left}, {right})" if at_hand else f"{name}Get({left}, () -> {right})")
    return conditional(is_not_null(left), left, right)


@_write.register
def _concat(node: Concat, context: ClientContext) -> Java:
    parts = []
    for part in node.parts:
        text = java(part, context)
        if part.type.nullable:
            text = Java(f'{context.imports.use("java.util.Objects")}.toString({text}, "")')
        parts.append(text.at(Level.MULTIPLY))
    return Java(" + ".join(parts), Level.ADD if len(parts) > 1 else Level.PRIMARY)


def kind_of(type_: Type) -> Kind | None:
    return type_.kind if isinstance(type_, ScalarType) else None


def is_java_number(type_: Type) -> bool:
    """Types whose operators Java has: int, long, double."""
    kind = kind_of(type_)
    return kind in FLOATS or (kind is not None and is_integer(type_) and kind is not Kind.ULONG)
