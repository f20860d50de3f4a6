"""The meaning of every scalar expression."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import localcontext
from typing import Any, Protocol

from uom.model import expressions as e
from uom.model.expressions import BitwiseOp, Comparison, Expr, Fn, LogicalOp
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.model.types import EnumType, Kind, ScalarType, Type
from uom.model.walk import walk
from uom.reference import functions
from uom.reference.arithmetic import (
    DECIMAL_DIGITS,
    arithmetic,
    convert,
    csharp_arithmetic,
    csharp_converted,
    csharp_negated,
    fitted,
    negated,
)
from uom.reference.values import Complex, Database, Group, Row, Value, canonical

Environment = dict[str, Value]


class Interpreter(Protocol):
    """What expressions need from the query side."""

    schema: Schema
    database: Database
    semantics: Semantics
    arguments: dict[str, Value]
    now: Any

    def subquery(self, node: e.Subquery, env: Environment) -> Value: ...

    def navigate(self, row: Row, navigation: str) -> Row | None: ...


def evaluate(node: Expr, env: Environment, run: Interpreter) -> Value:
    """The value of an expression for these variables."""
    return RULES[type(node)](node, env, run)


def is_true(value: Value) -> bool:
    return value is True


def compare(op: Comparison, left: Value, right: Value, type_: Type, semantics: Semantics) -> bool:
    """Comparison of two values that are not null."""
    if op in (Comparison.EQ, Comparison.NE):
        equal = canonical(functions.comparable(left), semantics) == canonical(functions.comparable(right), semantics)
        return equal if op is Comparison.EQ else not equal
    a: Any = sort_value(left, type_, semantics)
    b: Any = sort_value(right, type_, semantics)
    match op:
        case Comparison.LT:
            return bool(a < b)
        case Comparison.LE:
            return bool(a <= b)
        case Comparison.GT:
            return bool(a > b)
        case _:
            return bool(a >= b)


def sort_value(value: Value, type_: Type, semantics: Semantics) -> Value:
    """What the database sorts by: an enum's stored value, text under its collation."""
    if isinstance(type_, EnumType) and isinstance(value, int):
        return type_.stored_value(value)
    if isinstance(value, str):
        return functions.sort_text(value, semantics)
    return functions.comparable(value)


def _property(node: e.Property, env: Environment, run: Interpreter) -> Value:
    target = evaluate(node.target, env, run)
    match target:
        case None:
            return None
        case Row() | Complex():
            return target.values.get(node.name)
        case Group():
            return target.key
        case dict():
            return target[node.name]
    raise TypeError(f"{type(target).__name__} has no property {node.name}")


def _navigate(node: e.Navigate, env: Environment, run: Interpreter) -> Value:
    target = evaluate(node.target, env, run)
    found = run.navigate(target, node.navigation) if isinstance(target, Row) else None
    if found is None or node.predicate is None:
        return found
    visible = evaluate(node.predicate.body, {**env, node.predicate.var.name: found}, run)
    return found if is_true(visible) else None


def _compare(node: e.Compare, env: Environment, run: Interpreter) -> bool:
    left, right = evaluate(node.left, env, run), evaluate(node.right, env, run)
    if left is None or right is None:
        both = left is None and right is None
        return both if node.op is Comparison.EQ else not both if node.op is Comparison.NE else False
    return compare(node.op, left, right, node.left.type, run.semantics)


def _sql_compare(node: e.SqlCompare, env: Environment, run: Interpreter) -> bool | None:
    left, right = evaluate(node.left, env, run), evaluate(node.right, env, run)
    if left is None or right is None:
        return None
    return compare(node.op, left, right, node.left.type, run.semantics)


def _logical(node: e.Logical, env: Environment, run: Interpreter) -> bool:
    left = is_true(evaluate(node.left, env, run))
    if node.op is LogicalOp.AND:
        return left and is_true(evaluate(node.right, env, run))
    if node.op is LogicalOp.OR:
        return left or is_true(evaluate(node.right, env, run))
    return left != is_true(evaluate(node.right, env, run))


def _sql_logical(node: e.SqlLogical, env: Environment, run: Interpreter) -> bool | None:
    left, right = evaluate(node.left, env, run), evaluate(node.right, env, run)
    decisive = {LogicalOp.AND: False, LogicalOp.OR: True}.get(node.op)
    if decisive is not None and (left is decisive or right is decisive):
        return decisive
    if left is None or right is None:
        return None
    return left != right if node.op is LogicalOp.XOR else not decisive


def _sql_not(node: e.SqlNot, env: Environment, run: Interpreter) -> bool | None:
    value = evaluate(node.operand, env, run)
    return None if value is None else not value


def in_csharp(node: Expr, run: Interpreter) -> bool:
    """Whether C# computes it: around a query, and in one what needs no row, which EF Core evaluates before it asks."""
    return run.semantics is functions.CSHARP or not any(isinstance(n, e.Var | e.Subquery) for n in walk(node))


def _arithmetic(node: e.Arithmetic, env: Environment, run: Interpreter) -> Value:
    left, right = evaluate(node.left, env, run), evaluate(node.right, env, run)
    if left is None or right is None:
        return None
    return csharp_arithmetic(node, left, right) if in_csharp(node, run) else arithmetic(node.op, left, right, node.type)


def _negate(node: e.Negate, env: Environment, run: Interpreter) -> Value:
    value: Any = evaluate(node.operand, env, run)
    if value is None:
        return None
    return csharp_negated(node, value) if in_csharp(node, run) else negated(value, node.type)


