"""Text functions. Positions count code points; C# counts UTF-16 units, which differs only beyond U+FFFF."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.expressions import Fn
from uom.model.types import EnumType, Kind, ScalarType, SequenceType, is_integer
from uom.model.walk import free_variables
from uom.write.mongodb.expressions import literal
from uom.write.mongodb.functions import Call, Operand, null_safe, once, writes
from uom.write.mongodb.patterns import like_regex, text_regex
from uom.write.mongodb.tree import Bson


def _needs_exact_case(call: Call, part: Operand, what: str) -> None:
    """Refuses a search that the source's database does without regard to case; text without letters has no case."""
    if call.scope.translation.semantics.case_sensitive:
        return
    if not isinstance(part.constant, str) or part.constant.lower() != part.constant.upper():
        raise call.refuse(f"the source's database ignores case in {what}, MongoDB does not")


@writes(Fn.INDEX_OF)
def _index_of(call: Call) -> Bson:
    text, part = call.args
    _needs_exact_case(call, part, "IndexOf")
    return null_safe(call.args, {"$indexOfCP": [text.tree, part.tree]})


@writes(Fn.LENGTH)
def _length(call: Call) -> Bson:
    tree = call.args[0].tree
    if call.scope.translation.semantics.ignore_trailing_blanks:
        # SQL Server's LEN does not count them.
        tree = {"$rtrim": {"input": tree, "chars": " "}}
    return null_safe(call.args, {"$strLenCP": tree})


@writes(Fn.UPPER, Fn.LOWER, Fn.UPPER_INVARIANT, Fn.LOWER_INVARIANT)
def _change_case(call: Call) -> Bson:
    name = "ToUpper" if call.node.fn in (Fn.UPPER, Fn.UPPER_INVARIANT) else "ToLower"
    raise call.refuse(
        "MongoDB changes the case of ASCII letters only, so other letters would come out differently",
        f'Compare with ==, StartsWith, EndsWith or Contains and a constant ({name}() == "..." is translated), '
        "or change the case after the rows were read.",
    )


@writes(Fn.TRIM, Fn.TRIM_START, Fn.TRIM_END)
def _trim(call: Call) -> Bson:
    operator = {Fn.TRIM: "$trim", Fn.TRIM_START: "$ltrim", Fn.TRIM_END: "$rtrim"}[call.node.fn]
    return {operator: {"input": call.args[0].tree, **_white_space(call)}}


def _white_space(call: Call) -> dict[str, Bson]:
    """Which characters the source's database takes away; without them MongoDB takes all white space."""
    trimmed = call.scope.translation.semantics.trimmed
    return {} if trimmed is None else {"chars": trimmed}


@writes(Fn.SUBSTRING)
def _substring(call: Call) -> Bson:
    text, start, *length = call.args
    count = length[0].tree if length else {"$strLenCP": text.tree}
    return null_safe(call.args, {"$substrCP": [text.tree, start.tree, count]})


@writes(Fn.CHAR_AT)
def _char_at(call: Call) -> Bson:
    text, index = call.args
    return null_safe(call.args, {"$substrCP": [text.tree, index.tree, 1]})


@writes(Fn.CONTAINS, Fn.STARTS_WITH, Fn.ENDS_WITH)
def _search(call: Call) -> Bson:
    text, part = call.args
    if not call.scope.translation.semantics.case_sensitive:
        return _search_ignoring_case(call, text, part)
    if call.node.fn is Fn.ENDS_WITH and isinstance(part.constant, str):
        return {"$regexMatch": {"input": text.tree, "regex": _ending(part.constant)}}
    found = _ends_with(text, part) if call.node.fn is Fn.ENDS_WITH else _position(call.node.fn, text, part)
    guards = [{"$gt": [arg.tree, None]} for arg in call.args if arg.nullable]
    return {"$and": [*guards, found]} if guards else found


def _ending(text: str) -> Bson:
    return literal(text_regex(text, "ends"), ScalarType(Kind.STRING))


def _position(fn: Fn, text: Operand, part: Operand) -> Bson:
    position = {"$indexOfCP": [text.tree, part.tree]}
    return {"$gte": [position, 0]} if fn is Fn.CONTAINS else {"$eq": [position, 0]}


def _ends_with(text: Operand, part: Operand) -> Bson:
    size = {"$strLenCP": part.tree}
    start = {"$max": [0, {"$subtract": [{"$strLenCP": text.tree}, size]}]}
    return {"$eq": [{"$substrCP": [text.tree, start, size]}, part.tree]}


def _search_ignoring_case(call: Call, text: Operand, part: Operand) -> Bson:
    if not isinstance(part.constant, str):
        raise call.refuse("the database ignores case, which needs a constant text here")
    kind = {Fn.CONTAINS: "contains", Fn.STARTS_WITH: "starts", Fn.ENDS_WITH: "ends"}[call.node.fn]
    regex = literal(text_regex(part.constant, kind), ScalarType(Kind.STRING))
    return {"$regexMatch": {"input": text.tree, "regex": regex, "options": "i"}}


