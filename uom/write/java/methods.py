"""One C# query method as one Java method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from uom.model.bundle import JavaRecord
from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Conditional, Expr, New, Parameter, Subquery
from uom.model.program import QueryMethod, Semantics
from uom.model.queries import TERMINAL_CLASSES, Include, Pick
from uom.model.schema import Schema
from uom.model.types import EntityType, SequenceType, Type, as_nullable
from uom.model.walk import children, walk
from uom.plan.captured import captured_pick, with_captured
from uom.write.java.client import ClientContext, client_expression
from uom.write.java.draft import ClassDraft
from uom.write.java.records import argument_records
from uom.write.java.types import JavaModel, is_primitive
from uom.write.members import Members
from uom.write.names import fresh_name, java_method_name, java_parameter_name, java_property_name


class QueryWriter(Protocol):
    """Writes the round trips of one method for one target.

    Expressions are returned; statements that they need first collect in `lines`. `fields` are the names of the query
    class's own fields, which no variable may hide.
    """

    draft: ClassDraft
    model: JavaModel
    schema: Schema
    semantics: Semantics
    lines: list[str]
    diagnostics: list[Diagnostic]
    variables: set[str]
    returns: bool

    @property
    def fields(self) -> frozenset[str]: ...

    def variable(self, hint: str) -> str: ...

    def query(self, node: Subquery, context: ClientContext) -> str: ...


def query_type(node: Subquery) -> Type:
    """The C# type of a round trip's result."""
    is_terminal = isinstance(node.query, TERMINAL_CLASSES)
    return node.query.element if is_terminal else SequenceType(node.query.element)


@dataclass(frozen=True, slots=True)
class MethodText:
    """A finished Java method."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    return_type: str
    lines: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    documentation: str
    records: tuple[tuple[str, JavaRecord], ...] = ()


@dataclass(frozen=True, slots=True)
class MethodWriter:
    """Writes one method; `queries` writes its round trips."""

    method: QueryMethod
    queries: QueryWriter

    def write(self) -> MethodText:
        """Raises Refusal when any part of the method has no certain meaning in Java."""
        method, queries = self.method, self.queries
        imports, model, taken = queries.draft.imports, queries.model, queries.draft.method_names
        name = fresh_name(java_method_name(method.name), taken)
        hint = name[0].upper() + name[1:]
        parameters = tuple(
            (model.java_type(p.type, imports, hint + "Argument"), java_parameter_name(p.name))
            for p in method.parameters
        )
        queries.variables = {parameter for _, parameter in parameters} | queries.fields
        context = ClientContext(
            imports,
            model,
            queries.semantics,
            hint + "Row",
            helpers=queries.draft.helpers,
            nullable=frozenset(p.name for p in method.parameters if p.type.nullable),
        )
        members = Members(queries.schema)
        for node in walk(method.body):
            if isinstance(node, Include):
                model.load(node.element.name, node.tree, members)
        body, context = self._asked_before(context)
        if isinstance(body, Subquery):
            queries.returns = True
            result = queries.query(body, context)
            type_: Type = query_type(body)
            if body.query.element.nullable:
                type_ = as_nullable(type_)
        else:
            result, type_ = self._computed(body, context)
        return_type = model.java_type(type_, imports, hint + "Row")
        head = _head(f"public {return_type} {name}", [" ".join(p) for p in parameters])
        statements = [*queries.lines, f"return {result};"]
        lines = [*head, *(_indented(line) for line in statements), "    }"]
        taken.add(name)
        return MethodText(
            name,
            parameters,
            return_type,
            tuple("\n".join(lines).split("\n")),
            tuple(queries.diagnostics),
            _documentation(method),
            argument_records([p.type for p in method.parameters], model, imports, hint + "Argument"),
        )

    def _asked_before(self, context: ClientContext) -> tuple[Expr, ClientContext]:
        """The body with variables in place of the rows that the C# fetched before, which are asked for first."""
        body = self.method.body
        while (node := captured_pick(body)) is not None:
            variable = self._local(node, _noun(node.query.element), context)
            if node.type.nullable:
                context = replace(context, nullable=context.nullable | {variable})
            body = with_captured(body, node, Parameter(variable, node.type))
        return body, context

    def _local(self, node: Subquery, noun: str, context: ClientContext) -> str:
        """Asks the database, into a variable."""
        queries, type_ = self.queries, query_type(node)
        text = queries.query(node, context)
        variable = queries.variable(noun)
        java = queries.model.java_type(type_, queries.draft.imports, context.hint)
        queries.lines.append(f"{java} {variable} = {text};")
        return variable

    def _computed(self, body: Expr, context: ClientContext) -> tuple[str, Type]:
        """A body around several round trips: each becomes a local variable first."""
        locals_: dict[Subquery, str] = {}
        for node in _round_trips(body):
            if node in locals_:
                continue
            locals_[node] = self._local(node, _field_name(body, node) or _noun(query_type(node)), context)
        if not locals_:
            raise Refusal(self.method.name, "the method asks no database")
        return client_expression(body, replace(context, locals=locals_)), body.type


def _head(method: str, parameters: list[str]) -> list[str]:
    """On one line, or with one parameter per line when that is too long."""
    flat = f"    {method}({', '.join(parameters)}) {{"
    if len(flat) <= 120:
        return [flat]
    *others, last = parameters
    return [f"    {method}(", *(f"            {p}," for p in others), f"            {last}) {{"]


def _documentation(method: QueryMethod) -> str:
    """Which C# method this is, and what comes of nothing where the type does not say it."""
    source = f"{{@code {method.id}}} of {method.place.file.rpartition('/')[2]}."
    query = method.body.query if isinstance(method.body, Subquery) else None
    if isinstance(query, Pick):
        nothing = "Null when there is none." if query.or_default else "Throws when there is none."
        if not (query.or_default and is_primitive(query.element)):
            source += f" {nothing}"
    return f"    /** {source} */"


def _field_name(body: Expr, node: Subquery) -> str:
    """The field that the query fills, if there is one: `new Page(items, total)`."""
    if not isinstance(body, New):
        return ""
    found = (f.name for f, arg in zip(body.type.fields, body.args, strict=True) if arg == node)
    return java_property_name(next(found, ""))


def _noun(type_: Type) -> str:
    if isinstance(type_, EntityType):
        return java_parameter_name(type_.name)
    return "items" if isinstance(type_, SequenceType) else "value"


def _round_trips(body: Expr) -> list[Subquery]:
    """The outermost sub-queries in the order of evaluation; none may hang on a condition, since all are run."""
    found: list[Subquery] = []

    def visit(node: object, conditional: bool) -> None:
        if isinstance(node, Subquery):
            if conditional and getattr(node.query, "or_default", True) is False:
                raise Refusal("?:", "a query that may fail is run only under a condition", node.place)
            found.append(node)
            return
        for child in children(node):  # type: ignore[arg-type]
            visit(child, conditional or isinstance(node, Conditional))

    visit(body, False)
    return found


def _indented(text: str) -> str:
    """Statements at the depth of a method body; the lines of text blocks keep their distance to each other."""
    return "\n".join(f"        {line}" if line else "" for line in text.split("\n"))
