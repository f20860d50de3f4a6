"""Conditions: C#'s two-valued logic, and SQL's three-valued one, which is Cypher's own."""

# ruff: noqa: ARG001  (every handler has the dispatcher's signature)

from __future__ import annotations

from decimal import Decimal

from uom.model.diagnostics import Refusal, Severity
from uom.model.expressions import (
    Compare,
    Comparison,
    Const,
    Expr,
    In,
    IsNull,
    IsOfType,
    Logical,
    LogicalOp,
    Not,
    Parameter,
    SqlCompare,
    SqlIn,
    SqlLogical,
    SqlNot,
    Subquery,
)
from uom.model.queries import Aggregate, AggregateKind
from uom.model.types import Kind, ScalarType, describe, element_of
from uom.write.java.binding import is_bindable
from uom.write.neo4j import decimals
from uom.write.neo4j.expressions import bound, bound_at, condition, evaluate, register, scalar, truth
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import (
    Level,
    Text,
    binary,
    both,
    call,
    coalesced,
    either,
    integer,
    is_not_null,
    is_null,
    is_text_type,
    negated,
    quoted,
)
from uom.write.neo4j.values import Items, Node, Part, Record, Scalar, Value

_CYPHER = {Comparison.EQ: "=", Comparison.NE: "<>"}
_ROUNDINGS = {
    Comparison.LT: "CEILING",
    Comparison.GE: "CEILING",
    Comparison.GT: "FLOOR",
    Comparison.LE: "FLOOR",
}
"""`column < parameter` holds for the same rows when the parameter is moved up to the next value of the column."""
_MIRRORED = {
    Comparison.LT: Comparison.GT,
    Comparison.GT: Comparison.LT,
    Comparison.LE: Comparison.GE,
    Comparison.GE: Comparison.LE,
}


@condition(Compare)
def _compare(node: Compare, scope: Scope, exact: bool) -> Text:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(side, Const) and side.value is None and node.op in _CYPHER:
            return _is_null(IsNull(other), scope, exact) if node.op is Comparison.EQ else _presence(other, scope)
    if _is_tautology(node):
        return Text("true")
    left, right = operands(node.left, node.right, node.op, scope)
    a, b = comparable(left, right, node.op, scope)
    if node.op is Comparison.EQ:
        return equal(a, b, left.nullable, right.nullable, exact)
    if node.op is Comparison.NE:
        return different(a, b, left.nullable, right.nullable)
    text = binary(a, node.op.value, b, Level.COMPARE)
    return coalesced(text, "false") if exact and (left.nullable or right.nullable) else text


def _is_tautology(node: Compare) -> bool:
    """`Count() >= 0`, which Neo4j takes for `> 0` after an OPTIONAL MATCH (5.26 and 2026.08)."""
    counted, number = (node.left, node.right) if node.op is Comparison.GE else (node.right, node.left)
    is_count = (
        isinstance(counted, Subquery)
        and isinstance(counted.query, Aggregate)
        and counted.query.kind is AggregateKind.COUNT
    )
    is_zero = isinstance(number, Const) and number.value == 0
    return node.op in (Comparison.GE, Comparison.LE) and is_count and is_zero


def equal(a: Text, b: Text, a_nullable: bool, b_nullable: bool, exact: bool) -> Text:
    """C#'s `==`."""
    text = binary(a, "=", b, Level.COMPARE)
    if a_nullable and b_nullable:
        nothing = both(is_null(a), is_null(b))
        return coalesced(text, nothing) if exact else either(text, nothing)
    return coalesced(text, "false") if exact and (a_nullable or b_nullable) else text


def different(a: Text, b: Text, a_nullable: bool, b_nullable: bool) -> Text:
    """C#'s `!=`: a null differs from every value."""
    text = binary(a, "<>", b, Level.COMPARE)
    if a_nullable and b_nullable:
        return coalesced(text, either(is_not_null(a), is_not_null(b)))
    if a_nullable or b_nullable:
        return either(text, is_null(a if a_nullable else b))
    return text


@register(SqlCompare)
def _sql_compare(node: SqlCompare, scope: Scope, hint: str) -> Value:
    left, right = operands(node.left, node.right, node.op, scope)
    a, b = comparable(left, right, node.op, scope)
    return Scalar(binary(a, _CYPHER.get(node.op, node.op.value), b, Level.COMPARE), node.type)


