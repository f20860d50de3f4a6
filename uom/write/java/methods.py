"""One C# query method as one Java method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from uom.model.bundle import JavaRecord
from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Subquery
from uom.model.keys import keys_are_certain
from uom.model.program import QueryMethod, ResultShape, Semantics
from uom.model.queries import TERMINAL_CLASSES, Include, Pick
from uom.model.schema import Schema
from uom.model.types import SequenceType, Type, as_nullable
from uom.model.walk import walk
from uom.plan.captured import captured_pick
from uom.write.java.client import ClientContext
from uom.write.java.dictionaries import checked
from uom.write.java.draft import ClassDraft
from uom.write.java.records import argument_records
from uom.write.java.steps import Steps, asks
from uom.write.java.types import JavaModel, is_primitive
from uom.write.members import Members
from uom.write.names import fresh_name, java_method_name, java_parameter_name


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
        if isinstance(method.body, Subquery) and captured_pick(method.body) is None:
            queries.returns = True
            result = queries.query(method.body, context)
            type_: Type = query_type(method.body)
            if self._may_repeat_keys(method.body):
                queries.lines += self._checked(method.body, result, hint + "Row")
            else:
                queries.lines.append(f"return {result};")
            if method.body.query.element.nullable:
                type_ = as_nullable(type_)
        else:
            if method.result is ResultShape.DICTIONARY:
                raise Refusal("ToDictionary", "one of several dictionaries is returned", method.place, "Return rows.")
            type_ = self._stepwise(context)
        return_type = model.java_type(type_, imports, hint + "Row")
        head = _head(f"public {return_type} {name}", [" ".join(p) for p in parameters])
        lines = [*head, *(_indented(line) for line in queries.lines), "    }"]
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

    def _may_repeat_keys(self, body: Subquery) -> bool:
        """Whether C# could throw for a key that the rows have twice, or not at all."""
        is_dictionary = self.method.result is ResultShape.DICTIONARY
        return is_dictionary and not keys_are_certain(body.query, self.queries.schema)

    def _checked(self, body: Subquery, result: str, hint: str) -> list[str]:
        queries = self.queries
        java = queries.model.java_type(body.query.element, queries.draft.imports, hint)
        names = (queries.variable("entries"), queries.variable("keys"), queries.variable("entry"))
        return checked(body, result, java, names, queries.draft.imports)

    def _stepwise(self, context: ClientContext) -> Type:
        """A body around several round trips."""
        body, queries = self.method.body, self.queries
        if not asks(body):
            raise Refusal(self.method.name, "the method asks no database")
        Steps(queries.lines, queries.variable, queries.query, query_type, context, body).returned(body)
        return query_type(body) if isinstance(body, Subquery) else body.type


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


def _indented(text: str) -> str:
    """Statements at the depth of a method body; the lines of text blocks keep their distance to each other."""
    return "\n".join(f"        {line}" if line else "" for line in text.split("\n"))
