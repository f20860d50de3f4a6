"""How a query method is called from a program of ours: its class, its context and its arguments as C# text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from uom.model.program import QueryMethod
from uom.read.csharp.symbols import Compilation, MethodSymbol, ParameterSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import text_of
from uom.read.efcore.code_members import is_getter, members_like_methods
from uom.reference.values import Value
from uom.run.dotnet.project import FACTORY, OPTIONS, ContextClass
from uom.verify.csharp_literals import DeclaredType, NotCallable, csharp_literal

_DEPTH = 4
"""How far services are made of services."""

NOTHING = "default!"
"""What stands for a dependency that is not the database."""


@dataclass(frozen=True, slots=True)
class CSharpCall:
    """`text` is an expression in which `db` is a context. `without` names dependencies that it has only null for."""

    text: str
    without: tuple[str, ...] = ()


def call_of(
    compilation: Compilation, context: TypeSymbol, method: QueryMethod, arguments: Mapping[str, Value]
) -> CSharpCall:
    """Raises NotCallable when there is no way to call it from outside, or to make an argument."""
    owner = compilation.find_type(method.container)
    if owner is None or not owner.name:
        raise NotCallable("the method stands outside any class")
    named = [m for m in (*owner.methods, *members_like_methods(owner)) if m.name == method.name]
    symbol = next((m for m in named if m.place == method.place), None) or next(
        (m for m in named if _has_all(m, method)), None
    )
    if symbol is None:
        raise NotCallable("the method was not found again")
    if "private" in symbol.modifiers or "public" not in symbol.modifiers:
        raise NotCallable("the method is not public")
    texts = [_argument(compilation, context, p, owner, method, arguments) for p in symbol.parameters]
    if sum(len(m.parameters) == len(symbol.parameters) for m in named) > 1:
        texts = [_cast(t, p, compilation, owner) for t, p in zip(texts, symbol.parameters, strict=True)]
    called = method.name if is_getter(symbol) else f"{method.name}({', '.join(texts)})"
    if symbol.is_static:
        return CSharpCall(f"{owner.full_name}.{called}")
    if owner in compilation.ancestry(context):
        return CSharpCall(f"db.{called}")
    dependencies = _dependencies(compilation, context, owner)
    return CSharpCall(f"{_made(owner, dependencies)}.{called}", _nothing(dependencies))


def context_class(compilation: Compilation, context: TypeSymbol) -> tuple[ContextClass, tuple[str, ...]]:
    """How the context is made, and the dependencies that it has only null for. Raises NotCallable when it cannot be."""
    is_sealed = "sealed" in context.modifiers
    for parameters in _constructors(context):
        made = [_for_context(compilation, context, p) for p in parameters]
        found = [d for d in made if d is not None]
        shape = ContextClass(context.full_name, tuple(d.text for d in found), is_sealed)
        if len(found) == len(made) and (shape.takes_options or not (made or is_sealed)):
            return shape, _nothing(found)
    if is_sealed:
        raise NotCallable(f"{context.name} is sealed and takes no DbContextOptions: it would ask its own database")
    raise NotCallable(f"{context.name} needs more than DbContextOptions")


def _for_context(compilation: Compilation, context: TypeSymbol, parameter: ParameterSymbol) -> _Dependency | None:
    name = simple_name(parameter.type_node) if parameter.type_node is not None else ""
    return (
        _Dependency(parameter.name, OPTIONS) if name == "DbContextOptions" else _other(compilation, context, parameter)
    )


@dataclass(frozen=True, slots=True)
class _Dependency:
    """An argument of a constructor."""

    name: str
    text: str
    without: tuple[str, ...] = ()
    """What it was made without itself."""


def _nothing(dependencies: Sequence[_Dependency]) -> tuple[str, ...]:
    return tuple(name for d in dependencies for name in ((d.name,) if d.text == NOTHING else d.without))


def _constructors(owner: TypeSymbol) -> Iterator[tuple[ParameterSymbol, ...]]:
    """Parameters of each that can be called, of those that need least first."""
    if owner.primary is not None:
        yield owner.primary
        return
    public = [c.parameters for c in owner.constructors if not c.modifiers & {"private", "protected", "static"}]
    yield from sorted(public, key=len) if owner.constructors else [()]


def _dependencies(
    compilation: Compilation, context: TypeSymbol, owner: TypeSymbol, depth: int = 0
) -> list[_Dependency]:
    """Arguments for a constructor: the context or what is made of it, and nulls for other objects."""
    implemented = {name for t in compilation.ancestry(context) for name in t.base_names()}
    ways = [
        [_injected(compilation, context, owner, implemented, p, depth) for p in parameters]
        for parameters in _constructors(owner)
    ]
    possible = [[d for d in way if d is not None] for way in ways if None not in way]
    with_context = [way for way in possible if any(_uses_database(d) for d in way)]
    for found in with_context or possible:
        return found
    raise NotCallable(f"{owner.name} cannot be made from a DbContext alone")


def _injected(
    compilation: Compilation,
    context: TypeSymbol,
    owner: TypeSymbol,
    implemented: set[str],
    parameter: ParameterSymbol,
    depth: int,
) -> _Dependency | None:
    name = simple_name(parameter.type_node) if parameter.type_node is not None else ""
    if _is_context(compilation, name) or name in implemented:
        return _Dependency(parameter.name, "db")
    if name == "IDbContextFactory":
        return _Dependency(parameter.name, FACTORY)
    if name == "ILogger":
        logger = f"Microsoft.Extensions.Logging.Abstractions.NullLogger<{owner.full_name}>.Instance"
        return _Dependency(parameter.name, logger)
    for symbol in _classes_for(compilation, name, owner) if depth < _DEPTH else ():
        with suppress(NotCallable):
            found = _dependencies(compilation, context, symbol, depth + 1)
            if any(_uses_database(d) for d in found):
                return _Dependency(parameter.name, _made(symbol, found), _nothing(found))
    return _other(compilation, owner, parameter)


def _classes_for(compilation: Compilation, name: str, near: TypeSymbol) -> Iterator[TypeSymbol]:
    """The class of that name, or what implements an interface of that name."""
    symbol = compilation.find_type(name, near)
    if symbol is not None and symbol.kind == "interface":
        yield from (t for t in compilation.all_types() if name in t.base_names() and t.kind == "class")
    elif symbol is not None and not symbol.type_parameters and "abstract" not in symbol.modifiers:
        yield symbol


def _made(symbol: TypeSymbol, dependencies: Sequence[_Dependency]) -> str:
    """C# that makes an object of the class."""
    if not any(d.text == NOTHING for d in dependencies):
        return f"new {symbol.full_name}({', '.join(d.text for d in dependencies)})"
    given = ", ".join("Absent.Nothing" if d.text == NOTHING else d.text for d in dependencies)
    return f"Absent.Make<{symbol.full_name}>({given})"


