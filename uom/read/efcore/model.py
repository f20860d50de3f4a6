"""From declarations to schemas: one per DbContext, built as EF Core builds its model.

Order of authority: conventions, then data annotations, then fluent calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from uom.model.schema import (
    ComplexProperty,
    ComplexShape,
    Discriminator,
    Entity,
    Navigation,
    Property,
    Schema,
)
from uom.model.types import STRING
from uom.read.csharp.symbols import Compilation, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, descend, text_of
from uom.read.csharp.types import TypeResolver, nullable_annotations, type_arguments
from uom.read.efcore.conventions import (
    ConventionBuilder,
    find_attribute,
    is_entity_like,
    property_type,
    text_argument,
)
from uom.read.efcore.drafts import (
    ComplexDraft,
    EntityDraft,
    FilterDraft,
    ModelDraft,
    PropertyDraft,
    inherit_members,
)
from uom.read.efcore.fluent import FluentReader, Model, call_chain
from uom.read.efcore.fluent_calls import TABLES
from uom.read.efcore.relationships import RelationshipBuilder, key_of

_PROVIDERS = {"UseNpgsql": "postgres", "UseSqlServer": "sqlserver", "UseSqlite": "sqlite", "UseAzureSql": "sqlserver"}
_CONTEXTS = frozenset({"DbContext", "IdentityDbContext", "ApiAuthorizationDbContext", "IdentityUserContext"})


@dataclass(frozen=True, eq=False)
class SchemaDraft:
    """A schema together with its query filters, whose lambdas are bound by the expression binder afterwards."""

    schema: Schema
    filters: tuple[tuple[str, FilterDraft], ...]
    """(entity name, filter)"""


def read_schemas(compilation: Compilation) -> tuple[SchemaDraft, ...]:
    """All models of the input. Without a context, one model named "" of the classes that look like entities."""
    annotations = nullable_annotations(compilation.sources)
    contexts = [t for t in compilation.all_types() if is_context(compilation, t)]
    drafts = [_ModelReader(compilation, annotations, context).read() for context in contexts]
    if not drafts:
        drafts = [_ModelReader(compilation, annotations, None).read()]
    return tuple(drafts)


def is_context(compilation: Compilation, symbol: TypeSymbol) -> bool:
    """A class that derives from DbContext, or from an unknown `...Context` and holds DbSets."""
    if symbol.kind != "class":
        return False
    for declared in compilation.ancestry(symbol):
        if any(name in _CONTEXTS for name in declared.base_names()):
            return True
        if any(name.endswith("Context") for name in declared.base_names()) and db_sets(compilation, symbol):
            return True
    return False


def db_sets(compilation: Compilation, symbol: TypeSymbol) -> list[tuple[str, str]]:
    """(property name, entity name) of the DbSets of a context, inherited ones included."""
    found = []
    for declared in reversed(compilation.ancestry(symbol)):
        for member in declared.members.values():
            node = member.type_node
            if node is not None and node.type == "nullable_type":
                node = child(node, "type")
            if (
                node is None
                or node.type != "generic_name"
                or simple_name(node) not in ("DbSet", "IQueryable", "IDbSet")
            ):
                continue
            arguments = type_arguments(node)
            if arguments and (simple_name(node) != "IQueryable" or _is_plain_set(member.getter)):
                found.append((member.name, simple_name(arguments[0])))
    return found


def _is_plain_set(getter: Node | None) -> bool:
    return (
        getter is not None
        and re.fullmatch(r"\s*(this\.)?Set<\w+>\(\)(\.AsNoTracking\(\))?\s*", text_of(getter)) is not None
    )


def plurals(name: str) -> tuple[str, ...]:
    """Names a set of this class is likely to have where no context declares it."""
    forms = [name + "s", name]
    if re.search(r"[^aeiou]y$", name):
        forms.insert(0, name[:-1] + "ies")
    elif re.search(r"(s|x|z|ch|sh)$", name):
        forms.insert(0, name + "es")
    elif name.endswith("Person"):
        forms.insert(0, name[:-6] + "People")
    return tuple(forms)


class _ModelReader:
    def __init__(self, compilation: Compilation, annotations: bool, context: TypeSymbol | None) -> None:
        self.compilation = compilation
        self.context = context
        self.resolver = TypeResolver(compilation, annotations=annotations)
        self.model = ModelDraft()
        self.conventions = ConventionBuilder(compilation, self.resolver, self.model)
        self.fluent = FluentReader(compilation, self.resolver, self.conventions, self.model, TABLES)

    def read(self) -> SchemaDraft:
        self.declare_complexes()
        if self.context is None:
            for symbol in self.likely_entities():
                self.conventions.entity(symbol.name).set_names.extend(plurals(symbol.name))
            for symbol in list(self.compilation.all_types()):
                self.fluent.apply_configuration(symbol)
        else:
            self.run_conventions_method(self.context)
            for set_name, entity in db_sets(self.compilation, self.context):
                self.conventions.entity(entity).set_names.append(set_name)
            self.run_model_creating(self.context)
        self.link_hierarchies()
        self.discover()
        self.link_hierarchies()
        placed = RelationshipBuilder(self.model).build()
        navigations: dict[str, list[Navigation]] = {}
        for item in placed:
            navigations.setdefault(item.entity, []).append(item.navigation)
        return self.freeze(navigations)

    def likely_entities(self) -> list[TypeSymbol]:
        """Without a context: classes with a key whose set is named somewhere (`_db.Orders`, `Set<Order>()`).

        A DTO may well have an Id too; nobody reads a set of DTOs. If no set is named at all, every class with a key.
        """
        candidates = [s for s in self.compilation.all_types() if is_entity_like(s, self.resolver)]
        named: set[str] = set()
        for source in self.compilation.sources:
            for node, _ in descend(source.root):
                if node.type == "member_access_expression":
                    name = child(node, "name")
                    named.add(text_of(name) if name is not None else "")
                elif node.type == "generic_name" and simple_name(node) in ("Set", "DbSet", "IQueryable", "IRepository"):
                    named |= {simple_name(a) for a in type_arguments(node)}
        likely = [s for s in candidates if named & {*plurals(s.name), s.name}]
        return likely or candidates

    def declare_complexes(self) -> None:
        """Owned and complex types are known before entities look at their members."""
        names = {s.name for s in self.compilation.all_types() if find_attribute(s.attributes, "Owned", "ComplexType")}
        for source in self.compilation.sources:
            for node, _ in descend(source.root):
                if node.type == "generic_name" and simple_name(node) == "Owned" and type_arguments(node):
                    names.add(simple_name(type_arguments(node)[0]))
        self.resolver.complexes = frozenset(names)

    def run_conventions_method(self, context: TypeSymbol) -> None:
        """`ConfigureConventions`: `Properties<T>().HaveConversion<..>()`."""
        for declared in reversed(self.compilation.ancestry(context)):
            for method in declared.methods:
                if method.name != "ConfigureConventions" or method.body is None:
                    continue
                for node, _ in descend(method.body):
                    if node.type != "expression_statement":
                        continue
                    _, calls = call_chain(node.named_children[0])
                    type_name = next(
                        (
                            simple_name(c.type_arguments[0])
                            for c in calls
                            if c.name == "Properties" and c.type_arguments
                        ),
                        None,
                    )
                    for call in calls:
                        if call.name == "HaveConversion" and type_name is not None:
                            provider = simple_name(call.type_arguments[0]) if call.type_arguments else ""
                            self.model.type_conversions[type_name] = (provider, call.arguments, method.source)

    def run_model_creating(self, context: TypeSymbol) -> None:
        """The nearest OnModelCreating; `base.OnModelCreating` is followed from there."""
        for declared in self.compilation.ancestry(context):
            for method in declared.methods:
                if method.name == "OnModelCreating":
                    self.fluent.run_method(method, [Model()])
                    return

    def discover(self) -> None:
        """Everything that navigations reach is an entity too, and so is a declared subclass in a set."""
        pending = list(self.model.entities)
        while pending:
            draft = self.model.entities[pending.pop()]
            for navigation in draft.navigations.values():
                if navigation.target not in self.model.entities and navigation.target not in self.model.ignored_types:
                    self.conventions.entity(navigation.target)
                    pending.append(navigation.target)

    def link_hierarchies(self) -> None:
        for draft in self.model.entities.values():
            if draft.symbol is None:
                continue
            for ancestor in self.compilation.ancestry(draft.symbol)[1:]:
                if ancestor.name in self.model.entities:
                    draft.base = ancestor.name
                    break
        for draft in sorted(self.model.entities.values(), key=lambda d: len(self.lineage(d))):
            for ancestor_name in reversed(self.lineage(draft)[1:]):
                inherit_members(draft, self.model.entities[ancestor_name])

    def root_of(self, draft: EntityDraft) -> EntityDraft:
        while draft.base is not None:
            draft = self.model.entities[draft.base]
        return draft

    def freeze(self, navigations: dict[str, list[Navigation]]) -> SchemaDraft:
        complexes: dict[str, ComplexShape] = {}
        entities = [self.freeze_entity(d, navigations, complexes) for d in self.model.entities.values()]
        filters = [(d.name, f) for d in self.model.entities.values() for f in d.filters]
        schema = Schema(
            self.context.name if self.context is not None else "",
            tuple(entities),
            tuple(complexes.values()),
            provider_of(self.compilation),
            tuple(self.model.diagnostics),
        )
        return SchemaDraft(schema, tuple(filters))

    def freeze_entity(
        self, draft: EntityDraft, navigations: dict[str, list[Navigation]], complexes: dict[str, ComplexShape]
    ) -> Entity:
        root = self.root_of(draft)
        key = key_of(root)
        own = {n.name: n for name in self.lineage(draft) for n in navigations.get(name, [])}
        hidden = root.unsupported or draft.unsupported
        if draft is not root and draft.own_table and draft.table != root.table:
            hidden = hidden or "its hierarchy is mapped table per type"
        if not key and not draft.keyless:
            hidden = hidden or "it has no key that is known here"
        properties = {n: p for e in reversed(self.lineage(draft)) for n, p in self.model.entities[e].properties.items()}
        set_names = draft.set_names
        return Entity(
            draft.name,
            root.table or (root.set_names[0] if root.set_names else root.name),
            root.schema or self.model.default_schema,
            key,
            tuple(freeze_property(p, p.name in key) for p in properties.values()),
            tuple(self.freeze_complex(c, complexes, self.declaring(draft, c)) for c in draft.complexes.values()),
            tuple(own.values()),
            (),
            draft.base,
            self.discriminator(root),
            draft.symbol is not None and "abstract" in draft.symbol.modifiers,
            tuple(set_names),
            hidden,
            draft.symbol.place if draft.symbol is not None else None,
        )

    def lineage(self, draft: EntityDraft) -> list[str]:
        names = [draft.name]
        while (base := self.model.entities[names[-1]].base) is not None:
            names.append(base)
        return names

    def discriminator(self, root: EntityDraft) -> Discriminator | None:
        family = [d for d in self.model.entities.values() if self.root_of(d) is root]
        if len(family) == 1 and root.discriminator_column is None:
            return None
        values = tuple(
            (d.name, root.discriminator_values.get(d.name, d.name))
            for d in family
            if d.symbol is None or "abstract" not in d.symbol.modifiers
        )
        column = root.discriminator_column or "Discriminator"
        known = root.properties.get(column)
        return Discriminator(
            known.column or column if known is not None else column, root.discriminator_type or STRING, values
        )

    def declaring(self, draft: EntityDraft, complex_: ComplexDraft) -> EntityDraft:
        """The class of the hierarchy that a value was declared in: the classes below share it."""
        line = [self.model.entities[name] for name in reversed(self.lineage(draft))]
        return next((d for d in line if d.complexes.get(complex_.name) is complex_), draft)

    def freeze_complex(
        self, draft: ComplexDraft, shapes: dict[str, ComplexShape], owner: EntityDraft, within: str = ""
    ) -> ComplexProperty:
        """`within` names the value that this one is a part of, "" for a part of the entity itself."""
        columns: list[tuple[str, str]] = []
        prefix = "" if draft.collection else f"{draft.name}_"
        nested = tuple(self.freeze_complex(c, shapes, owner, draft.name) for c in draft.shape.complexes.values())
        properties = []
        for p in draft.shape.properties.values():
            columns.append((p.name, p.column or prefix + p.name))
            properties.append(freeze_property(p, False))
        for inner in nested:
            for path, column in inner.columns:
                default = column.startswith(f"{inner.name}_")
                columns.append((f"{inner.name}.{path}", prefix + column if default else column))
        shapes[draft.type_name] = ComplexShape(draft.type_name, tuple(properties), nested)
        table, owner_columns = (draft.shape.table, ()) if not draft.collection else self.owned_table(draft, owner)
        unsupported = draft.unsupported or draft.shape.unsupported
        if draft.collection and not unsupported:
            unsupported = self.no_table(draft, within, len(owner_columns) == len(key_of(self.root_of(owner))))
        return ComplexProperty(
            draft.name, draft.type_name, draft.nullable, tuple(columns), draft.owned, draft.collection, table, owner_columns,
            unsupported, draft.shape.schema or self.model.default_schema if draft.collection else None,
        )  # fmt: skip

    def no_table(self, draft: ComplexDraft, within: str, has_key: bool) -> str:
        """Why the rows of a collection cannot be told, "" where they can."""
        if not draft.owned:
            return "a collection of complex values is stored as JSON in one column"
        if within:
            return f"it is a collection within {within}, another owned value"
        return "" if has_key else "its foreign key does not fit the key of its owner"

    def owned_table(self, draft: ComplexDraft, owner: EntityDraft) -> tuple[str, tuple[str, ...]]:
        """(table, columns with the owner's key) of a collection: as configured, else by EF Core's conventions.

        A type that is owned in one place only gives its table its own name; else owner and member do.
        """
        symbol = draft.shape.symbol
        annotated = find_attribute(symbol.attributes, "Table") if symbol is not None else None
        root = self.root_of(owner)
        of_owner = root.table or (root.set_names[0] if root.set_names else root.name)
        shared = sum(c.type_name == draft.type_name for c in self.owned_values()) > 1
        conventional = f"{of_owner}_{draft.name}" if shared else draft.type_name
        table = draft.shape.table or (text_argument(annotated) if annotated else None) or conventional
        names = draft.foreign_key or tuple(self.owner_property(draft, owner, k) for k in key_of(root))
        known = draft.shape.properties
        return table, tuple((known[n].column or n) if n in known else n for n in names)

    def owner_property(self, draft: ComplexDraft, owner: EntityDraft, key: str) -> str:
        """The property of an owned value that holds a part of its owner's key: a member of it, or one of EF Core's."""
        back = [n.name for n in draft.shape.navigations.values() if n.target == owner.name and not n.collection]
        base = draft.owner_navigation or (back[0] if len(back) == 1 else owner.name)
        names = [f"{b}{key}" for b in (base, owner.name)]
        made = key if key.lower().startswith(base.lower()) else names[0]
        return next((n for n in (made, *names) if n in draft.shape.properties), made)

    def owned_values(self) -> list[ComplexDraft]:
        """Each once, whatever classes share it."""
        found: dict[int, ComplexDraft] = {}
        pending = [c for d in self.model.entities.values() for c in d.complexes.values()]
        while pending:
            draft = pending.pop()
            if draft.owned and id(draft) not in found:
                found[id(draft)] = draft
                pending += draft.shape.complexes.values()
        return list(found.values())


def freeze_property(draft: PropertyDraft, in_key: bool) -> Property:
    return Property(
        draft.name,
        property_type(draft, in_key),
        draft.column or draft.name,
        draft.max_length,
        draft.precision,
        draft.scale,
        draft.shadow,
        draft.converter,
        draft.unsupported,
        draft.place,
    )


def provider_of(compilation: Compilation) -> str:
    """`postgres`, `sqlserver`, `sqlite`, or "" when the code does not say."""
    for source in compilation.sources:
        for call, provider in _PROVIDERS.items():
            if re.search(rf"\.{call}\s*\(", source.text):
                return provider
    return ""
