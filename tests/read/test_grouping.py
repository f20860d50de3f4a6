"""Expressions are grouped as C# groups them, whatever the grammar makes of them.

Random expressions are printed with the fewest parentheses that C#'s precedence allows, read, and compared.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tree_sitter import Node

from uom.read.csharp.precedence import (
    Combined,
    Match,
    Member,
    Negated,
    Operand,
    Operation,
    Pattern,
    Relational,
    Ternary,
    pattern_of,
    regrouped,
)
from uom.read.csharp.syntax import child, descend, named, parse, text_of

LEVELS: dict[str, int] = {
    "??": 2, "||": 3, "&&": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, ">": 9, "<=": 9, ">=": 9, "<<": 10,
    "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}  # fmt: skip
TERNARY, IS, UNARY, PRIMARY = 1, 9, 13, 14


@dataclass(frozen=True)
class Text:
    """An expression as text, its level of precedence, and its structure."""

    text: str
    level: int
    shape: str


def wrapped(text: Text, least: int) -> str:
    return text.text if text.level >= least else f"({text.text})"


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def expression(self, depth: int) -> Text:
        if depth == 0:
            return self.leaf()
        makers: list[Callable[[int], Text]] = [
            self.binary,
            self.binary,
            self.binary,
            self.unary,
            self.ternary,
            self.type_test,
            self.type_test,
            self.call,
            self.leaf,
        ]
        return self.random.choice(makers)(depth) if depth else self.leaf()

    def leaf(self, _depth: int = 0) -> Text:
        text = self.random.choice(
            ["a", "b.C", "s.Total", "x", "5", '"t"', "null", "true", "d.E.F", "list[0]", "y!", "z!.W"]
        )
        return Text(text, PRIMARY, text)

    def binary(self, depth: int) -> Text:
        sign = self.random.choice(list(LEVELS))
        level = LEVELS[sign]
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        first = wrapped(left, level + 1 if sign == "??" else level)
        second = wrapped(right, level if sign == "??" else level + 1)
        return Text(f"{first} {sign} {second}", level, f"[{left.shape} {sign} {right.shape}]")

    def unary(self, depth: int) -> Text:
        sign = self.random.choice(["!", "-", "(int)", "(decimal?)"])
        inner = self.expression(depth - 1)
        return Text(f"{sign}{wrapped(inner, PRIMARY)}", UNARY, f"[{sign} {inner.shape}]")

    def ternary(self, depth: int) -> Text:
        test, then, other = (self.expression(depth - 1) for _ in range(3))
        text = f"{wrapped(test, TERNARY + 1)} ? {wrapped(then, TERNARY + 1)} : {wrapped(other, TERNARY)}"
        return Text(text, TERNARY, f"[{test.shape} ? {then.shape} : {other.shape}]")

    def type_test(self, depth: int) -> Text:
        subject = self.expression(depth - 1)
        pattern = self.pattern(depth - 1, 0)
        return Text(f"{wrapped(subject, IS + 1)} is {pattern.text}", IS, f"[{subject.shape} is {pattern.shape}]")

    def pattern(self, depth: int, least: int) -> Text:
        kind = self.random.choice(["constant", "constant", "relation", "not", "or", "and"]) if depth > 0 else "constant"
        made: Text
        if kind == "constant":
            text = self.random.choice(["null", "5", '"t"', "Status.Open", "{ A: 1 }", "{ }", "-1", "'c'", "true"])
            made = Text(text, 4, text)
        elif kind == "relation":
            text = self.random.choice(["> 5", "<= 10", "< 3.5m", ">= x.Y"])
            made = Text(text, 4, text)
        elif kind == "not":
            inner = self.pattern(depth - 1, 3)
            made = Text(f"not {inner.text}", 3, f"[not {inner.shape}]")
        else:
            level = 1 if kind == "or" else 2
            left, right = self.pattern(depth - 1, level), self.pattern(depth - 1, level + 1)
            made = Text(f"{left.text} {kind} {right.text}", level, f"[{left.shape} {kind} {right.shape}]")
        return made if made.level >= least else Text(f"({made.text})", 4, made.shape)

    def call(self, depth: int) -> Text:
        inner = self.expression(depth - 1)
        if self.random.random() < 0.5:
            return Text(f"f({inner.text}, 1)", PRIMARY, f"f<{inner.shape},1>")
        return Text(f"q.Where(o => {inner.text})", PRIMARY, f"q.Where<{inner.shape}>")


def shape(node: Node) -> str:
    grouped = regrouped(node)
    return shape_of(grouped) if grouped is not None else plain(node)


def shape_of(operand: Operand) -> str:
    match operand:
        case Operation(operator=sign, left=left, right=right):
            return f"[{shape_of(left)} {sign} {shape_of(right)}]"
        case Match(subject=subject, pattern=pattern):
            return f"[{shape_of(subject)} is {pattern_shape(pattern)}]"
        case Ternary(test=test, then=then, otherwise=otherwise):
            return f"[{shape_of(test)} ? {shape_of(then)} : {shape_of(otherwise)}]"
        case _:
            return shape(operand)


def pattern_shape(pattern: Pattern) -> str:
    match pattern:
        case Combined(operator=word, left=left, right=right):
            return f"[{pattern_shape(left)} {word} {pattern_shape(right)}]"
        case Negated(pattern=inner):
            return f"[not {pattern_shape(inner)}]"
        case Relational(operator=sign, value=value):
            return f"{sign} {shape(value)}"
        case Member(owner=owner, name=name):
            return f"{pattern_shape(owner)}.{text_of(name)}"
    if pattern.type == "parenthesized_pattern":
        return pattern_shape(pattern_of(named(pattern)[0]))
    return text_of(pattern)


def plain(node: Node) -> str:
    def part(name: str) -> str:
        found = child(node, name)
        assert found is not None
        return shape(found)

    match node.type:
        case "parenthesized_expression":
            return shape(named(node)[0])
        case "binary_expression":
            operator = child(node, "operator")
            assert operator is not None
            return f"[{part('left')} {text_of(operator)} {part('right')}]"
        case "prefix_unary_expression":
            return f"[{text_of(node.children[0])} {shape(named(node)[-1])}]"
        case "cast_expression":
            type_node = child(node, "type")
            assert type_node is not None
            return f"[({text_of(type_node)}) {part('value')}]"
        case "conditional_expression":
            return f"[{part('condition')} ? {part('consequence')} : {part('alternative')}]"
        case "declaration_expression":
            pointer, name = child(node, "type"), child(node, "name")
            assert pointer is not None and name is not None
            return f"[{text_of(named(pointer)[0])} * {text_of(name)}]"
        case "invocation_expression":
            function, arguments = child(node, "function"), child(node, "arguments")
            assert function is not None and arguments is not None
            inner = [named(a)[-1] for a in named(arguments)]
            return f"{text_of(function)}<{','.join(shape(i) for i in inner)}>"
        case "lambda_expression":
            return part("body")
    return text_of(node)


@pytest.mark.parametrize("seed", range(300))
def test_grouping(seed: int) -> None:
    expected = Maker(seed).expression(3)
    source = parse("x.cs", f"class A {{ object M() => {expected.text}; }}")
    arrow = next(n for n, _ in descend(source.root) if n.type == "arrow_expression_clause")
    if not source.root.has_error:  # what cannot be parsed at all is refused
        assert shape(named(arrow)[0]) == expected.shape, expected.text
