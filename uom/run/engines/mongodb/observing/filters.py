"""Query filters over shapes: `find`, `$match`, `count`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bson import Decimal128, Regex

from uom.run.engines.mongodb.observing import letters
from uom.run.engines.mongodb.observing.comparing import is_short_binary
from uom.run.engines.mongodb.observing.expressions import evaluate, observe_pattern
from uom.run.engines.mongodb.observing.scope import Scope, query_value
from uom.run.engines.mongodb.observing.shapes import NUMBERS, Shape, deep, shape_of

_EQUALITIES = frozenset({"$eq", "$ne", "$in", "$nin", "$all"})
_ORDERS = frozenset({"$gt", "$gte", "$lt", "$lte"})


def observe_filter(condition: Any, scope: Scope) -> None:
    """All observations about a filter document."""
    if not isinstance(condition, Mapping):
        return
    for name, value in condition.items():
        if not name.startswith("$"):
            _observe_field(name, value, scope)
            continue
        scope.notes.used.add(name)
        if name in ("$and", "$or", "$nor"):
            for part in value:
                observe_filter(part, scope)
        elif name == "$expr":
            evaluate(value, scope)


def _observe_field(path: str, condition: Any, scope: Scope) -> None:
    field = query_value(scope.document, path)
    if isinstance(condition, Mapping) and any(key.startswith("$") for key in condition):
        _observe_operators(path, field, condition, scope)
    elif isinstance(condition, Regex):
        _observe_regex(path, field, condition, "", scope)
    else:
        _observe_constant("$eq", path, field, condition, scope)


def _observe_operators(path: str, field: Shape, condition: Mapping[str, Any], scope: Scope) -> None:
    for operator, value in condition.items():
        scope.notes.used.add(operator)
        if operator == "$not":
            _observe_field(path, value, scope)
        elif operator == "$regex":
            _observe_regex(path, field, value, condition.get("$options", ""), scope)
        elif operator in ("$in", "$nin", "$all"):
            for item in value:
                _observe_item(operator, path, field, item, scope)
        elif operator == "$elemMatch":
            _observe_elem_match(path, field, value, scope)
        elif operator in ("$exists", "$type"):
            if field.blurred and field.may_be("missing"):
                scope.note("null_for_missing", {path: condition})
        else:
            _observe_constant(operator, path, field, value, scope)


def _observe_item(operator: str, path: str, field: Shape, item: Any, scope: Scope) -> None:
    if isinstance(item, Regex):
        _observe_regex(path, field, item, "", scope)
    elif isinstance(item, Mapping) and "$elemMatch" in item:
        _observe_elem_match(path, field, item["$elemMatch"], scope)
    else:
        _observe_constant(operator, path, field, item, scope)
    if operator == "$all" and scope.ignores_case and isinstance(item, str):
        scope.note("collation_in:$elemMatch", {path: {operator: item}})


def _observe_elem_match(path: str, field: Shape, condition: Mapping[str, Any], scope: Scope) -> None:
    """The element is the document, or the value itself when only operators are given."""
    if scope.ignores_case and deep(shape_of(condition), lambda s: s.may_be("string")):
        scope.note("collation_in:$elemMatch", {path: condition})
    inner = scope.on(field)
    if any(key.startswith("$") for key in condition):
        _observe_operators(path, field, condition, inner)
    else:
        observe_filter(condition, inner)


def _observe_regex(path: str, field: Shape, pattern: Any, options: Any, scope: Scope) -> None:
    observe_pattern(pattern, options, field.letters, {path: pattern}, scope)


def _observe_constant(operator: str, path: str, field: Shape, constant: Any, scope: Scope) -> None:
    what = {path: {operator: constant}}
    value = shape_of(constant)
    if scope.ignores_case and isinstance(constant, str) and field.may_be("string"):
        found = field.letters | value.letters
        if operator in _ORDERS and not letters.folded_bytes_are_in_order(found):
            scope.note("collation_order", what)
        if not letters.fold_is_equality(found):
            scope.note("collation_beyond_ascii", what)
    if isinstance(constant, float) and field.may_be("decimal") and not is_short_binary(constant):
        scope.note("double_against_decimal", what)
    if isinstance(constant, Decimal128) and field.may_be("double"):
        scope.note("double_against_decimal", what)
    if isinstance(constant, dict | list):
        _observe_composite(field, value, what, scope)
    if field.inexact and field.may_be("double") and value.may_be(*NUMBERS):
        scope.note("inexact_sum_compared", what)


def _observe_composite(field: Shape, value: Shape, what: Any, scope: Scope) -> None:
    """A whole document or array: what holds inside it counts."""
    if deep(field, lambda s: s.blurred and s.may_be("missing") and s is not field) and value.items is not field.items:
        scope.note("null_for_missing", what)
    both = replace(field, element=value.element)
    if scope.ignores_case and deep(value, lambda s: s.may_be("string")):
        found = _all_letters(value) | _all_letters(both)
        if not letters.fold_is_equality(found):
            scope.note("collation_beyond_ascii", what)
    for one, other in ((field, value), (value, field)):
        if deep(one, lambda s: s.may_be("double")) and deep(other, lambda s: s.may_be("decimal")):
            scope.note("double_against_decimal", what)


def _all_letters(shape: Shape, depth: int = 8) -> frozenset[str]:
    found = shape.letters
    if depth:
        for inner in [*shape.fields.values(), *([shape.element] if shape.element else [])]:
            found |= _all_letters(inner, depth - 1)
    return found
