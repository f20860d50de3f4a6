"""Java expressions as text that knows how tightly it binds, so that operands get just the parentheses they need."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """Java's operators, the loosest first; an operand of a looser one stands in parentheses."""

    CONDITIONAL = 0
    OR = 1
    AND = 2
    XOR = 3
    BITS = 4
    EQUALITY = 5
    RELATION = 6
    ADD = 7
    MULTIPLY = 8
    UNARY = 9
    PRIMARY = 10


@dataclass(frozen=True, slots=True)
class Java:
    """An expression. By default one piece: a name, a literal, a call, `new X(...)`."""

    text: str
    level: Level = Level.PRIMARY

    def at(self, level: Level) -> str:
        """As an operand of an operator of this level."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def piece(self) -> str:
        """As something to call a method on, or to put a sign before."""
        return self.at(Level.PRIMARY)

    def __str__(self) -> str:
        return self.text


def binary(left: Java, operator: str, right: Java, level: Level) -> Java:
    """Left-associative: the right operand must bind more tightly. Comparisons of comparisons stand apart."""
    if level in (Level.EQUALITY, Level.RELATION):
        return Java(f"{left.at(Level.ADD)} {operator} {right.at(Level.ADD)}", level)
    return Java(f"{left.at(level)} {operator} {right.at(Level(level + 1))}", level)


def joined(operator: str, level: Level, parts: list[Java]) -> Java:
    """`a && b && c`. Another operator of logic stands in parentheses even where Java would not need them."""
    if len(parts) == 1:
        return parts[0]
    apart = {Level.OR, Level.AND, Level.XOR} - {level}
    least = Level.UNARY if level is Level.XOR else level
    texts = [part.piece if part.level in apart else part.at(least) for part in parts]
    return Java(f" {operator} ".join(texts), level)


def negated(condition: Java) -> Java:
    return Java(f"!{condition.at(Level.UNARY)}", Level.UNARY)


def cast(type_: str, operand: Java) -> Java:
    return Java(f"({type_}) {operand.at(Level.UNARY)}", Level.UNARY)


def is_null(operand: Java) -> Java:
    return Java(f"{operand.at(Level.RELATION)} == null", Level.EQUALITY)


def is_not_null(operand: Java) -> Java:
    return Java(f"{operand.at(Level.RELATION)} != null", Level.EQUALITY)


def conditional(test: Java, then: Java, otherwise: Java) -> Java:
    return Java(f"{test.at(Level.OR)} ? {then.at(Level.OR)} : {otherwise.at(Level.OR)}", Level.CONDITIONAL)
