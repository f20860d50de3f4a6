"""Expressions over shapes: the bound of the result, and observations on the way.

One function per operator that is more than its operands; `_RESULTS` and `_TEXTS` hold the plain ones. An operator that
is not known here still has its operands looked at, and gives anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from string import ascii_letters
from typing import Any

from uom.run.engines.mongodb.observing import letters, numbers, patterns
from uom.run.engines.mongodb.observing.comparing import (
    observe_comparison,
    observe_elements,
    observe_numbers,
    observe_text,
)
from uom.run.engines.mongodb.observing.scope import Scope, path_value
from uom.run.engines.mongodb.observing.shapes import (
    ABSENT,
    ANYTHING,
    BOOL,
    DATE,
    INT,
    LONG,
    NOTHING,
    NULL,
    Shape,
    array_of,
    join,
    object_of,
    shape_of,
    text_of,
)

Handler = Callable[[Any, Scope], Shape]
_HANDLERS: dict[str, Handler] = {}

_INTS = """
    $size $strLenCP $strLenBytes $indexOfCP $indexOfBytes $indexOfArray $year $month $dayOfMonth $dayOfWeek $dayOfYear
    $hour $minute $second $millisecond $week $isoWeek $isoDayOfWeek $strcasecmp $bsonSize $binarySize
""".split()
_BOOLS = "$isArray $isNumber $toBool $regexMatch $anyElementTrue $allElementsTrue $setEquals $setIsSubset".split()
_DATES = "$dateAdd $dateSubtract $dateTrunc $dateFromParts $toDate $dateFromString".split()
_RESULTS: dict[str, Shape] = {
    **dict.fromkeys(_INTS, join(INT, NULL)),
    **dict.fromkeys(_BOOLS, join(BOOL, NULL)),
    **dict.fromkeys(_DATES, join(DATE, NULL)),
    "$dateDiff": join(LONG, NULL),
    "$isoWeekYear": join(LONG, NULL),
    "$bitAnd": join(INT, LONG, NULL),
    "$bitOr": join(INT, LONG, NULL),
    "$bitXor": join(INT, LONG, NULL),
    "$bitNot": join(INT, LONG, NULL),
    "$range": array_of(INT),
    "$type": text_of("abcdefghijklmnopqrstuvwxyzIW"),
    "$toObjectId": join(Shape(frozenset({"objectId"})), NULL),
}
_TEXTS = frozenset(
    """
    $concat $substrCP $substrBytes $substr $toString $toUpper $toLower $trim $ltrim $rtrim $replaceAll $replaceOne
    $dateToString
    """.split()
)
_WRITTEN = frozenset("0123456789+-.:TZEINabcdefiltnyrsu")
"""Letters of numbers, dates and booleans as text."""
_NEVER_NULL = frozenset(
    """
    $size $strLenCP $strLenBytes $isArray $isNumber $regexMatch $anyElementTrue $allElementsTrue $setEquals
    $setIsSubset $strcasecmp $type $toUpper $toLower $substrCP
    """.split()
)
_SEES_MISSING = frozenset(
    """
    $eq $ne $gt $gte $lt $lte $cmp $ifNull $cond $switch $and $or $not $let $in $isArray $isNumber $sum $avg $literal
    $add $subtract $multiply $divide $mod $abs $ceil $floor $round $trunc $sqrt $pow $exp $ln $log $log10
    $bitAnd $bitOr $bitXor $concat $substrCP $strLenCP $toUpper $toLower $trim $ltrim $rtrim $split $indexOfCP
    $replaceAll $replaceOne $regexMatch $toString $toInt $toLong $toDouble $toDecimal $toDate $year $month $dayOfMonth
    $dayOfWeek $dayOfYear $hour $minute $second $millisecond $dateAdd $dateSubtract $dateTrunc $dateDiff
    $dateFromParts $dateToString $map $filter $reduce $size $slice $concatArrays $reverseArray $sortArray $first $last
    $arrayElemAt $setUnion $setDifference $setIntersection $allElementsTrue $anyElementTrue $mergeObjects
    """.split()
)
"""Operators for which a missing operand is an error or the right answer even where it is the engine's own mark."""


def evaluate(expression: Any, scope: Scope) -> Shape:
    """The bound of an expression's value."""
    if isinstance(expression, str):
        return path_value(expression, scope) if expression.startswith("$") else text_of(expression)
    if isinstance(expression, list):
        return array_of(join(*(evaluate(item, scope) for item in expression)))
    if not isinstance(expression, Mapping):
        return shape_of(expression)
    operator = next(iter(expression), "")
    if len(expression) == 1 and operator.startswith("$"):
        scope.notes.used.add(operator)
        return _apply(operator, expression[operator], scope)
    return object_of({name: _in_field(evaluate(inner, scope)) for name, inner in expression.items()})


