"""`Union`, `Concat`, `Except`, `Intersect`."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.queries import SetKind, SetOperation
from uom.model.types import EnumType, Field, RecordType, ScalarType, Type, as_nullable, same_ignoring_null
from uom.read.efcore.binding import evaluated
from uom.read.efcore.lowering import as_rows, shaped
from uom.read.efcore.memory import tells_apart
from uom.read.efcore.rows import Arguments, at_most, keep_order_in_memory, on_server
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import QueryOperator, Session
from uom.read.efcore.values import Rows, Value, changed


def combine(kind: SetKind) -> QueryOperator:
    name = kind.value

    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        place = session.place(node, scope)
        at_most(arguments, 1, name, place)
        if not arguments:
            raise Refusal(f"{name}()", "a second sequence is expected", place, "Pass one.")
        on_server(rows, name, place)
        left = shaped(rows, place)
        right = shaped(as_rows(evaluated(session, arguments[0]), place, name), place)
        on_server(right, name, place)
        if left.local != right.local and not left.client:
            raise Refusal(name, "a list in memory cannot be combined with a table", place, "Combine after ToList.")
        if left.includes != right.includes:
            raise Refusal(name, "both sides must have the same Includes", place, "Put the Include after the operator.")
        keep_order_in_memory(left, name, place)
        keep_order_in_memory(right, name, place)
        element = common_row(left.query.element, right.query.element, name, place)
        static = common_row(left.static, right.static, name, place)
        if kind is not SetKind.CONCAT:
            tells_apart(session, left, element, name, place)
        query = SetOperation(kind, left.query, right.query, element, place)
        lifted = left.lifted_filters or right.lifted_filters
        return replace(changed(left, query, static=static), lifted_filters=lifted)

    return operator


def common_row(left: Type, right: Type, name: str, place: Place) -> Type:
    """The row type of both sides: nullable where either is."""
    if isinstance(left, RecordType) and isinstance(right, RecordType) and len(left.fields) == len(right.fields):
        fields = tuple(
            Field(f.name, common_row(f.type, g.type, name, place))
            for f, g in zip(left.fields, right.fields, strict=True)
        )
        if [f.name for f in left.fields] == [g.name for g in right.fields]:
            return RecordType(left.name, fields, left.nullable or right.nullable)
    if isinstance(left, EnumType) and isinstance(right, EnumType) and left.stored != right.stored:
        raise Refusal(name, f"the {left.name} columns are stored in different ways", place, "Store them alike.")
    if same_ignoring_null(left, right):
        return as_nullable(left, left.nullable or right.nullable)
    if isinstance(left, ScalarType) and isinstance(right, ScalarType) and left.kind is not right.kind:
        raise Refusal(name, "the two sides have different types", place, "Cast one of them.")
    raise Refusal(name, "the rows of the two sides have different shapes", place, "Select the same members.")


OPERATORS = {kind.value: combine(kind) for kind in SetKind}
