"""Operators that give one value: `First`, `Count`, `Sum`, `Any`, `Contains`..."""

from __future__ import annotations

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const, Convert, Expr, In, Lambda, Parameter, Subquery
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Contains,
    Elements,
    Exists,
    Forall,
    OrderBy,
    Pick,
    PickKind,
    Query,
    Values,
)
from uom.model.types import (
    BOOL,
    DOUBLE,
    INT,
    INTEGERS,
    LONG,
    NUMBERS,
    EntityType,
    EnumType,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    Type,
    as_nullable,
    describe,
    is_value_type,
)
from uom.read.efcore.binding import evaluated
from uom.read.efcore.comparing import same_entity, truth
from uom.read.efcore.folding import FALSE, convert
from uom.read.efcore.lowering import finished, shaped, to_scalar
from uom.read.efcore.memory import tells_apart
from uom.read.efcore.owned import check_owned
from uom.read.efcore.rows import (
    Arguments,
    filtered,
    has_order,
    lambda_of,
    on_server,
    over_row,
    row_value,
    without_tokens,
)
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, QueryOperator, Session
from uom.read.efcore.typing_rules import comparison_pair
from uom.read.efcore.values import Rows, Scalar, Value


def predicated(session: Session, rows: Rows, arguments: Arguments, name: str, place: Place) -> Rows:
    """`First(predicate)` is `Where(predicate).First()`."""
    if len(arguments) > 1:
        raise Refusal(f"{name}()", "this overload is not supported", place, "Use ?? on the result.")
    if not arguments:
        return rows
    on_server(rows, name, place)
    function = lambda_of(session, arguments[0], rows, 1, place, name)
    var, value = over_row(session, rows, function, Position.SERVER, place)
    predicate = truth(session, to_scalar(value, place, name), place, name)
    return filtered(session, rows, var, predicate, place)


