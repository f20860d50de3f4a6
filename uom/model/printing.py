"""The algebra as text that a C# developer can read: for `uom explain`, for messages, and for tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from uom.model import expressions as e
from uom.model import queries as q
from uom.model.program import MethodParameter, QueryMethod
from uom.model.types import EnumType, Kind, ScalarType, Type, describe

WIDTH = 110
_STEP = "    "


def print_method(method: QueryMethod) -> str:
    """Signature and body of a query method."""
    parameters = ", ".join(_parameter(p) for p in method.parameters)
    head = f"{describe(method.type)} {method.id}({parameters})  // {method.result.value}"
    return f"{head}\n{_STEP}{print_expr(method.body, 1)}"


def _parameter(parameter: MethodParameter) -> str:
    default = f" = {print_expr(parameter.default)}" if parameter.default is not None else ""
    return f"{describe(parameter.type)} {parameter.name}{default}"


def print_query(query: q.Query, indent: int = 0) -> str:
    """One operator a line, or all in one line when that is short."""
    source, operators = _chain(query)
    flat = source(0, True) + "".join(o(0, True) for o in operators)
    if len(flat) + indent * len(_STEP) <= WIDTH and flat.count(".") <= 12:
        return flat
    margin = "\n" + _STEP * (indent + 1)
    return source(indent, False) + "".join(margin + o(indent + 1, False) for o in operators)


def print_expr(expr: e.Expr, indent: int = 0) -> str:
    """The expression; long records and conditions are broken into lines."""
    flat = _flat(expr)
    if len(flat) + indent * len(_STEP) <= WIDTH:
        return flat
    breaker = _BREAKERS.get(type(expr))
    return breaker(expr, indent) if breaker is not None else flat


# expressions --------------------------------------------------------------------------------------------------------


def _flat(expr: e.Expr) -> str:
    return _EXPRESSIONS[type(expr)](expr)


def _operand(expr: e.Expr) -> str:
    """In parentheses where an operator binds less tightly than what is around it."""
    text = _flat(expr)
    loose = (e.Logical, e.SqlLogical, e.Compare, e.SqlCompare, e.Arithmetic, e.Bitwise, e.Conditional, e.Coalesce)
    return f"({text})" if isinstance(expr, (*loose, e.Concat, e.SqlConcat, e.In, e.IsOfType, e.Downcast)) else text


def literal(value: object, type_: Type) -> str:
    """A constant as C# writes it."""
    if value is None:
        return "null"
    if isinstance(type_, EnumType):
        name = next((n for n, v in type_.members if v == value), None)
        return f"{type_.name}.{name}" if name is not None else f"({type_.name}){value}"
    kind = type_.kind if isinstance(type_, ScalarType) else None
    match value:
        case bool():
            return "true" if value else "false"
        case str() if kind is Kind.CHAR:
            return f"'{value}'"
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        case Decimal():
            return f"{value:f}m"
        case float():
            return f"{value:g}f" if kind is Kind.FLOAT else repr(value)
        case datetime() | date() | time():
            return f"{describe(type_).rstrip('?')}({value.isoformat()})"
        case timedelta():
            return f"TimeSpan({value})"
    return str(value)


def _function(expr: e.Function) -> str:
    words = expr.fn.value.split("_")
    name = "".join(w.capitalize() for w in words)
    return f"{name}({', '.join(_flat(a) for a in expr.args)})"


def _binary(expr: Any) -> str:
    return f"{_operand(expr.left)} {expr.op.value} {_operand(expr.right)}"


def _logical(expr: Any) -> str:
    """A chain of one operator needs no parentheses."""

    def side(inner: Any) -> str:
        plain = isinstance(inner, e.Compare | e.SqlCompare) and expr.op is not e.LogicalOp.XOR
        if plain or (type(inner) is type(expr) and inner.op is expr.op):
            return _flat(inner)
        return _operand(inner)

    return f"{side(expr.left)} {expr.op.value} {side(expr.right)}"


def _sql(printer: Callable[[Any], str]) -> Callable[[Any], str]:
    """Three-valued forms are marked."""
    return lambda expr: f"sql[{printer(expr)}]"


def _not(expr: Any) -> str:
    if isinstance(expr.operand, e.IsNull):
        return f"{_operand(expr.operand.operand)} != null"
    return f"!{_operand(expr.operand)}"


def _in(expr: Any) -> str:
    if isinstance(expr.values, e.Parameter):
        return f"{_operand(expr.item)} in {expr.values.name}"
    return f"{_operand(expr.item)} in [{', '.join(_flat(v) for v in expr.values)}]"


def _new(expr: e.New) -> str:
    fields = ", ".join(f"{f.name} = {_flat(a)}" for f, a in zip(expr.type.fields, expr.args, strict=True))
    name = f"new {expr.type.name}" if expr.type.name else "new"
    return f"{name} {{ {fields} }}"


