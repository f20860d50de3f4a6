"""Identifiers: variables, members of the surrounding class, types."""

from __future__ import annotations

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const
from uom.model.types import EntityType, EnumType, Type
from uom.read.csharp.constants import literal
from uom.read.csharp.enums import BUILTIN_ENUMS
from uom.read.csharp.symbols import MemberSymbol, MethodSymbol, TypeSymbol, simple_name
from uom.read.csharp.syntax import child, descend, named, text_of
from uom.read.csharp.types import SCALARS
from uom.read.efcore.lowering import coerce, scan
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, unknown
from uom.read.efcore.values import Context, Instance, MethodGroup, Opaque, Scalar, Struct, TypeName, Value

BUILTIN_TYPES = frozenset(
    [
        "Math", "MathF", "Convert", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan", "Guid", "String",
        "Decimal", "Double", "Single", "Int32", "Int64", "Int16", "Byte", "Boolean", "Char", "EF", "Enum", "Enumerable",
        "Queryable", "Array", "Task", "ValueTask", "Object", "Regex", "Console", "JsonSerializer", "StringComparison",
        "StringComparer", "CultureInfo", "Environment", "Random", "ArgumentNullException", "ArgumentException",
        "ArgumentOutOfRangeException", "CancellationToken", "TimeProvider", "Activity", "MidpointRounding", "DbFunctions",
        "EntityFrameworkQueryableExtensions", "Results", "TypedResults", "KeyValuePair", "Tuple", "ValueTuple", "List",
        "HashSet", "Dictionary", "Encoding", "Stopwatch", "Log", "Debug", "Trace", "ImmutableArray", "ImmutableList",
    ]
)  # fmt: skip


def identifier(session: Session, node: Node, scope: Scope) -> Value:
    """A variable, a member of `this`, a type; unknown names give an Opaque value that is refused once it matters."""
    name = text_of(node).removeprefix("@")
    holder = scope.holder(name)
    if holder is not None:
        session.capture(name)
        return holder.names[name]
    function = scope.function(name)
    if function is not None:
        return MethodGroup((function,), scope.this, scope)
    found = surrounding_member(session, name, node, scope)
    if found is not None:
        return found
    symbol = session.find_type(name, scope)
    if symbol is not None:
        return TypeName(name, symbol)
    if name in scope.type_arguments:
        return TypeName(name, None, scope.type_arguments[name])
    if name in BUILTIN_TYPES or name in SCALARS or name in BUILTIN_ENUMS:
        return TypeName(name, None)
    return unknown(name, session.place(node, scope))


def surrounding_member(session: Session, name: str, node: Node, scope: Scope) -> Value | None:
    """A member that the code names without a receiver: of its class, a base, or a class around it."""
    owner = scope.owner
    while owner is not None:
        for declared in session.compilation.ancestry(owner):
            if name in declared.members:
                return member_of_this(session, declared.members[name], node, scope)
        methods = methods_of(session, owner, name)
        if methods:
            return MethodGroup(methods, scope.this)
        primary = next((p for p in owner.primary or () if p.name == name), None)
        if primary is not None:
            return injected(session, owner, name, primary.type_node, scope, scope.source.place(primary.node))
        owner = owner.outer
    return None


def methods_of(session: Session, owner: TypeSymbol, name: str) -> tuple[MethodSymbol, ...]:
    """Methods of this name: of the type itself and its declared bases, nearest first."""
    return tuple(m for t in session.compilation.ancestry(owner) for m in t.methods if m.name == name)


def member_of_this(session: Session, member: MemberSymbol, node: Node, scope: Scope) -> Value:
    if isinstance(scope.this, Struct):
        value = scope.this.get(member.name)
        if value is not None:
            return value
    if isinstance(scope.this, Scalar | Context):
        return session.tables.member(session, scope.this, member.name, node, scope)
    return member_of_instance(session, member, scope.this)


def member_of_instance(session: Session, member: MemberSymbol, this: Value | None) -> Value:
    """A field or property of a class with code: a context, a constant, a computed property, or something injected."""
    scope = Scope(member.source, member.owner, this, type_arguments=arguments_for(session, member.owner, this))
    key = f"{member.owner.full_name}.{member.name}"
    if member.getter is not None and not _is_plain_set(member):
        return _computed(session, member, scope)
    found = injected(session, member.owner, member.name, member.type_node, scope, member.place)
    if not isinstance(found, Opaque):
        return found
    if member.initializer is not None and _is_fixed(session, member):
        if key in session.evaluating:
            raise Refusal(member.name, "its value depends on itself", member.place, "Give it a constant value.")
        session.evaluating.add(key)
        try:
            declared = session.resolve(member.type_node, scope)
            return coerce(session.eval_as(member.initializer, scope, declared), declared)
        finally:
            session.evaluating.discard(key)
    assigned = assigned_in_constructor(session, member)
    if assigned is not None:
        return assigned
    return found


