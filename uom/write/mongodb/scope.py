"""What an expression can see while it is translated: the model, the pipeline in the making, and its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from uom.model.diagnostics import Diagnostic, Place, Refusal, Severity
from uom.model.expressions import Var
from uom.model.mapping import DocumentMapping
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.write.mongodb.location import Locations
from uom.write.mongodb.rows import Rows
from uom.write.mongodb.values import Value


@dataclass(eq=False, slots=True)
class Translation:
    """One query's translation: facts that never change, and the messages that it collects."""

    schema: Schema
    mapping: DocumentMapping
    semantics: Semantics
    diagnostics: list[Diagnostic] = field(default_factory=list)
    locations: Locations = field(init=False)

    def __post_init__(self) -> None:
        self.locations = Locations(self.schema, self.mapping)

    def note(self, severity: Severity, construct: str, reason: str, place: Place | None = None) -> None:
        message = Diagnostic(severity, construct, reason, place)
        if message not in self.diagnostics:
            self.diagnostics.append(message)


@dataclass(frozen=True, slots=True)
class Scope:
    """`rows` is the pipeline that the expression runs in; `env` tells where each variable's value is."""

    translation: Translation
    rows: Rows
    env: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    depth: int = 0
    """How many array variables are open."""

    @property
    def locations(self) -> Locations:
        return self.translation.locations

    def bind(self, var: Var, value: Value) -> Scope:
        return replace(self, env=MappingProxyType({**self.env, var.name: value}))

    def on(self, rows: Rows) -> Scope:
        return replace(self, rows=rows)

    def lookup(self, var: Var) -> Value:
        if var.name not in self.env:
            raise Refusal(var.name, "the variable has no row here", var.place)
        return self.env[var.name]

    def item_variable(self) -> tuple[str, Scope]:
        """A name for the item of a `$map` or `$filter`, and the scope inside it."""
        name = "item" if self.depth == 0 else f"item{self.depth + 1}"
        return name, replace(self, depth=self.depth + 1)