def _navigate(expr: e.Navigate) -> str:
    hidden = f"[{_lambda(expr.predicate)}]" if expr.predicate is not None else ""
    return f"{_operand(expr.target)}.{expr.navigation}{hidden}"


def _lambda(function: e.Lambda) -> str:
    return f"{function.var.name} => {_flat(function.body)}"


def _inline(query: q.Query) -> str:
    source, operators = _chain(query)
    return source(0, True) + "".join(o(0, True) for o in operators)


_EXPRESSIONS: dict[type, Callable[[Any], str]] = {
    e.Const: lambda x: literal(x.value, x.type),
    e.Parameter: lambda x: f"@{x.name}",
    e.Var: lambda x: x.name,
    e.Property: lambda x: f"{_operand(x.target)}.{x.name}",
    e.Navigate: _navigate,
    e.Compare: _binary,
    e.SqlCompare: _sql(_binary),
    e.Logical: _logical,
    e.SqlLogical: _sql(_logical),
    e.Not: _not,
    e.SqlNot: _sql(_not),
    e.IsNull: lambda x: f"{_operand(x.operand)} == null",
    e.IsOfType: lambda x: f"{_operand(x.operand)} is {x.entity}",
    e.Downcast: lambda x: f"({x.entity}){_operand(x.operand)}",
    e.Arithmetic: _binary,
    e.Negate: lambda x: f"-{_operand(x.operand)}",
    e.Bitwise: _binary,
    e.Concat: lambda x: " + ".join(_operand(p) for p in x.parts),
    e.SqlConcat: _sql(lambda x: " + ".join(_operand(p) for p in x.parts)),
    e.Conditional: lambda x: f"{_operand(x.test)} ? {_operand(x.then)} : {_operand(x.otherwise)}",
    e.Coalesce: lambda x: f"{_operand(x.left)} ?? {_operand(x.right)}",
    e.Convert: lambda x: f"({describe(x.type)}){_operand(x.operand)}",
    e.Function: _function,
    e.In: _in,
    e.SqlIn: _sql(_in),
    e.New: _new,
    e.Subquery: lambda x: _inline(x.query),
}


def _broken_new(expr: e.New, indent: int) -> str:
    margin = "\n" + _STEP * (indent + 1)
    fields = [f"{f.name} = {print_expr(a, indent + 1)}" for f, a in zip(expr.type.fields, expr.args, strict=True)]
    name = f"new {expr.type.name}" if expr.type.name else "new"
    return f"{name} {{{margin}" + f",{margin}".join(fields) + "\n" + _STEP * indent + "}"


def _broken_logical(expr: e.Logical, indent: int) -> str:
    parts: list[e.Expr] = []
    stack: list[e.Expr] = [expr]
    while stack:
        current = stack.pop()
        if isinstance(current, e.Logical) and current.op is expr.op:
            stack += [current.right, current.left]
        else:
            parts.append(current)
    margin = "\n" + _STEP * (indent + 1) + expr.op.value + " "
    texts = [f"({print_expr(p, indent + 1)})" if isinstance(p, e.Logical) else print_expr(p, indent + 1) for p in parts]
    return margin.join(texts)


def _broken_conditional(expr: e.Conditional, indent: int) -> str:
    margin = "\n" + _STEP * (indent + 1)
    then, otherwise = (print_expr(x, indent + 1) for x in (expr.then, expr.otherwise))
    return f"{print_expr(expr.test, indent)}{margin}? {then}{margin}: {otherwise}"


_BREAKERS: dict[type, Callable[[Any, int], str]] = {
    e.New: _broken_new,
    e.Logical: _broken_logical,
    e.Conditional: _broken_conditional,
    e.Subquery: lambda expr, indent: print_query(expr.query, indent),
}

# queries ------------------------------------------------------------------------------------------------------------

Piece = Callable[[int, bool], str]
"""Text of a source or of one operator for an indent; `True` asks for a single line."""


def _chain(query: q.Query) -> tuple[Piece, list[Piece]]:
    """The source and the operators applied to it, in order."""
    operators: list[Piece] = []
    while type(query) not in _SOURCES:
        operators.append(_piece(query))
        below: Any = query
        query = below.left if isinstance(query, q.Join | q.SetOperation) else below.source
    return _source(query), operators[::-1]


def _source(query: Any) -> Piece:
    return lambda _i, _f: _SOURCES[type(query)](query)


def _piece(query: Any) -> Piece:
    return lambda indent, flat: _OPERATORS[type(query)](query, indent, flat)


def _body(expr: e.Expr, indent: int, flat: bool) -> str:
    return _flat(expr) if flat else print_expr(expr, indent)