def _in_field(value: Shape) -> Shape:
    return replace(value, marker=False)


def _apply(operator: str, argument: Any, scope: Scope) -> Shape:
    handler = _HANDLERS.get(operator)
    if handler is not None:
        return handler(argument, scope)
    values = operands(operator, argument, scope)
    if operator in numbers.ARITHMETIC:
        _observe_number(operator, values, {operator: argument}, scope)
        return numbers.computed(operator, values)
    if operator in _TEXTS:
        return _text(operator, values)
    result = _RESULTS.get(operator, ANYTHING)
    if operator in _RESULTS and (operator in _NEVER_NULL or not any(v.may_be(*ABSENT) for v in values)):
        return result.without({"null"})
    return result


def operands(operator: str, argument: Any, scope: Scope) -> list[Shape]:
    """The operands, whichever way they are given."""
    if isinstance(argument, list):
        parts: list[Any] = argument
    elif isinstance(argument, Mapping) and not (len(argument) == 1 and next(iter(argument)).startswith("$")):
        for name in argument:
            scope.notes.used.add(f"{operator}.{name}")
        parts = list(argument.values())
    else:
        parts = [argument]
    return [operand(operator, part, scope) for part in parts]


def operand(operator: str, expression: Any, scope: Scope) -> Shape:
    """One operand. Some engines hand their mark for "no value" on to operators that do not know it."""
    value = evaluate(expression, scope)
    if value.marker and value.may_be("missing") and operator not in _SEES_MISSING:
        scope.note("missing_operand", {operator: expression})
    return value


def _text(operator: str, values: list[Shape]) -> Shape:
    found = frozenset().union(*(v.letters for v in values))
    if any(v.kinds - {"string", "null", "missing"} for v in values) or operator in ("$toString", "$dateToString"):
        found |= _WRITTEN
    if operator in ("$toUpper", "$toLower"):
        found |= frozenset("".join(found).upper()) | frozenset("".join(found).lower())
    result = text_of(found)
    nullable = operator not in _NEVER_NULL and any(v.may_be(*ABSENT) for v in values)
    return join(result, NULL) if nullable else result


def handles(*operators: str) -> Callable[[Callable[[str, Any, Scope], Shape]], Callable[[str, Any, Scope], Shape]]:
    """Registers the function for operators; it gets the operator's name first."""

    def keep(function: Callable[[str, Any, Scope], Shape]) -> Callable[[str, Any, Scope], Shape]:
        for operator in operators:
            _HANDLERS[operator] = lambda argument, scope, operator=operator: function(operator, argument, scope)  # type: ignore[misc]
        return function

    return keep


# -- logic and comparisons -------------------------------------------------------------------------------------------


@handles("$literal")
def _literal(_operator: str, argument: Any, _scope: Scope) -> Shape:
    return shape_of(argument)


@handles("$and", "$or", "$not")
def _logic(operator: str, argument: Any, scope: Scope) -> Shape:
    operands(operator, argument, scope)
    return BOOL


