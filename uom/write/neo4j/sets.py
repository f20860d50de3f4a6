"""Set operations: UNION inside a CALL, and EXISTS for what Cypher has no operator for."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.queries import Query, SetKind, SetOperation
from uom.write.neo4j import decimals
from uom.write.neo4j.clauses import Call, Clause, Return, braced
from uom.write.neo4j.logic import equal
from uom.write.neo4j.operators import check_equality, compile_rows, operator
from uom.write.neo4j.packing import columns
from uom.write.neo4j.rows import Rows, sort_texts
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.subqueries import imports
from uom.write.neo4j.text import Level, Text, binary, integer, negated, quoted
from uom.write.neo4j.values import Node, Record, Scalar, Value


@operator(SetOperation)
def _set_operation(query: SetOperation, scope: Scope) -> Value:
    if query.kind is not SetKind.CONCAT:
        check_equality(query.element, query.kind.value, scope)
    if query.kind in (SetKind.CONCAT, SetKind.UNION):
        return _united(query, scope)
    return _compared(query, scope)


def _united(query: SetOperation, scope: Scope) -> Value:
    sides = [_side(side, scope) for side in (query.left, query.right)]
    (left_rows, left), (right_rows, right) = sides
    row, left_items, right_items = _unified(left, right, left_rows, scope)
    bodies = [_ended(r, i) for r, i in ((left_rows, left_items), (right_rows, right_items))]
    outer = tuple(dict.fromkeys(v for body in bodies for v in imports(list(body), scope.rows)))
    union = "UNION ALL" if query.kind is SetKind.CONCAT else "UNION"
    scope.rows.add(Call(outer, tuple(bodies), tuple(a for _, a in left_items), union=union))
    scope.rows.sort = ()
    return row


def _side(query: Query, scope: Scope) -> tuple[Rows, Value]:
    rows = scope.rows.inner()
    return rows, compile_rows(query, scope.on(rows))


def _ended(rows: Rows, items: list[tuple[Text, str]]) -> tuple[Clause, ...]:
    rows.close_group()
    paged = rows.skip is not None or rows.limit is not None
    sort = sort_texts(rows.sort) if paged else ()
    return (*rows.all_clauses(), Return(items, sort=sort, skip=rows.skip, limit=rows.limit))


def _unified(
    left: Value, right: Value, rows: Rows, scope: Scope
) -> tuple[Value, list[tuple[Text, str]], list[tuple[Text, str]]]:
    """The row in terms of columns that both sides return under the same names."""
    lefts: list[tuple[Text, str]] = []
    rights: list[tuple[Text, str]] = []
    row = _column_pairs(left, right, "value", rows, scope, lefts, rights)
    return row, lefts, rights


def _column_pairs(
    left: Value,
    right: Value,
    hint: str,
    rows: Rows,
    scope: Scope,
    lefts: list[tuple[Text, str]],
    rights: list[tuple[Text, str]],
) -> Value:
    match left, right:
        case Scalar(), Scalar():
            a, b, scale = _aligned(left, right)
            alias = rows.names.fresh(hint[:1].lower() + hint[1:])
            lefts.append((a, alias))
            rights.append((b, alias))
            merged = left.as_nullable(left.nullable or right.nullable)
            return Scalar(Text(quoted(alias)), merged.type, scale)
        case Node(), Node():
            alias = rows.names.fresh(scope.graph.hint(left.entity))
            lefts.append((left.text, alias))
            rights.append((right.text, alias))
            return Node(alias, left.entity, left.nullable or right.nullable, left.includes)
        case Record(), Record():
            if left.present is not None or right.present is not None:
                raise Refusal("Union", "of rows that may be null")
            fields = tuple(
                (name, _column_pairs(value, right.field(name), name, rows, scope, lefts, rights))
                for name, value in left.fields
            )
            return Record(fields, left.type)
    raise Refusal("Union", "of rows of different kinds, or of whole owned values")


def _aligned(left: Scalar, right: Scalar) -> tuple[Text, Text, int | None]:
    if left.scale is not None and right.scale is not None:
        return decimals.aligned(left, right)
    return left.text, right.text, None


def _compared(query: SetOperation, scope: Scope) -> Value:
    """Except and Intersect: distinct rows of the left side that have no, or an, equal on the right."""
    row = compile_rows(query.left, scope)
    items, settled = columns(row, scope, "value")
    scope.rows.carry(items, distinct=True)
    inner = scope.rows.inner()
    other = compile_rows(query.right, scope.on(inner))
    for test in _equalities(settled, other):
        inner.filter(test)
    inner.settle_page()
    found = braced("EXISTS", [*inner.all_clauses(), Return([(integer(1), "one")])])
    scope.rows.filter(found if query.kind is SetKind.INTERSECT else negated(found))
    return settled


def _equalities(left: Value, right: Value) -> list[Text]:
    match left, right:
        case Scalar(), Scalar():
            a, b = (left.text, right.text) if left.scale is None else decimals.compared(left, right)
            return [equal(b, a, right.nullable, left.nullable, False)]
        case Node(), Node():
            a, b = right.text, left.text
            return [binary(a, "=", b, Level.COMPARE)]
        case Record(present=None), Record(present=None):
            return [test for name, value in left.fields for test in _equalities(value, right.field(name))]
    raise Refusal("Except", "of rows that are whole objects or may be null")
