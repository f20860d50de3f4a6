"""Functions: the table that the other modules fill, and the functions of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from uom.model.defaults import WHITE_SPACE
from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Fn, Function
from uom.model.types import BOOL, EnumType, Kind, ScalarType, describe, is_integer
from uom.model.walk import free_variables
from uom.write.neo4j.expressions import evaluate, register, scalar, set_condition
from uom.write.neo4j.logic import folded
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import (
    Level,
    Text,
    binary,
    call,
    case,
    coalesced,
    either,
    integer,
    is_null,
    literal,
    string,
)
from uom.write.neo4j.values import Items, Scalar, Value


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments written."""

    node: Function
    scope: Scope
    args: tuple[Scalar, ...]

    def text(self, position: int = 0) -> Text:
        return self.args[position].text

    def result(self, text: Text, scale: int | None = None) -> Scalar:
        return Scalar(text, self.node.type, scale)

    def constant(self, position: int) -> object:
        """The value of an argument that is a constant, else None."""
        if position >= len(self.node.args):
            return None
        node = self.node.args[position]
        return node.value if isinstance(node, Const) else None

    def refuse(self, reason: str) -> Refusal:
        return Refusal(self.node.fn.value, reason, self.node.place)


Writer = Callable[[Call], Scalar]
WRITERS: dict[Fn, Writer] = {}
WHOLE: dict[Fn, Callable[[Function, Scope], tuple[Scalar, tuple[Scalar, ...]]]] = {}
"""Functions that write their arguments themselves; they give the call and the arguments that may be null."""


def writes(*names: Fn) -> Callable[[Writer], Writer]:
    def add(writer: Writer) -> Writer:
        WRITERS.update(dict.fromkeys(names, writer))
        return writer

    return add


_FALSE_ON_NULL = frozenset({Fn.CONTAINS, Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.LIKE})


@register(Function)
def _function(node: Function, scope: Scope, hint: str) -> Value:
    if node.fn is Fn.VALUE:
        value = evaluate(node.args[0], scope, hint)
        return Scalar(value.text, node.type, value.scale, value.over) if isinstance(value, Scalar) else value
    if node.fn is Fn.JOIN:
        return _join(node, scope)
    found, args = _written(node, scope)
    if node.fn in _FALSE_ON_NULL and any(arg.nullable for arg in args):
        return Scalar(coalesced(found.text, "false"), BOOL)
    return found


def _written(node: Function, scope: Scope) -> tuple[Scalar, tuple[Scalar, ...]]:
    """The call, and its arguments."""
    if node.fn in WHOLE:
        return WHOLE[node.fn](node, scope)
    writer = WRITERS.get(node.fn)
    if writer is None:
        raise Refusal(node.fn.value, "Neo4j has no such function", node.place)
    args = tuple(scalar(arg, scope) for arg in node.args)
    return writer(Call(node, scope, args)), args


def function_truth(node: Function, scope: Scope, exact: bool) -> Text:
    """A function as a condition: in a WHERE, a search in null may be null."""
    if node.fn in _FALSE_ON_NULL:
        found, args = _written(node, scope)
        return coalesced(found.text, "false") if exact and any(arg.nullable for arg in args) else found.text
    value = scalar_function(node, scope)
    return coalesced(value.text, "false") if exact and value.nullable else value.text


def scalar_function(node: Function, scope: Scope) -> Scalar:
    value = _function(node, scope, "value")
    if not isinstance(value, Scalar):
        raise Refusal(node.fn.value, "it gives no single value", node.place)
    return value


set_condition(Function, function_truth)


def unless_null(call_: Call, text: Text) -> Text:
    """For functions that take no null."""
    tests = [is_null(arg.text) for arg in call_.args if arg.nullable]
    return case([(either(*tests), Text("null"))], text) if tests else text


# text ---------------------------------------------------------------------------------------------------------------


@writes(Fn.LENGTH)
def _length(call_: Call) -> Scalar:
    text = call_.text()
    if call_.scope.semantics.ignore_trailing_blanks:
        text = call("rtrim", text)
    return call_.result(call("size", text))


@writes(Fn.LOWER, Fn.LOWER_INVARIANT)
def _lower(call_: Call) -> Scalar:
    return call_.result(call("toLower", call_.text()))


@writes(Fn.UPPER, Fn.UPPER_INVARIANT)
def _upper(call_: Call) -> Scalar:
    """Letter by letter, as databases do it: toUpper of the whole would make SS of ß."""
    letter = "CASE size(toUpper(letter)) WHEN 1 THEN toUpper(letter) ELSE letter END"
    return call_.result(Text(f"reduce(text = '', letter IN split({call_.text()}, '') | text + {letter})"))


def _trimmed(function: str) -> Writer:
    def write(call_: Call) -> Scalar:
        return call_.result(call(function, call_.text(), string(white_space(call_.scope))))

    return write


def white_space(scope: Scope) -> str:
    return scope.semantics.trimmed if scope.semantics.trimmed is not None else WHITE_SPACE


WRITERS[Fn.TRIM] = _trimmed("btrim")
WRITERS[Fn.TRIM_START] = _trimmed("ltrim")
WRITERS[Fn.TRIM_END] = _trimmed("rtrim")


@writes(Fn.SUBSTRING)
def _substring(call_: Call) -> Scalar:
    for position in range(1, len(call_.args)):
        value = call_.constant(position)
        if isinstance(value, int) and value < 0:
            raise call_.refuse("a position or length is negative")
    return call_.result(call("substring", *(a.text for a in call_.args)))