def _computed(session: Session, member: MemberSymbol, scope: Scope) -> Value:
    assert member.getter is not None
    key = f"{member.owner.full_name}.{member.name}"
    if key in session.evaluating:
        raise Refusal(member.name, "the property refers to itself", member.place, "Break the cycle.")
    session.evaluating.add(key)
    try:
        value = (
            session.tables.run(session, member.getter, scope)
            if member.getter.type == "block"
            else session.eval(member.getter, scope)
        )
        return coerce(value, session.resolve(member.type_node, scope))
    finally:
        session.evaluating.discard(key)


def _is_plain_set(member: MemberSymbol) -> bool:
    """`DbSet<Order> Orders => Set<Order>()`: read as the set that it is."""
    return member.type_node is not None and simple_name(member.type_node) == "DbSet"


def arguments_for(session: Session, owner: TypeSymbol, this: Value | None) -> dict[str, Type]:
    """What the type parameters of a declared base stand for, seen from the object at hand."""
    if not isinstance(this, Instance):
        return {}
    bound = dict(this.arguments)
    current: TypeSymbol | None = this.symbol
    while current is not None and current is not owner:
        base = session.compilation.base_of(current)
        if base is None:
            return bound
        node = next((b for b in current.bases if simple_name(b) == base.name), None)
        arguments = list(descend(node)) if node is not None else []
        lists = [n for n, _ in arguments if n.type == "type_argument_list"]
        types = [session.resolver.resolve(a, current, bound) for a in named(lists[0])] if lists else []
        bound = {p: t for p, t in zip(base.type_parameters, types, strict=False) if t is not None}
        current = base
    return bound


def injected(
    session: Session, _owner: TypeSymbol, name: str, type_node: Node | None, scope: Scope, _place: object
) -> Value:
    """What a field or constructor parameter of this declared type holds: a context, a set, another repository."""
    value = value_of_declared(session, type_node, scope)
    if value is not None:
        return value
    described = text_of(type_node) if type_node is not None else "unknown type"
    return Opaque(
        name,
        f"its value ({described}) is not known from the input",
        None,
        "Pass it to the method as a parameter.",
    )


def value_of_declared(session: Session, type_node: Node | None, scope: Scope) -> Value | None:
    """The value that a variable of this declared type stands for when nobody assigned it; None when unknown."""
    if type_node is None:
        return None
    node = child(type_node, "type") if type_node.type == "nullable_type" else type_node
    if node is None:
        return None
    name = simple_name(node)
    if name in session.world.contexts or name in ("DbContext",):
        return session.context_called(name, scope, scope.source.place(node))
    if name == "IDbContextFactory":
        return Context(session.schema, None)
    if name in ("DbSet", "IDbSet") and node.type == "generic_name":
        element = session.resolve(node, scope)
        inner = getattr(element, "element", None)
        if isinstance(inner, EntityType):
            return scan(session, inner.name, scope.source.place(node))
        return Opaque(text_of(node), "its entity is not known", scope.source.place(node), "Name the entity class.")
    symbol = session.find_type(name, scope)
    if symbol is not None and symbol.kind in ("class", "interface") and holds_context(session, symbol):
        return Instance(_implementation(session, symbol))
    return None


def holds_context(session: Session, symbol: TypeSymbol) -> bool:
    """A repository or service of the input: something in it has a context, or it is an interface of such a class."""
    return symbol.name in session.world.services


def _implementation(session: Session, symbol: TypeSymbol) -> TypeSymbol:
    return session.world.services.get(symbol.name, symbol)


def _is_fixed(_session: Session, member: MemberSymbol) -> bool:
    """A const or readonly field, or one that nothing in its class assigns."""
    if "const" in member.modifiers or (member.kind == "property" and not member.has_setter):
        return True
    if _is_changed(member):
        return False
    exposed = {"public", "internal", "protected"} & member.modifiers or "partial" in member.owner.modifiers
    return "readonly" in member.modifiers or not (exposed or _assignments(member))


_MUTATORS = frozenset(
    {"Add", "AddRange", "Insert", "Remove", "RemoveAt", "RemoveAll", "Clear", "Sort", "Reverse", "UnionWith", "Push"}
)


def _is_changed(member: MemberSymbol) -> bool:
    """`_ids.Add(3)`, `_count++` somewhere in the class: even a readonly list is no constant then."""
    for node, _ in descend(member.owner.node):
        if node.type == "member_access_expression":
            owner, name = child(node, "expression"), child(node, "name")
            changes = owner is not None and name is not None and text_of(name) in _MUTATORS
            if changes and owner is not None and text_of(owner).removeprefix("this.") == member.name:
                return True
        elif node.type in ("postfix_unary_expression", "prefix_unary_expression"):
            signs = [text_of(c) for c in node.children if not c.is_named]
            if ("++" in signs or "--" in signs) and text_of(named(node)[-1]).removeprefix("this.") == member.name:
                return True
    return False


