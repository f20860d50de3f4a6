"""Value converters with a finite domain, evaluated at translation time into a table of stored values.

An enum's `v => v.ToString() + "."` is run over all its members here; what cannot be evaluated is reported, and
queries that touch the property are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from uom.model.types import EnumType, Kind, ScalarType, Type
from uom.read.csharp.constants import literal
from uom.read.csharp.symbols import Compilation, simple_name
from uom.read.csharp.syntax import child, first_of, named, text_of


@dataclass(frozen=True, slots=True)
class Member:
    """An enum member as a value in a converter's lambda."""

    name: str
    number: int


Value = Member | str | int | bool | None


class NotConstant(Exception):
    """The converter's lambda does something that is not evaluated here."""


def stored_table(
    type_: Type, provider: str, arguments: list[Node], compilation: Compilation
) -> tuple[tuple[str, str | int], ...] | None:
    """(member, stored value) pairs of an enum for `HasConversion<provider>(arguments)`; () means the number itself.

    None when the conversion is not understood.
    """
    if not isinstance(type_, EnumType):
        return None
    if not arguments:
        return _by_provider(type_, provider, compilation)
    first = arguments[0]
    if first.type == "object_creation_expression":
        made = child(first, "type")
        return _by_provider(type_, simple_name(made) if made is not None else "", compilation)
    if first.type == "typeof_expression":
        return _by_provider(type_, simple_name(named(first)[0]), compilation)
    return _by_lambda(type_, first)


def _by_provider(type_: EnumType, provider: str, compilation: Compilation) -> tuple[tuple[str, str | int], ...] | None:
    if provider in ("string", "String", "EnumToStringConverter"):
        return tuple((name, name) for name, _ in type_.members)
    if provider in ("int", "long", "short", "byte", "Int32", "Int64", "Int16", "Byte", "EnumToNumberConverter"):
        return ()
    symbol = compilation.find_type(provider)
    if symbol is None:
        return None
    for constructor in symbol.constructors:
        initializer = first_of(constructor.node, "constructor_initializer")
        arguments = first_of(initializer, "argument_list") if initializer is not None else None
        if arguments is not None and named(arguments):
            return _by_lambda(type_, named(named(arguments)[0])[-1])
    bases = [b for b in symbol.bases if b.type == "primary_constructor_base_type"]
    base_list = first_of(symbol.node, "base_list")
    arguments = first_of(bases[0], "argument_list") if bases else None
    if arguments is None and base_list is not None:
        arguments = first_of(base_list, "argument_list")
    if arguments is not None and named(arguments):
        return _by_lambda(type_, named(named(arguments)[0])[-1])
    return None


def _by_lambda(type_: EnumType, node: Node) -> tuple[tuple[str, str | int], ...] | None:
    if node.type != "lambda_expression":
        return None
    parameters, body = child(node, "parameters"), child(node, "body")
    if parameters is None or body is None:
        return None
    name = text_of(parameters).strip("()").split(" ")[-1]
    table: list[tuple[str, str | int]] = []
    try:
        for member, number in type_.members:
            value = evaluate(body, {name: Member(member, number)}, type_)
            if isinstance(value, Member):
                value = value.number
            if not isinstance(value, str | int):
                return None
            table.append((member, value))
    except NotConstant:
        return None
    if len({v for _, v in table}) != len(table):
        return None
    return tuple(table)


def evaluate(node: Node, variables: dict[str, Value], enum: EnumType) -> Value:
    """The value of a converter's expression. Raises NotConstant for anything beyond simple text and number work."""
    match node.type:
        case "identifier":
            if text_of(node) in variables:
                return variables[text_of(node)]
        case "parenthesized_expression" | "checked_expression":
            return evaluate(named(node)[0], variables, enum)
        case "cast_expression":
            return _cast(node, variables, enum)
        case "binary_expression":
            return _binary(node, variables, enum)
        case "conditional_expression":
            test, then, otherwise = (evaluate(n, variables, enum) for n in named(node))
            return then if test is True else otherwise
        case "switch_expression":
            return _switch(node, variables, enum)
        case "member_access_expression":
            return _enum_member(node, enum)
        case "invocation_expression":
            return _invoke(node, variables, enum)
    constant = literal(node)
    if constant is not None and isinstance(constant.value, str | int | bool):
        return constant.value
    raise NotConstant(text_of(node))


