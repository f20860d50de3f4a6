"""The model while it is being built: conventions write into drafts first, annotations next, fluent calls last."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from uom.model.diagnostics import Diagnostic, Place
from uom.model.schema import ValueConverter
from uom.model.types import Type
from uom.read.csharp.symbols import TypeSymbol
from uom.read.csharp.syntax import SourceFile


@dataclass(eq=False)
class PropertyDraft:
    name: str
    type: Type
    column: str | None = None
    """None until an annotation or a call names it: then the convention decides."""
    place: Place | None = None
    required: bool | None = None
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    shadow: bool = False
    converter: ValueConverter | None = None
    stored: tuple[tuple[str, str | int], ...] | None = None
    """For enums: what each member is stored as, once a conversion is configured."""
    unsupported: str = ""


@dataclass(eq=False)
class ComplexDraft:
    """An owned or complex property; `shape` has its members as an entity draft of their own."""

    name: str
    type_name: str
    nullable: bool
    owned: bool
    collection: bool
    shape: EntityDraft
    columns: dict[str, str] = field(default_factory=dict)
    unsupported: str = ""
    owner_navigation: str | None = None
    foreign_key: tuple[str, ...] = ()
    """Of a collection: the member that leads back, and properties that hold the owner's key, where calls name them."""


@dataclass(eq=False)
class NavigationDraft:
    """A member that leads to another entity."""

    name: str
    target: str
    collection: bool
    nullable: bool
    foreign_key: tuple[str, ...] = ()
    """From `[ForeignKey]`: names of the foreign key's properties (or, on a collection, the dependent's)."""
    inverse: str | None = None
    required: bool = False


@dataclass(eq=False)
class RelationshipDraft:
    """A relationship configured by fluent calls. `many_*` says whether that side's navigation is a collection."""

    left: str
    right: str
    left_navigation: str | None
    right_navigation: str | None
    right_is_many: bool
    left_is_many: bool = False
    foreign_key: tuple[str, ...] = ()
    principal_key: tuple[str, ...] = ()
    dependent: str | None = None
    required: bool | None = None
    join_entity: str | None = None
    join_table: tuple[str, str | None] | None = None
    join_left: tuple[str, ...] = ()
    join_right: tuple[str, ...] = ()


@dataclass(eq=False)
class FilterDraft:
    """`HasQueryFilter`: a lambda still in syntax, bound once the model is complete."""

    name: str
    source: SourceFile
    node: Node
    near: TypeSymbol | None


@dataclass(eq=False)
class EntityDraft:
    name: str
    symbol: TypeSymbol | None
    table: str | None = None
    schema: str | None = None
    key: tuple[str, ...] | None = None
    keyless: bool = False
    properties: dict[str, PropertyDraft] = field(default_factory=dict)
    complexes: dict[str, ComplexDraft] = field(default_factory=dict)
    navigations: dict[str, NavigationDraft] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    filters: list[FilterDraft] = field(default_factory=list)
    set_names: list[str] = field(default_factory=list)
    base: str | None = None
    discriminator_column: str | None = None
    discriminator_type: Type | None = None
    discriminator_values: dict[str, str | int | bool] = field(default_factory=dict)
    own_table: bool = False
    unsupported: str = ""


@dataclass(eq=False)
class ModelDraft:
    entities: dict[str, EntityDraft] = field(default_factory=dict)
    relationships: list[RelationshipDraft] = field(default_factory=list)
    ignored_types: set[str] = field(default_factory=set)
    default_schema: str | None = None
    type_conversions: dict[str, tuple[str, tuple[Node, ...], SourceFile]] = field(default_factory=dict)
    """`Properties<T>().HaveConversion<..>()`: type name -> (provider or converter type name, arguments, source)."""
    diagnostics: list[Diagnostic] = field(default_factory=list)


def inherit_members(draft: EntityDraft, base: EntityDraft) -> None:
    """Makes what a class inherits the base's own: a member is configured once, for the whole hierarchy.

    It may have been configured on either class; what the base says comes first.
    """
    for name in base.ignored:
        draft.properties.pop(name, None)
        draft.navigations.pop(name, None)
    for name, shared in base.properties.items():
        own = draft.properties.get(name)
        if own is not None and own is not shared:
            for part in ("column", "max_length", "precision", "scale", "converter", "stored"):
                if getattr(shared, part) is None:
                    setattr(shared, part, getattr(own, part))
        draft.properties[name] = shared
    for name in base.navigations:
        draft.navigations.pop(name, None)
    for name, value in base.complexes.items():
        draft.navigations.pop(name, None)
        draft.complexes[name] = value
