"""Groups conditions with `is` patterns as C# does.

The grammar lets a pattern swallow what follows it: `a && x is null && b || c` comes out as
`a && (x is (null && b || c))`, and `x is A or B && y is > 1 and < 9` even mixes two patterns. Nothing is lost, only
grouped wrongly. So a condition that contains `is` is laid out again in the order of the text, operands and operators,
and grouped anew: patterns first, then the operators by precedence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from uom.read.csharp.syntax import child, text_of

PRECEDENCE = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8, "is": 8,
}  # fmt: skip
"""`is`, and the operators that do not bind more tightly."""


@dataclass(frozen=True, eq=False)
class Operation:
    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, eq=False)
class Match:
    """`subject is pattern`."""

    subject: Operand
    pattern: Pattern


@dataclass(frozen=True, eq=False)
class Ternary:
    test: Operand
    then: Operand
    otherwise: Operand


@dataclass(frozen=True, eq=False)
class Combined:
    """`left or right`, `left and right`."""

    operator: str
    left: Pattern
    right: Pattern


@dataclass(frozen=True, eq=False)
class Negated:
    pattern: Pattern


@dataclass(frozen=True, eq=False)
class Relational:
    """`> 5`."""

    operator: str
    value: Node


@dataclass(frozen=True, eq=False)
class Member:
    """`Status.Open`, where the grammar had cut the pattern off after `Status`."""

    owner: Node | Member
    name: Node


Operand = Node | Operation | Match | Ternary
Pattern = Node | Member | Combined | Negated | Relational
"""A node is a pattern that has delimiters or a name of its own, or the expression of a constant."""

Item = Node | str


def regrouped(node: Node) -> Operand | None:
    """The condition as C# groups it; None when there is no `is` outside of parentheses in it."""
    items = list(_laid_out(node))
    if "is" not in [i for i in items if isinstance(i, str)]:
        return None
    return _Grouping(items).ternary()


def pattern_of(node: Node) -> Pattern:
    """A pattern that stands alone: of a switch arm, a case label, in braces or parentheses."""
    return _Grouping(list(_laid_out(node))).pattern()


def _laid_out(node: Node) -> Iterator[Item]:
    """Operands and operators in the order of the text."""
    stack: list[Item] = [node]
    while stack:
        item = stack.pop()
        parts = _parts(item) if isinstance(item, Node) else None
        if parts is None:
            yield item
        else:
            stack.extend(reversed(parts))


def _parts(node: Node) -> list[Item] | None:
    """What a node is made of; None for an operand."""
    match node.type:
        case "binary_expression":
            operator, left, right = child(node, "operator"), child(node, "left"), child(node, "right")
            if operator is None or left is None or right is None or text_of(operator) not in PRECEDENCE:
                return None
            return [left, text_of(operator), right]
        case "conditional_expression":
            test, then, otherwise = (child(node, name) for name in ("condition", "consequence", "alternative"))
            return None if test is None or then is None or otherwise is None else [test, "?", then, ":", otherwise]
        case "is_pattern_expression":
            return _around(node, "expression", "is", "pattern")
        case "member_access_expression":
            owner, name = child(node, "expression"), child(node, "name")
            if owner is not None and name is not None and owner.type == "is_pattern_expression":
                return [owner, ".", name]
        case "is_expression":
            return _around(node, "left", "is", "right")
        case "or_pattern":
            return _around(node, "left", "or", "right")
        case "and_pattern":
            return _around(node, "left", "and", "right")
        case "negated_pattern" if node.named_children:
            return ["not", node.named_children[-1]]
        case "relational_pattern" if node.named_children:
            return [text_of(node.children[0]), node.named_children[-1]]
        case "constant_pattern" | "type_pattern" if node.named_children:
            return [node.named_children[0]]
    return None


def _around(node: Node, first: str, word: str, second: str) -> list[Item] | None:
    left, right = child(node, first), child(node, second)
    return None if left is None or right is None else [left, word, right]


_RELATIONS = ("<", "<=", ">", ">=")


class _Grouping:
    """A parser over the items."""

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.at = 0

    def peek(self) -> Item | None:
        return self.items[self.at] if self.at < len(self.items) else None

    def take(self) -> Item:
        self.at += 1
        return self.items[self.at - 1]

    def ternary(self) -> Operand:
        test = self.condition(1)
        if self.peek() != "?":
            return test
        self.take()
        then = self.ternary()
        self.take()
        return Ternary(test, then, self.ternary())

    def condition(self, least: int) -> Operand:
        """Operators of at least this precedence; `??` groups to the right, the others to the left."""
        item = self.take()
        assert isinstance(item, Node)
        left: Operand = item
        while True:
            operator = self.peek()
            if not isinstance(operator, str) or PRECEDENCE.get(operator, 0) < least:
                return left
            self.take()
            level = PRECEDENCE[operator]
            if operator == "is":
                left = Match(left, self.pattern())
            else:
                left = Operation(operator, left, self.condition(level if operator == "??" else level + 1))

    def pattern(self) -> Pattern:
        left = self.conjunction()
        while self.peek() == "or":
            self.take()
            left = Combined("or", left, self.conjunction())
        return left

    def conjunction(self) -> Pattern:
        left = self.single()
        while self.peek() == "and":
            self.take()
            left = Combined("and", left, self.single())
        return left

    def single(self) -> Pattern:
        item = self.take()
        if item == "not":
            return Negated(self.single())
        if isinstance(item, str):
            value = self.take()
            assert item in _RELATIONS and isinstance(value, Node)
            return Relational(item, value)
        constant: Node | Member = item
        while self.peek() == ".":
            self.take()
            name = self.take()
            assert isinstance(name, Node)
            constant = Member(constant, name)
        return constant
