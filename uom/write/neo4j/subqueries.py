"""Sub-queries in expressions: EXISTS { }, COUNT { }, COLLECT { }, and CALL (x) { } where a row or an aggregate is asked for."""

from __future__ import annotations

import re
from dataclasses import replace

from uom.model.defaults import default_of
from uom.model.diagnostics import Refusal
from uom.model.expressions import Compare, Comparison, Const, Lambda, Not, Subquery, Var
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Contains,
    Distinct,
    Exists,
    Filter,
    Forall,
    Pick,
    PickKind,
    Query,
    Reverse,
    Skip,
    Take,
)
from uom.model.types import BOOL, INT, EntityType, RecordType, ScalarType, describe
from uom.plan.mapping.documents import camel_case
from uom.write.neo4j import decimals
from uom.write.neo4j.clauses import Call, Clause, Return, With, braced, statement
from uom.write.neo4j.expressions import evaluate, register, set_condition
from uom.write.neo4j.groups import Chosen, aggregate, group_of, grouped_value
from uom.write.neo4j.operators import compile_rows
from uom.write.neo4j.packing import columns_or_none, optional, pack
from uom.write.neo4j.rows import Rows, sort_texts
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import Text, coalesced, integer, negated
from uom.write.neo4j.values import Items, Scalar, Value


@register(Subquery)
def _subquery(node: Subquery, scope: Scope, hint: str) -> Value:
    query = node.query
    group = group_of(query, scope)
    if group is not None:
        value = grouped_value(query, group, scope, hint)
        if value is not None:
            return value
    match query:
        case Exists() | Forall() | Contains():
            return Scalar(existence(query, scope), BOOL)
        case Aggregate(kind=AggregateKind.COUNT):
            return Scalar(_count(query, scope), query.element)
        case Aggregate():
            return _aggregate(query, scope, hint)
        case Pick():
            return _pick(query, scope, hint)
    return _list(query, scope)


def _truth(node: Subquery, scope: Scope, exact: bool) -> Text:
    value = evaluate(node, scope)
    if not isinstance(value, Scalar):
        raise Refusal("sub-query", "it is no condition", node.place)
    return coalesced(value.text, "false") if exact and value.nullable else value.text


set_condition(Subquery, _truth)


def existence(query: Exists | Forall | Contains, scope: Scope) -> Text:
    """`EXISTS { }`; All is the absence of a counterexample."""
    if isinstance(query, Forall):
        counter = Filter(query.source, Lambda(query.predicate.var, Not(query.predicate.body)), query.source.element)
        return negated(existence(Exists(counter), scope))
    if isinstance(query, Contains):
        return existence(Exists(containing(query)), scope)
    return braced("EXISTS", _body(query.source, scope))


def containing(query: Contains) -> Filter:
    """The rows that equal the item, C# meaning: null equals null."""
    var = Var("contained", query.source.element)
    if isinstance(query.source.element, RecordType):
        raise Refusal("Contains", "of objects", query.place)
    return Filter(query.source, Lambda(var, Compare(Comparison.EQ, var, query.item)), query.source.element)


def _body(query: Query, scope: Scope) -> list[Clause]:
    """Clauses of a sub-query of which only the number of rows counts."""
    rows = scope.rows.inner()
    compile_rows(query, scope.on(rows))
    rows.settle_page()
    clauses = rows.all_clauses()
    if isinstance(clauses[-1], With | Call) or any(isinstance(c, With) for c in clauses):
        clauses.append(Return([(integer(1), "one")]))
    return clauses


def _count(query: Aggregate, scope: Scope) -> Text:
    return braced("COUNT", _body(query.source, scope))


def _aggregate(query: Aggregate, scope: Scope, hint: str) -> Value:
    rows = scope.rows.inner()
    value = aggregated(query, scope.on(rows), hint)
    if query.kind in (AggregateKind.MIN, AggregateKind.MAX):
        # Neo4j (5.26, 2026.08) turns a CALL with only min() or max() of an indexed property into a search for the
        # first row, and where there is none it forgets the properties of the row outside, too
        found = Text(f"{braced('COLLECT', rows.all_clauses())}[0]")
        return replace(value, text=scope.rows.let(found, camel_case(hint)))
    return _called(rows, value, scope, optional_=False)


