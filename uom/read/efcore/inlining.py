"""Methods of the input, delegates and lambdas, inlined where they are called."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.types import (
    Type,
)
from uom.read.csharp.symbols import MethodSymbol
from uom.read.csharp.syntax import text_of
from uom.read.efcore.binding import bind, chosen, evaluated, infer
from uom.read.efcore.lowering import coerce
from uom.read.efcore.memory import runs_in_memory
from uom.read.efcore.names import arguments_for
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, Session, depends_on_row
from uom.read.efcore.values import (
    NOTHING,
    Argument,
    Choice,
    Closure,
    Context,
    Instance,
    MethodGroup,
    Nothing,
    Opaque,
    Rows,
    Scalar,
    Value,
)


def call_methods(
    session: Session,
    name: str,
    group: MethodGroup,
    arguments: Sequence[Argument],
    explicit: Sequence[Type | None],
    node: Node,
    scope: Scope,
) -> Value:
    """A method of the input, inlined: its parameters become the arguments' values."""
    place = session.place(node, scope)
    method = chosen(session, group.methods, arguments, f"{name}()", place)
    assert method.body is not None
    own = _method_scope(session, method, group)
    types: dict[str, Type | None] = {}
    with session.calling(method, place):
        for parameter in method.parameters:
            types[parameter.name] = None if method.type_parameters else session.resolve(parameter.type_node, own)
        values = bind(session, method.parameters, arguments, own, types, f"{name}()", place)
        if method.type_parameters:
            own.type_arguments = {**own.type_arguments, **infer(session, method, values, explicit)}
            for parameter in method.parameters:
                values[parameter.name] = coerce(values[parameter.name], session.resolve(parameter.type_node, own))
        own.names.update(values)
        own.parameters = frozenset(values)
        with _as_client_code(session, method, group, values, place):
            result = run_method(session, method, own)
            if session.fetched is not None:
                runs_in_memory(session, result, place)
        return coerce(result, session.resolve(method.return_node, own))


def run_method(session: Session, method: MethodSymbol, own: Scope) -> Value:
    assert method.body is not None
    expected = session.resolve(method.return_node, own)
    if method.body.type != "block":
        return session.eval_as(method.body, own, expected)
    session.return_types.append(expected)
    try:
        return session.tables.run(session, method.body, own)
    finally:
        session.return_types.pop()


def _method_scope(session: Session, method: MethodSymbol, group: MethodGroup) -> Scope:
    if group.scope is not None:
        outer = group.scope
        return outer.inner()
    this = group.receiver
    if method.is_static and not isinstance(this, Context | Instance):
        this = None
    arguments = arguments_for(session, method.owner, this) if method.owner is not None else {}
    return Scope(method.source, method.owner, this, type_arguments=arguments)


def _as_client_code(
    session: Session, method: MethodSymbol, group: MethodGroup, values: dict[str, Value], place: Place
) -> AbstractContextManager[None]:
    """A method called on a row is C# to EF Core: only the final projection may have it, and it sees loaded data only."""
    given = [group.receiver, *values.values()]
    on_row = any(isinstance(v, Scalar) and depends_on_row(v.expr) for v in given) or any(
        isinstance(v, Rows) and depends_on_row(v.query) for v in given
    )
    if not on_row or session.position is Position.STATEMENT:
        return session.at(session.position, session.fetched)
    session.client_only(f"{method.name}()", place, "Write the expression itself instead of the call.")
    return session.at(session.position, session.fetched or Fetched("", session.row_includes))


def call_value(session: Session, target: Value, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """A delegate, an expression variable, a compiled query."""
    place = session.place(node, scope)
    if isinstance(target, MethodGroup):
        return call_methods(session, target.methods[0].name, target, arguments, [], node, scope)
    if isinstance(target, Closure):
        values = [evaluated(session, a) for a in arguments]
        values = values[: len(target.parameters)]
        return apply(session, target, values, place)
    if isinstance(target, Nothing):
        return NOTHING
    if isinstance(target, Opaque):
        raise target.refusal().at(place)
    raise Refusal("call", f"'{text_of(node)[:60]}' cannot be called", place, "Call a method.")


def apply(session: Session, function: Value, values: Sequence[Value], place: Place | None) -> Value:
    """The body of a lambda, or of a method used as one, for these arguments."""
    if isinstance(function, MethodGroup):
        method = next((m for m in function.methods if len(m.parameters) == len(values) and m.body is not None), None)
        if method is None:
            raise Refusal(function.methods[0].name, "no overload fits here", place, "Write a lambda.")
        arguments = [Argument(None, method.node, Scope(method.source), v) for v in values]
        return call_methods(session, method.name, function, arguments, [], method.node, Scope(method.source))
    if isinstance(function, Choice):
        return Choice(
            function.test,
            apply(session, function.then, values, place),
            apply(session, function.otherwise, values, place),
        )
    if isinstance(function, Opaque):
        raise function.refusal().at(place)
    if not isinstance(function, Closure):
        raise Refusal("lambda", "a lambda is expected here", place, "Write a lambda.")
    if len(function.parameters) != len(values):
        raise Refusal("lambda", f"it should take {len(values)} parameters", place, "Check the overload.")
    inner = function.scope.inner(is_lambda=True)
    for (name, type_node), value in zip(function.parameters, values, strict=True):
        declared = session.resolve(type_node, function.scope) if type_node is not None else None
        inner.names[name] = coerce(value, declared)
    if function.body.type == "block":
        return session.tables.run(session, function.body, inner)
    return session.eval(function.body, inner)
