"""Operators over one sequence: Scan, Filter, Map, OrderBy, Reverse, Skip, Take, Distinct, OfType, Include."""

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function, Logical, LogicalOp, Navigate, Not, Subquery
from uom.model.program import Semantics, nulls_first
from uom.model.queries import (
    Distinct,
    Filter,
    Include,
    Map,
    OfType,
    OrderBy,
    Query,
    Reverse,
    Scan,
    Skip,
    SortKey,
    Take,
)
from uom.model.types import INT, EnumType, Kind, ScalarType, describe
from uom.model.walk import walk
from uom.write.java.binding import is_bindable
from uom.write.mongodb.expressions import evaluate, truth
from uom.write.mongodb.matching import add_match, correlated
from uom.write.mongodb.pipelines import compile_rows, compiles, enclosing, group_key, settle, steady
from uom.write.mongodb.predicates import conjuncts, merged, query_form
from uom.write.mongodb.render import stored_at
from uom.write.mongodb.rows import Rows, top_fields
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bind, Bson, is_field_path, or_null, written_out
from uom.write.mongodb.values import EntityValue, RecordValue, ScalarValue, Value


@compiles(Scan)
def _scan(query: Scan, scope: Scope) -> Rows:
    return rows_of_entity(query.entity, scope)


def rows_of_entity(entity: str, scope: Scope) -> Rows:
    """All documents that are rows of the entity."""
    rows = Rows(scope.locations.collection(entity), enclosing(scope))
    rows.fields = top_fields(scope.locations.stored_names(entity)) | {"_id"}
    rows.row = EntityValue(entity, "$$ROOT", rows)
    of_type = type_filter(entity, scope)
    if of_type:
        rows.add("$match", of_type)
    return rows


def type_filter(entity: str, scope: Scope) -> dict[str, Bson] | None:
    """The filter on the discriminator of a hierarchy; None when every document will do."""
    found = scope.locations.discriminator(entity)
    if found is None:
        return None
    path, values = found
    return {path: values[0] if len(values) == 1 else {"$in": list(values)}}


