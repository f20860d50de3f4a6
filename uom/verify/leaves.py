"""Parameters taken apart: what in them is chosen by itself, and a value of the parameter put together from choices.

A filter object is chosen field by field, as if each of its fields were a parameter of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from uom.model.expressions import Coalesce, Const, Convert, Expr, IsNull, Parameter, Property
from uom.model.program import MethodParameter, QueryMethod
from uom.model.types import ComplexType, EntityType, RecordType, Type, as_nullable
from uom.model.walk import Node, children
from uom.reference.values import Value

Path = tuple[str, ...]
"""A parameter's name, then the names of fields."""

MAX_DEPTH = 6
"""Records in records: those deeper down are null."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """What is chosen by itself: no record. `used`: the method looks at it, so that its value may matter."""

    path: Path
    type: Type
    default: Expr | None = None
    used: bool = True


@dataclass(slots=True)
class Uses:
    """The paths that a method reads, and those that it compares with null."""

    read: set[Path] = field(default_factory=set)
    tested: set[Path] = field(default_factory=set)

    def reads(self, path: Path) -> bool:
        """Whether that, a record that it lies in, or a part of it is read."""
        return any(path[: len(p)] == p[: len(path)] for p in self.read)


def slot_of(path: Path) -> str:
    """The name under which a choice is kept; for a record the choice whether there is one."""
    return ".".join(path)


def path_of(expr: Expr) -> Path | None:
    """`filter.Range.From` as a path; None for what is no parameter or part of one."""
    names: list[str] = []
    while isinstance(expr, Convert | Property):
        if isinstance(expr, Property):
            if isinstance(expr.target.type, EntityType | ComplexType):
                return None
            names.insert(0, expr.name)
            expr = expr.target
        else:
            expr = expr.operand
    return (expr.name, *names) if isinstance(expr, Parameter) else None


def uses_of(method: QueryMethod) -> Uses:
    """Each shared part is looked at once: written out they may be very many."""
    uses, seen = Uses(), set[int]()
    todo: list[Node] = [method.body]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        path = path_of(node) if isinstance(node, Parameter | Property | Convert) else None
        if path is not None:
            uses.read.add(path)
            continue
        if isinstance(node, IsNull | Coalesce):
            operand = node.operand if isinstance(node, IsNull) else node.left
            tested = path_of(operand)
            if tested is not None:
                uses.tested.add(tested)
                if isinstance(node, IsNull) and isinstance(operand.type, RecordType):
                    continue
        todo.extend(children(node))
    return uses


def leaves_of(method: QueryMethod, uses: Uses) -> list[Leaf]:
    """All leaves of all parameters. Parameters that are no records are leaves themselves."""
    found: list[Leaf] = []
    for parameter in method.parameters:
        if isinstance(parameter.type, RecordType):
            found += _leaves((parameter.name,), parameter.type, uses)
        else:
            found.append(Leaf((parameter.name,), parameter.type, parameter.default))
    return found


def _leaves(path: Path, type_: Type, uses: Uses) -> Iterator[Leaf]:
    if isinstance(type_, RecordType):
        for part in type_.fields if len(path) <= MAX_DEPTH else ():
            yield from _leaves((*path, part.name), part.type, uses)
    else:
        yield Leaf(path, type_, None, uses.reads(path))


def optional_records(method: QueryMethod, uses: Uses) -> list[Path]:
    """Records that may be null and that the method is likely to take as such; elsewhere C# would throw."""
    found: list[Path] = []
    for parameter in method.parameters:
        if isinstance(parameter.type, RecordType):
            absent = isinstance(parameter.default, Const) and parameter.default.value is None
            found += _optional((parameter.name,), as_nullable(parameter.type, parameter.type.nullable or absent), uses)
    return found


def _optional(path: Path, type_: Type, uses: Uses) -> Iterator[Path]:
    if isinstance(type_, RecordType) and len(path) <= MAX_DEPTH:
        if path in uses.tested or (type_.nullable and (len(path) == 1 or uses.reads(path))):
            yield path
        for part in type_.fields:
            yield from _optional((*path, part.name), part.type, uses)


def assembled(parameters: Sequence[MethodParameter], chosen: Mapping[str, Value]) -> dict[str, Value]:
    """The value of each parameter: a record is a dict by field, as the interpreter has it."""
    return {p.name: _value((p.name,), p.type, chosen) for p in parameters}


def _value(path: Path, type_: Type, chosen: Mapping[str, Value]) -> Value:
    if not isinstance(type_, RecordType):
        return chosen[slot_of(path)]
    if len(path) > MAX_DEPTH or chosen.get(slot_of(path)) is False:
        return None
    return {f.name: _value((*path, f.name), f.type, chosen) for f in type_.fields}


def holders(slot: str) -> list[str]:
    """The records that a leaf lies in, outermost first."""
    parts = slot.split(".")
    return [slot_of(tuple(parts[:n])) for n in range(1, len(parts))]
