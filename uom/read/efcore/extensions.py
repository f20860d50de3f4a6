"""Whether an extension method of the input fits a receiver."""

from __future__ import annotations

from uom.model.types import ComplexType, EntityType, EnumType, GroupingType, RecordType, ScalarType, SequenceType, Type
from uom.read.csharp.symbols import MethodSymbol, simple_name
from uom.read.csharp.syntax import text_of
from uom.read.csharp.types import SEQUENCES
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.values import Context, Instance, Opaque, Rows, Struct, Value


def receives(session: Session, method: MethodSymbol, target: Value) -> bool:
    """Compares the declared `this` type with the value, as far as either is known."""
    node = method.parameters[0].type_node
    if node is None or isinstance(target, Opaque):
        return False
    name = simple_name(node)
    if isinstance(target, Context):
        return name in session.world.contexts or name == "DbContext"
    if isinstance(target, Instance):
        return name == target.symbol.name or name in target.symbol.base_names()
    static = SequenceType(target.static) if isinstance(target, Rows) else getattr(target, "static", None)
    if isinstance(target, Struct):
        return name == target.name
    if text_of(node) in method.type_parameters:
        return True
    if isinstance(static, SequenceType | GroupingType):
        if name not in SEQUENCES:
            return False
        declared = session.resolver.resolve(node, method.owner)
        return not isinstance(declared, SequenceType) or _same(declared.element, static.element)
    declared = session.resolve(node, Scope(method.source, method.owner))
    return (
        declared is not None
        and isinstance(static, ScalarType | EnumType | EntityType | RecordType | ComplexType)
        and (_same(declared, static))
    )


def _same(declared: Type, static: Type) -> bool:
    if isinstance(declared, ScalarType) and isinstance(static, ScalarType):
        return declared.kind is static.kind
    return getattr(declared, "name", None) == getattr(static, "name", None)
