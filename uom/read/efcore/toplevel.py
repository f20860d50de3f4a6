"""Queries among top-level statements: each variable that holds a result is read as a method of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from uom.model.diagnostics import Refusal
from uom.model.program import QueryMethod, RefusedMethod
from uom.model.schema import Schema
from uom.read.csharp.declarations import method_symbol
from uom.read.csharp.symbols import MethodSymbol, ParameterSymbol
from uom.read.csharp.syntax import SourceFile, child, descend, first_of, named, text_of
from uom.read.efcore.endpoints import top_level_statements
from uom.read.efcore.results import finish
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, World
from uom.read.efcore.statements import run_all
from uom.read.efcore.uses import Uses
from uom.read.efcore.values import Choice, Context, Opaque, Rows, Scalar, Struct, Value


def read_top_level(
    world: World, open_session: Callable[[World, Schema], Session], uses: Uses
) -> Iterator[QueryMethod | RefusedMethod]:
    """Query results among the top-level statements of all files; what asks without a result is refused."""
    for source, statements in top_level_statements(world.compilation):
        session = open_session(world, world.schemas[0])
        yield from _Script(session, source, statements, uses).read()


def _has_handler(statement: Node) -> bool:
    """Registers code that is read for itself (`app.MapGet(.., (ShopContext db) => ..)`)."""
    for node, _ in descend(statement):
        parameters = child(node, "parameters") if node.type == "lambda_expression" else None
        if parameters is not None and any(child(p, "type") is not None for p in named(parameters)):
            return True
    return False


def _holds(statement: Node) -> bool:
    """A declaration or an assignment: later statements show what becomes of it."""
    inner = named(statement)
    is_assignment = bool(inner) and inner[0].type == "assignment_expression"
    return statement.type == "local_declaration_statement" or is_assignment


def _is_unasked(value: Value | None) -> bool:
    if isinstance(value, Choice):
        return _is_unasked(value.then) or _is_unasked(value.otherwise)
    return isinstance(value, Rows) and not value.client and not value.local


class _Script:
    def __init__(self, session: Session, source: SourceFile, statements: list[Node], uses: Uses) -> None:
        self.session = session
        self.uses = uses
        self.source = source
        self.statements = statements
        self.scope = Scope(source)
        for node in source.root.named_children:
            inner = named(node)[0] if node.type == "global_statement" and named(node) else node
            if inner.type == "local_function_statement":
                symbol = method_symbol(source, inner, None)
                self.scope.functions[symbol.name] = symbol

    def read(self) -> Iterator[QueryMethod | RefusedMethod]:
        for index, statement in enumerate(self.statements):
            name = self.name_of(statement, index)
            before = dict(self.scope.names)
            self.session.diagnostics.clear()
            if _has_handler(statement):
                continue
            try:
                returned = run_all(self.session, [statement], self.scope)
                value = returned if returned is not None else self.assigned(statement, before)
            except Refusal as refusal:
                if statement.type == "foreach_statement":
                    yield from self.iterated(name, statement, refusal)
                elif self.mentions_query(statement):
                    yield self.refused(name, statement, refusal)
                continue
            except RecursionError:
                deep = Refusal(name, "the code is nested too deeply", None, "Split the statement.")
                yield self.refused(name, statement, deep)
                continue
            if value is None or not self.is_result(value, name, index):
                if statement.type == "foreach_statement":
                    yield from self.iterated(name, statement, self.dropped(name))
                elif not _holds(statement) and self.asks(statement):
                    yield self.refused(name, statement, self.dropped(name))
                continue
            method = self.finished(name, statement, value)
            if method is not None:
                yield method

    def iterated(self, name: str, loop: Node, refusal: Refusal) -> Iterator[QueryMethod | RefusedMethod]:
        """The query that a loop goes through; rows that were fetched before have their finding already."""
        right, body = child(loop, "right"), child(loop, "body")
        if right is None or body is None or self.asks(body):
            yield self.refused(name, loop, refusal)
        elif self.asks(right):
            try:
                value = self.session.eval(right, self.scope)
            except Refusal as inner:
                yield self.refused(name, loop, inner)
                return
            read = self.finished(name, loop, value)
            yield read if read is not None else self.refused(name, loop, refusal)

    def asks(self, node: Node) -> bool:
        """Whether code makes a query, or goes on with one that was not asked yet."""
        if any(_is_unasked(self.scope.find(text_of(n))) for n, _ in descend(node) if n.type == "identifier"):
            return True
        # what is known to be something else is no context, whatever its members are called
        known = {n: v for scope in self.scope.chain() for n, v in scope.names.items()}
        others = [n for n, v in known.items() if not isinstance(v, Context | Opaque)]
        given = tuple(ParameterSymbol(n, None, None, frozenset(), (), node) for n in others)
        code = MethodSymbol("", self.source, node, None, frozenset(), None, given, (), node)
        return self.uses.asks_anew(code)

    def dropped(self, name: str) -> Refusal:
        return Refusal(name, "what it reads is kept in no variable", None, "Assign what it reads to a variable.")

    def name_of(self, statement: Node, index: int) -> str:
        declaration = first_of(statement, "variable_declaration")
        declarator = first_of(declaration, "variable_declarator") if declaration is not None else None
        name = child(declarator, "name") if declarator is not None else None
        return text_of(name) if name is not None else f"Query{index + 1}"

    def assigned(self, statement: Node, before: dict[str, Value]) -> Value | None:
        """The value that the statement gave to a new variable; of a bare query, the query."""
        fresh = [v for n, v in self.scope.names.items() if n not in before]
        if fresh:
            return fresh[-1]
        if statement.type == "expression_statement" and self.mentions_query(statement):
            inner = named(statement)[0]
            return self.session.eval(inner, self.scope) if inner.type != "assignment_expression" else None
        return None

    def is_result(self, value: Value, name: str, index: int) -> bool:
        """Fetched rows and single values are; a query is when no later statement goes on with it."""
        if isinstance(value, Rows) and not value.client:
            later = self.statements[index + 1 :]
            used = any(n.type == "identifier" and text_of(n) == name for s in later for n, _ in descend(s))
            return not used and not value.local
        return isinstance(value, Rows | Scalar | Struct | Choice)

    def mentions_query(self, statement: Node) -> bool:
        return self.session.reads_rows(statement, self.scope) or any(
            text_of(n) in {s for e in self.session.schema.entities for s in e.set_names}
            for n, _ in descend(statement)
            if n.type == "identifier"
        )

    def finished(self, name: str, statement: Node, value: Value) -> QueryMethod | RefusedMethod | None:
        place = self.source.place(statement)
        try:
            result = finish(self.session, value, place)
        except Refusal as refusal:
            return self.refused(name, statement, refusal)
        if result is None:
            return None
        end = self.source.end_line(statement)
        notes = tuple(self.session.diagnostics)
        context = self.session.schema.context
        assumed = tuple(self.session.assumptions)
        body, shape, type_ = result.body, result.shape, result.type
        return QueryMethod(name, "", (), body, shape, type_, context, place, end, notes, assumptions=assumed)

    def refused(self, name: str, statement: Node, refusal: Refusal) -> RefusedMethod:
        place = self.source.place(statement)
        diagnostic = refusal.at(place).diagnostic
        end = self.source.end_line(statement)
        return RefusedMethod(name, "", self.session.schema.context, place, end, (diagnostic,))