def _assignments(member: MemberSymbol) -> list[Node]:
    """Right-hand sides of all assignments to the member inside its class."""
    found = []
    for node, _ in descend(member.owner.node):
        if node.type == "assignment_expression":
            left, right = child(node, "left"), child(node, "right")
            if left is None or right is None:
                continue
            target = left
            if left.type == "member_access_expression":
                inner = child(left, "expression")
                if inner is None or text_of(inner) != "this":
                    continue
                name = child(left, "name")
                target = name if name is not None else left
            if text_of(target) == member.name:
                found.append(right)
    return found


def assigned_in_constructor(session: Session, member: MemberSymbol) -> Value | None:
    """`_orders = context.Orders.Where(..)` in the only constructor that sets the member."""
    sides = _assignments(member)
    if len(sides) != 1:
        return None
    for constructor in member.owner.constructors:
        if constructor.body is None or not _inside(sides[0], constructor.body):
            continue
        scope = Scope(constructor.source, member.owner, Instance(member.owner))
        for parameter in constructor.parameters:
            scope.names[parameter.name] = injected(
                session, member.owner, parameter.name, parameter.type_node, scope, None
            )
        value = session.eval(sides[0], scope)
        return None if isinstance(value, Opaque) else value
    return None


def _inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def static_member(session: Session, type_name: TypeName, name: str, node: Node, scope: Scope) -> Value:
    """`ShipMethod.FederalShipping`, `Limits.PageSize`, `DateTime.Now`, `Namespace.Type`."""
    place = session.place(node, scope)
    symbol = type_name.symbol
    if symbol is None:
        enum = BUILTIN_ENUMS.get(type_name.name)
        if enum is not None:
            return enum_constant(enum, name, place)
        if (type_name.name, name) == ("EF", "Functions"):
            return TypeName("EF.Functions", None)
        handler = session.tables.static_members.get((canonical_type(type_name.name), name))
        if handler is not None:
            return handler()
        return unknown(f"{type_name.name}.{name}", place, "this member is not supported")
    if symbol.kind == "enum":
        own = session.resolver.enum_type(symbol)
        if own is None:
            raise Refusal(symbol.name, "the number of one of its members is not known", place, "Write the numbers out.")
        return enum_constant(own, name, place)
    member = session.compilation.member(symbol, name)
    if member is not None:
        return member_of_instance(session, member, None)
    methods = methods_of(session, symbol, name)
    if methods:
        return MethodGroup(methods, None)
    nested = session.compilation.find_type(name, symbol)
    if nested is not None and nested.outer is symbol:
        return TypeName(name, nested)
    return unknown(f"{symbol.name}.{name}", place, "the class has no such member")


def enum_constant(enum: EnumType, name: str, place: Place | None) -> Value:
    number = dict(enum.members).get(name)
    if number is None:
        return unknown(f"{enum.name}.{name}", place, "the enum has no such member")
    return Scalar(Const(number, enum), enum)


_CANONICAL = {
    "String": "string", "Int32": "int", "Int64": "long", "Int16": "short", "Byte": "byte", "Decimal": "decimal",
    "Double": "double", "Single": "float", "Boolean": "bool", "Char": "char", "Object": "object", "UInt32": "uint",
    "UInt64": "ulong", "UInt16": "ushort", "SByte": "sbyte", "MathF": "Math",
}  # fmt: skip


def canonical_type(name: str) -> str:
    """`Int32` -> `int`: the name under which the tables know a built-in type."""
    return _CANONICAL.get(name, name)


def predefined(session: Session, node: Node, scope: Scope) -> Value:
    return TypeName(text_of(node), None, session.resolve(node, scope))


def this(session: Session, node: Node, scope: Scope) -> Value:
    if scope.this is not None:
        return scope.this
    if scope.owner is not None:
        return Instance(scope.owner)
    return unknown("this", session.place(node, scope))


def generic(session: Session, node: Node, scope: Scope) -> Value:
    """`List<int>` or a generic method named without receiver."""
    first = node.named_children[0]
    return identifier(session, first, scope)


def constant_literal(session: Session, node: Node, scope: Scope) -> Value:
    found = literal(node)
    if found is None:
        raise Refusal("literal", f"'{text_of(node)[:40]}' is not understood", session.place(node, scope))
    return Scalar(found, found.type)


HANDLERS = {
    "identifier": identifier,
    "generic_name": generic,
    "predefined_type": predefined,
    "this": this,
    "this_expression": this,
    "base": this,
    "base_expression": this,
    **dict.fromkeys(
        [
            "integer_literal", "real_literal", "string_literal", "verbatim_string_literal", "raw_string_literal",
            "character_literal", "boolean_literal", "null_literal",
        ],
        constant_literal,
    ),
}  # fmt: skip
