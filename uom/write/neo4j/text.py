"""Cypher as text: names, literals, and operators with just the parentheses that they need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from uuid import UUID

from uom.model.diagnostics import Refusal
from uom.model.types import EnumType, ScalarType, Type, describe

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_RESERVED = frozenset(
    """all and any as asc by call case create delete desc detach distinct else end exists false foreach in is limit
    load match merge none not null on optional or remove return set single skip then true union unique unwind using
    when where with xor yield""".split()
)
"""Words that would read as something else in some place; quoted, they are names like any other."""


class Level(IntEnum):
    """How tightly an operator binds; an operand of a looser one stands in parentheses."""

    OR = 0
    XOR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    ADD = 5
    MULTIPLY = 6
    UNARY = 7
    ATOM = 9


@dataclass(frozen=True, slots=True)
class Text:
    """An expression."""

    cypher: str
    level: Level = Level.ATOM

    def at(self, level: Level) -> str:
        """As an operand of an operator of this level."""
        return self.cypher if self.level >= level else f"({self.cypher})"

    def __str__(self) -> str:
        return self.cypher


def quoted(name: str) -> str:
    """A label, type, property or variable, in backticks where it would not stand for itself."""
    if _PLAIN.match(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def call(function: str, *arguments: Text | str) -> Text:
    return Text(f"{function}({', '.join(str(a) for a in arguments)})")


def joined(operator: str, level: Level, parts: Sequence[Text]) -> Text:
    """`a AND b AND c`: for operators where grouping does not matter."""
    if len(parts) == 1:
        return parts[0]
    return Text(f" {operator} ".join(p.at(level) for p in parts), level)


def binary(left: Text, operator: str, right: Text, level: Level) -> Text:
    """Left-associative: the right operand must bind more tightly. Comparisons do not chain: both must."""
    tighter = Level(level + 1) if level + 1 in Level.__members__.values() else Level.ATOM
    first = tighter if level is Level.COMPARE else level
    return Text(f"{left.at(first)} {operator} {right.at(tighter)}", level)


def both(*parts: Text) -> Text:
    return joined("AND", Level.AND, parts)


def either(*parts: Text) -> Text:
    return joined("OR", Level.OR, parts)


def negated(text: Text) -> Text:
    return Text(f"NOT {text.at(Level.COMPARE)}", Level.NOT)


def is_null(text: Text) -> Text:
    return Text(f"{text.at(Level.ADD)} IS NULL", Level.COMPARE)


def is_not_null(text: Text) -> Text:
    return Text(f"{text.at(Level.ADD)} IS NOT NULL", Level.COMPARE)


def coalesced(text: Text, default: Text | str) -> Text:
    return call("coalesce", text, default)


def case(pairs: Sequence[tuple[Text, Text]], otherwise: Text | None) -> Text:
    whens = " ".join(f"WHEN {test} THEN {value}" for test, value in pairs)
    last = f" ELSE {otherwise}" if otherwise is not None and otherwise.cypher != "null" else ""
    return Text(f"CASE {whens}{last} END")


def member(owner: Text, name: str) -> Text:
    return Text(f"{owner.at(Level.ATOM)}.{quoted(name)}")


NULL = Text("null")
TRUE = Text("true")
FALSE = Text("false")

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def string(value: str) -> Text:
    return Text("'" + "".join(_escaped(c) for c in value) + "'")


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if " " <= char <= "~" or (char.isprintable() and not char.isspace()):
        return char
    return f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}"


def integer(value: int) -> Text:
    if not -(2**63) <= value < 2**63:
        raise Refusal(str(value), "the number does not fit into the 64 bits that Neo4j has")
    return Text(str(value), Level.ATOM if value >= 0 else Level.UNARY)


def number(value: float) -> Text:
    if value != value or value in (float("inf"), float("-inf")):
        raise Refusal(str(value), "the number has no literal in Cypher")
    return Text(repr(value), Level.ATOM if value >= 0 else Level.UNARY)


def literal(value: object, type_: Type) -> Text:
    """A C# constant in the form in which the graph stores it; decimals are the business of `decimals`."""
    if value is None:
        return NULL
    if isinstance(type_, EnumType) and isinstance(value, int):
        stored = type_.stored_value(value)
        if stored is None:
            raise Refusal(type_.name, f"the value {value} is stored as nothing")
        return string(stored) if isinstance(stored, str) else integer(stored)
    match value:
        case bool():
            return TRUE if value else FALSE
        case int():
            return integer(value)
        case float():
            return number(value)
        case str():
            return string(value)
        case datetime() if value.tzinfo is not None:
            return call("datetime", string(value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"))
        case datetime():
            return call("localdatetime", string(value.isoformat()))
        case date():
            return call("date", string(value.isoformat()))
        case time():
            return call("localtime", string(value.isoformat()))
        case timedelta():
            return integer(value // timedelta(microseconds=1) * 10)
        case UUID():
            return string(str(value))
    raise Refusal(describe(type_), "a constant of this type has no literal in Cypher")


def is_text_type(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and type_.kind.value in ("string", "char")