def aggregated(query: Aggregate, scope: Scope, hint: str) -> Scalar:
    """Ends `scope.rows` in one row with the aggregate."""
    rows = scope.rows
    source, distinct = query.source, False
    if isinstance(source, Distinct):
        source, distinct = source.source, True
    row = compile_rows(source, scope)
    value = row
    if query.selector is not None:
        if distinct:
            raise Refusal(query.kind.value, "of a part of distinct rows")
        value = evaluate(query.selector.body, scope.bind(query.selector.var, row))
    rows.settle_page()
    rows.sort = ()
    found: list[tuple[Text, str]] = []

    def column(text: Text, suffix: str) -> Text:
        name = rows.names.fresh((camel_case(hint) if hint != "value" else query.kind.value.lower()) + suffix)
        found.append((text, name))
        return Text(name)

    if not isinstance(value, Scalar) or value.over is not None:
        raise Refusal(query.kind.value, f"of {describe(query.source.element)}")
    result = aggregate(query, value, Chosen(value, (), distinct), column, not scope.semantics.case_sensitive)
    rows.clauses.append(Return(found))
    return result


def counted(query: Aggregate, scope: Scope, name: str) -> None:
    """Ends `scope.rows` in one row with the number of rows."""
    compile_rows(query.source, scope)
    scope.rows.settle_page()
    scope.rows.clauses.append(Return([(Text("count(*)"), name)]))


def _called(rows: Rows, value: Value, scope: Scope, optional_: bool) -> Value:
    """The sub-query as a CALL before the clause that needs it."""
    clauses = rows.all_clauses()
    last = clauses[-1]
    assert isinstance(last, Return)
    binds = tuple(alias for _, alias in last.items)
    scope.rows.add(Call(imports(clauses, scope.rows), (tuple(clauses),), binds, optional_))
    return value


def imports(clauses: list[Clause], rows: Rows) -> tuple[str, ...]:
    """The variables of the query around that the clauses mention."""
    text = re.sub(r"'(?:[^'\\]|\\.)*'", "''", statement(clauses))
    words = set(re.findall(r"(?<![.$:\w])`?(\w+)`?(?!\w)", text))
    return tuple(v for v in rows.visible() if v in words)


def picked(query: Pick) -> Query:
    """What a Pick takes its first row from."""
    if query.kind is PickKind.LAST:
        return Reverse(query.source, query.source.element, query.place)
    if query.kind is PickKind.ELEMENT_AT:
        assert query.index is not None
        return Skip(query.source, query.index, query.source.element, query.place)
    return query.source


def _pick(query: Pick, scope: Scope, hint: str) -> Value:
    if query.kind is PickKind.SINGLE:
        raise Refusal("Single", "in a sub-query Neo4j would not notice a second row", remedy="Use First.")
    rows = scope.rows.inner()
    source = Take(picked(query), Const(1, INT), query.source.element)
    row = compile_rows(source, scope.on(rows))
    items, settled = columns_or_none(row, scope.on(rows), hint)
    rows.close_group()
    rows.clauses.append(Return(items, sort=sort_texts(rows.sort), skip=rows.skip, limit=rows.limit))
    value = optional(_called(rows, settled, scope, optional_=True))
    if isinstance(value, Scalar) and not query.element.nullable:
        default = default_of(query.element)
        if not isinstance(query.element, EntityType) and default is not None and isinstance(query.element, ScalarType):
            nothing = evaluate(Const(default, query.element), scope)
            assert isinstance(nothing, Scalar)
            if value.scale is None:
                return Scalar(coalesced(value.text, nothing.text), query.element)
            a, b, scale = decimals.aligned(value, nothing)
            return Scalar(coalesced(a, b), query.element, scale)
    return value


def _list(query: Query, scope: Scope) -> Items:
    """All rows as a list."""
    rows = scope.rows.inner()
    row = compile_rows(query, scope.on(rows))
    text, layout = pack(row, scope.on(rows))
    rows.close_group()
    alias = rows.names.fresh("row")
    ending = Return([(text, alias)], sort=sort_texts(rows.sort), skip=rows.skip, limit=rows.limit)
    return Items(braced("COLLECT", [*rows.all_clauses(), ending]), layout)
