"""Expressions that Java computes itself: bound parameters, and what a method does with the results of its queries."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

from uom.model.diagnostics import Refusal
from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Coalesce,
    Compare,
    Comparison,
    Concat,
    Conditional,
    Const,
    Convert,
    Expr,
    IsNull,
    Logical,
    LogicalOp,
    Negate,
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
from uom.model.walk import walk
from uom.write.java.binding import is_list_test
from uom.write.java.literals import java_literal
from uom.write.java.source import Imports
from uom.write.java.types import JavaModel, is_primitive
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
    try:
        return _write(node, context)
    except Refusal as refusal:
        raise refusal.at(node.place) from None


def absent(node: Expr, context: ClientContext, test: Expr | None = None) -> list[str]:
    """Java conditions under which a value cannot be computed: a parameter that is taken for present is null.

    `x == null || e.At < x` reads x as a value that is there; Java computes it before the database sees the condition.
    `test`: known to hold.
    """
    known = {p.name for p in present(test, True) if isinstance(p, Parameter)} if test is not None else set()
    missing = {
        n: None
        for n in walk(node)
        if isinstance(n, Parameter) and not n.type.nullable and n.name in context.nullable and n.name not in known
    }
    return [f"{client_expression(n, context)} == null" for n in missing]


def nested(node: Expr, context: ClientContext) -> str:
    """The text as an operand: in parentheses unless it is one piece."""
    text = client_expression(node, context)
    return text if _is_atomic(text) else f"({text})"


def _is_atomic(text: str) -> bool:
    depth = 0
    quoted = False
    for position, char in enumerate(text):
        if char == '"' and text[position - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == " " and depth == 0:
            return text.startswith("new ") and text.count(" ") == 1
    return True


def call(function: str, texts: Sequence[str]) -> str:
    """A call on one line, or with one argument per line when that is too long."""
    flat = f"{function}({', '.join(texts)})"
    if len(flat) <= LINE and "\n" not in flat:
        return flat
    return f"{function}(\n        " + ",\n        ".join(text.replace("\n", "\n        ") for text in texts) + ")"


@singledispatch
def _write(node: Expr, context: ClientContext) -> str:
    raise Refusal(type(node).__name__, "cannot be computed in Java", remedy="Move it into the query.")


def register(cls: type) -> Callable[[Callable[[Expr, ClientContext], str]], Callable[[Expr, ClientContext], str]]:
    """Adds a node type from another module."""
    return _write.register(cls)


@_write.register
def _parameter(node: Parameter, context: ClientContext) -> str:
    return java_parameter_name(node.name)


@_write.register
def _var(node: Var, context: ClientContext) -> str:
    return node.name


@_write.register
def _const(node: Const, context: ClientContext) -> str:
    return java_literal(node.value, node.type, context.imports, context.model)


@_write.register
def _subquery(node: Subquery, context: ClientContext) -> str:
    known = context.locals.get(node)
    if known is not None:
        return known
    if is_list_test(node):
        return _list_test(node.query, context)
    raise Refusal("sub-query", "it cannot be computed in Java", remedy="Ask the database first, in a variable.")


def _list_test(query: Query, context: ClientContext) -> str:
    """`ids.Any()`, `ids.Count`."""
    source = query.source  # type: ignore[union-attr]
    assert isinstance(source, Elements)
    items = nested(source.source, context)
    return f"!{items}.isEmpty()" if isinstance(query, Exists) else f"{items}.size()"


@_write.register
def _property(node: Property, context: ClientContext) -> str:
    if node.target.type.nullable:
        raise Refusal(node.name, "the object may be null")
    owner = nested(node.target, context)
    name = java_property_name(node.name)
    if isinstance(node.target.type, RecordType):
        return f"{owner}.{name}()"
    if isinstance(node.target.type, EntityType):
        boolean = isinstance(node.type, ScalarType) and node.type.kind is Kind.BOOL and not node.type.nullable
        return f"{owner}.{'is' if boolean else 'get'}{name[0].upper()}{name[1:]}()"
    raise Refusal(node.name, "cannot be read in Java")


@_write.register
def _new(node: New, context: ClientContext) -> str:
    name = context.model.java_type(node.type, context.imports, context.hint)
    return call(f"new {name}", [client_expression(arg, context) for arg in node.args])


# -- logic -----------------------------------------------------------------------------------------------------------


@_write.register
def _compare(node: Compare, context: ClientContext) -> str:
    left, right = node.left, node.right
    if node.op in (Comparison.EQ, Comparison.NE):
        text = _equality(left, right, context)
        return (
            f"!({text})"
            if node.op is Comparison.NE and " " in text
            else f"!{text}"
            if node.op is Comparison.NE
            else text
        )
    if left.type.nullable or right.type.nullable:
        guards = [f"{nested(side, context)} != null" for side in (left, right) if side.type.nullable]
        return " && ".join([*guards, _ordered(node, context)])
    return _ordered(node, context)


def _equality(left: Expr, right: Expr, context: ClientContext) -> str:
    a, b = nested(left, context), nested(right, context)
    if isinstance(left.type, EnumType) or (is_primitive(left.type) and is_primitive(right.type)):
        return f"{a} == {b}"
    if kind_of(left.type) in (Kind.DECIMAL, Kind.ULONG):
        if left.type.nullable or right.type.nullable:
            raise Refusal("==", "two decimals of which one may be null")
        return f"{a}.compareTo({b}) == 0"
    return f"{context.imports.use('java.util.Objects')}.equals({a}, {b})"


def _ordered(node: Compare, context: ClientContext) -> str:
    a, b = nested(node.left, context), nested(node.right, context)
    if is_java_number(node.left.type):
        return f"{a} {node.op.value} {b}"
    if isinstance(node.left.type, ScalarType) and node.left.type.kind not in (Kind.STRING, Kind.GUID, Kind.BOOL):
        return f"{a}.compareTo({b}) {node.op.value} 0"
    raise Refusal(node.op.value, f"{describe(node.left.type)} is ordered differently in Java")


@_write.register
def _logical(node: Logical, context: ClientContext) -> str:
    operands = [_strict(part, context) for part in (node.left, node.right)]
    return {LogicalOp.AND: " && ", LogicalOp.OR: " || ", LogicalOp.XOR: " ^ "}[node.op].join(operands)


@_write.register
def _not(node: Not, context: ClientContext) -> str:
    if isinstance(node.operand, IsNull):
        return f"{nested(node.operand.operand, context)} != null"
    if isinstance(node.operand, Not) and not node.operand.operand.type.nullable:
        return client_expression(node.operand.operand, context)
    return f"!{_strict(node.operand, context)}"


def _strict(node: Expr, context: ClientContext) -> str:
    """A nullable bool counts as false when null."""
    if node.type.nullable:
        return f"Boolean.TRUE.equals({client_expression(node, context)})"
    return nested(node, context)


@_write.register
def _is_null(node: IsNull, context: ClientContext) -> str:
    if not _can_be_null_in_java(node.operand.type):
        return "false"
    return f"{nested(node.operand, context)} == null"


def _can_be_null_in_java(type_: Type) -> bool:
    return not is_primitive(type_)


@_write.register
def _conditional(node: Conditional, context: ClientContext) -> str:
    parts = [_strict(node.test, context), nested(node.then, context), nested(node.otherwise, context)]
    return f"{parts[0]} ? {parts[1]} : {parts[2]}"


@_write.register
def _coalesce(node: Coalesce, context: ClientContext) -> str:
    if not node.left.type.nullable and not is_string(node.left.type):
        return client_expression(node.left, context)
    left, right = nested(node.left, context), nested(node.right, context)
    if not _is_name(left):
        if node.right.type.nullable:
            raise Refusal("??", "its right side may be null too")
        return f"{context.imports.use('java.util.Objects')}.requireNonNullElse({left}, {right})"
    return f"{left} != null ? {left} : {right}"


def _is_name(text: str) -> bool:
    return text.isidentifier()


# -- numbers and text ------------------------------------------------------------------------------------------------

_DECIMAL_METHODS = {
    ArithmeticOp.ADD: "add",
    ArithmeticOp.SUB: "subtract",
    ArithmeticOp.MUL: "multiply",
    ArithmeticOp.MOD: "remainder",
}


@_write.register
def _arithmetic(node: Arithmetic, context: ClientContext) -> str:
    if node.left.type.nullable or node.right.type.nullable:
        raise Refusal(node.op.value, "an operand may be null")
    left, right = nested(node.left, context), nested(node.right, context)
    if is_java_number(node.type):
        return f"{left} {node.op.value} {right}"
    if kind_of(node.type) is not Kind.DECIMAL:
        raise Refusal(node.op.value, f"{describe(node.type)} has no such operator in Java")
    if node.op is ArithmeticOp.DIV:
        digits = context.imports.use("java.math.MathContext")
        return f"{left}.divide({right}, {digits}.DECIMAL128)"
    return f"{left}.{_DECIMAL_METHODS[node.op]}({right})"


@_write.register
def _negate(node: Negate, context: ClientContext) -> str:
    operand = nested(node.operand, context)
    if node.operand.type.nullable:
        raise Refusal("-", "the operand may be null")
    return f"-{operand}" if is_java_number(node.type) else f"{operand}.negate()"


@_write.register
def _convert(node: Convert, context: ClientContext) -> str:
    source, target = kind_of(node.operand.type), kind_of(node.type)
    text = client_expression(node.operand, context)
    if source is target or source is None or target is None:
        if isinstance(node.operand.type, EnumType) != isinstance(node.type, EnumType):
            raise Refusal("cast", "between an enum and a number")
        return text
    if node.operand.type.nullable:
        raise Refusal("cast", "the number may be null")
    operand = nested(node.operand, context)
    if target is Kind.DECIMAL and is_integer(node.operand.type):
        return f"{context.imports.use('java.math.BigDecimal')}.valueOf({text})"
    if target is Kind.DOUBLE:
        return f"(double) {operand}" if is_java_number(node.operand.type) else f"{operand}.doubleValue()"
    if target in (Kind.INT, Kind.LONG) and is_integer(node.operand.type):
        java = "int" if target is Kind.INT else "long"
        return f"({java}) {operand}"
    raise Refusal("cast", f"{describe(node.operand.type)} to {describe(node.type)} in Java")


@_write.register
def _concat(node: Concat, context: ClientContext) -> str:
    parts = []
    for part in node.parts:
        text = nested(part, context)
        parts.append(f'{context.imports.use("java.util.Objects")}.toString({text}, "")' if part.type.nullable else text)
    return " + ".join(parts)


def kind_of(type_: Type) -> Kind | None:
    return type_.kind if isinstance(type_, ScalarType) else None


def is_java_number(type_: Type) -> bool:
    """Types whose operators Java has: int, long, double."""
    kind = kind_of(type_)
    return kind in FLOATS or (kind is not None and is_integer(type_) and kind is not Kind.ULONG)