def pick(kind: PickKind, or_default: bool, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        rows = predicated(session, rows, without_tokens(session, arguments), name, place)
        if kind is PickKind.LAST and not has_order(rows):
            raise Refusal(name, "the rows have no order, so EF Core throws", place, "Order them first.")
        return picked(session, rows, kind, or_default, None, place)

    return operator


def picked(session: Session, rows: Rows, kind: PickKind, or_default: bool, index: Expr | None, place: Place) -> Scalar:
    """One row. Inside a query EF Core does not throw for a missing row: it is null there."""
    if session.position is Position.STATEMENT:
        check_owned(session, rows)
    query = finished(rows)
    if session.position is Position.STATEMENT:
        session.in_hand.add(query)
    static = shaped(rows, place).static
    nested = session.position is not Position.STATEMENT and not or_default
    element = query.element
    if nested:
        element = as_nullable(element)
    elif or_default:
        element = as_nullable(element, static.nullable or not is_value_type(static))
    result = Pick(kind, query, or_default or nested, element, index, place)
    if or_default and not is_value_type(static):
        static = as_nullable(static)
    return Scalar(Subquery(result, element, place), static)


def element_at(or_default: bool, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        kept = without_tokens(session, arguments)
        if len(kept) != 1:
            raise Refusal(f"{name}()", "one index is expected", place, "Pass an int.")
        index = to_scalar(evaluated(session, kept[0]), place, name)
        return picked(session, rows, PickKind.ELEMENT_AT, or_default, index.expr, place)

    return operator


def count(result: ScalarType, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        rows = predicated(session, rows, without_tokens(session, arguments), name, place)
        query = Aggregate(AggregateKind.COUNT, without_order(finished(rows)), None, result, place)
        return Scalar(Subquery(query, result, place), result)

    return operator


def without_order(query: Query) -> Query:
    """An order right below a count or test has no effect."""
    return query.source if isinstance(query, OrderBy) else query


def aggregate(kind: AggregateKind) -> QueryOperator:
    name = kind.value

    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        kept = without_tokens(session, arguments)
        if len(kept) > 1:
            raise Refusal(f"{name}()", "this overload is not supported", place, "Pass one lambda.")
        on_server(rows, name, place)
        rows = shaped(rows, place)
        if kept:
            function = lambda_of(session, kept[0], rows, 1, place, name)
            var, value = over_row(session, rows, function, Position.SERVER, place)
        else:
            var = session.fresh("x", rows.query.element, place)
            value = row_value(rows, var)
        return aggregated(session, rows, kind, Lambda(var, to_scalar(value, place, name).expr), value, place)

    return operator


def aggregated(
    session: Session, rows: Rows, kind: AggregateKind, selector: Lambda, value: Value, place: Place
) -> Scalar:
    """C#'s result types: the sum of shorts is an int, the average of ints a double."""
    static = to_scalar(value, place, kind.value).static
    operand, result = _types(rows, kind, static, selector.body.type, place)
    body = convert(selector.body, operand) if isinstance(operand, ScalarType) else selector.body
    type_ = as_nullable(_stored_like(result, body.type), static.nullable)
    if kind in (AggregateKind.MIN, AggregateKind.MAX, AggregateKind.AVERAGE) and _may_be_missing(session, rows, body):
        type_ = as_nullable(type_)
    identity = body == selector.var
    query = Aggregate(
        kind, without_order(finished(rows)), None if identity else Lambda(selector.var, body), type_, place
    )
    return Scalar(Subquery(query, type_, place), as_nullable(result, static.nullable))


def _stored_like(result: Type, actual: Type) -> Type:
    """The greatest of a column of an enum is stored like that column."""
    return actual if isinstance(result, EnumType) and isinstance(actual, EnumType) else result


def _may_be_missing(session: Session, rows: Rows, body: Expr) -> bool:
    """Inside a query nothing throws: the greatest of no rows is null, as that of texts is anywhere.

    A whole group is never empty.
    """
    if session.position is Position.STATEMENT:
        return not is_value_type(body.type)
    whole_group = isinstance(rows.query, Elements) and isinstance(rows.query.source.type, GroupingType)
    return body.type.nullable or not whole_group


def _types(rows: Rows, kind: AggregateKind, static: Type, stored: Type, place: Place) -> tuple[Type, Type]:
    """(what each value is converted to, what the result is)."""
    name = kind.value
    if kind in (AggregateKind.MIN, AggregateKind.MAX):
        if not isinstance(static, ScalarType | EnumType):
            raise Refusal(name, f"a {describe(static)} has no order", place, "Use OrderBy with First.")
        text = isinstance(static, ScalarType) and static.kind is Kind.STRING
        if text and (rows.client or rows.local):
            raise Refusal(name, "in memory C# compares text by culture", place, "Aggregate inside the query.")
        guid = isinstance(static, ScalarType) and static.kind is Kind.GUID
        if rows.client and (guid or (isinstance(stored, EnumType) and stored.stored)):
            reason = "in memory C# compares Guids and enums by their numbers, the database by what it stores"
            raise Refusal(name, reason, place, "Aggregate inside the query.")
        return static, static
    if not isinstance(static, ScalarType) or static.kind not in NUMBERS:
        raise Refusal(name, f"a {describe(static)} cannot be added up", place, "Select a number.")
    number = static.kind
    if number in INTEGERS:
        number = Kind.LONG if number in (Kind.UINT, Kind.LONG) else Kind.INT
        if static.kind is Kind.ULONG:
            raise Refusal(name, "there is no overload for ulong", place, "Cast it.")
    operand = ScalarType(number)
    result = DOUBLE if kind is AggregateKind.AVERAGE and number in INTEGERS else operand
    return operand, result


def any_(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    rows = predicated(session, rows, without_tokens(session, arguments), "Any", place)
    return Scalar(Subquery(Exists(without_order(finished(rows)), place=place), BOOL, place), BOOL)


def all_(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    kept = without_tokens(session, arguments)
    if len(kept) != 1:
        raise Refusal("All()", "one lambda is expected", place, "Pass one lambda.")
    on_server(rows, "All", place)
    rows = shaped(rows, place)
    function = lambda_of(session, kept[0], rows, 1, place, "All")
    var, value = over_row(session, rows, function, Position.SERVER, place)
    predicate = truth(session, to_scalar(value, place, "All"), place, "All")
    query = Forall(without_order(finished(rows)), Lambda(var, predicate), place=place)
    return Scalar(Subquery(query, BOOL, place), BOOL)


def contains(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`list.Contains(x)` is In, `query.Contains(x)` a test for a row."""
    place = session.place(node, scope)
    kept = without_tokens(session, arguments)
    if len(kept) != 1:
        raise Refusal("Contains()", "this overload is not supported", place, "Leave the comparer out.")
    item = to_scalar(evaluated(session, kept[0]), place, "Contains")
    if isinstance(rows.query, Values):
        return Scalar(_in_list(session, rows, rows.query, item, place), BOOL)
    if isinstance(rows.query, Elements) and isinstance(rows.query.source, Parameter) and rows.shape is None:
        expr = _as_element(item, rows.static, place)
        return Scalar(In(expr, rows.query.source, place), BOOL)
    rows = shaped(rows, place)
    if isinstance(rows.static, EntityType):
        var = session.fresh("x", rows.query.element, place)
        test = same_entity(session, Scalar(var, rows.static), item, place)
        found = filtered(session, rows, var, test.expr, place)
        return Scalar(Subquery(Exists(finished(found), place=place), BOOL, place), BOOL)
    expr = _as_element(item, rows.static, place, rows.query.element)
    tells_apart(session, rows, rows.query.element, "Contains", place)
    query = Contains(without_order(finished(rows)), expr, place=place)
    return Scalar(Subquery(query, BOOL, place), BOOL)


def _in_list(_session: Session, rows: Rows, values: Values, item: Scalar, place: Place) -> Expr:
    if not values.items:
        return FALSE
    target = _as_element(item, rows.static, place)
    if isinstance(target.type, RecordType | EntityType):
        raise Refusal("Contains", "whole objects are not comparable in the database", place, "Compare their keys.")
    items = []
    for value in values.items:
        converted = convert(value, as_nullable(target.type, False)) if not _is_null(value) else value
        items.append(converted)
    return In(target, tuple(items), place)


def _is_null(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is None


def _as_element(item: Scalar, element: Type, place: Place, stored: Type | None = None) -> Expr:
    """The item as the list's element type: `List<long>.Contains(intColumn)` widens the column."""
    pair = comparison_pair(item, Scalar(Parameter("", stored or element), element), place, "Contains")
    same = isinstance(element, ScalarType) and isinstance(item.static, ScalarType) and element.kind is item.static.kind
    return item.expr if same else _narrowest(pair.left, element)


def _narrowest(expr: Expr, element: Type) -> Expr:
    """C# converts the item to the element type, not both to int."""
    if isinstance(expr, Convert) and isinstance(element, ScalarType):
        return convert(expr.operand, as_nullable(element, False))
    return expr


def _with_async(table: dict[str, QueryOperator]) -> dict[str, QueryOperator]:
    return {**table, **{f"{name}Async": operator for name, operator in table.items()}}


OPERATORS = _with_async(
    {
        "First": pick(PickKind.FIRST, False, "First"),
        "FirstOrDefault": pick(PickKind.FIRST, True, "FirstOrDefault"),
        "Single": pick(PickKind.SINGLE, False, "Single"),
        "SingleOrDefault": pick(PickKind.SINGLE, True, "SingleOrDefault"),
        "Last": pick(PickKind.LAST, False, "Last"),
        "LastOrDefault": pick(PickKind.LAST, True, "LastOrDefault"),
        "ElementAt": element_at(False, "ElementAt"),
        "ElementAtOrDefault": element_at(True, "ElementAtOrDefault"),
        "Count": count(INT, "Count"),
        "LongCount": count(LONG, "LongCount"),
        "Sum": aggregate(AggregateKind.SUM),
        "Average": aggregate(AggregateKind.AVERAGE),
        "Min": aggregate(AggregateKind.MIN),
        "Max": aggregate(AggregateKind.MAX),
        "Any": any_,
        "All": all_,
        "Contains": contains,
    }
)
