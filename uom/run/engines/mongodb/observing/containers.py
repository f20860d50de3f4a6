"""Expressions that build or take apart documents and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from uom.run.engines.mongodb.observing.comparing import observe_elements
from uom.run.engines.mongodb.observing.expressions import evaluate, handles, operand, operands
from uom.run.engines.mongodb.observing.scope import Scope
from uom.run.engines.mongodb.observing.shapes import (
    ABSENT,
    ANYTHING,
    BOOL,
    INT,
    MISSING,
    NOTHING,
    NULL,
    SOME_OBJECT,
    Shape,
    array_of,
    deep,
    field_of,
    join,
    object_of,
)

# -- documents -------------------------------------------------------------------------------------------------------


@handles("$mergeObjects")
def _merge_objects(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    if any(deep(value, lambda s: s.blurred and s.may_be("missing")) for value in values[1:]):
        scope.note("null_for_missing", {operator: argument})
    merged = object_of({})
    for value in values:
        fields = dict(merged.fields)
        for name, inner in value.fields.items():
            kept = fields.get(name, MISSING)
            hides = not inner.may_be("missing") and not value.may_be(*ABSENT)
            fields[name] = inner if hides else join(inner.without({"missing"}), kept)
        merged = replace(object_of(fields), open=merged.open or value.open, built=merged.built and value.built)
    return merged


@handles("$getField", "$objectToArray", "$setField", "$unsetField", "$arrayToObject")
def _reflection(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    if any(deep(value, lambda s: s.blurred and s.may_be("missing")) for value in values):
        scope.note("null_for_missing", {operator: argument})
    return SOME_OBJECT if operator == "$setField" else ANYTHING


# -- arrays ----------------------------------------------------------------------------------------------------------


@handles("$map")
def _map(operator: str, argument: Any, scope: Scope) -> Shape:
    source = operand(operator, argument["input"], scope)
    inner = scope.binding({argument.get("as", "this"): source.items})
    return _like(source, array_of(evaluate(argument["in"], inner), source.filled))


@handles("$filter")
def _filter(operator: str, argument: Any, scope: Scope) -> Shape:
    source = operand(operator, argument["input"], scope)
    operand(operator, argument["cond"], scope.binding({argument.get("as", "this"): source.items}))
    evaluate(argument.get("limit"), scope)
    return _like(source, replace(source.without(source.kinds - {"array"}), filled=False))


@handles("$reduce")
def _reduce(operator: str, argument: Any, scope: Scope) -> Shape:
    """The bound of `$$value` grows until another round adds nothing."""
    source = operand(operator, argument["input"], scope)
    value = evaluate(argument["initialValue"], scope)
    for _ in range(6):
        grown = join(value, evaluate(argument["in"], scope.binding({"value": value, "this": source.items})))
        if grown == value:
            return _like(source, value)
        value = grown
    evaluate(argument["in"], scope.binding({"value": ANYTHING, "this": source.items}))
    return ANYTHING


def _like(source: Shape, result: Shape) -> Shape:
    """Null where the list is absent."""
    return join(result, NULL) if source.may_be(*ABSENT) else result


@handles("$first", "$last", "$arrayElemAt")
def _element(operator: str, argument: Any, scope: Scope) -> Shape:
    source, *_ = operands(operator, argument, scope)
    if operator == "$arrayElemAt":
        return replace(_like(source, join(source.items, MISSING)), marker=True)
    if source.filled and source.may_be("array"):
        return _like(source, source.items)
    found = _like(source, join(source.items, MISSING))
    # an empty list has no first element: some engines say null
    return replace(found, kinds=found.kinds | {"null"}, blurred=True)


@handles("$slice", "$reverseArray", "$firstN", "$lastN", "$minN", "$maxN", "$sortArray")
def _part(operator: str, argument: Any, scope: Scope) -> Shape:
    if isinstance(argument, Mapping) and "input" in argument:
        source = operand(operator, argument["input"], scope)
        evaluate(argument.get("n"), scope)
        if operator in ("$minN", "$maxN", "$sortArray"):
            keys = _sort_values(source.items, argument.get("sortBy"))
            observe_elements(operator, keys, {operator: argument}, scope)
    else:
        source, *_ = operands(operator, argument, scope)
    filled = source.filled and operator in ("$sortArray", "$reverseArray")
    return _like(source, replace(source.without(source.kinds - {"array"}), filled=filled))


def _sort_values(items: Shape, sort_by: Any) -> Shape:
    if not isinstance(sort_by, Mapping):
        return items
    keys = []
    for path in sort_by:
        value = items
        for part in path.split("."):
            value = field_of(join(value, value.items), part)
        keys.append(value)
    return join(*keys)


@handles("$concatArrays", "$setUnion", "$setIntersection", "$setDifference", "$setEquals", "$setIsSubset")
def _combined(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    elements = join(*(value.items for value in values))
    if operator != "$concatArrays":
        observe_elements(operator, elements, {operator: argument}, scope)
    if operator in ("$setEquals", "$setIsSubset"):
        return BOOL
    result = array_of(elements) if elements.kinds else Shape(frozenset({"array"}), element=NOTHING)
    return join(result, NULL) if any(value.may_be(*ABSENT) for value in values) else result


@handles("$indexOfArray")
def _index_of_array(operator: str, argument: Any, scope: Scope) -> Shape:
    operands(operator, argument, scope)
    scope.note("operator_used:$indexOfArray", {operator: argument})
    return join(INT, NULL)


@handles("$zip")
def _zip(operator: str, argument: Any, scope: Scope) -> Shape:
    operands(operator, argument, scope)
    return array_of(array_of(ANYTHING))