def operands(left: Expr, right: Expr, op: Comparison, scope: Scope) -> tuple[Scalar, Scalar]:
    """Both sides; a decimal parameter takes the scale of the column that it meets."""
    for first, second, mirrored in ((left, right, False), (right, left, True)):
        if not is_bindable(first) and is_bindable(second) and decimals.is_decimal(second.type):
            column = compared_value(first, scope)
            assert column.scale is not None
            turned = _MIRRORED.get(op, op) if mirrored else op
            rounding = _ROUNDINGS.get(turned, "UNNECESSARY") if column.over is None else "UNNECESSARY"
            value = bound_at(second, scope, column.scale, rounding)
            return (value, column) if mirrored else (column, value)
    return compared_value(left, scope), compared_value(right, scope)


def compared_value(node: Expr, scope: Scope) -> Scalar:
    """A single value, or the row of an entity, which is compared as such."""
    value = evaluate(node, scope)
    if isinstance(value, Node):
        return Scalar(value.text, node.type)
    if not isinstance(value, Scalar):
        raise Refusal(describe(node.type), "values of this type cannot be compared")
    return value


def comparable(left: Scalar, right: Scalar, op: Comparison, scope: Scope) -> tuple[Text, Text]:
    if left.scale is not None and right.scale is not None:
        return decimals.compared(left, right)
    if op not in _CYPHER:
        check_order(left, scope)
    elif is_text_type(left.type) and scope.semantics.ignore_trailing_blanks:
        reason = "SQL Server ignores trailing blanks of text, Neo4j does not: trim the data"
        scope.writing.note(Severity.CONVENTION, "==", reason)
    return folded(left, scope), folded(right, scope)


def check_order(value: Scalar, scope: Scope) -> None:
    """Refuses what the graph orders differently, and says where it orders by rules of its own."""
    type_ = value.type
    if isinstance(type_, ScalarType) and type_.kind is Kind.GUID and not scope.semantics.guids_by_bytes:
        raise Refusal("Guid", "SQL Server orders Guids by other bytes first")
    if is_text_type(type_) and not scope.semantics.case_sensitive:
        reason = (
            "text is ordered by its lower-case letters; the source's collation may place other characters elsewhere"
        )
        scope.writing.note(Severity.CONVENTION, "order of text", reason)


def folded(value: Scalar, scope: Scope) -> Text:
    """Text as the source's collation sees it."""
    if scope.semantics.case_sensitive or not is_text_type(value.type):
        return value.text
    return call("toLower", value.text)


@condition(Logical)
def _logical(node: Logical, scope: Scope, exact: bool) -> Text:
    if node.op is LogicalOp.XOR:
        a, b = truth(node.left, scope, exact=True), truth(node.right, scope, exact=True)
        return binary(a, "<>", b, Level.COMPARE)
    a, b = truth(node.left, scope, exact), truth(node.right, scope, exact)
    return both(a, b) if node.op is LogicalOp.AND else either(a, b)


@condition(Not)
def _not(node: Not, scope: Scope, exact: bool) -> Text:
    inner = node.operand
    match inner:
        case Not(operand=operand):
            return truth(operand, scope, exact)
        case Compare(op=Comparison.EQ, left=left, right=right):
            return truth(Compare(Comparison.NE, left, right, inner.place), scope, exact)
        case Compare(op=Comparison.NE, left=left, right=right):
            return truth(Compare(Comparison.EQ, left, right, inner.place), scope, exact)
        case IsNull(operand=operand):
            return _presence(operand, scope)
    return negated(truth(inner, scope, exact=True))


@condition(IsNull)
def _is_null(node: IsNull, scope: Scope, exact: bool) -> Text:
    value = evaluate(node.operand, scope)
    match value:
        case Scalar():
            return decimals.or_null(value)
        case Node():
            return is_null(value.text)
        case Record(present=None):
            return Text("false")
        case Record(present=present) if present is not None:
            return negated(present)
        case Part():
            return negated(part_present(value, scope))
    raise Refusal("null", "cannot be told for this value")


def _presence(operand: Expr, scope: Scope) -> Text:
    value = evaluate(operand, scope)
    match value:
        case Scalar():
            return is_not_null(value.text) if value.over is None else negated(decimals.or_null(value))
        case Node():
            return is_not_null(value.text)
        case Record(present=present):
            return present if present is not None else Text("true")
        case Part():
            return part_present(value, scope)
    raise Refusal("null", "cannot be told for this value")


def part_present(value: Part, scope: Scope) -> Text:
    """An owned value is there when one of its members is; EF Core reads it in the same way."""
    names = leaves_of_part(value, scope)
    if not value.nullable:
        return is_not_null(value.owner.text)
    tests = [is_not_null(Text(f"{value.owner.text}.{quoted(name)}")) for name in names]
    return either(*tests)


def leaves_of_part(value: Part, scope: Scope) -> list[str]:
    prefix = value.path + "."
    for name in (value.owner.entity, *scope.graph.schema.descendants(value.owner.entity)):
        found = [p.name for p in scope.graph.mapping.properties(name) if p.property.startswith(prefix)]
        if found:
            return found
    raise Refusal(value.path, "the mapping does not say where its members are stored")


