"""A pipeline under construction: its stages so far, where the current row lives, and what was looked up already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from uom.model.diagnostics import Refusal
from uom.model.expressions import Expr
from uom.write.mongodb.tree import Bson, Stage, is_path, leaves
from uom.write.mongodb.values import Value
from uom.write.names import fresh_name


@dataclass(frozen=True, slots=True)
class Correlation:
    """`localField` and `foreignField` of the `$lookup` that will run this pipeline."""

    local: str
    foreign: str


@dataclass(eq=False, slots=True)
class Rows:
    """Mutable on purpose: expressions add the lookups that they need in front of the stage that uses them.

    `parent` is the pipeline whose `$lookup` runs this one; `lets` maps variables to the parent's expressions.
    `before` is the pipeline up to a `$group` whose accumulators (`group`) are still being collected.
    """

    collection: str
    parent: Rows | None = None
    lets: dict[str, Bson] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    before: Rows | None = None
    group: dict[str, Bson] | None = None
    fields: set[str] = field(default_factory=set)
    helpers: list[str] = field(default_factory=list)
    looked_up: dict[object, Value] = field(default_factory=dict)
    correlation: Correlation | None = None
    current: Value | None = None

    def __repr__(self) -> str:
        return f"Rows@{id(self):x}"

    @property
    def row(self) -> Value:
        assert self.current is not None
        return self.current

    @row.setter
    def row(self, value: Value) -> None:
        self.current = value

    def add(self, operator: str, body: Bson, when: Expr | None = None) -> None:
        self.stages.append(Stage({operator: body}, when))

    def fresh(self, hint: str) -> str:
        """A top-level field name that is not in use; it is in use from now on."""
        name = fresh_name(hint, self.fields)
        self.fields.add(name)
        return name

    def helper(self, hint: str) -> str:
        """Like `fresh`, for a field that is no part of the row."""
        name = self.fresh(hint)
        self.helpers.append(name)
        return name

    def reshaped(self, fields: Iterable[str]) -> None:
        """The documents were replaced: only these top-level fields exist now."""
        self.fields = set(fields)
        self.helpers = []
        self.looked_up = {}

    def all_stages(self) -> list[Stage]:
        """The whole pipeline, groups included."""
        if self.before is None:
            return self.stages
        return [*self.before.all_stages(), Stage({"$group": self.group}), *self.stages]

    def start(self) -> Rows:
        """The first segment: the one that reads the collection."""
        return self if self.before is None else self.before.start()

    def is_empty(self) -> bool:
        return self.before is None and not self.stages

    def only_matches(self) -> bool:
        """True when nothing but filters was applied, so that one more may come first."""
        return self.before is None and all(s.operator == "$match" and s.when is None for s in self.stages)

    def bring(self, expr: Bson, home: Rows, hint: str) -> Bson:
        """An expression of an enclosing pipeline, for use in this one: it travels through `let`."""
        if home is self or not any(is_path(leaf) for leaf in leaves(expr)):
            return expr
        below = self
        while below.parent is not home:
            if below.parent is None:
                raise Refusal("variable", "a row variable is used where its row is no longer at hand")
            below = below.parent
        return below.let(expr, hint)

    def let(self, expr: Bson, hint: str) -> str:
        """The variable through which the pipeline sees an expression of its parent. MongoDB has rules for its name."""
        if any(
            isinstance(leaf, str) and leaf.startswith("$$") and leaf[2:].split(".")[0] in ARRAY_VARIABLES
            for leaf in leaves(expr)
        ):
            raise Refusal("sub-query", "a sub-query inside a list of the same row cannot be looked up")
        for name, known in self.lets.items():
            if known == expr and type(known) is type(expr):
                return f"$${name}"
        taken: set[str] = set(self.lets)
        above = self.parent
        while above is not None:
            taken |= set(above.lets)
            above = above.parent
        readable = hint if re.fullmatch("[a-z][A-Za-z0-9_]*", hint) else "outer"
        name = fresh_name(readable, taken | RESERVED_VARIABLES)
        self.lets[name] = expr
        return f"$${name}"


ARRAY_VARIABLES = frozenset({"item", "this", "value", *(f"item{n}" for n in range(2, 30))})
"""Variables of `$map`, `$filter` and `$reduce`; `let` variables never have these names."""

RESERVED_VARIABLES = ARRAY_VARIABLES | {"now", "root"}


def top_fields(paths: Iterable[str]) -> set[str]:
    """First parts of stored paths."""
    return {path.split(".", 1)[0] for path in paths}


def freeze(tree: Bson) -> Any:
    """A hashable stand-in for a tree, equal for equal trees of equal types."""
    if isinstance(tree, dict):
        return ("{}", *((key, freeze(item)) for key, item in tree.items()))
    if isinstance(tree, list):
        return ("[]", *(freeze(item) for item in tree))
    return (type(tree).__name__, tree)
