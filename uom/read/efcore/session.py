"""The state of reading one query method, and the few operations that every part of the reader needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum

from tree_sitter import Node

from uom.model.diagnostics import Diagnostic, Place, Refusal, Severity
from uom.model.expressions import Expr, Var
from uom.model.program import Assumption
from uom.model.queries import IncludeNode, Query, Related, Scan
from uom.model.schema import Entity, Schema
from uom.model.types import Type
from uom.model.walk import Node as ModelNode
from uom.model.walk import free_variables, walk
from uom.read.csharp.precedence import Match, Operand
from uom.read.csharp.symbols import Compilation, MethodSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import descend, text_of
from uom.read.csharp.types import TypeResolver
from uom.read.efcore.naming import nearest
from uom.read.efcore.scope import Scope
from uom.read.efcore.values import Argument, Choice, Context, Opaque, Rows, Scalar, Struct, Value

MAX_CALLS = 40
"""Deepest chain of helper methods that is followed."""
MAX_CHOICES = 64
"""Most combinations of run-time decisions that one method may multiply into."""


class Position(Enum):
    """Where an expression stands: EF Core runs C# only in the last projection, and on rows already fetched."""

    STATEMENT = "statement"
    SERVER = "server"
    PROJECTION = "projection"


class Throws(Refusal):
    """Code that always throws: refused, unless it is one of several ways that the method may take."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows in memory that a lambda runs over: which navigations are loaded, starting from which variable.

    `outer`: those that a lambda around it runs over.
    """

    root: str
    includes: tuple[IncludeNode, ...]
    outer: Fetched | None = None

    def loaded(self, root: str) -> tuple[IncludeNode, ...]:
        """What is loaded with the rows of a variable."""
        current: Fetched | None = self
        while current is not None:
            if current.root in ("", root):
                return current.includes
            current = current.outer
        return ()


ExpressionHandler = Callable[["Session", Node, Scope], Value]
StaticCall = Callable[["Session", Sequence[Argument], Node, Scope], Value]
QueryOperator = Callable[["Session", Rows, Sequence[Argument], Node, Scope], Value]
ContextCall = Callable[["Session", Node, Sequence[Argument], Node, Scope], Value]
InstanceCall = Callable[["Session", Scalar, Sequence[Argument], Node, Scope], Value]


@dataclass(frozen=True)
class Tables:
    """Who reads what: handlers by syntax node type, query operators and functions by name."""

    expressions: Mapping[str, ExpressionHandler]
    operators: Mapping[str, QueryOperator]
    statics: Mapping[tuple[str, str], StaticCall]
    instances: Mapping[tuple[str, str], InstanceCall]
    members: Mapping[tuple[str, str], Callable[[Session, Scalar, Node, Scope], Value]]
    static_members: Mapping[tuple[str, str], Callable[[], Scalar]]
    context_calls: Mapping[str, ContextCall]
    member: Callable[[Session, Value, str, Node, Scope], Value]
    """`value.name`."""
    run: Callable[[Session, Node, Scope], Value]
    """Runs the block of an inlined method and gives what it returns."""
    matches: Callable[[Session, Match, Scope], Value]
    """`subject is pattern`."""
    operand: Callable[[Session, Operand, Scope], Value]
    """An operand of a condition that had to be grouped anew."""


@dataclass(frozen=True)
class World:
    """The whole input: the same for every method."""

    compilation: Compilation
    schemas: tuple[Schema, ...]
    tables: Tables
    annotations: bool
    contexts: Mapping[str, str]
    """Class or interface name of a context -> name of its schema."""
    services: Mapping[str, TypeSymbol]
    """Repositories and the like: class or interface name -> the class with the code."""
    readers: frozenset[str]
    """Names of methods that read from a context, directly or through others."""
    unusable: Mapping[tuple[str, str], Diagnostic] = field(default_factory=dict)
    """(schema, entity) pairs with a query filter that is not understood."""


