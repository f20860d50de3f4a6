"""Invocations: query operators, functions of the library, and methods of the input, which are inlined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const
from uom.model.queries import Elements
from uom.model.types import (
    STRING,
    ComplexType,
    EntityType,
    EnumType,
    GroupingType,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
)
from uom.read.csharp.symbols import MethodSymbol
from uom.read.csharp.syntax import child, first_of, named, text_of
from uom.read.csharp.types import type_arguments
from uom.read.efcore.binding import assigned, evaluated
from uom.read.efcore.creation import arguments_of
from uom.read.efcore.extensions import receives
from uom.read.efcore.inlining import call_methods, call_value
from uom.read.efcore.lowering import as_rows, to_scalar
from uom.read.efcore.members import lifted, member
from uom.read.efcore.names import canonical_type, methods_of
from uom.read.efcore.refused import UNTRANSLATABLE
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.values import (
    NOTHING,
    Argument,
    Choice,
    Closure,
    Context,
    Instance,
    MethodGroup,
    Opaque,
    Rows,
    Scalar,
    Struct,
    TypeName,
    Value,
)


def invocation(session: Session, node: Node, scope: Scope) -> Value:
    function = child(node, "function")
    arguments = arguments_of(child(node, "arguments"), scope)
    place = session.place(node, scope)
    if function is None:
        raise Refusal("call", f"'{text_of(node)[:60]}' is not understood", place)
    while function.type in ("parenthesized_expression",) and named(function):
        function = named(function)[0]
    if function.type in ("identifier", "generic_name"):
        return _unqualified(session, function, arguments, node, scope)
    if function.type == "member_access_expression":
        target_node, name_node = child(function, "expression"), child(function, "name")
        if target_node is not None and name_node is not None:
            target = session.eval(target_node, scope)
            return call_member(session, target, name_node, arguments, node, scope)
    if function.type == "conditional_access_expression":
        return _conditional_call(session, function, arguments, node, scope)
    if function.type == "member_binding_expression":
        bound, name_node = scope.find("?."), child(function, "name")
        if bound is not None and name_node is not None:
            return call_member(session, bound, name_node, arguments, node, scope)
    return call_value(session, session.eval(function, scope), arguments, node, scope)


def _conditional_call(
    session: Session, function: Node, arguments: Sequence[Argument], node: Node, scope: Scope
) -> Value:
    """`a?.M(x)`."""
    condition = child(function, "condition")
    binding = named(function)[-1]
    name = child(binding, "name")
    if condition is None or name is None or binding.type != "member_binding_expression":
        raise Refusal("?.", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    target = session.eval(condition, scope)
    if isinstance(target, Closure | MethodGroup) and text_of(name) == "Invoke":
        return call_value(session, target, arguments, node, scope)
    with session.lifting(target):
        return lifted(call_member(session, target, name, arguments, node, scope), target)


def _unqualified(session: Session, function: Node, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    name = text_of(function.named_children[0] if function.type == "generic_name" else function)
    if name == "nameof" and arguments:
        return Scalar(Const(text_of(arguments[0].node).split(".")[-1].rstrip("!"), STRING), STRING)
    explicit = [session.resolve(a, scope) for a in type_arguments(function)] if function.type == "generic_name" else []
    if isinstance(scope.this, Context) and name == "Set":
        return session.tables.context_calls["Set"](session, function, arguments, node, scope)
    target = session.eval(function, scope)
    if isinstance(target, MethodGroup):
        return call_methods(session, name, target, arguments, explicit, node, scope)
    if isinstance(target, Opaque) and name in RESPONSES:
        return response(session, name, arguments, node, scope)
    return call_value(session, target, arguments, node, scope)


def call_member(
    session: Session, target: Value, name_node: Node, arguments: Sequence[Argument], node: Node, scope: Scope
) -> Value:
    """`target.Name(arguments)`."""
    generic = name_node.type == "generic_name"
    name = text_of(name_node.named_children[0] if generic else name_node)
    explicit = [session.resolve(a, scope) for a in type_arguments(name_node)] if generic else []
    if name in ("ConfigureAwait", "WithCancellation", "AsTask"):
        return target
    if isinstance(target, Choice):
        return Choice(
            target.test,
            call_member(session, target.then, name_node, arguments, node, scope),
            call_member(session, target.otherwise, name_node, arguments, node, scope),
        )
    if isinstance(target, Context):
        return _call_context(session, target, name, name_node, arguments, explicit, node, scope)
    if isinstance(target, TypeName):
        return _call_static(session, target, name, name_node, arguments, explicit, node, scope)
    if isinstance(target, Instance):
        methods = methods_of(session, target.symbol, name)
        if methods:
            return call_methods(session, name, MethodGroup(methods, target), arguments, explicit, node, scope)
    if isinstance(target, Closure | MethodGroup) and name in ("Invoke", "Compile"):
        compiled = Closure(target.parameters, target.body, target.scope) if isinstance(target, Closure) else target
        return compiled if name == "Compile" else call_value(session, target, arguments, node, scope)
    if isinstance(target, Opaque):
        known = member(session, target, name, name_node, scope)
        if not isinstance(known, Opaque):
            return call_value(session, known, arguments, node, scope)
    return _call_on_value(session, target, name, name_node, arguments, explicit, node, scope)


def _call_on_value(
    session: Session,
    target: Value,
    name: str,
    name_node: Node,
    arguments: Sequence[Argument],
    explicit: Sequence[Type | None],
    node: Node,
    scope: Scope,
) -> Value:
    """An operator on rows, a function of a value, a method of its class, or an extension method of the input."""
    place = session.place(name_node, scope)
    own = _own_methods(session, target, name, scope)
    if own:
        return call_methods(session, name, MethodGroup(own, target), arguments, explicit, node, scope)
    extensions = _extensions(session, target, name, arguments)
    if extensions:
        receiver = Argument(None, node, scope, target)
        return call_methods(
            session, name, MethodGroup(tuple(extensions)), [receiver, *arguments], explicit, node, scope
        )
    if isinstance(target, Opaque):
        if target.construct in ("Database", "ChangeTracker") and name not in UNTRANSLATABLE:
            return NOTHING
        reason, remedy = UNTRANSLATABLE.get(name, (target.reason, target.remedy))
        raise Refusal(name if name in UNTRANSLATABLE else target.construct, reason, target.place or place, remedy)
    if isinstance(target, Rows) or (isinstance(target, Scalar) and _is_sequence(target)):
        return call_operator(session, as_rows(target, place), name, name_node, arguments, node, scope)
    value = to_scalar(target, place, name)
    handler = session.tables.instances.get((receiver_kind(value), name)) or session.tables.instances.get(("", name))
    if handler is None:
        raise Refusal(
            f"{name}()",
            f"the method of {receiver_kind(value) or 'this type'} is not supported",
            place,
            "Rewrite it with supported functions.",
        )
    return handler(session, value, arguments, name_node, scope)


def receiver_kind(value: Scalar) -> str:
    type_ = value.static
    if isinstance(type_, ScalarType):
        return type_.kind.value
    return "enum" if isinstance(type_, EnumType) else ""


def _is_sequence(value: Scalar) -> bool:
    return isinstance(value.static, SequenceType | GroupingType)


def _own_methods(session: Session, target: Value, name: str, scope: Scope) -> tuple[MethodSymbol, ...]:
    """Methods that the class of an entity, DTO or value declares itself."""
    class_name = None
    if isinstance(target, Struct):
        class_name = target.name
    elif isinstance(target, Scalar) and isinstance(target.static, EntityType | RecordType | ComplexType):
        class_name = target.static.name
    symbol = session.find_type(class_name, scope) if class_name else None
    return methods_of(session, symbol, name) if symbol is not None else ()


def _extensions(session: Session, target: Value, name: str, arguments: Sequence[Argument]) -> list[MethodSymbol]:
    """Extension methods of the input whose `this` fits the receiver."""
    found = []
    for method in session.compilation.extension_methods(name):
        receiver = Argument(None, method.node, Scope(method.source), target)
        if assigned(method.parameters, [receiver, *arguments]) is not None and receives(session, method, target):
            found.append(method)
    return found


def call_operator(
    session: Session,
    rows: Rows,
    name: str,
    name_node: Node,
    arguments: Sequence[Argument],
    _node: Node,
    scope: Scope,
) -> Value:
    """A LINQ or EF Core operator by name."""
    place = session.place(name_node, scope)
    refused = UNTRANSLATABLE.get(name)
    if refused is not None:
        raise Refusal(name, refused[0], place, refused[1])
    if isinstance(rows.query, Elements) and session.fetched is not None and not rows.local:
        rows = replace(rows, client=True)  # a group or a list in a row that is in memory is there, too
    operator = session.tables.operators.get(name)
    if operator is None:
        raise Refusal(
            name, "this operator is not known", place, "Add the extension method to the input, or rewrite it."
        )
    return operator(session, rows, arguments, name_node, scope)


def _call_context(
    session: Session,
    target: Context,
    name: str,
    name_node: Node,
    arguments: Sequence[Argument],
    explicit: Sequence[Type | None],
    node: Node,
    scope: Scope,
) -> Value:
    if target.symbol is not None:
        methods = methods_of(session, target.symbol, name)
        if methods:
            return call_methods(session, name, MethodGroup(methods, target), arguments, explicit, node, scope)
    handler = session.tables.context_calls.get(name)
    if handler is not None:
        return handler(session, name_node, arguments, node, scope)
    extensions = _extensions(session, target, name, arguments)
    if extensions:
        receiver = Argument(None, node, scope, target)
        group = MethodGroup(tuple(extensions))
        return call_methods(session, name, group, [receiver, *arguments], explicit, node, scope)
    place = session.place(name_node, scope)
    raise Refusal(f"{name}()", "this method of the context is not supported", place, "Query through a DbSet.")


def _call_static(
    session: Session,
    target: TypeName,
    name: str,
    name_node: Node,
    arguments: Sequence[Argument],
    explicit: Sequence[Type | None],
    node: Node,
    scope: Scope,
) -> Value:
    place = session.place(name_node, scope)
    if target.symbol is not None:
        methods = methods_of(session, target.symbol, name)
        if methods:
            return call_methods(session, name, MethodGroup(methods), arguments, explicit, node, scope)
    handler = session.tables.statics.get((canonical_type(target.name), name))
    if handler is not None:
        return handler(session, arguments, node, scope)
    if target.name in ("Results", "TypedResults") and name in RESPONSES:
        return response(session, name, arguments, node, scope)
    if target.name in ("Queryable", "Enumerable", "EntityFrameworkQueryableExtensions") and arguments:
        rows = as_rows(evaluated(session, arguments[0]), place, name)
        return call_operator(session, rows, name, name_node, arguments[1:], node, scope)
    if target.symbol is not None:
        known = member(session, target, name, name_node, scope)
        if not isinstance(known, Opaque):
            return call_value(session, known, arguments, node, scope)
    raise Refusal(
        f"{target.name}.{name}()", "the method is not supported", place, "Rewrite it with supported functions."
    )


RESPONSES = {"Ok": True, "Json": True, "View": True, "PartialView": True, "NotFound": False, "NoContent": False}
"""Methods of a controller that wrap a result (True) or stand for its absence."""


def response(session: Session, name: str, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`return Ok(orders);`: the data itself."""
    if not RESPONSES[name] or not arguments:
        return Scalar(Const(None, NullType(), session.place(node, scope)), NullType())
    return evaluated(session, arguments[-1])


def lambda_expression(session: Session, node: Node, scope: Scope) -> Value:
    body = child(node, "body")
    if body is None:
        body = first_of(node, "block")
    parameters = child(node, "parameters")
    if body is None:
        raise Refusal("lambda", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    names: list[tuple[str, Node | None]] = []
    if parameters is not None and parameters.type == "parameter_list":
        for p in named(parameters):
            name = child(p, "name")
            names.append((text_of(name if name is not None else p), child(p, "type")))
    elif parameters is not None:
        names.append((text_of(parameters), None))
    compiled = node.type == "anonymous_method_expression"
    return Closure(tuple((n.removeprefix("@"), t) for n, t in names), body, scope, compiled)


HANDLERS = {
    "invocation_expression": invocation,
    "lambda_expression": lambda_expression,
    "anonymous_method_expression": lambda_expression,
}
