"""What an expression can see while it is written: the model, the statement in the making, and its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from uom.model.diagnostics import Diagnostic, Place, Refusal, Severity
from uom.model.expressions import Expr, Parameter, Var
from uom.model.mapping import GraphMapping
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.model.types import Type
from uom.model.walk import walk
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.rows import Names, Rows
from uom.write.neo4j.text import Text
from uom.write.neo4j.values import Value


@dataclass(frozen=True, slots=True)
class LikePattern:
    """How a LIKE pattern becomes a regular expression. `classes`: the source's database knows [a-z]."""

    escape: str
    ignore_case: bool
    classes: bool


@dataclass(frozen=True, slots=True)
class Bind:
    """A parameter of the statement, computed by Java from `expr`.

    Decimals are passed as integers times 10**`scale`; `rounding` (a java.math.RoundingMode) says which neighbour is
    taken where the value lies between two. `when`: only computed where this holds, else null. `like`: the value is a
    LIKE pattern, passed as a regular expression.
    """

    name: str
    expr: Expr
    type: Type
    scale: int | None = None
    rounding: str = "UNNECESSARY"
    when: Expr | None = None
    like: LikePattern | None = None


@dataclass(eq=False, slots=True)
class Writing:
    """One statement: facts that never change, and the parameters and messages that it collects."""

    schema: Schema
    mapping: GraphMapping
    semantics: Semantics
    diagnostics: list[Diagnostic] = field(default_factory=list)
    binds: list[Bind] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    graph: Graph = field(init=False)
    condition: Expr | None = None
    """What must hold for the parameters that are bound just now to be of any use."""

    def __post_init__(self) -> None:
        self.graph = Graph(self.schema, self.mapping)

    def note(self, severity: Severity, construct: str, reason: str, place: Place | None = None) -> None:
        message = Diagnostic(severity, construct, reason, place)
        if message not in self.diagnostics:
            self.diagnostics.append(message)

    def bind(
        self,
        expr: Expr,
        hint: str,
        scale: int | None = None,
        rounding: str = "UNNECESSARY",
        like: LikePattern | None = None,
    ) -> Text:
        """`$name`; equal parameters share one."""
        when = None if expr == self.condition else self.condition
        wanted = Bind("", expr, expr.type, scale, rounding, when, like)
        for known in self.binds:
            if replace(known, name="") == wanted:
                return Text(f"${known.name}")
        taken = {b.name for b in self.binds}
        name, number = hint or "value", 2
        while name in taken:
            name, number = f"{hint}{number}", number + 1
        self.binds.append(replace(wanted, name=name))
        return Text(f"${name}")


@dataclass(frozen=True, slots=True)
class Scope:
    """`rows` is the statement that the expression stands in; `env` tells where each variable's value is."""

    writing: Writing
    rows: Rows
    env: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def graph(self) -> Graph:
        return self.writing.graph

    @property
    def semantics(self) -> Semantics:
        return self.writing.semantics

    def bind(self, var: Var, value: Value) -> Scope:
        return replace(self, env=MappingProxyType({**self.env, var.name: value}))

    def on(self, rows: Rows) -> Scope:
        return replace(self, rows=rows)

    def lookup(self, var: Var) -> Value:
        if var.name not in self.env:
            raise Refusal(var.name, "the variable has no row here", var.place)
        return self.env[var.name]


def first_parameter(node: Expr, default: str) -> str:
    """The name of the first parameter in it: what a bound value or a filter is named after."""
    return next((n.name for n in walk(node) if isinstance(n, Parameter)), default)
