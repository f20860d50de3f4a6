"""Enums that all columns store alike have that form everywhere in a method: in parameters, constants and results.

C# knows one enum; only columns say how it is stored. Where they disagree the writer refuses.
"""

from __future__ import annotations

from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.expressions import Compare, Const, Convert, Expr, In, Parameter, SqlCompare, SqlIn
from uom.model.program import QueryMethod
from uom.model.retyping import rebuilt
from uom.model.schema import ComplexShape, Entity, Schema
from uom.model.types import EnumType, Type, element_of
from uom.model.walk import walk

Stored = tuple[tuple[str, str | int], ...]


def with_stored_enums(method: QueryMethod, schema: Schema) -> QueryMethod:
    """The method with the stored form of each enum that has just one."""
    forms = stored_forms(schema)

    def change(type_: EnumType) -> EnumType:
        form = forms.get(type_.name, ())
        return replace(type_, stored=form) if form and not type_.stored else type_

    return rebuilt(method, change) if forms else method


def stored_forms(schema: Schema) -> dict[str, Stored]:
    """For each enum that no column stores as its number: what it is stored as, if that is one form."""
    found: dict[str, set[Stored]] = {}
    owners: tuple[Entity | ComplexShape, ...] = (*schema.entities, *schema.complexes)
    for one in (p for owner in owners for p in owner.properties):
        if isinstance(one.type, EnumType):
            found.setdefault(one.type.name, set()).add(one.type.stored)
    return {name: next(iter(forms)) for name, forms in found.items() if len(forms) == 1 and () not in forms}


def check_storage(body: Expr) -> Expr:
    """The body unchanged. Raises Refusal where one enum in two stored forms meets: the database compares what it holds."""
    for node in walk(body):
        match node:
            case Compare(left=left, right=right) | SqlCompare(left=left, right=right):
                pairs = [(left, right.type)] if not isinstance(right, Const) else []
            case In(item=item, values=Parameter() as values) | SqlIn(item=item, values=Parameter() as values):
                pairs = [(item, element_of(values.type) or values.type)]
            case In(item=item, values=tuple() as values) | SqlIn(item=item, values=tuple() as values):
                pairs = [(item, value.type) for value in values if not isinstance(value, Const)]
            case Convert(operand=operand, type=type_):
                pairs = [(operand, type_)]
            case _:
                pairs = []
        for one, other in pairs:
            if not isinstance(one, Const) and _differ(one.type, other):
                reason = "it meets the same enum stored in another way, and the database compares what it holds"
                raise Refusal(_name(one.type), reason, one.place, "Store the enum in one way.")
    return body


def _differ(one: Type, other: Type) -> bool:
    both = isinstance(one, EnumType) and isinstance(other, EnumType)
    return both and one.name == other.name and one.stored != other.stored  # type: ignore[union-attr]


def _name(type_: Type) -> str:
    return type_.name if isinstance(type_, EnumType) else "enum"
