"""The fluent API: runs the statements of `OnModelCreating` and of `IEntityTypeConfiguration<T>` over the drafts.

One handler per call name and kind of builder. Calls without influence on rows are listed as such; any other unknown
call makes the thing it configures unsupported, so that queries which need it are refused instead of guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from uom.model.diagnostics import Diagnostic, Severity
from uom.read.csharp.symbols import Compilation, MethodSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import SourceFile, child, first_of, named, text_of
from uom.read.csharp.types import TypeResolver, type_arguments
from uom.read.efcore.conventions import ConventionBuilder, text_value
from uom.read.efcore.drafts import (
    ComplexDraft,
    EntityDraft,
    ModelDraft,
    NavigationDraft,
    PropertyDraft,
    RelationshipDraft,
)

HARMLESS = frozenset(
    """
    HasComment HasIndex HasDatabaseName HasName IsUnique HasDefaultValue HasDefaultValueSql
    ValueGeneratedNever ValueGeneratedOnAdd ValueGeneratedOnAddOrUpdate ValueGeneratedOnUpdate
    UseIdentityColumn UseIdentityColumns UseIdentityByDefaultColumn UseIdentityAlwaysColumn
    UseSerialColumn UseHiLo HasSequence StartsAt IncrementsBy IsConcurrencyToken IsRowVersion IsUnicode
    IsFixedLength HasColumnType HasColumnOrder UseCollation OnDelete HasConstraintName HasAnnotation
    HasData HasCheckConstraint HasFilter IncludeProperties IsDescending HasAlternateKey
    UsePropertyAccessMode HasField HasChangeTrackingStrategy HasComputedColumnSql Metadata
    HasTrigger IsClustered IsSparse IsMemoryOptimized HasFillFactor ExcludeFromMigrations
    HasPrincipalConstraintName HasValueGenerator SetIsNullable HasMany_ EnableLazyLoading UseSequence
    HasSentinel ToJsonProperty
    """.split()
)


@dataclass(eq=False)
class Scope:
    """One body being run: its file, the class around it, and what its names denote."""

    source: SourceFile
    near: TypeSymbol | None
    names: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Call:
    name: str
    type_arguments: tuple[Node, ...]
    arguments: tuple[Node, ...]
    node: Node


@dataclass(eq=False)
class RelationshipBuilder:
    draft: RelationshipDraft
    entity: EntityDraft


@dataclass(eq=False)
class DiscriminatorBuilder:
    entity: EntityDraft


@dataclass(eq=False)
class NavigationBuilder:
    """`Navigation(x => x.Customer)`: a navigation to another entity."""

    entity: EntityDraft
    draft: NavigationDraft


class Model:
    """Marks the ModelBuilder itself in a scope."""


def call_chain(node: Node) -> tuple[Node, list[Call]]:
    """`a.B(x).C(y)` -> (a, [B(x), C(y)])."""
    calls: list[Call] = []
    while node.type == "invocation_expression":
        function, arguments = child(node, "function"), child(node, "arguments")
        if function is None:
            break
        given = tuple(named(a)[-1] for a in named(arguments) if named(a)) if arguments is not None else ()
        if function.type == "member_access_expression":
            name, target = child(function, "name"), child(function, "expression")
            if name is None or target is None:
                break
            calls.append(_call(name, given, node))
            node = target
        else:
            calls.append(_call(function, given, node))
            return function, list(reversed(calls))
    return node, list(reversed(calls))


def _call(name: Node, given: tuple[Node, ...], node: Node) -> Call:
    """`HasOne(typeof(Role))` says the same as `HasOne<Role>()`."""
    types = tuple(type_arguments(name))
    if not types and given and given[0].type == "typeof_expression":
        types, given = (named(given[0])[0],), given[1:]
    return Call(simple_name(name), types, given, node)


def lambda_parts(node: Node) -> tuple[str, Node] | None:
    """(first parameter, body) of a lambda."""
    if node.type != "lambda_expression":
        return None
    parameters, body = child(node, "parameters"), child(node, "body")
    if parameters is None or body is None:
        return None
    if parameters.type == "parameter_list":
        first = named(parameters)
        name = child(first[0], "name") if first else None
        return (text_of(name) if name is not None else "_", body)
    return text_of(parameters), body


def member_names(node: Node) -> tuple[str, ...]:
    """`x => x.A`, `x => new { x.A, x.B }`, "A", nameof(A): member names; the last name of a path."""
    text = text_value(node)
    if text is not None:
        return (text,)
    parts = lambda_parts(node)
    body = parts[1] if parts else node
    while body.type in ("parenthesized_expression", "cast_expression", "postfix_unary_expression"):
        body = named(body)[-1] if body.type != "postfix_unary_expression" else named(body)[0]
    if body.type == "member_access_expression":
        name = child(body, "name")
        return (text_of(name),) if name is not None else ()
    if body.type == "anonymous_object_creation_expression":
        return tuple(n for part in named(body) for n in member_names(part))
    return ()


class FluentReader:
    """Applies fluent configuration to a model draft."""

    def __init__(
        self,
        compilation: Compilation,
        resolver: TypeResolver,
        conventions: ConventionBuilder,
        model: ModelDraft,
        tables: Mapping[type, Mapping[str, Handler]],
    ) -> None:
        self.tables = tables
        self.compilation = compilation
        self.resolver = resolver
        self.conventions = conventions
        self.model = model
        self.active: list[MethodSymbol] = []

    def run_method(self, method: MethodSymbol, values: list[object]) -> None:
        """Runs a method body with these values for its parameters; recursion is cut."""
        if method.body is None or method in self.active:
            return
        scope = Scope(method.source, method.owner, {p.name: v for p, v in zip(method.parameters, values, strict=False)})
        self.active.append(method)
        self.run_body(method.body, scope)
        self.active.pop()

    def run_body(self, body: Node, scope: Scope) -> None:
        if body.type != "block":
            self.run_expression(body, scope)
            return
        for statement in named(body):
            self.run_statement(statement, scope)

    def run_statement(self, statement: Node, scope: Scope) -> None:
        match statement.type:
            case "expression_statement":
                self.run_expression(named(statement)[0], scope)
            case "local_declaration_statement":
                declaration = first_of(statement, "variable_declaration")
                for declarator in named(declaration)[1:] if declaration is not None else []:
                    name, value = child(declarator, "name"), named(declarator)[-1]
                    if name is not None:
                        scope.names[text_of(name)] = self.run_expression(value, scope)
            case "block":
                self.run_body(statement, scope)
            case "return_statement" | "local_function_statement" | "empty_statement":
                pass
            case _:
                self.note(scope, statement, statement.type.replace("_", " "), "is not run when the model is read")

    def note(self, scope: Scope, node: Node, construct: str, reason: str) -> None:
        self.model.diagnostics.append(
            Diagnostic(
                Severity.FALLBACK,
                construct,
                f"{reason}; the model is taken as it is without it",
                scope.source.place(node),
                "Configure the entities directly.",
            )
        )

    def run_expression(self, node: Node, scope: Scope) -> object:
        """Follows a call chain from builder to builder and returns the last one (None when it is not a builder)."""
        root, calls = call_chain(node)
        if root.type == "member_access_expression" or not calls:
            return scope.names.get(text_of(root))
        current: object = scope.names.get(text_of(root))
        if root.type == "base_expression" or text_of(root) == "base":
            self.base_call(calls[0], scope)
            return None
        if current is None:
            self.plain_call(root, calls, scope)
            return None
        for call in calls:
            current = self.dispatch(current, call, scope)
            if current is None:
                return None
        return current

    def base_call(self, call: Call, scope: Scope) -> None:
        owner = scope.near
        parent = self.compilation.base_of(owner) if owner is not None else None
        if parent is not None:
            for method in parent.methods:
                if method.name == call.name:
                    self.run_method(method, list(scope.names.values()))

    def plain_call(self, root: Node, calls: list[Call], scope: Scope) -> None:
        """`ConfigureOrders(modelBuilder)` or `new OrderConfig().Configure(builder)`: a method of the input is run."""
        call = calls[-1]
        values = [self.run_expression(a, scope) for a in call.arguments]
        if root.type == "object_creation_expression":
            made = child(root, "type")
            symbol = self.compilation.find_type(simple_name(made)) if made is not None else None
            owners = [symbol] if symbol is not None else []
        else:
            owners = self.compilation.ancestry(scope.near) if scope.near is not None else []
            owners += self.compilation.types.get(text_of(root), [])
        for owner in owners:
            for method in owner.methods:
                if method.name == call.name and any(v is not None for v in values):
                    self.run_method(method, values)
                    return

    def dispatch(self, builder: object, call: Call, scope: Scope) -> object:
        table = self.tables.get(type(builder), {})
        handler = table.get(call.name)
        if handler is not None:
            return handler(self, builder, call, scope)
        for method in self.compilation.extension_methods(call.name):
            self.run_method(method, [builder, *(self.run_expression(a, scope) for a in call.arguments)])
            return builder
        if call.name not in HARMLESS:
            self.unknown(builder, call, scope)
        return builder

    def unknown(self, builder: object, call: Call, scope: Scope) -> None:
        reason = f"{call.name} at {scope.source.place(call.node)} is not understood"
        if isinstance(builder, PropertyDraft | EntityDraft | ComplexDraft):
            builder.unsupported = builder.unsupported or reason
        elif isinstance(builder, RelationshipBuilder | DiscriminatorBuilder | NavigationBuilder):
            builder.entity.unsupported = builder.entity.unsupported or reason
        else:
            self.note(scope, call.node, call.name, "is not understood")

    def configure(self, builder: object, node: Node, scope: Scope) -> None:
        """Runs a nested `x => { ... }` with x bound to the builder."""
        parts = lambda_parts(node)
        if parts is not None:
            self.run_body(parts[1], Scope(scope.source, scope.near, {**scope.names, parts[0]: builder}))

    def apply_configuration(self, symbol: TypeSymbol) -> None:
        """`IEntityTypeConfiguration<T>`: runs Configure with the builder of T."""
        for base in symbol.bases:
            if simple_name(base) == "IEntityTypeConfiguration" and type_arguments(base):
                entity = self.conventions.entity(simple_name(type_arguments(base)[0]))
                for method in symbol.methods:
                    if method.name == "Configure":
                        self.run_method(method, [entity])


Handler = Callable[[FluentReader, object, Call, Scope], object]
