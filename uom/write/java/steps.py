"""A method with several round trips, statement by statement: what C# does not evaluate, Java does not evaluate either.

Each round trip becomes a local variable where C# makes it. What hangs on a condition stands in an `if`, so that the
branch that is not taken asks nothing, and cannot fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from uom.model.expressions import Coalesce, Conditional, Const, Expr, Logical, LogicalOp, New, Parameter, Subquery, Var
from uom.model.queries import Pick, Values
from uom.model.types import BOOL, EntityType, SequenceType, Type, as_nullable
from uom.model.walk import children, rebuild, walk
from uom.plan.captured import captured_pick, unnamed, with_captured
from uom.write.java.binding import is_list_test
from uom.write.java.client import ClientContext, client_expression
from uom.write.names import java_parameter_name, java_property_name

Ask = Callable[[Subquery, ClientContext], str]


@dataclass
class Steps:
    """Writes statements to `lines`; `ask` gives the Java expression of a round trip, after statements of its own."""

    lines: list[str]
    variable: Callable[[str], str]
    ask: Ask
    query_type: Callable[[Subquery], Type]
    context: ClientContext
    body: Expr
    results: dict[Subquery, str] = field(default_factory=dict)
    """The variables in scope that hold results of round trips."""

    def returned(self, node: Expr) -> None:
        """Statements that return the value."""
        if isinstance(node, Conditional) and (asks(node.then) or asks(node.otherwise)):
            test = self.text(node.test)
            with self.block(f"if ({test}) {{"):
                self.returned(node.then)
            self.returned(node.otherwise)
            return
        self.lines.append(f"return {self.last(node)};")

    def text(self, node: Expr) -> str:
        """The Java expression of a value, after the statements that it needs."""
        return client_expression(self.prepared(node), replace(self.context, locals=dict(self.results)))

    def last(self, node: Expr) -> str:
        """The same where the value goes right to its place: a round trip needs no variable of its own."""
        if isinstance(node, Subquery) and is_round_trip(node) and node not in self.results:
            return self.asking(node)
        return self.text(node)

    def prepared(self, node: Expr) -> Expr:
        """The expression with its round trips made, in the order of evaluation."""
        match node:
            case Subquery():
                if _is_empty(node):
                    self.results[node] = f"{self.context.imports.use('java.util.List')}.of()"
                elif is_round_trip(node) and node not in self.results:
                    self.results[node] = self.asked(node)
                return node
            case Conditional() if asks(node.then) or asks(node.otherwise):
                return self.chosen(node)
            case Logical(op=LogicalOp.AND | LogicalOp.OR) if asks(node.right):
                known = Const(node.op is LogicalOp.OR, BOOL)
                both = node.op is LogicalOp.AND
                then, otherwise = (node.right, known) if both else (known, node.right)
                return self.chosen(Conditional(node.left, then, otherwise, BOOL, node.place))
            case Coalesce() if asks(node.right):
                return self.replaced(node)
        return rebuild(node, self.prepared)

    def asked(self, node: Subquery) -> str:
        """Asks the database, into a variable."""
        type_ = self.query_type(node)
        text = self.asking(node)
        variable = self.variable(_field_name(self.body, node) or _noun(type_))
        self.lines.append(f"{self.java(type_)} {variable} = {text};")
        return variable

    def asking(self, node: Subquery) -> str:
        """The Java expression of a round trip, after those for the rows that C# fetched before it."""
        while (pick := captured_pick(node)) is not None:
            variable = self.fetched(pick)
            if pick.type.nullable:
                self.context = replace(self.context, nullable=self.context.nullable | {variable})
            node = with_captured(node, pick, Parameter(variable, pick.type))
        return self.ask(node, self.context)

    def fetched(self, pick: Subquery) -> str:
        """The variable with the row, which may have been asked for when it was looked whether there is one."""
        for node, variable in self.results.items():
            if isinstance(node.query, Pick) and unnamed(_must_find(node)) == unnamed(pick):
                return variable
        self.results[pick] = self.asked(pick)
        return self.results[pick]

    def chosen(self, node: Conditional) -> Var:
        """`T value; if (test) { value = ..; } else { value = ..; }`"""
        test = self.text(node.test)
        variable = self.variable("chosen")
        self.lines.append(f"{self.java(node.type)} {variable};")
        for head, way in ((f"if ({test}) {{", node.then), ("else {", node.otherwise)):
            with self.block(head):
                self.lines.append(f"{variable} = {self.last(way)};")
        return Var(variable, node.type, node.place)

    def replaced(self, node: Coalesce) -> Var:
        """`T value = left; if (value == null) { value = right; }`"""
        text = self.text(node.left)
        variable = self.variable("found")
        self.lines.append(f"{self.java(as_nullable(node.type))} {variable} = {text};")
        with self.block(f"if ({variable} == null) {{"):
            self.lines.append(f"{variable} = {self.last(node.right)};")
        return Var(variable, node.type, node.place)

    def java(self, type_: Type) -> str:
        return self.context.model.java_type(type_, self.context.imports, self.context.hint)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Statements inside braces; results that are asked for there are not known after it."""
        known, start = dict(self.results), len(self.lines)
        yield
        inside = self.lines[start:]
        del self.lines[start:]
        indented = [f"    {line}" if line else "" for text in inside for line in text.split("\n")]
        text = "\n".join([head, *indented, "}"])
        if head.startswith("else") and self.lines:
            self.lines[-1] += f" {text}"
        else:
            self.lines.append(text)
        self.results = known


def _must_find(node: Subquery) -> Subquery:
    """`FirstOrDefault` as `First`."""
    assert isinstance(node.query, Pick)
    element = as_nullable(node.query.element, False)
    return replace(node, query=replace(node.query, or_default=False, element=element), type=element)


def asks(node: Expr) -> bool:
    """Whether the value needs the database."""
    return any(isinstance(n, Subquery) and is_round_trip(n) for n in walk(node))


def is_round_trip(node: Subquery) -> bool:
    return not is_list_test(node) and not _is_empty(node)


def _is_empty(node: Subquery) -> bool:
    """`new List<int>()`."""
    return isinstance(node.query, Values) and not node.query.items


def may_stay_silent(node: Expr) -> bool:
    """Whether C# gets a value without asking, for some arguments."""
    match node:
        case Subquery():
            return not is_round_trip(node)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return may_stay_silent(test) and (may_stay_silent(then) or may_stay_silent(otherwise))
        case Logical(left=left) if node.op is not LogicalOp.XOR:
            return may_stay_silent(left)
        case Coalesce(left=left):
            return may_stay_silent(left)
    return all(may_stay_silent(part) for part in children(node))  # type: ignore[arg-type]


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
