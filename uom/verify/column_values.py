"""What an expression over a row is worth for the rows that there are: values that a parameter may be compared with."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from uom.model.expressions import Expr, Parameter, Var
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.model.types import EntityType
from uom.model.walk import walk
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import Database, QueryError, Row, Value

_MOST = 500
_NOW = datetime(2020, 1, 1)
_NO_VALUE = (QueryError, TypeError, KeyError, AttributeError, ArithmeticError, ValueError, AssertionError)


def values_of(expr: Expr, schema: Schema, database: Database) -> list[Value]:
    """Not null, in the order of the rows; none where it is no expression over the rows of one entity alone.

    What it is in memory is near enough to what it is in the database: the values are only to be tried.
    """
    names: dict[str, str] = {}
    for node in walk(expr):
        if isinstance(node, Parameter):
            return []
        if isinstance(node, Var) and isinstance(node.type, EntityType):
            names.setdefault(node.name, node.type.name)
    run = Run(schema, database, Semantics(), {}, _NOW)
    for name, entity in names.items():
        found = [_value(expr, name, row, run) for row in islice(_rows(entity, schema, database), _MOST)]
        known = [value for value in found if value is not None]
        if known:
            return known
    return []


def _rows(entity: str, schema: Schema, database: Database) -> list[Row]:
    """Those of the whole family: an expression over one class of it has no value for the others."""
    family = set(schema.descendants(entity))
    return [row for rows in database.rows.values() for row in rows if row.entity in family]


def _value(expr: Expr, name: str, row: Row, run: Run) -> Value:
    try:
        return evaluate(expr, {name: row}, run)
    except _NO_VALUE:
        return None