@condition(IsOfType)
def _is_of_type(node: IsOfType, scope: Scope, exact: bool) -> Text:
    value = evaluate(node.operand, scope)
    if not isinstance(value, Node):
        raise Refusal("is", f"of {describe(node.operand.type)}")
    text = Text(f"{value.text}:{scope.graph.label(node.entity)}", Level.COMPARE)
    return coalesced(text, "false") if exact and value.nullable else text


# lists --------------------------------------------------------------------------------------------------------------


@condition(In)
def _in(node: In, scope: Scope, exact: bool) -> Text:
    if isinstance(node.values, Parameter):
        return _in_parameter(node, node.values, scope, exact)
    constants = [v for v in node.values if not (isinstance(v, Const) and v.value is None)]
    has_null = len(constants) < len(node.values)
    item = scalar(node.item, scope)
    if any(v.type.nullable for v in constants):
        others = [scalar(v, scope) for v in constants]
        pairs = [(v, comparable(item, v, Comparison.EQ, scope)) for v in others]
        tests = [equal(a, b, item.nullable, v.nullable, exact) for v, (a, b) in pairs]
        return either(*tests, *([is_null(item.text)] if has_null and item.nullable else []))
    found = _listed(item, constants, scope)
    if has_null and item.nullable:
        return either(is_null(item.text), coalesced(found, "false") if exact else found)
    return coalesced(found, "false") if exact and item.nullable else found


def _listed(item: Scalar, values: list[Expr], scope: Scope) -> Text:
    if not values:
        return Text("false")
    texts = []
    for value in values:
        if item.scale is not None:
            texts.append(_constant_at(value, item.scale))
        else:
            texts.append(folded(scalar(value, scope), scope))
    # each once: Neo4j's planner (5.26) fails on some conditions with a value that is listed twice
    kept = list(dict.fromkeys(t for t in texts if t is not None))
    listed = Text("[" + ", ".join(str(t) for t in kept) + "]")
    return binary(folded(item, scope), "IN", listed, Level.COMPARE) if kept else Text("false")


def _constant_at(value: Expr, scale: int) -> Text | None:
    """A decimal constant at the column's scale; None when no value of the column equals it."""
    if not isinstance(value, Const) or not isinstance(value.value, Decimal | int):
        raise Refusal("Contains", "the list holds decimals that are not constants")
    number = Decimal(value.value).scaleb(scale)
    return integer(int(number)) if number == number.to_integral_value() else None


def _in_parameter(node: In, values: Parameter, scope: Scope, exact: bool) -> Text:
    item = scalar(node.item, scope)
    listed = bound(values, scope)
    assert isinstance(listed, Items)
    if item.scale is not None:
        text = scope.writing.bind(values, values.name, item.scale)
    else:
        text = listed.text
    found: Text
    if not scope.semantics.case_sensitive and is_text_type(item.type):
        one = scope.rows.names.fresh("item")
        found = Text(f"any({one} IN {text} WHERE toLower({one}) = {call('toLower', item.text)})")
    else:
        found = binary(item.text, "IN", text, Level.COMPARE)
    element = element_of(values.type)
    if item.nullable and element is not None and element.nullable:
        one = scope.rows.names.fresh("item")
        nothing = both(is_null(item.text), Text(f"any({one} IN {text} WHERE {one} IS NULL)"))
        return coalesced(found, nothing) if exact else either(found, nothing)
    may_be_null = item.nullable or (element is not None and element.nullable)
    return coalesced(found, "false") if exact and may_be_null else found


@register(SqlIn)
def _sql_in(node: SqlIn, scope: Scope, hint: str) -> Value:
    item = scalar(node.item, scope)
    if isinstance(node.values, Parameter) or item.scale is not None:
        raise Refusal("IN", "of a list that is a parameter")
    texts = [folded(scalar(value, scope), scope) for value in node.values]
    listed = Text("[" + ", ".join(str(t) for t in texts) + "]")
    return Scalar(binary(folded(item, scope), "IN", listed, Level.COMPARE), node.type)


@register(SqlLogical)
def _sql_logical(node: SqlLogical, scope: Scope, hint: str) -> Value:
    a, b = scalar(node.left, scope).text, scalar(node.right, scope).text
    if node.op is LogicalOp.XOR:
        return Scalar(binary(a, "<>", b, Level.COMPARE), node.type)
    return Scalar(both(a, b) if node.op is LogicalOp.AND else either(a, b), node.type)


@register(SqlNot)
def _sql_not(node: SqlNot, scope: Scope, hint: str) -> Value:
    return Scalar(negated(scalar(node.operand, scope).text), node.type)
