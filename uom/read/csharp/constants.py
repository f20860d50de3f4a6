"""Values of literals and of enum members."""

from __future__ import annotations

import re
from decimal import Decimal

from tree_sitter import Node

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const
from uom.model.types import Kind, NullType, ScalarType
from uom.read.csharp.symbols import TypeSymbol
from uom.read.csharp.syntax import child, named, text_of

_SUFFIXES = {
    "m": Kind.DECIMAL, "d": Kind.DOUBLE, "f": Kind.FLOAT, "u": Kind.UINT, "l": Kind.LONG, "ul": Kind.ULONG, "lu": Kind.ULONG,
}  # fmt: skip
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{1,4}|.)", re.DOTALL)


def literal(node: Node) -> Const | None:
    """The constant a literal node denotes; None when the node is no literal."""
    match node.type:
        case "integer_literal":
            return integer(text_of(node))
        case "real_literal":
            return real(text_of(node))
        case "string_literal" | "verbatim_string_literal" | "raw_string_literal":
            return Const(string_value(node), ScalarType(Kind.STRING))
        case "character_literal":
            return Const(unescape(text_of(node)[1:-1]), ScalarType(Kind.CHAR))
        case "boolean_literal":
            return Const(text_of(node) == "true", ScalarType(Kind.BOOL))
        case "null_literal":
            return Const(None, NullType())
    return None


def integer(text: str) -> Const:
    """`1_000`, `0xFFu`, `5L`: the smallest of int, uint, long, ulong that holds it, as the language has it."""
    digits = text.lower().replace("_", "")
    base = 16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 10
    match = re.fullmatch(
        r"(?:0x|0b)?([0-9a-f]+?)(ul|lu|u|l)?" if base == 16 else r"(?:0b)?(\d+)(ul|lu|u|l|m|d|f)?", digits
    )
    if match is None:
        return real(text)
    suffix = match.group(2) or ""
    if suffix in ("m", "d", "f"):
        return real(text)
    value = int(match.group(1), base)
    if suffix in ("ul", "lu") or value >= 2**63:
        kind = Kind.ULONG
    elif suffix == "l" or (suffix == "" and value >= 2**32) or (suffix == "u" and value >= 2**32):
        kind = Kind.LONG if suffix != "u" else Kind.ULONG
    elif suffix == "u" or value >= 2**31:
        kind = Kind.UINT
    else:
        kind = Kind.INT
    return Const(value, ScalarType(kind))


def real(text: str) -> Const:
    digits = text.lower().replace("_", "")
    suffix = digits[-1] if digits[-1] in "mdf" else ""
    digits = digits.removesuffix(suffix)
    kind = _SUFFIXES.get(suffix, Kind.DOUBLE)
    if kind is Kind.DECIMAL:
        return Const(Decimal(digits), ScalarType(kind))
    return Const(single(float(digits)) if kind is Kind.FLOAT else float(digits), ScalarType(kind))


def single(value: float) -> float:
    """The nearest 32-bit float, as a Python float."""
    import struct

    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def string_value(node: Node) -> str:
    """Text of a plain, verbatim or raw string literal."""
    text = text_of(node)
    if node.type == "raw_string_literal" or text.startswith('"""'):
        return _raw_string(text)
    if text.startswith("@"):
        return text[2:-1].replace('""', '"')
    return unescape(text.removesuffix("u8")[1:-1])


def unescape(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] in "uUx" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number <= 0x10FFFF else "\ud800"
        return _ESCAPES.get(code, code)

    found = _ESCAPE.sub(value, text)
    try:  # two halves of a pair are one character; a lone half is no text and cannot be stored
        return found.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise Refusal(
            "string", "an escape in it is no character (half a surrogate pair)", None, "Correct it."
        ) from None


def _raw_string(text: str) -> str:
    quotes = len(text) - len(text.lstrip('"'))
    body = text[quotes:-quotes]
    if "\n" not in body:
        return body
    lines = body.split("\n")[1:]
    indent = lines[-1]
    return "\n".join(line.removeprefix(indent) for line in lines[:-1])


def enum_numbers(symbol: TypeSymbol) -> tuple[tuple[str, int], ...] | None:
    """(member, number) pairs: explicit values, constant expressions over earlier members, else one more than before.

    None when a value is not known here (`A = Other.B`): a guess would compare the wrong numbers.
    """
    numbers: dict[str, int] = {}
    following = 0
    for name, node in symbol.enum_members:
        value = _enum_value(node, numbers) if node is not None else following
        if value is None:
            return None
        numbers[name] = value
        following = numbers[name] + 1
    return tuple(numbers.items())


def _enum_value(node: Node, numbers: dict[str, int]) -> int | None:
    if node.type == "identifier":
        return numbers.get(text_of(node))
    if node.type == "character_literal":
        return ord(unescape(text_of(node)[1:-1]))
    if node.type == "parenthesized_expression":
        return _enum_value(named(node)[0], numbers)
    if node.type == "prefix_unary_expression":
        inner = _enum_value(named(node)[0], numbers)
        if inner is None:
            return None
        return {"-": -inner, "~": ~inner, "+": inner}.get(text_of(node.children[0]))
    if node.type == "binary_expression":
        left, right = child(node, "left"), child(node, "right")
        a = _enum_value(left, numbers) if left is not None else None
        b = _enum_value(right, numbers) if right is not None else None
        if a is None or b is None:
            return None
        operator = child(node, "operator")
        return _fold(text_of(operator) if operator is not None else "", a, b)
    constant = literal(node)
    return constant.value if constant is not None and isinstance(constant.value, int) else None


def _fold(operator: str, a: int, b: int) -> int | None:
    match operator:
        case "<<":
            return a << b
        case "|":
            return a | b
        case "&":
            return a & b
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "^":
            return a ^ b
        case ">>":
            return a >> b
    return None
