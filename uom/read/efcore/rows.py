"""Lambdas over rows, and the operators that keep, drop, order or page rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, Lambda, Var
from uom.model.orders import comes_in_order
from uom.model.queries import (
    DefaultIfEmpty,
    Distinct,
    Filter,
    Map,
    OfType,
    OrderBy,
    Reverse,
    Skip,
    SortKey,
    Take,
)
from uom.model.types import EntityType, EnumType, GroupingType, Kind, ScalarType, as_nullable, describe
from uom.model.walk import free_variables, substitute
from uom.read.efcore.binding import evaluated
from uom.read.efcore.comparing import truth
from uom.read.efcore.folding import default_of, is_true
from uom.read.efcore.inlining import apply
from uom.read.efcore.lowering import rebound, shaped, to_scalar
from uom.read.efcore.memory import runs_in_memory, tells_apart
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, QueryOperator, Session
from uom.read.efcore.values import Argument, Choice, Closure, GroupJoined, MethodGroup, Rows, Scalar, Value, changed

Arguments = Sequence[Argument]


def lambda_of(session: Session, argument: Argument, rows: Rows, parameters: int, place: Place, name: str) -> Value:
    """The lambda passed to an operator; refused when EF Core could not look into it."""
    function = evaluated(session, argument)
    if isinstance(function, Closure):
        if len(function.parameters) == parameters + 1 and name in ("Where", "Select", "SelectMany"):
            raise Refusal(
                f"{name}((x, i) => ..)",
                "rows have no number in a database" if not rows.client else "numbering fetched rows is not supported",
                place,
                "Number the rows after they have been read.",
            )
        if function.compiled and not (rows.client or rows.local):
            raise Refusal(
                f"{name}(Func)",
                "a delegate cannot be translated; EF Core reads the whole table and filters in memory",
                place,
                "Declare it as Expression<Func<..>>.",
            )
    return function


def over_row(
    session: Session, rows: Rows, function: Value, position: Position, place: Place, *more: Value
) -> tuple[Var, Value]:
    """The lambda's body for one row, and the variable that stands for the row in it."""
    var = session.fresh(parameter_name(function), rows.query.element, place)
    value = row_value(rows, var)
    outside = session.position
    if outside is Position.SERVER:
        position = Position.SERVER
    fetched = Fetched(var.name, rows.includes) if rows.client else None
    with session.at(position, fetched):
        result = apply(session, function, [value, *more], place)
    if rows.client:
        runs_in_memory(session, result, place)
    return var, result


def row_value(rows: Rows, var: Var) -> Value:
    if rows.shape is None:
        return Scalar(var, rows.static)
    return rebound(rows.shape.value, rows.shape.var.name, var)


def parameter_name(function: Value, index: int = 0) -> str:
    if isinstance(function, Choice):
        return parameter_name(function.then, index)
    if isinstance(function, Closure) and len(function.parameters) > index:
        return function.parameters[index][0]
    if isinstance(function, MethodGroup) and len(function.methods[0].parameters) > index:
        return function.methods[0].parameters[index].name
    return "row"


def on_server(rows: Rows, name: str, _place: Place) -> None:
    """After C# ran in a projection the database cannot go on."""
    if rows.client_only is not None and not rows.client:
        raise Refusal(
            rows.client_only.construct,
            f"EF Core runs it as C# on the rows, so {name} after it cannot be translated and throws",
            rows.client_only.place,
            f"Move {name} before the projection, or call AsEnumerable first.",
        )


def without_groups(rows: Rows, name: str, place: Place | None) -> None:
    """EF Core cannot carry a group along: what comes after GroupBy must make something of each group, or drop it."""
    if isinstance(rows.static, GroupingType) and not (rows.client or rows.local):
        raise Refusal(
            name,
            "EF Core cannot carry a whole group into a new row, and throws when it runs",
            place,
            "Select the key and the aggregates first: `select new { g.Key, N = g.Count() } into x`.",
        )


def at_most(arguments: Arguments, count: int, name: str, place: Place) -> None:
    if len(arguments) > count:
        raise Refusal(f"{name}()", "this overload is not supported", place, "Leave the last argument out.")


def without_tokens(_session: Session, arguments: Arguments) -> list[Argument]:
    """The arguments without cancellation tokens, which have no effect on rows."""
    kept = []
    for argument in arguments:
        if argument.value is None:
            text = (argument.node.text or b"").decode("utf-8", "replace")
            last = text.split(".")[-1].split("(")[0].lower()
            if argument.name in ("cancellationToken", "ct") or last in _TOKENS or text.startswith("CancellationToken"):
                continue
        kept.append(argument)
    return kept


