"""Names visible at a place in C# code, with their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from uom.model.diagnostics import Place
from uom.model.types import Type
from uom.read.csharp.symbols import MethodSymbol, TypeSymbol
from uom.read.csharp.syntax import SourceFile
from uom.read.efcore.values import Opaque, Value


@dataclass(eq=False)
class Scope:
    """A block, lambda or method. `this`, `owner`, `source` and `type_arguments` are those of the method around it."""

    source: SourceFile
    owner: TypeSymbol | None = None
    this: Value | None = None
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    declared: dict[str, Type] = field(default_factory=dict)
    """Declared types of variables, where written and known."""
    functions: dict[str, MethodSymbol] = field(default_factory=dict)
    """Local functions."""
    type_arguments: Mapping[str, Type] = field(default_factory=dict)
    is_lambda: bool = False
    parameters: frozenset[str] = frozenset()
    """Names that are parameters of an inlined method: their objects belong to the caller."""

    def inner(self, is_lambda: bool = False) -> Scope:
        return Scope(self.source, self.owner, self.this, self, type_arguments=self.type_arguments, is_lambda=is_lambda)

    def chain(self) -> Iterator[Scope]:
        current: Scope | None = self
        while current is not None:
            yield current
            current = current.parent

    def find(self, name: str) -> Value | None:
        holder = self.holder(name)
        return holder.names[name] if holder is not None else None

    def holder(self, name: str) -> Scope | None:
        return next((s for s in self.chain() if name in s.names), None)

    def function(self, name: str) -> MethodSymbol | None:
        return next((s.functions[name] for s in self.chain() if name in s.functions), None)

    def declared_type(self, name: str) -> Type | None:
        holder = self.holder(name)
        return holder.declared.get(name) if holder is not None else None

    def set(self, name: str, value: Value) -> None:
        """Assigns where the name was declared."""
        holder = self.holder(name)
        (holder if holder is not None else self).names[name] = value

    def stained(self, name: str, place: Place | None) -> None:
        """A member of the variable was assigned: what it holds is not known any more."""
        holder = self.holder(name)
        if holder is not None:
            holder.names[name] = Opaque(
                name, "its members are assigned in the method", place, "Use separate variables."
            )

    def snapshot(self) -> list[dict[str, Value]]:
        """Values of all visible variables, innermost first; for trying a branch and coming back."""
        return [dict(s.names) for s in self.chain()]

    def restore(self, saved: list[dict[str, Value]]) -> None:
        for scope, names in zip(self.chain(), saved, strict=True):
            scope.names = dict(names)
