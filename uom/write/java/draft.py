"""A query class in the making."""

from __future__ import annotations

from dataclasses import dataclass, field

from uom.write.java.source import Imports


@dataclass(slots=True)
class ClassDraft:
    """A query class in the making: its imports, the value records it needs, which helpers it calls."""

    name: str
    imports: Imports
    values: dict[str, str] = field(default_factory=dict)
    """Name of a record with one component `value` -> Java type of the component."""
    helpers: set[str] = field(default_factory=set)
    method_names: set[str] = field(default_factory=set)
