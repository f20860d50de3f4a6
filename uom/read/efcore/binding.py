"""Arguments to parameters: positional, named, default; overloads; what type parameters stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.types import NullType, SequenceType, Type, element_of
from uom.read.csharp.symbols import MethodSymbol, ParameterSymbol, simple_name
from uom.read.csharp.syntax import child, text_of
from uom.read.csharp.types import SEQUENCES, WRAPPERS, type_arguments
from uom.read.efcore.lowering import coerce, make_list
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.values import Argument, Closure, Rows, Scalar, Value


def evaluated(session: Session, argument: Argument, target: Type | None = None) -> Value:
    """The value of an argument, evaluated where it was written."""
    if argument.value is not None:
        return argument.value
    return session.eval_as(argument.node, argument.scope, target)


def bind(
    session: Session,
    parameters: Sequence[ParameterSymbol],
    arguments: Sequence[Argument],
    own: Scope,
    types: Mapping[str, Type | None],
    construct: str,
    place: Place | None,
) -> dict[str, Value]:
    """Parameter name -> value. Raises Refusal when they do not fit."""
    given = assigned(parameters, arguments)
    if given is None:
        raise Refusal(construct, "the arguments do not fit its parameters", place, "Check the call.")
    bound: dict[str, Value] = {}
    for parameter in parameters:
        target = types.get(parameter.name)
        value: Value
        if "params" in parameter.modifiers:
            value = _params(session, given.get(parameter.name, []), target, place)
        elif given.get(parameter.name):
            value = evaluated(session, given[parameter.name][0], target)
        elif parameter.default is not None:
            value = session.eval_as(parameter.default, own, target)
        else:
            raise Refusal(construct, f"no value is given for {parameter.name}", place, "Pass the argument.")
        if {"out", "ref"} & parameter.modifiers:
            raise Refusal(construct, f"{parameter.name} is an out or ref parameter", place, "Return the value instead.")
        value = _as_declared(value, parameter.type_node)
        bound[parameter.name] = coerce(value, target)
    return bound


def _as_declared(value: Value, type_node: Node | None) -> Value:
    """A lambda passed as Func is a delegate, which no query can look into."""
    if isinstance(value, Closure) and type_node is not None and simple_name(type_node) in ("Func", "Predicate"):
        return Closure(value.parameters, value.body, value.scope, True)
    return value


def _params(session: Session, arguments: Sequence[Argument], target: Type | None, place: Place | None) -> Value:
    element = element_of(target) if target is not None else None
    values = [evaluated(session, a, element) for a in arguments]
    if len(values) == 1 and isinstance(values[0], Rows):
        return values[0]
    return make_list(values, element, place)


def assigned(parameters: Sequence[ParameterSymbol], arguments: Sequence[Argument]) -> dict[str, list[Argument]] | None:
    """Which arguments go to which parameter; None when they cannot."""
    found: dict[str, list[Argument]] = {}
    position = 0
    names = [p.name for p in parameters]
    for argument in arguments:
        if argument.name is not None:
            if argument.name not in names:
                return None
            found.setdefault(argument.name, []).append(argument)
            position = max(position, names.index(argument.name) + 1)
            continue
        if position < len(parameters):
            parameter = parameters[position]
        elif parameters and "params" in parameters[-1].modifiers:
            parameter = parameters[-1]
        else:
            return None
        found.setdefault(parameter.name, []).append(argument)
        if "params" not in parameter.modifiers:
            position += 1
    for parameter in parameters:
        if parameter.name not in found and parameter.default is None and "params" not in parameter.modifiers:
            return None
    return found


def chosen(
    session: Session,
    methods: Sequence[MethodSymbol],
    arguments: Sequence[Argument],
    construct: str,
    place: Place | None,
) -> MethodSymbol:
    """The overload that the arguments fit; refused when several do and their types do not decide."""
    fitting = [m for m in methods if m.body is not None and assigned(m.parameters, arguments) is not None]
    if not fitting:
        bodies = [m for m in methods if m.body is not None]
        reason = "no overload takes these arguments" if bodies else "its code is not in the input"
        raise Refusal(construct, reason, place, "Add the method to the input." if not bodies else "Check the call.")
    owners = [m.owner for m in fitting]
    fitting = [m for m in fitting if m.owner is owners[0]] or fitting
    if len(fitting) > 1:
        exact = [m for m in fitting if len(m.parameters) == len(arguments)]
        fitting = exact or fitting
    if len(fitting) > 1:
        fitting = [m for m in fitting if _types_fit(session, m, arguments)] or fitting
    if len(fitting) > 1:
        raise Refusal(construct, "several overloads fit the call", place, "Give the methods different names.")
    return fitting[0]


def _types_fit(session: Session, method: MethodSymbol, arguments: Sequence[Argument]) -> bool:
    given = assigned(method.parameters, arguments) or {}
    own = Scope(method.source, method.owner)
    for parameter in method.parameters:
        for argument in given.get(parameter.name, []):
            if argument.node.type in ("lambda_expression", "anonymous_method_expression"):
                continue
            target = session.resolve(parameter.type_node, own)
            value = evaluated(session, argument)
            static = value.static if isinstance(value, Scalar) else None
            if isinstance(value, Rows):
                static = SequenceType(value.static)
            if target is not None and static is not None and not _accepts(target, static):
                return False
    return True


def _accepts(target: Type, static: Type) -> bool:
    if isinstance(static, NullType):
        return target.nullable
    if isinstance(target, SequenceType) != isinstance(static, SequenceType):
        return False
    if isinstance(target, SequenceType) and isinstance(static, SequenceType):
        return _accepts(target.element, static.element)
    return getattr(target, "kind", getattr(target, "name", None)) == getattr(
        static, "kind", getattr(static, "name", None)
    )


def infer(
    _session: Session, method: MethodSymbol, arguments: Mapping[str, Value], explicit: Sequence[Type | None]
) -> dict[str, Type]:
    """What the method's type parameters stand for: as written, else from the values."""
    bound: dict[str, Type] = {}
    for name, type_ in zip(method.type_parameters, explicit, strict=False):
        if type_ is not None:
            bound[name] = type_
    for parameter in method.parameters:
        value = arguments.get(parameter.name)
        if parameter.type_node is None or value is None:
            continue
        static: Type | None = None
        if isinstance(value, Scalar):
            static = value.static
        elif isinstance(value, Rows):
            static = SequenceType(value.static)
        if static is not None:
            _unify(parameter.type_node, static, method.type_parameters, bound)
    return bound


def _unify(node: Node, static: Type, names: Sequence[str], bound: dict[str, Type]) -> None:
    if node.type == "nullable_type":
        inner = child(node, "type")
        if inner is not None:
            _unify(inner, static, names, bound)
        return
    if node.type == "identifier" and text_of(node) in names:
        bound.setdefault(text_of(node), static)
        return
    if node.type == "array_type":
        inner = child(node, "type")
        element = element_of(static)
        if inner is not None and element is not None:
            _unify(inner, element, names, bound)
        return
    if node.type == "generic_name":
        arguments = type_arguments(node)
        name = simple_name(node)
        element = element_of(static)
        if name in WRAPPERS and arguments:
            _unify(arguments[0], static, names, bound)
        elif name in SEQUENCES and arguments and element is not None:
            _unify(arguments[0], element, names, bound)