def _function_of(function: e.Lambda, indent: int, flat: bool) -> str:
    return f"{function.var.name} => {_body(function.body, indent, flat)}"


def _query(query: q.Query, indent: int, flat: bool) -> str:
    return _inline(query) if flat else print_query(query, indent)


def _scan(query: q.Scan) -> str:
    return query.entity if query.filters is None else f"{query.entity}[filters: {', '.join(query.filters) or 'none'}]"


def _filter(query: q.Filter, indent: int, flat: bool) -> str:
    when = f" when {_flat(query.when)}" if query.when is not None else ""
    return f".Where({_function_of(query.predicate, indent, flat)}{when})"


def _flat_map(query: q.FlatMap, indent: int, flat: bool) -> str:
    inner = _query(query.inner, indent, flat)
    result = _body(query.result, indent, flat)
    return f".SelectMany({query.outer.name} => {inner}, ({query.outer.name}, {query.inner_var.name}) => {result})"


def _join(query: q.Join, indent: int, flat: bool) -> str:
    name = {"inner": "Join", "left": "LeftJoin", "right": "RightJoin", "full": "FullJoin"}[query.kind.value]
    keys = " && ".join(f"{_flat(a)} = {_flat(b)}" for a, b in query.keys)
    inner = _query(query.right, indent, flat)
    result = _body(query.result, indent, flat)
    return f".{name}({inner}, on {keys}, ({query.left_var.name}, {query.right_var.name}) => {result})"


def _group_by(query: q.GroupBy, indent: int, flat: bool) -> str:
    value = "" if query.value.body == query.value.var else f", {_function_of(query.value, indent, flat)}"
    return f".GroupBy({_function_of(query.key, indent, flat)}{value})"


def _order_by(query: q.OrderBy, indent: int, flat: bool) -> str:
    keys = ", ".join(_body(k.expr, indent, flat) + (" descending" if k.descending else "") for k in query.keys)
    memory = ".AsEnumerable()" if query.keeps_order else ""
    return f"{memory}.OrderBy({query.var.name} => {keys})"


def _default(query: q.DefaultIfEmpty, _i: int, _f: bool) -> str:
    return f".DefaultIfEmpty({_flat(query.default) if query.default is not None else ''})"


def _include_tree(nodes: tuple[q.IncludeNode, ...], indent: int) -> str:
    texts = []
    for node in nodes:
        restricted = f" = {print_query(node.query, indent)}" if node.query is not None else ""
        below = f" {{ {_include_tree(node.children, indent)} }}" if node.children else ""
        texts.append(f"{node.navigation}{restricted}{below}")
    return ", ".join(texts)


def _aggregate(query: q.Aggregate, indent: int, flat: bool) -> str:
    selector = _function_of(query.selector, indent, flat) if query.selector is not None else ""
    return f".{query.kind.value}({selector})"


def _pick(query: q.Pick, _i: int, _f: bool) -> str:
    index = _flat(query.index) if query.index is not None else ""
    return f".{query.kind.value}{'OrDefault' if query.or_default else ''}({index})"


_SOURCES: dict[type, Callable[[Any], str]] = {
    q.Scan: _scan,
    q.Related: lambda x: f"{_operand(x.target)}.{x.navigation}",
    q.Elements: lambda x: f"{_operand(x.source)}",
    q.Values: lambda x: "[" + ", ".join(_flat(i) for i in x.items) + "]",
}
_OPERATORS: dict[type, Callable[[Any, int, bool], str]] = {
    q.Filter: _filter,
    q.Map: lambda x, i, f: f".Select({_function_of(x.selector, i, f)})",
    q.FlatMap: _flat_map,
    q.Join: _join,
    q.GroupBy: _group_by,
    q.OrderBy: _order_by,
    q.Reverse: lambda _x, _i, _f: ".Reverse()",
    q.Skip: lambda x, _i, _f: f".Skip({_flat(x.count)})",
    q.Take: lambda x, _i, _f: f".Take({_flat(x.count)})",
    q.Distinct: lambda _x, _i, _f: ".Distinct()",
    q.SetOperation: lambda x, i, f: f".{x.kind.value}({_query(x.right, i, f)})",
    q.DefaultIfEmpty: _default,
    q.OfType: lambda x, _i, _f: f".OfType<{x.entity}>()",
    q.Include: lambda x, i, _f: f".Include({_include_tree(x.tree, i)})",
    q.Aggregate: _aggregate,
    q.Pick: _pick,
    q.Exists: lambda _x, _i, _f: ".Any()",
    q.Forall: lambda x, i, f: f".All({_function_of(x.predicate, i, f)})",
    q.Contains: lambda x, i, f: f".Contains({_body(x.item, i, f)})",
}
