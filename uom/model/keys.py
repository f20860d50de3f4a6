"""What is known about the keys of a dictionary that a query fills: `ToDictionary` throws for a null and for a second row."""

from __future__ import annotations

from uom.model.expressions import Expr, New, Property, Var
from uom.model.queries import Filter, GroupBy, Include, Map, OfType, OrderBy, Query, Reverse, Scan, Skip, Take
from uom.model.schema import Schema
from uom.model.types import EntityType

_SAME_ROWS = (Filter, OrderBy, Skip, Take, Reverse, Include, OfType)


def keys_are_certain(query: Query, schema: Schema) -> bool:
    """Whether no row lacks a key and no two rows share one, whatever the data: rows have Key and Value."""
    if not isinstance(query, Map) or not isinstance(query.selector.body, New):
        return False
    key = query.selector.body.args[0]
    return not key.type.nullable and _is_unique(key, query.selector.var, query.source, schema)


def _is_unique(key: Expr, row: Var, source: Query, schema: Schema) -> bool:
    """Whether the expression over a row is the key of its entity, or of its group."""
    while isinstance(source, _SAME_ROWS):
        source = source.source
    if not isinstance(key, Property) or key.target != row:
        return False
    match source:
        case Scan(element=EntityType(name=name)):
            return schema.entity(name).key == (key.name,)
        case GroupBy():
            return key.name == "Key"
        case Map(selector=selector) if isinstance(selector.body, New):
            parts = dict(zip((f.name for f in selector.body.type.fields), selector.body.args, strict=True))
            return key.name in parts and _is_unique(parts[key.name], selector.var, source.source, schema)
    return False