@dataclass
class Session:
    world: World
    schema: Schema
    resolver: TypeResolver
    diagnostics: list[Diagnostic] = field(default_factory=list)
    position: Position = Position.STATEMENT
    fetched: Fetched | None = None
    lifted: Expr | None = None
    """What stands left of the `?.` being read: null is allowed there, as it is nowhere else in memory."""
    lifts_all: bool = False
    """The members being read belong to a property pattern, of which each may be null."""
    in_hand: set[Query] = field(default_factory=set)
    """The rows that the method took one entity from: its members are read in memory, wherever that is written."""
    row_includes: tuple[IncludeNode, ...] = ()
    """What is loaded with the rows of the projection being read, for C# that is called on them."""
    dictionaries: dict[Query, Place] = field(default_factory=dict)
    """What fills dictionaries whose keys may be missing or come twice, which C# notices when it fills them."""
    assumptions: dict[Assumption, None] = field(default_factory=dict)
    """What C# in memory needs the database to mean, too."""
    client_marks: list[tuple[str, Place | None]] = field(default_factory=list)
    """C# that EF Core would run on the client, met in the projection being read."""
    calls: list[tuple[MethodSymbol, Place]] = field(default_factory=list)
    captured: set[str] = field(default_factory=set)
    """Variables that a query's lambda has already read: assigning them later would change that query."""
    taken: dict[str, int] = field(default_factory=dict)
    return_types: list[Type | None] = field(default_factory=list)
    """Declared result types of the methods being read, innermost last."""
    constructed: set[str] = field(default_factory=set)
    """Classes whose objects a projection made by calling a constructor."""
    checked: bool = False
    """Whether the code being read stands in `checked`, where a number out of range throws."""
    after: tuple[Node, ...] | None = ()
    """Statements that follow the one being run, in all blocks around it; None inside a loop."""
    evaluating: set[str] = field(default_factory=set)
    """Members whose value is being worked out, to notice cycles."""
    targets: dict[int, Type] = field(default_factory=dict)
    """Types expected at syntax nodes, for `new()`, `[..]` and `default`."""

    @property
    def compilation(self) -> Compilation:
        return self.world.compilation

    @property
    def tables(self) -> Tables:
        return self.world.tables

    # -- evaluating --------------------------------------------------------------------------------------------

    def eval(self, node: Node, scope: Scope) -> Value:
        handler = self.tables.expressions.get(node.type)
        if handler is None:
            raise Refusal(
                node.type.replace("_", " "),
                f"'{text_of(node)[:60]}' is not supported in a query",
                self.place(node, scope),
                "Rewrite it with plain operators.",
            )
        return handler(self, node, scope)

    def eval_as(self, node: Node, scope: Scope, target: Type | None) -> Value:
        """Evaluates where a type is expected: an initialiser, an argument, a returned value."""
        if target is not None:
            self.targets[node.id] = target
        return self.eval(node, scope)

    def target_of(self, node: Node) -> Type | None:
        return self.targets.get(node.id)

    def place(self, node: Node, scope: Scope) -> Place:
        return scope.source.place(node)

    def resolve(self, node: Node | None, scope: Scope) -> Type | None:
        """The type a syntax node denotes; None for `var`, `object` and types outside the input."""
        if node is None or node.type == "implicit_type":
            return None
        return self.resolver.resolve(node, scope.owner, scope.type_arguments)

    def find_type(self, name: str, scope: Scope) -> TypeSymbol | None:
        return self.compilation.find_type(name, scope.owner)

    def context_called(self, name: str, scope: Scope, place: Place) -> Value:
        """A context by its class or interface. Raises Refusal for another one than the method is read against."""
        known = self.world.contexts.get(name)
        if known is not None and known != self.schema.context:
            reason = f"the method reads from {self.schema.context} too, and what is translated reads from one context"
            raise Refusal(name, reason, place, "Read from each context in a method of its own.")
        return Context(self.schema, self.find_type(name, scope))

    # -- variables ---------------------------------------------------------------------------------------------

    def fresh(self, name: str, type_: Type, place: Place | None = None) -> Var:
        """A variable whose name no other variable of this method has."""
        base = name if name.strip("_") else "row"
        base = base.removeprefix("@")
        count = self.taken.get(base, 0) + 1
        self.taken[base] = count
        unique = base if count == 1 else f"{base}{count}"
        if count > 1 and unique in self.taken:
            return self.fresh(name, type_, place)
        self.taken.setdefault(unique, 1)
        return Var(unique, type_, place)

    def capture(self, name: str) -> None:
        if self.position is not Position.STATEMENT:
            self.captured.add(name)

    # -- context of evaluation ---------------------------------------------------------------------------------

    @contextmanager
    def at(self, position: Position, fetched: Fetched | None) -> Iterator[None]:
        """Evaluates somewhere else: in a predicate, a projection, over rows that are in memory."""
        before = (self.position, self.fetched, self.lifted, self.lifts_all)
        if fetched is not None and fetched is not self.fetched and fetched.outer is None:
            fetched = replace(fetched, outer=self.fetched)
        self.position, self.fetched, self.lifted, self.lifts_all = position, fetched, None, False
        try:
            yield
        finally:
            self.position, self.fetched, self.lifted, self.lifts_all = before

    @contextmanager
    def lifting(self, value: Value | None) -> Iterator[None]:
        """Reads what follows `value?.`, or the members in a property pattern (None)."""
        before = (self.lifted, self.lifts_all)
        self.lifted = value.expr if isinstance(value, Scalar) else None
        self.lifts_all = value is None
        try:
            yield
        finally:
            self.lifted, self.lifts_all = before

    @contextmanager
    def overflow(self, checked: bool) -> Iterator[None]:
        """Reads code in `checked` or `unchecked`; what is called from there is not in it."""
        before, self.checked = self.checked, checked
        try:
            yield
        finally:
            self.checked = before

    @contextmanager
    def calling(self, method: MethodSymbol, place: Place) -> Iterator[None]:
        if any(m is method or m.node == method.node for m, _ in self.calls):
            raise Refusal(f"{method.name}()", "the method calls itself", place, "Translate the recursion by hand.")
        if len(self.calls) >= MAX_CALLS:
            raise Refusal(f"{method.name}()", "helper methods are nested too deeply", place, "Inline some of them.")
        self.calls.append((method, place))
        try:
            with self.overflow(False):
                yield
        finally:
            self.calls.pop()

    def choose(self, then: Value, otherwise: Value, place: Place | None, construct: str) -> None:
        """Checks that decisions left to run time do not multiply without end."""
        if _leaves(then) + _leaves(otherwise) > MAX_CHOICES:
            raise Refusal(construct, "too many combinations of conditions", place, "Split the method.")

    # -- the model ---------------------------------------------------------------------------------------------

    def entity(self, name: str, place: Place | None) -> Entity:
        found = self.schema.find_entity(name)
        if found is not None:
            self._check_usable(found, place)
            return found
        if self.compilation.is_ambiguous(name):
            raise Refusal(f"class {name}", "it is declared more than once", place, "Remove or rename one of them.")
        hint = nearest(name, [e.name for e in self.schema.entities])
        raise Refusal(name, f"there is no entity of this name in the model{hint}", place, "Add its class to the input.")

    def _check_usable(self, entity: Entity, place: Place | None) -> None:
        """Refuses entities of which not all rows may be seen, for a reason that is not understood."""
        current: Entity | None = entity
        while current is not None:
            problem = self.world.unusable.get((self.schema.context, current.name))
            if problem is not None:
                raise Refusal(
                    f"HasQueryFilter of {current.name}",
                    f"the filter is not understood ({problem.construct}: {problem.reason}), at {problem.place}",
                    place,
                    problem.remedy,
                )
            current = self.schema.find_entity(current.base) if current.base else None

    # -- what depends on the database --------------------------------------------------------------------------

    def touches_rows(self, node: ModelNode) -> bool:
        """Whether the value depends on rows of the database."""
        return any(isinstance(n, Scan | Related) for n in walk(node))

    def reads_rows(self, node: Node, scope: Scope) -> bool:
        """Whether code mentions a query, a context, or a method that reads from one."""
        for inner, _ in descend(node):
            if inner.type == "identifier":
                name = text_of(inner).removeprefix("@")
                value = scope.find(name)
                if value is None and name in self.world.readers:
                    return True
                if value is not None and self._is_data(value):
                    return True
                if value is None and self._is_context_member(name, scope):
                    return True
        return False

    def _is_data(self, value: Value) -> bool:
        match value:
            case Rows(local=local):
                return not local
            case Context():
                return True
            case Choice(then=then, otherwise=otherwise):
                return self._is_data(then) or self._is_data(otherwise)
            case Scalar(expr=expr):
                return self.touches_rows(expr)
            case Struct(fields=fields):
                return any(self._is_data(v) for _, v in fields)
        return False

    def _is_context_member(self, name: str, scope: Scope) -> bool:
        owner = scope.owner
        if owner is None:
            return False
        member = self.compilation.member(owner, name)
        node = member.type_node if member is not None else None
        if node is None:
            node = next((p.type_node for p in owner.primary or () if p.name == name), None)
        return node is not None and simple_name(node) in (*self.world.contexts, "DbContext", "DbSet")

    # -- talking -----------------------------------------------------------------------------------------------

    def note(self, severity: Severity, construct: str, reason: str, place: Place | None, remedy: str = "") -> None:
        diagnostic = Diagnostic(severity, construct, reason, place, remedy)
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def dropped_check(self, condition: Expr, place: Place | None) -> None:
        """Code that throws for some arguments is left out; code that throws for some rows is refused."""
        if self.touches_rows(condition) or depends_on_row(condition):
            raise Refusal("throw", "the method throws depending on the data", place, "Return a value instead.")
        self.note(
            Severity.LOSS, "throw", "the check of the arguments is dropped", place, "Check them in the calling code."
        )

    def client_only(self, construct: str, place: Place | None, remedy: str) -> None:
        """Records C# that only the client can run; refuses it where the database would have to."""
        if self.position is Position.SERVER:
            raise Refusal(construct, "EF Core cannot translate it here and throws when it runs", place, remedy)
        if self.position is Position.PROJECTION:
            self.client_marks.append((construct, place))

    def runs_on_client(self, construct: str, operand: Expr, place: Place | None) -> None:
        """The same for a method that is called on what may be null: there C# throws, and the database would not."""
        self.client_only(construct, place, "Leave it to the code that uses the rows.")
        if self.position is Position.PROJECTION and operand.type.nullable:
            raise Refusal(
                construct,
                "EF Core runs it as C# on the rows, where it throws for a null",
                place,
                "Test for null first, or select the value and change it afterwards.",
            )


def _leaves(value: Value) -> int:
    return _leaves(value.then) + _leaves(value.otherwise) if isinstance(value, Choice) else 1


def depends_on_row(node: ModelNode) -> bool:
    return bool(free_variables(node))


def unknown(
    name: str,
    place: Place | None,
    reason: str = "it is not declared in the input",
    remedy: str = "Add its declaration to the input.",
) -> Opaque:
    return Opaque(name, reason, place, "Correct the name." if "did you mean" in reason else remedy)