def _uses_database(dependency: _Dependency) -> bool:
    return dependency.text in ("db", FACTORY) or dependency.text.startswith(("new ", "Absent.Make"))


def _other(compilation: Compilation, owner: TypeSymbol, parameter: ParameterSymbol) -> _Dependency | None:
    """Null for an object; None for a value, which decides something that null does not show."""
    node = parameter.type_node
    if node is None or node.type == "nullable_type":
        node = None if node is None else node.child_by_field_name("type")
    if node is None or node.type in ("predefined_type", "tuple_type", "array_type"):
        return None
    symbol = compilation.find_type(simple_name(node), owner)
    if symbol is not None and (
        symbol.kind in ("enum", "struct") or any(c.type == "struct" for c in symbol.node.children)
    ):
        return None
    if symbol is None and simple_name(node) in _VALUES:
        return None
    return _Dependency(parameter.name, NOTHING)


_VALUES = frozenset(
    "DateTime DateTimeOffset DateOnly TimeOnly TimeSpan Guid Nullable CancellationToken Half Int128".split()
)


def _cast(text: str, parameter: ParameterSymbol, compilation: Compilation, owner: TypeSymbol) -> str:
    """Among overloads `null` and `[]` say nothing about which one is meant."""
    if text not in ("null", "[]") or parameter.type_node is None:
        return text
    declared = DeclaredType(compilation, parameter.type_node, owner)
    name = declared.symbol.full_name if declared.symbol is not None else text_of(parameter.type_node).rstrip("?")
    return f"({name}{'?' if text == 'null' else ''}){text}"


def _has_all(symbol: MethodSymbol, method: QueryMethod) -> bool:
    return {p.name for p in method.parameters} <= {p.name for p in symbol.parameters}


def _is_context(compilation: Compilation, name: str) -> bool:
    symbol = compilation.find_type(name)
    if symbol is None:
        return name in ("DbContext",)
    return any("DbContext" in base for t in compilation.ancestry(symbol) for base in t.base_names())


def _argument(
    compilation: Compilation,
    context: TypeSymbol,
    parameter: ParameterSymbol,
    owner: TypeSymbol,
    method: QueryMethod,
    arguments: Mapping[str, Value],
) -> str:
    type_name = simple_name(parameter.type_node) if parameter.type_node is not None else ""
    implemented = {base for t in compilation.ancestry(context) for base in t.base_names()}
    if _is_context(compilation, type_name) or type_name == context.name or type_name in implemented:
        return "db"
    if type_name == "CancellationToken":
        return "default"
    known = next((p for p in method.parameters if p.name == parameter.name), None)
    if known is None:
        raise NotCallable(f"there is no value for its parameter {parameter.name}")
    return csharp_literal(arguments[parameter.name], known.type, DeclaredType(compilation, parameter.type_node, owner))