def _bitwise(node: e.Bitwise, env: Environment, run: Interpreter) -> Value:
    left: Any = evaluate(node.left, env, run)
    right: Any = evaluate(node.right, env, run)
    if left is None or right is None:
        return None
    return {BitwiseOp.AND: left & right, BitwiseOp.OR: left | right, BitwiseOp.XOR: left ^ right}[node.op]


def _concat(node: e.Concat, env: Environment, run: Interpreter) -> str:
    parts = [evaluate(p, env, run) for p in node.parts]
    return "".join("" if p is None else str(p) for p in parts)


def _sql_concat(node: e.SqlConcat, env: Environment, run: Interpreter) -> str | None:
    parts = [evaluate(p, env, run) for p in node.parts]
    return None if any(p is None for p in parts) else "".join(str(p) for p in parts)


def _conditional(node: e.Conditional, env: Environment, run: Interpreter) -> Value:
    return evaluate(node.then if is_true(evaluate(node.test, env, run)) else node.otherwise, env, run)


def _coalesce(node: e.Coalesce, env: Environment, run: Interpreter) -> Value:
    left = evaluate(node.left, env, run)
    return evaluate(node.right, env, run) if left is None else left


def _convert(node: e.Convert, env: Environment, run: Interpreter) -> Value:
    value = evaluate(node.operand, env, run)
    if value is None:
        return None
    return csharp_converted(node, value) if in_csharp(node, run) else convert(value, node.operand.type, node.type)


def _function(node: e.Function, env: Environment, run: Interpreter) -> Value:
    fn = node.fn
    if fn in functions.CLOCK:
        return functions.CLOCK[fn](run.now)
    args = [evaluate(a, env, run) for a in node.args]
    if fn in functions.NULL_TOLERANT:
        return functions.NULL_TOLERANT[fn](*args)
    if any(a is None for a in args):
        return False if fn in functions.FALSE_ON_NULL else True if fn in functions.TRUE_ON_NULL else None
    if fn is Fn.TO_STRING:
        return functions.to_text(args[0], node.args[0].type)
    if fn is Fn.PARSE:
        return functions.parse_number(str(args[0]), node.type)
    if fn in functions.WITH_SEMANTICS:
        semantics = functions.CSHARP if fn in functions.IN_CSHARP and in_csharp(node, run) else run.semantics
        return functions.WITH_SEMANTICS[fn](semantics, *args)
    if not run.semantics.offsets:
        args = [a.astimezone(UTC) if isinstance(a, datetime) and a.tzinfo is not None else a for a in args]
    with localcontext() as context:
        context.prec = DECIMAL_DIGITS
        value = functions.SIMPLE[fn](*args)
    if fn is Fn.MAKE_DATE and isinstance(node.type, ScalarType) and node.type.kind is Kind.DATEONLY:
        value = value.date()
    return fitted(value, node.type)


def _items(values: tuple[Expr, ...] | e.Parameter, env: Environment, run: Interpreter) -> list[Value]:
    if isinstance(values, e.Parameter):
        items: Any = evaluate(values, env, run)
        return list(items)
    return [evaluate(v, env, run) for v in values]


def _in(node: e.In, env: Environment, run: Interpreter) -> bool:
    item = canonical(evaluate(node.item, env, run), run.semantics)
    return any(canonical(v, run.semantics) == item for v in _items(node.values, env, run))


def _sql_in(node: e.SqlIn, env: Environment, run: Interpreter) -> bool | None:
    item = evaluate(node.item, env, run)
    values = _items(node.values, env, run)
    if item is None:
        return None if values else False
    if any(v is not None and canonical(v, run.semantics) == canonical(item, run.semantics) for v in values):
        return True
    return None if any(v is None for v in values) else False


def _is_of_type(node: e.IsOfType, env: Environment, run: Interpreter) -> bool:
    row = evaluate(node.operand, env, run)
    return isinstance(row, Row) and row.entity in run.schema.descendants(node.entity)


def _new(node: e.New, env: Environment, run: Interpreter) -> Value:
    return {f.name: evaluate(a, env, run) for f, a in zip(node.type.fields, node.args, strict=True)}


RULES: dict[type, Callable[[Any, Environment, Interpreter], Value]] = {
    e.Const: lambda node, _, __: node.value,
    e.Parameter: lambda node, _, run: run.arguments[node.name],
    e.Var: lambda node, env, _: env[node.name],
    e.Property: _property,
    e.Navigate: _navigate,
    e.Compare: _compare,
    e.SqlCompare: _sql_compare,
    e.Logical: _logical,
    e.SqlLogical: _sql_logical,
    e.Not: lambda node, env, run: not is_true(evaluate(node.operand, env, run)),
    e.SqlNot: _sql_not,
    e.IsNull: lambda node, env, run: evaluate(node.operand, env, run) is None,
    e.IsOfType: _is_of_type,
    e.Downcast: lambda node, env, run: evaluate(node.operand, env, run),
    e.Arithmetic: _arithmetic,
    e.Negate: _negate,
    e.Bitwise: _bitwise,
    e.Concat: _concat,
    e.SqlConcat: _sql_concat,
    e.Conditional: _conditional,
    e.Coalesce: _coalesce,
    e.Convert: _convert,
    e.Function: _function,
    e.In: _in,
    e.SqlIn: _sql_in,
    e.New: _new,
    e.Subquery: lambda node, env, run: run.subquery(node, env),
}