_TOKENS = frozenset({"cancellationtoken", "ct", "token", "canceltoken", "requestaborted", "cancellation", "none"})


def where(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    if len(arguments) != 1:
        raise Refusal("Where()", "one lambda is expected", place, "Pass one lambda.")
    on_server(rows, "Where", place)
    function = lambda_of(session, arguments[0], rows, 1, place, "Where")
    var, value = over_row(session, rows, function, Position.SERVER, place)
    predicate = truth(session, to_scalar(value, place, "Where"), place, "Where")
    return filtered(session, rows, var, predicate, place)


def filtered(session: Session, rows: Rows, var: Var, predicate: Expr, place: Place | None) -> Rows:
    """The rows for which the predicate holds; `true` filters nothing."""
    if is_true(predicate):
        return rows
    query = Filter(rows.query, Lambda(var, predicate), rows.query.element, None, place)
    joined = rows.joined
    if joined is not None:
        joined = _filtered_group(session, joined, var, predicate, place)
    return changed(rows, query, joined=joined)


def _filtered_group(
    session: Session, joined: GroupJoined, var: Var, predicate: Expr, place: Place | None
) -> GroupJoined | None:
    """A filter on the inner rows alone may move into the join; one that sees the outer row may not."""
    if joined.left or free_variables(predicate) - {var.name}:
        return None
    inner = session.fresh(var.name, var.type, place)
    query = Filter(
        joined.inner.query,
        Lambda(inner, substitute(predicate, {var.name: inner})),
        joined.inner.query.element,
        None,
        place,
    )
    return replace(joined, inner=replace(joined.inner, query=query))


def order_by(descending: bool, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        at_most(arguments, 1, name, place)
        on_server(rows, name, place)
        if not arguments:
            if name not in ("Order", "OrderDescending"):
                raise Refusal(name, "a key is expected", place, "Pass a lambda.")
            var = session.fresh("x", rows.query.element, place)
            key: Value = row_value(rows, var)
        else:
            function = lambda_of(session, arguments[0], rows, 1, place, name)
            var, key = over_row(session, rows, function, Position.SERVER, place)
        return ordered(session, rows, var, key, descending, place, name)

    return operator


def ordered(session: Session, rows: Rows, var: Var, key: Value, descending: bool, place: Place, name: str) -> Rows:
    """`OrderBy`: a new order in the database; in memory the earlier one stays among rows that tie."""
    expr = sort_key(session, rows, to_scalar(key, place, name), place, name)
    keys = (SortKey(expr, descending, nulls_first=rows.client),)
    query = OrderBy(rows.query, var, keys, rows.query.element, place, keeps_order=rows.client)
    return changed(rows, query, ordered=True)


def sort_key(_session: Session, rows: Rows, key: Scalar, place: Place, name: str) -> Expr:
    """A key that the database orders like C# says; text in memory would be ordered by culture."""
    type_ = key.static
    if not isinstance(type_, ScalarType | EnumType):
        raise Refusal(name, f"a {describe(type_)} has no order", place, "Order by its columns.")
    in_memory = rows.client or rows.local
    text = isinstance(type_, ScalarType) and type_.kind in (Kind.STRING, Kind.GUID)
    stored = isinstance(key.expr.type, EnumType) and bool(key.expr.type.stored)
    if in_memory and (text or stored):
        raise Refusal(
            name,
            "in memory C# orders text by culture and enums by number, the database by collation and stored value",
            place,
            "Order inside the query, before AsEnumerable or ToList.",
        )
    return key.expr


def then_by(descending: bool, name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        at_most(arguments, 1, name, place)
        if not rows.ordered or not isinstance(rows.query, OrderBy) or not arguments:
            raise Refusal(name, "it does not follow an OrderBy", place, "Put it right after the OrderBy.")
        function = lambda_of(session, arguments[0], rows, 1, place, name)
        var, key = over_row(session, rows, function, Position.SERVER, place)
        expr = sort_key(session, rows, to_scalar(key, place, name), place, name)
        return added_key(rows, var, expr, descending)

    return operator


def added_key(rows: Rows, var: Var, expr: Expr, descending: bool) -> Rows:
    """One more key of the same OrderBy."""
    assert isinstance(rows.query, OrderBy)
    same = substitute(expr, {var.name: rows.query.var})
    query = replace(rows.query, keys=(*rows.query.keys, SortKey(same, descending, nulls_first=rows.client)))
    return changed(rows, query, ordered=True)


def page(kind: type[Skip] | type[Take], name: str) -> QueryOperator:
    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        if len(arguments) != 1:
            raise Refusal(f"{name}()", "one number is expected", place, "Pass one number.")
        if arguments[0].node.type == "range_expression":
            raise Refusal(f"{name}(..)", "EF Core cannot translate ranges", place, "Use Skip and Take.")
        count = to_scalar(evaluated(session, arguments[0]), place, name)
        if not (isinstance(count.static, ScalarType) and count.static.kind is Kind.INT):
            raise Refusal(f"{name}()", f"an int is expected, not {describe(count.static)}", place, "Pass an int.")
        query = kind(rows.query, count.expr, rows.query.element, place)
        return changed(rows, query)

    return operator


def distinct(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    at_most(arguments, 0, "Distinct", place)
    on_server(rows, "Distinct", place)
    rows = shaped(rows, place)
    keep_order_in_memory(rows, "Distinct", place)
    tells_apart(session, rows, rows.query.element, "Distinct", place)
    return changed(rows, Distinct(rows.query, rows.query.element, place))


def keep_order_in_memory(rows: Rows, name: str, place: Place) -> None:
    """In memory these operators keep the order of their source; the algebra does not promise it."""
    if (rows.client or rows.local) and comes_in_order(rows.query):
        raise Refusal(
            name,
            "on fetched, ordered rows it keeps their order, which the database does not",
            place,
            f"Call {name} inside the query and order afterwards.",
        )


def has_order(rows: Rows) -> bool:
    """Whether the rows come in an order that the query chose."""
    query: object = rows.query
    while isinstance(query, Filter | Map | Skip | Take | OrderBy | Reverse | OfType | DefaultIfEmpty):
        if isinstance(query, OrderBy):
            return True
        query = query.source
    return False


def reverse(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    at_most(arguments, 0, "Reverse", place)
    if not has_order(rows):
        raise Refusal("Reverse", "the rows have no order to reverse", place, "Order them first.")
    return changed(rows, Reverse(rows.query, rows.query.element, place))


def default_if_empty(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """One row when there is none: null, or the default of a value type."""
    place = session.place(node, scope)
    joined = rows.joined
    rows = shaped(rows, place)
    if arguments:
        if not (rows.client or rows.local):
            raise Refusal("DefaultIfEmpty(value)", "EF Core cannot translate it", place, "Use ?? on the result.")
        at_most(arguments, 1, "DefaultIfEmpty", place)
        default = to_scalar(evaluated(session, arguments[0]), place, "DefaultIfEmpty")
        element = as_nullable(rows.query.element, rows.query.element.nullable or default.expr.type.nullable)
        return changed(rows, DefaultIfEmpty(rows.query, element, default.expr, place))
    value_type = isinstance(rows.static, ScalarType | EnumType) and not rows.static.nullable
    if isinstance(rows.static, ScalarType) and rows.static.kind in (Kind.STRING, Kind.BYTES):
        value_type = False
    if value_type:
        query = DefaultIfEmpty(
            rows.query, rows.query.element, default_of(as_nullable(rows.query.element, False)), place
        )
        return changed(rows, query)
    element = as_nullable(rows.query.element)
    left = replace(joined, left=True) if joined is not None else None
    return changed(rows, DefaultIfEmpty(rows.query, element, None, place), joined=left)


def of_type(session: Session, rows: Rows, _node: Node, _scope: Scope, entity: str, place: Place) -> Value:
    """`OfType<Dog>()`: rows of a hierarchy."""
    if not isinstance(rows.static, EntityType):
        raise Refusal("OfType", "only entities have derived types", place, "Leave it out.")
    session.entity(entity, place)
    if rows.static.name in session.schema.descendants(entity):
        return changed(rows, rows.query)
    if entity not in session.schema.descendants(rows.static.name):
        raise Refusal(f"OfType<{entity}>", f"it does not derive from {rows.static.name}", place, "Check the type.")
    return changed(rows, OfType(rows.query, entity, EntityType(entity), place), static=EntityType(entity))


OPERATORS = {
    "Where": where,
    "OrderBy": order_by(False, "OrderBy"),
    "OrderByDescending": order_by(True, "OrderByDescending"),
    "Order": order_by(False, "Order"),
    "OrderDescending": order_by(True, "OrderDescending"),
    "ThenBy": then_by(False, "ThenBy"),
    "ThenByDescending": then_by(True, "ThenByDescending"),
    "Skip": page(Skip, "Skip"),
    "Take": page(Take, "Take"),
    "Distinct": distinct,
    "Reverse": reverse,
    "DefaultIfEmpty": default_if_empty,
}