@writes(Fn.CHAR_AT)
def _char_at(call_: Call) -> Scalar:
    return call_.result(call("substring", call_.text(), call_.text(1), integer(1)))


@writes(Fn.INDEX_OF)
def _index_of(call_: Call) -> Scalar:
    """The text before the first occurrence is as long as its position."""
    text, part = folded(call_.args[0], call_.scope), folded(call_.args[1], call_.scope)
    before = call("size", Text(f"split({text}, {part})[0]"))
    found = binary(text, "CONTAINS", part, Level.COMPARE)
    pairs = [(found, before)]
    if not call_.constant(1):
        pairs.insert(0, (binary(part, "=", string(""), Level.COMPARE), integer(0)))
    nulls = [is_null(a.text) for a in call_.args if a.nullable]
    if nulls:
        pairs.insert(0, (either(*nulls), Text("null")))
    return call_.result(case(pairs, integer(-1)))


def _search(operator: str) -> Writer:
    def write(call_: Call) -> Scalar:
        text, part = folded(call_.args[0], call_.scope), folded(call_.args[1], call_.scope)
        return Scalar(binary(text, operator, part, Level.COMPARE), call_.node.type)

    return write


WRITERS[Fn.CONTAINS] = _search("CONTAINS")
WRITERS[Fn.STARTS_WITH] = _search("STARTS WITH")
WRITERS[Fn.ENDS_WITH] = _search("ENDS WITH")


@writes(Fn.REPLACE)
def _replace(call_: Call) -> Scalar:
    """Replacing the empty text changes nothing in .NET's databases; Cypher would put it between all letters."""
    text, old, new = (a.text for a in call_.args)
    if not call_.scope.semantics.case_sensitive:
        raise call_.refuse("the source ignores case, Cypher's replace does not")
    if call_.constant(1) == "":
        return call_.result(text)
    replaced = call("replace", text, old, new)
    if isinstance(call_.constant(1), str):
        return call_.result(replaced)
    return call_.result(case([(binary(old, "=", string(""), Level.COMPARE), text)], replaced))


def _padded(left: bool) -> Writer:
    def write(call_: Call) -> Scalar:
        text, width = call_.text(), call_.text(1)
        fill = call_.text(2) if len(call_.args) > 2 else string(" ")
        missing = binary(width, "-", call("size", text), Level.ADD)
        so_far, step = (call_.scope.rows.names.fresh(n) for n in ("padding", "step"))
        padding = Text(f"reduce({so_far} = '', {step} IN range(1, {missing}) | {so_far} + {fill.at(Level.MULTIPLY)})")
        padded = binary(padding, "+", text, Level.ADD) if left else binary(text, "+", padding, Level.ADD)
        return call_.result(unless_null(call_, padded))

    return write


WRITERS[Fn.PAD_LEFT] = _padded(True)
WRITERS[Fn.PAD_RIGHT] = _padded(False)


@writes(Fn.IS_NULL_OR_EMPTY)
def _null_or_empty(call_: Call) -> Scalar:
    text = call_.text()
    empty = binary(text, "=", string(""), Level.COMPARE)
    return call_.result(either(is_null(text), empty) if call_.args[0].nullable else empty)


@writes(Fn.IS_NULL_OR_WHITE_SPACE)
def _null_or_white(call_: Call) -> Scalar:
    text = call_.text()
    empty = binary(call("btrim", text, string(white_space(call_.scope))), "=", string(""), Level.COMPARE)
    return call_.result(either(is_null(text), empty) if call_.args[0].nullable else empty)


def _join(node: Function, scope: Scope) -> Scalar:
    """string.Join of several values, or of a list that the query makes."""
    separator, *items = node.args
    if free_variables(separator):
        raise Refusal("join", "a separator that is not the same for all rows", node.place)
    separated = scalar(separator, scope)
    between = coalesced(separated.text, "''") if separated.nullable else separated.text
    if len(items) == 1:
        listed = evaluate(items[0], scope)
        if isinstance(listed, Items):
            text, item, all_ = (scope.rows.names.fresh(n) for n in ("text", "item", "items"))
            step = f"{text} + {between.at(Level.MULTIPLY)} + coalesce({item}, '')"
            rest = f"reduce({text} = coalesce(head({all_}), ''), {item} IN tail({all_}) | {step})"
            return Scalar(Text(f"head([{all_} IN [{listed.text}] | coalesce({rest}, '')])"), node.type)
    texts = [scalar(item, scope) for item in items]
    parts = [coalesced(t.text, "''") if t.nullable else t.text for t in texts]
    joined = parts[0]
    for part in parts[1:]:
        joined = binary(binary(joined, "+", between, Level.ADD), "+", part, Level.ADD)
    return Scalar(joined, node.type)


@writes(Fn.TO_STRING)
def _to_string(call_: Call) -> Scalar:
    source, text = call_.args[0].type, call_.text()
    if isinstance(source, EnumType):
        pairs = " ".join(f"WHEN {literal(number, source)} THEN {string(name)}" for name, number in source.members)
        last = f" ELSE toString({text})" if not source.stored else ""
        return call_.result(Text(f"CASE {text} {pairs}{last} END"))
    if not isinstance(source, ScalarType):
        raise call_.refuse(f"of {describe(source)}")
    if source.kind is Kind.BOOL:
        return call_.result(Text(f"CASE {text} WHEN true THEN 'True' WHEN false THEN 'False' END"))
    if source.kind in (Kind.STRING, Kind.CHAR, Kind.GUID):
        return call_.result(text)
    if is_integer(source) and source.kind is not Kind.ULONG:
        return call_.result(call("toString", text))
    raise call_.refuse(f"{describe(source)} is written differently by Neo4j")