@handles("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$cmp")
def _comparison(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    if len(values) == 2:
        observe_comparison(operator, values[0], values[1], {operator: argument}, scope)
    return INT if operator == "$cmp" else BOOL


@handles("$cond")
def _cond(operator: str, argument: Any, scope: Scope) -> Shape:
    parts = list(argument.values()) if isinstance(argument, Mapping) else argument
    if isinstance(argument, Mapping):
        parts = [argument.get("if"), argument.get("then"), argument.get("else")]
    operand(operator, parts[0], scope)
    return join(*(evaluate(part, scope) for part in parts[1:]))


@handles("$ifNull")
def _if_null(_operator: str, argument: Any, scope: Scope) -> Shape:
    *firsts, last = [evaluate(part, scope) for part in argument]
    return join(*(one.present() for one in firsts), last)


@handles("$switch")
def _switch(operator: str, argument: Any, scope: Scope) -> Shape:
    results = []
    for branch in argument.get("branches", []):
        operand(operator, branch["case"], scope)
        results.append(evaluate(branch["then"], scope))
    if "default" in argument:
        results.append(evaluate(argument["default"], scope))
    return join(*results)


@handles("$let")
def _let(_operator: str, argument: Any, scope: Scope) -> Shape:
    bound = {name: evaluate(value, scope) for name, value in argument["vars"].items()}
    return evaluate(argument["in"], scope.binding(bound))


@handles("$in")
def _in(operator: str, argument: Any, scope: Scope) -> Shape:
    needle, haystack = operands(operator, argument, scope)
    what = {operator: argument}
    if needle.may_be("missing") and haystack.items.may_be("null"):
        scope.note("null_for_missing" if needle.blurred else "missing_in_list", what)
    observe_numbers(needle, haystack.items, what, scope)
    observe_text("collation_in_expressions", True, needle, haystack.items, what, scope)
    if needle.inexact and needle.may_be("double"):
        scope.note("inexact_sum_compared", what)
    return BOOL


# -- numbers and texts -----------------------------------------------------------------------------------------------


@handles("$subtract", "$add")
def _sum_or_difference(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    if operator == "$subtract" and numbers.is_long_difference(values):
        scope.note("decimal_difference_beyond_28_digits", {operator: argument})
    if operator == "$subtract" and {"double", "decimal"} <= frozenset().union(*(v.kinds for v in values)):
        scope.note("difference_of_double_and_decimal", {operator: argument})
    if not any(v.may_be("date") for v in values):
        return numbers.computed(operator, values)
    if operator == "$subtract" and all(v.may_be("date") for v in values):
        return join(numbers.computed(operator, values), LONG, DATE)
    return join(numbers.computed(operator, values), DATE)


def _observe_number(operator: str, values: list[Shape], what: Any, scope: Scope) -> None:
    if operator in numbers.CUTTING and any(v.inexact and v.may_be("double") for v in values):
        scope.note("inexact_sum_compared", what)
    if operator in ("$toLong", "$toDouble", "$toDecimal") and any(v.may_be("date") for v in values):
        scope.note("date_as_number", what)
    huge = any(v.may_be("decimal") and v.digits[0] > numbers.LONGEST_DECIMAL for v in values)
    if operator in ("$floor", "$ceil") and huge:
        scope.note("whole_part_beyond_34_digits", what)


@handles("$abs")
def _abs(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    if any(v.may_be("long") and v.digits[0] >= 19 for v in values):
        scope.note("abs_of_smallest_long", {operator: argument})
    return numbers.computed(operator, values)


@handles("$sum", "$avg")
def _total(operator: str, argument: Any, scope: Scope) -> Shape:
    return numbers.total(_elements(operator, argument, scope), average=operator == "$avg")


@handles("$min", "$max")
def _extreme(operator: str, argument: Any, scope: Scope) -> Shape:
    values = _elements(operator, argument, scope)
    observe_elements(operator, values, {operator: argument}, scope)
    return join(values.present(), NULL) if values.may_be(*ABSENT) or not isinstance(argument, list) else values


def _elements(operator: str, argument: Any, scope: Scope) -> Shape:
    """One operand that is an array stands for its elements; of several each is one value."""
    values = operands(operator, argument, scope)
    if len(values) == 1:
        only = values[0]
        return join(only.without({"array"}), only.items, NULL) if only.may_be("array") else only
    return join(*values)


@handles("$regexMatch", "$regexFind", "$regexFindAll")
def _regex(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    found = frozenset().union(*(v.letters for v in values))
    pattern, options = argument.get("regex"), argument.get("options", "")
    if any(isinstance(part, str) and part.startswith("$") for part in (pattern, options)):
        pattern = None
    elif isinstance(pattern, Mapping) and set(pattern) == {"$literal"}:
        pattern = pattern["$literal"]
    observe_pattern(pattern, options, found, {operator: argument}, scope)
    return BOOL if operator == "$regexMatch" else ANYTHING


def observe_pattern(pattern: Any, options: Any, text: frozenset[str], what: Any, scope: Scope) -> None:
    """A regular expression against texts of these letters; None is one that the documents hold."""
    parts = patterns.pattern_and_options(pattern, options)
    if parts is None:
        scope.note("regex_construct", what)
        return
    construct = patterns.construct_of(*parts)
    if construct:
        scope.note("regex_construct", construct)
    if "i" in parts[1] and not letters.case_is_simple(text | patterns.constant_letters(parts[0])):
        scope.note("regex_ignores_case", what)


@handles("$dateToString")
def _date_to_string(operator: str, argument: Any, scope: Scope) -> Shape:
    if "onNull" in argument:
        scope.note("operator_with_option:$dateToString.onNull", {operator: argument})
    text = _text(operator, operands(operator, argument, scope))
    if "%b" in str(argument.get("format", "")).lower():
        # names of months
        return replace(text, letters=text.letters | frozenset(ascii_letters))
    return text


@handles("$dateFromString")
def _date_from_string(operator: str, argument: Any, scope: Scope) -> Shape:
    values = operands(operator, argument, scope)
    instead = [evaluate(argument[name], scope) for name in ("onError", "onNull") if name in argument]
    return join(DATE, *instead, NULL if any(v.may_be(*ABSENT) for v in values) else NOTHING)


@handles("$split")
def _split(operator: str, argument: Any, scope: Scope) -> Shape:
    return join(array_of(_text("$concat", operands(operator, argument, scope))), NULL)