@writes(Fn.LIKE)
def _like(call: Call) -> Bson:
    text, pattern, *escape = call.args
    if not isinstance(pattern.constant, str) or (escape and not isinstance(escape[0].constant, str)):
        raise call.refuse("the pattern must be a constant")
    regex = like_regex(
        pattern.constant, str(escape[0].constant) if escape else "", call.scope.translation.schema.provider
    )
    options = "s" if call.scope.translation.semantics.case_sensitive else "is"
    return {"$regexMatch": {"input": text.tree, "regex": regex, "options": options}}


@writes(Fn.REPLACE)
def _replace(call: Call) -> Bson:
    text, old, new = call.args
    _needs_exact_case(call, old, "Replace")
    return {"$replaceAll": {"input": text.tree, "find": old.tree, "replacement": new.tree}}


@writes(Fn.PAD_LEFT, Fn.PAD_RIGHT)
def _pad(call: Call) -> Bson:
    text, width, *filler = call.args
    char = filler[0].constant if filler else " "
    if not isinstance(width.constant, int) or not isinstance(char, str):
        raise call.refuse("the width and the filling character must be constants")
    if width.constant > 1000:
        raise call.refuse("the width is too large")
    all_of_it = literal(char * width.constant, ScalarType(Kind.STRING))

    def padded(value: Bson) -> Bson:
        missing = {"$max": [0, {"$subtract": [width.constant, {"$strLenCP": value}]}]}
        filling = {"$substrCP": [all_of_it, 0, missing]}
        return {"$concat": [filling, value] if call.node.fn is Fn.PAD_LEFT else [value, filling]}

    if text.nullable:
        return once(text.tree, lambda value: {"$cond": [{"$gt": [value, None]}, padded(value), None]}, call.scope)
    return once(text.tree, padded, call.scope)


@writes(Fn.IS_NULL_OR_EMPTY)
def _null_or_empty(call: Call) -> Bson:
    return {"$eq": [_or_empty(call.args[0]), ""]}


@writes(Fn.IS_NULL_OR_WHITE_SPACE)
def _null_or_white_space(call: Call) -> Bson:
    return {"$eq": [{"$trim": {"input": _or_empty(call.args[0]), **_white_space(call)}}, ""]}


def _or_empty(operand: Operand) -> Bson:
    return {"$ifNull": [operand.tree, ""]} if operand.nullable else operand.tree


@writes(Fn.JOIN)
def _join(call: Call) -> Bson:
    separator, *items = call.args
    if free_variables(call.node.args[0]):
        raise call.refuse("a separator that is not the same for all rows")
    if len(items) == 1 and isinstance(items[0].type, SequenceType):
        return _joined_list(separator, items[0])
    parts: list[Bson] = []
    for item in items:
        if not isinstance(item.type, ScalarType) or item.type.kind not in (Kind.STRING, Kind.CHAR):
            raise call.refuse("only texts can be joined")
        parts.extend([separator.tree, _or_empty(item)] if parts else [_or_empty(item)])
    return {"$concat": parts}


def _joined_list(separator: Operand, items: Operand) -> Bson:
    """The texts of a list; null items count as empty text, no items give empty text."""
    following = {"$concat": ["$$value", separator.tree, {"$ifNull": ["$$this", ""]}]}
    step = {"$cond": [{"$eq": ["$$value", None]}, {"$ifNull": ["$$this", ""]}, following]}
    return {"$ifNull": [{"$reduce": {"input": items.tree, "initialValue": None, "in": step}}, ""]}


@writes(Fn.TO_STRING)
def _to_string(call: Call) -> Bson:
    (operand,) = call.args
    if isinstance(operand.type, EnumType):
        return enum_name(operand.tree, operand.type)
    if is_integer(operand.type):
        return {"$toString": operand.tree}
    if isinstance(operand.type, ScalarType):
        if operand.type.kind in (Kind.STRING, Kind.CHAR):
            return operand.tree
        if operand.type.kind is Kind.BOOL:
            return null_safe(call.args, {"$cond": [operand.tree, "True", "False"]})
    raise call.refuse(
        "MongoDB writes values of this type as a different text than C#", "Format the value after the rows were read."
    )


def enum_name(tree: Bson, type_: EnumType) -> Bson:
    """The member name of a stored enum; a number without a member is its own text, as in C#."""
    if type_.flags:
        raise Refusal(type_.name, "the text of combined flags has no translation")
    stored = [(type_.stored_value(number), name) for name, number in reversed(type_.members)]
    if all(value == name for value, name in stored):
        return tree
    branches = [{"case": {"$eq": [tree, value]}, "then": name} for value, name in reversed(stored)]
    return {"$switch": {"branches": branches, "default": {"$toString": tree}}}


@writes(Fn.PARSE)
def _parse(call: Call) -> Bson:
    target = call.node.type
    if isinstance(target, ScalarType) and target.kind in _PARSERS:
        return {_PARSERS[target.kind]: call.args[0].tree}
    raise call.refuse("only int, long, double and decimal can be parsed")


_PARSERS = {Kind.INT: "$toInt", Kind.LONG: "$toLong", Kind.DOUBLE: "$toDouble", Kind.DECIMAL: "$toDecimal"}