def _cast(node: Node, variables: dict[str, Value], enum: EnumType) -> Value:
    target, operand = child(node, "type"), child(node, "value")
    if target is None or operand is None:
        raise NotConstant
    value = evaluate(operand, variables, enum)
    name = simple_name(target)
    number = value.number if isinstance(value, Member) else value
    if name in ("int", "long", "short", "byte") and isinstance(number, int):
        return number
    if name == "char" and isinstance(number, int):
        return chr(number)
    raise NotConstant


def _binary(node: Node, variables: dict[str, Value], enum: EnumType) -> Value:
    left, right, operator = child(node, "left"), child(node, "right"), child(node, "operator")
    if left is None or right is None or operator is None:
        raise NotConstant
    a, b = evaluate(left, variables, enum), evaluate(right, variables, enum)
    if text_of(operator) == "+":
        if isinstance(a, str) or isinstance(b, str):
            return _text(a) + _text(b)
        if isinstance(a, int) and isinstance(b, int):
            return a + b
    if text_of(operator) == "==":
        return a == b
    raise NotConstant


def _text(value: Value) -> str:
    if isinstance(value, Member):
        return value.name
    if isinstance(value, bool):
        return "True" if value else "False"
    return "" if value is None else str(value)


def _switch(node: Node, variables: dict[str, Value], enum: EnumType) -> Value:
    parts = named(node)
    subject = evaluate(parts[0], variables, enum)
    body = first_of(node, "switch_body")
    arms = named(body) if body is not None else [p for p in parts if p.type == "switch_expression_arm"]
    for arm in arms:
        pattern, result = named(arm)[0], named(arm)[-1]
        if pattern.type == "discard" or text_of(pattern) == "_":
            return evaluate(result, variables, enum)
        inner = named(pattern)[0] if pattern.type == "constant_pattern" else pattern
        if evaluate(inner, variables, enum) == subject:
            return evaluate(result, variables, enum)
    raise NotConstant


def _enum_member(node: Node, enum: EnumType) -> Value:
    name = child(node, "name")
    numbers = dict(enum.members)
    if name is not None and text_of(name) in numbers:
        return Member(text_of(name), numbers[text_of(name)])
    raise NotConstant


def _invoke(node: Node, variables: dict[str, Value], enum: EnumType) -> Value:
    function, arguments = child(node, "function"), child(node, "arguments")
    if function is None or function.type != "member_access_expression" or arguments is None:
        raise NotConstant
    target, name = child(function, "expression"), child(function, "name")
    if target is None or name is None:
        raise NotConstant
    value = evaluate(target, variables, enum)
    given = [evaluate(named(a)[-1], variables, enum) for a in named(arguments)]
    method = text_of(name)
    if method == "ToString" and not given:
        return _text(value)
    if isinstance(value, str):
        match method, given:
            case (("ToLower" | "ToLowerInvariant"), []):
                return value.lower()
            case (("ToUpper" | "ToUpperInvariant"), []):
                return value.upper()
            case "Substring", [int(start)]:
                return value[start:]
            case "Substring", [int(start), int(length)]:
                return value[start : start + length]
            case "Replace", [str(old), str(new)]:
                return value.replace(old, new)
    raise NotConstant


def bool_table(provider: str, arguments: list[Node]) -> tuple[tuple[bool | int | str, bool | int | str], ...] | None:
    """(C# value, stored value) pairs of a bool conversion; None when it is not understood."""
    if provider in ("int", "short", "byte", "long", "BoolToZeroOneConverter"):
        return ((False, 0), (True, 1))
    if arguments and arguments[0].type == "object_creation_expression":
        made = child(arguments[0], "type")
        given = first_of(arguments[0], "argument_list")
        values = [literal(named(a)[-1]) for a in named(given)] if given is not None else []
        name = simple_name(made) if made is not None else ""
        if name in ("BoolToStringConverter", "BoolToTwoValuesConverter") and len(values) == 2:
            texts = [v.value for v in values if v is not None]
            if len(texts) == 2 and all(isinstance(t, str | int) for t in texts):
                return ((False, texts[0]), (True, texts[1]))  # type: ignore[return-value]
        if name == "BoolToZeroOneConverter":
            return ((False, 0), (True, 1))
    if arguments and arguments[0].type == "lambda_expression":
        body = child(arguments[0], "body")
        if body is not None and body.type == "conditional_expression":
            test, then, otherwise = named(body)
            a, b = literal(then), literal(otherwise)
            if test.type == "identifier" and a is not None and b is not None:
                no, yes = b.value, a.value
                if isinstance(no, str | int) and isinstance(yes, str | int):
                    return ((False, no), (True, yes))
    return None


def is_bool(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind is Kind.BOOL