@compiles(OfType)
def _of_type(query: OfType, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    row = rows.row
    if not isinstance(row, EntityValue) or row.at != "$$ROOT":
        raise Refusal("OfType", "the rows are not documents of a hierarchy here")
    found = type_filter(query.entity, scope)
    if found:
        rows.add("$match", found)
    rows.row = replace(row, entity=query.entity)
    return rows


@compiles(Filter)
def _filter(query: Filter, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    row = steady(rows, scope)
    inner = scope.on(rows).bind(query.predicate.var, row)
    optional, always = _optional_parts(query.predicate.body)
    for when, part in optional:
        _match([part], inner, _both(query.when, when))
    where(always, inner, query.when)
    return rows


def where(parts: list[Expr], scope: Scope, when: Expr | None = None) -> None:
    """Keeps the rows for which all parts are true; what needs no lookup comes first."""
    cheap = [part for part in parts if not _needs_lookup(part)]
    for some in (cheap, [part for part in parts if _needs_lookup(part)]):
        if some:
            _match(some, scope, when)


def _needs_lookup(node: Expr) -> bool:
    return any(isinstance(part, Navigate | Subquery) for part in walk(node))


def _optional_parts(predicate: Expr) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
    """`(country == null || c.Country == country)` is a filter that applies only when `country` is given."""
    optional: list[tuple[Expr, Expr]] = []
    always: list[Expr] = []
    for part in conjuncts(predicate):
        if isinstance(part, Logical) and part.op is LogicalOp.OR and is_bindable(part.left):
            optional.append((Not(part.left), part.right))
        else:
            always.append(part)
    return optional, always


def _both(first: Expr | None, second: Expr) -> Expr:
    return second if first is None else Logical(LogicalOp.AND, first, second)


def _match(parts: list[Expr], scope: Scope, when: Expr | None) -> None:
    """One `$match`: query operators for what they can say exactly, `$expr` for the rest."""
    queries: list[dict[str, Bson]] = []
    expressions: list[Bson] = []
    for part in parts:
        if when is None and correlated(part, scope):
            continue
        query = query_form(part, scope)
        if query is None:
            expressions.append(truth(part, scope))
        else:
            queries.append(query)
    if expressions:
        queries.append({"$expr": expressions[0] if len(expressions) == 1 else {"$and": expressions}})
    document = merged(queries)
    if document:
        add_match(scope.rows, document, when)


@compiles(Map)
def _map(query: Map, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    row = steady(rows, scope) if _is_heavy(rows.row) else rows.row
    inner = scope.on(rows).bind(query.selector.var, row)
    rows.row = evaluate(query.selector.body, inner)
    return rows


def _is_heavy(row: Value) -> bool:
    """Whether computing it again wherever it is used would blow up the pipeline: it is stored first."""
    if isinstance(row, RecordValue):
        return any(_is_heavy(part) for _, part in row.fields)
    return isinstance(row, ScalarValue) and written_out(row.expr) > _HEAVY


_HEAVY = 100
"""Values in one expression."""


# -- order and pages -------------------------------------------------------------------------------------------------


@compiles(OrderBy)
def _order_by(query: OrderBy, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    inner = scope.on(rows).bind(query.var, steady(rows, scope))
    computed: dict[str, Bson] = {}
    sort: dict[str, Bson] = {}
    for key in query.keys:
        _sort_key(key, inner, computed, sort)
    if computed:
        rows.add("$set", computed)
    if sort:
        rows.add("$sort", sort)
    return rows


def _sort_key(key: SortKey, scope: Scope, computed: dict[str, Bson], sort: dict[str, Bson]) -> None:
    value = evaluate(key.expr, scope, "sortKey")
    check_sortable(key, scope.translation.semantics)
    if not isinstance(value, ScalarValue):
        raise Refusal("OrderBy", "only single values have an order", key.expr.place)
    tree = scope.rows.bring(value.expr, value.home, value.hint)
    if isinstance(key.expr, Const):
        return
    direction = -1 if key.descending else 1
    if value.type.nullable and not nulls_first(key, scope.translation.semantics):
        name = scope.rows.helper(f"{value.hint}Missing")
        computed[name] = {"$eq": [or_null(tree), None]}
        sort[name] = direction
    if is_field_path(tree):
        sort.setdefault(tree[1:], direction)
    else:
        name = scope.rows.helper("sortKey")
        computed[name] = tree
        sort[name] = direction


def check_sortable(key: SortKey, semantics: Semantics) -> None:
    """Types whose order differs between databases; for a key that only breaks ties any order will do."""
    node, type_ = key.expr, key.expr.type
    same = isinstance(type_, ScalarType) and type_.kind is Kind.GUID and (semantics.guids_by_bytes or key.tie_breaker)
    if isinstance(type_, ScalarType) and type_.kind in (Kind.GUID, Kind.BYTES) and not same:
        raise Refusal("OrderBy", f"the order of {describe(type_)} differs between databases", node.place)
    if not isinstance(type_, ScalarType | EnumType):
        raise Refusal("OrderBy", f"{describe(type_)} has no order", node.place)


@compiles(Reverse)
def _reverse(query: Reverse, scope: Scope) -> Rows:
    return compile_rows(reversed_query(query.source), scope)


def reversed_query(query: Query) -> Query:
    """The same rows in the opposite order; refused when no order is stated."""
    if isinstance(query, OrderBy):
        return replace(query, keys=_flipped(query))
    if isinstance(query, Map | Filter | Include | OfType):
        return replace(query, source=reversed_query(query.source))
    if isinstance(query, Skip | Take):
        order = _order_below(query.source)
        return OrderBy(query, order.var, _flipped(order), query.element, query.place)
    raise Refusal("Reverse", "the rows have no stated order", remedy="Add an OrderBy.")


def unordered(query: Query) -> Query:
    """The same rows without an order that nothing depends on."""
    if isinstance(query, OrderBy | Reverse):
        return unordered(query.source)
    if isinstance(query, Map | Filter | Include | OfType | Distinct):
        return replace(query, source=unordered(query.source))
    return query


def _flipped(order: OrderBy) -> tuple[SortKey, ...]:
    return tuple(replace(key, descending=not key.descending) for key in order.keys)


def _order_below(query: Query) -> OrderBy:
    while isinstance(query, Skip | Take | Filter):
        query = query.source
    if not isinstance(query, OrderBy):
        raise Refusal("Reverse", "the rows have no stated order", remedy="Add an OrderBy.")
    return query


@compiles(Skip)
def _skip(query: Skip, scope: Scope) -> Rows:
    rows = compile_rows(query.source, scope)
    count = row_count(query.count, 0)
    if count != 0:
        rows.add("$skip", count)
    return rows


@compiles(Take)
def _take(query: Take, scope: Scope) -> Rows:
    """`$limit: 0` is an error in MongoDB, in C# it means no rows."""
    rows = compile_rows(query.source, scope)
    if isinstance(query.count, Const):
        limit(rows, query.count)
    else:
        rows.add("$match", {"$expr": {"$gt": [row_count(query.count), 0]}})
        rows.add("$limit", row_count(query.count, 1))
    return rows


def limit(rows: Rows, count: Const) -> None:
    number = row_count(count, 0)
    rows.add(*(("$limit", number) if number > 0 else ("$match", {"$expr": False})))


def row_count(count: Expr, at_least: int | None = None) -> Bson:
    """A number of rows as a constant or computed in Java; never smaller than `at_least`."""
    if isinstance(count, Const):
        assert isinstance(count.value, int)
        return count.value if at_least is None else max(count.value, at_least)
    if not is_bindable(count):
        raise Refusal("Skip/Take", "the number of rows must be known before the query runs", count.place)
    if at_least is None:
        return Bind(count, count.type)
    return Bind(Function(Fn.GREATEST, (count, Const(at_least, INT)), count.type), count.type)


def skip_to(rows: Rows, index: Expr) -> None:
    """The rows from an index on; none for a negative one."""
    if isinstance(index, Const):
        assert isinstance(index.value, int)
        if index.value < 0:
            rows.add("$match", {"$expr": False})
        elif index.value > 0:
            rows.add("$skip", index.value)
        return
    rows.add("$match", {"$expr": {"$gte": [row_count(index), 0]}})
    rows.add("$skip", row_count(index, 0))


# -- duplicates and loaded navigations -------------------------------------------------------------------------------


@compiles(Distinct)
def _distinct(query: Distinct, scope: Scope) -> Rows:
    return distinct(compile_rows(query.source, scope), scope)


def distinct(rows: Rows, scope: Scope) -> Rows:
    """One row for each group of equal rows; entities are equal when their keys are."""
    row = rows.row
    if isinstance(row, EntityValue) and not row.nullable:
        if row.at == "$$ROOT" and rows.only_matches():
            return rows
        settle(rows, scope)
        rows.add("$group", {"_id": "$_id", "row": {"$first": "$$ROOT"}})
        rows.add("$replaceRoot", {"newRoot": "$row"})
        return rows
    rows.add("$group", {"_id": group_key(row, scope.on(rows))})
    rows.reshaped(["_id"])
    rows.row = stored_at(row, "$_id", rows)
    return rows


@compiles(Include)
def _include(query: Include, scope: Scope) -> Rows:
    """Only remembered: what is loaded matters when the entities are handed out."""
    rows = compile_rows(query.source, scope)
    row = rows.row
    if not isinstance(row, EntityValue):
        raise Refusal("Include", "the rows are no entities")
    rows.row = replace(row, includes=(*row.includes, *query.tree))
    return rows
