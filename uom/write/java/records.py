"""The records that a method takes, as a caller has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from uom.model.bundle import JavaRecord
from uom.model.types import RecordType, SequenceType, Type
from uom.write.java.source import Imports, NoImports
from uom.write.java.types import JavaModel


def argument_records(
    types: Sequence[Type], model: JavaModel, imports: Imports, hint: str
) -> tuple[tuple[str, JavaRecord], ...]:
    """Each record among the parameters by its name in the class with these imports; those inside with their package."""
    found: dict[str, JavaRecord] = {}
    for type_ in types:
        _collect(type_, model, imports, hint, found)
    return tuple(found.items())


def _collect(type_: Type, model: JavaModel, imports: Imports, hint: str, found: dict[str, JavaRecord]) -> None:
    while isinstance(type_, SequenceType):
        type_ = type_.element
    if not isinstance(type_, RecordType):
        return
    name = model.record(type_, hint)
    written = model.java_type(type_, imports, hint)
    # What has no name is named after the method that brought the record in, as where the record's class is written.
    caller, model.method = model.method, model.owners[name]
    qualified, parts = NoImports(), [(f, name + f.name) for f in type_.fields]
    components = tuple((model.java_type(f.type, qualified, inner), f.name) for f, inner in parts)
    found[written] = JavaRecord(f"{model.package}.{name}", components)
    for part, inner in parts:
        _collect(part.type, model, qualified, inner, found)
    model.method = caller
