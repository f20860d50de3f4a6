"""`a.b`, `a?.b` and `a[i]`: members of entities, rows, values and of the context."""

from __future__ import annotations

import re

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Conditional, Const, Fn, Function, IsNull, Parameter, Property, Subquery
from uom.model.queries import Aggregate, AggregateKind, Pick, PickKind, Values
from uom.model.types import (
    INT,
    ComplexType,
    EntityType,
    EnumType,
    GroupingType,
    Kind,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    as_nullable,
)
from uom.read.csharp.precedence import regrouped
from uom.read.csharp.syntax import child, descend, named, text_of
from uom.read.efcore.comparing import is_null, negated
from uom.read.efcore.entities import (
    complex_member,
    computed,
    entity_member,
    guard_client,
)
from uom.read.efcore.lowering import as_rows, evaluate_scalar, finished, scan
from uom.read.efcore.names import member_of_instance, methods_of, static_member
from uom.read.efcore.naming import nearest
from uom.read.efcore.requiring import required, taken
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, Session, depends_on_row, unknown
from uom.read.efcore.values import (
    NOTHING,
    Choice,
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


def member_access(session: Session, node: Node, scope: Scope) -> Value:
    target_node, name_node = child(node, "expression"), child(node, "name")
    if target_node is None or name_node is None:
        raise Refusal("member access", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    grouped = regrouped(node) if target_node.type == "is_pattern_expression" else None
    if grouped is not None:
        return session.tables.operand(session, grouped, scope)
    target = session.eval(target_node, scope)
    if session.position is not Position.STATEMENT and session.fetched is None and _is_local(target_node):
        target = _fetched_before(session, target, session.place(target_node, scope))
    name = text_of(name_node.named_children[0] if name_node.type == "generic_name" else name_node)
    return member(session, target, name, name_node, scope)


def _is_local(node: Node) -> bool:
    """A variable of the method, not one of the query or lambda around it."""
    while node.type in ("postfix_unary_expression", "parenthesized_expression") and named(node):
        node = named(node)[0]
    if node.type != "identifier":
        return False
    name, around = text_of(node), node.parent
    while around is not None and around.type not in ("method_declaration", "property_declaration"):
        if around.type == "lambda_expression":
            parameters = child(around, "parameters")
            if parameters is not None and any(
                n.type == "identifier" and text_of(n) == name for n, _ in descend(parameters)
            ):
                return False
        if around.type == "query_expression" and re.search(
            rf"\b(from|let|into|join)\b[^=]*\b{re.escape(name)}\b", text_of(around)
        ):
            return False
        around = around.parent
    return True


def _fetched_before(session: Session, target: Value, place: Place) -> Value:
    """A row that was fetched before the query that asks with it: C# reads its members first, and fails without a row."""
    match target:
        case Scalar(expr=Subquery(query=Pick(or_default=True, element=EntityType() | RecordType()))):
            return required(session, target, place)
    return target


def member(session: Session, target: Value, name: str, node: Node, scope: Scope) -> Value:
    """The member `name` of any value."""
    match target:
        case Scalar():
            return member_value(session, target, name, node, scope)
        case Struct():
            return struct_member(session, target, name, node, scope)
        case Context():
            return context_member(session, target, name, node, scope)
        case TypeName():
            return static_member(session, target, name, node, scope)
        case Instance():
            return instance_member(session, target, name, node, scope)
        case Rows():
            return rows_member(session, target, name, node, scope)
        case Choice():
            return Choice(
                target.test,
                member(session, target.then, name, node, scope),
                member(session, target.otherwise, name, node, scope),
            )
        case Opaque():
            return opaque_member(session, target, name, node, scope)
    return unknown(name, session.place(node, scope), "its owner is not a value")


def opaque_member(session: Session, target: Opaque, name: str, node: Node, scope: Scope) -> Value:
    """An unknown name followed by the name of a set is a context that the input does not declare."""
    owners = [e for e in session.schema.entities if name in e.set_names]
    if owners and target.construct.isidentifier():
        return scan(session, owners[0].name, session.place(node, scope))
    symbol = session.compilation.find_type(name, scope.owner)
    if symbol is not None:
        return TypeName(name, symbol)
    if target.construct in ("System", "Microsoft", "EntityFrameworkCore") or target.construct.startswith("System."):
        return TypeName(name, None)
    return Opaque(f"{target.construct}.{name}", target.reason, target.place, target.remedy)


def context_member(session: Session, context: Context, name: str, node: Node, scope: Scope) -> Value:
    """A DbSet, an IQueryable property, or another member of the context's class."""
    owner = next((e for e in session.schema.entities if name in e.set_names), None)
    if owner is not None:
        return scan(session, owner.name, session.place(node, scope))
    if context.symbol is not None:
        declared = session.compilation.member(context.symbol, name)
        if declared is not None:
            return member_of_instance(session, declared, context)
        methods = methods_of(session, context.symbol, name)
        if methods:
            return MethodGroup(methods, context)
    if name in ("Database", "ChangeTracker"):
        return Opaque(name, "it is not about rows", session.place(node, scope), "Remove it.")
    names = [n for e in session.schema.entities for n in e.set_names]
    return unknown(name, session.place(node, scope), f"the context has no such set{nearest(name, names)}")


def instance_member(session: Session, target: Instance, name: str, node: Node, scope: Scope) -> Value:
    declared = session.compilation.member(target.symbol, name)
    if declared is not None:
        return member_of_instance(session, declared, target)
    methods = methods_of(session, target.symbol, name)
    if methods:
        return MethodGroup(methods, target)
    return unknown(f"{target.symbol.name}.{name}", session.place(node, scope), "the class has no such member")


def struct_member(session: Session, target: Struct, name: str, node: Node, scope: Scope) -> Value:
    value = target.get(name)
    if value is not None:
        return value
    if name.startswith("Item") and name[4:].isdigit() and target.name is None:
        index = int(name[4:]) - 1
        if 0 <= index < len(target.fields):
            return target.fields[index][1]
    symbol = session.find_type(target.name, scope) if target.name else None
    declared = session.compilation.member(symbol, name) if symbol is not None else None
    if declared is not None and declared.getter is not None:
        return computed(session, declared, target)
    fields = [n for n, _ in target.fields]
    return unknown(name, session.place(node, scope), f"the object has no such member{nearest(name, fields)}")


def rows_member(session: Session, target: Rows, name: str, node: Node, scope: Scope) -> Value:
    """`list.Count`, `array.Length`, and `Key` of a grouping."""
    place = session.place(node, scope)
    if name in ("Count", "Length"):
        return Scalar(Subquery(Aggregate(AggregateKind.COUNT, finished(target), None, INT, place), INT, place), INT)
    if name == "Result":
        return target
    return unknown(name, place, "sequences have no such member")


def member_value(session: Session, target: Scalar, name: str, node: Node, scope: Scope) -> Value:
    """A member of a value of the algebra, by the kind of its C# type."""
    place = session.place(node, scope)
    type_ = target.static
    if name == "Result" and not isinstance(type_, RecordType):
        return target
    match type_:
        case EntityType():
            return entity_member(session, target, session.entity(type_.name, place), name, node, scope)
        case ComplexType():
            return complex_member(session, target, type_, name, node, scope)
        case RecordType():
            return record_member(session, target, type_, name, node, scope)
        case GroupingType() if name == "Key":
            key = target.expr.type.key if isinstance(target.expr.type, GroupingType) else type_.key
            return Scalar(Property(target.expr, "Key", key, place), type_.key)
        case SequenceType() | GroupingType() if name in ("Count", "Length"):
            return rows_member(session, as_rows(target, place), name, node, scope)
        case ScalarType() | EnumType():
            return scalar_member(session, target, name, node, scope)
        case _:
            return unknown(name, place, "the value has no such member")


def scalar_member(session: Session, target: Scalar, name: str, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    type_ = target.static
    if name == "Value":
        return Scalar(taken(session, target.expr, place), as_nullable(type_, False))
    if name == "HasValue":
        return negated(is_null(target, place))
    kind = type_.kind.value if isinstance(type_, ScalarType) else "enum"
    handler = session.tables.members.get((kind, name))
    if handler is None:
        return unknown(f"{kind}.{name}", place, "this member is not supported")
    guard_client(session, target, f".{name}", place)
    return handler(session, target, node, scope)


def record_member(session: Session, target: Scalar, type_: RecordType, name: str, node: Node, scope: Scope) -> Value:
    """A field of an anonymous type, DTO or tuple."""
    place = session.place(node, scope)
    static = type_.field(name)
    actual = target.expr.type.field(name) if isinstance(target.expr.type, RecordType) else None
    if static is None and type_.name is None and name.startswith("Item") and name[4:].isdigit():
        index = int(name[4:]) - 1
        if 0 <= index < len(type_.fields):
            return record_member(session, target, type_, type_.fields[index].name, node, scope)
    if static is not None:
        built = type_.name in session.constructed and session.position is Position.SERVER and session.fetched is None
        if built and not isinstance(target.expr, Parameter):
            raise Refusal(
                f"{type_.name}.{name}",
                "EF Core cannot look into an object that a constructor made, and throws",
                place,
                "Filter and order before the projection, or use an object initialiser.",
            )
        base = actual.type if actual is not None else static.type
        nullable = base.nullable or target.expr.type.nullable
        guard_client(session, target, f".{name}", place)
        return Scalar(Property(target.expr, static.name, as_nullable(base, nullable), place), static.type)
    symbol = session.find_type(type_.name, scope) if type_.name else None
    declared = session.compilation.member(symbol, name) if symbol is not None else None
    if declared is not None and declared.getter is not None:
        session.client_only(f"{type_.name}.{name}", place, "Write the expression itself instead of the property.")
        return computed(session, declared, target)
    if symbol is not None and methods_of(session, symbol, name):
        return MethodGroup(methods_of(session, symbol, name), target)
    fields = [f.name for f in type_.fields]
    return unknown(name, place, f"the row has no such field{nearest(name, fields)}")


def conditional_access(session: Session, node: Node, scope: Scope) -> Value:
    """`a?.B`: null when `a` is; the algebra's members of null are null anyway."""
    condition = child(node, "condition")
    rest = [c for c in named(node) if condition is None or c.id != condition.id]
    if condition is None or not rest:
        raise Refusal("?.", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    target = session.eval(condition, scope)
    binding = rest[-1]
    if isinstance(target, Scalar) and isinstance(target.static, NullType):
        return target
    inner = scope.inner()
    inner.names["?."] = target
    with session.lifting(target):
        value = session.eval(binding, inner)
    return lifted(value, target)


def lifted(value: Value, target: Value) -> Value:
    """The value of `target?.member`. A list that is null has no members at all, not even a count of nothing."""
    if not isinstance(value, Scalar) or isinstance(value.static, NullType):
        return value
    type_ = as_nullable(value.static)
    if isinstance(target, Scalar) and isinstance(target.static, SequenceType):
        return Scalar(Conditional(IsNull(target.expr), Const(None, type_), value.expr, type_), type_)
    return Scalar(value.expr, type_)


def member_binding(session: Session, node: Node, scope: Scope) -> Value:
    target, name = scope.find("?."), child(node, "name")
    if target is None or name is None:
        raise Refusal("?.", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    return member(session, target, text_of(name), name, scope)


def element_access(session: Session, node: Node, scope: Scope) -> Value:
    """`text[0]`, `list[0]`, `dictionary[key]` over constants."""
    place = session.place(node, scope)
    target_node, subscript = child(node, "expression"), child(node, "subscript")
    if target_node is None or subscript is None:
        raise Refusal("[]", f"'{text_of(node)[:60]}' is not understood", place)
    target = session.eval(target_node, scope)
    if isinstance(target, Rows) and target.dictionary:
        reason = "what is missing in a dictionary throws, which no query says"
        raise Refusal("[]", reason, place, "Ask for the row with First or Single.")
    arguments = [named(a)[-1] for a in named(subscript) if named(a)]
    if len(arguments) != 1:
        raise Refusal("[]", "only one index is supported", place, "Use one index.")
    if arguments[0].type == "range_expression":
        raise Refusal("[..]", "EF Core cannot translate ranges", place, "Use Substring, or Skip and Take.")
    index = evaluate_scalar(session, arguments[0], scope)
    if isinstance(target, Scalar) and isinstance(target.static, ScalarType):
        return _character(session, target, index, place)
    rows = as_rows(target, place, "[]")
    if isinstance(rows.query, Values) and isinstance(index.expr, Const) and isinstance(index.expr.value, int):
        items = rows.query.items
        if 0 <= index.expr.value < len(items):
            return Scalar(items[index.expr.value], rows.static)
    pick = Pick(PickKind.ELEMENT_AT, finished(rows), False, rows.query.element, index.expr, place)
    return Scalar(Subquery(pick, pick.element, place), rows.static)


def _character(session: Session, target: Scalar, index: Scalar, place: Place | None) -> Scalar:
    if not isinstance(target.static, ScalarType) or target.static.kind is not Kind.STRING:
        raise Refusal("[]", "only text and lists have an index", place, "Use a list or a string.")
    guard_client(session, target, "[]", place)
    if depends_on_row(target.expr):
        session.runs_on_client("[]", target.expr, place)
    nullable = target.expr.type.nullable or index.expr.type.nullable
    type_ = ScalarType(Kind.CHAR, nullable)
    return Scalar(Function(Fn.CHAR_AT, (target.expr, index.expr), type_, place), ScalarType(Kind.CHAR))


def parenthesized(session: Session, node: Node, scope: Scope) -> Value:
    inner = named(node)
    if len(inner) != 1:
        raise Refusal("()", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    return session.eval_as(inner[0], scope, session.target_of(node))


def checked(session: Session, node: Node, scope: Scope) -> Value:
    """`checked(...)`, `unchecked(...)`."""
    with session.overflow(text_of(node.children[0]) == "checked"):
        return parenthesized(session, node, scope)


def awaited(session: Session, node: Node, scope: Scope) -> Value:
    inner = named(node)
    if not inner:
        return NOTHING
    return session.eval(inner[-1], scope)


def qualified(session: Session, node: Node, scope: Scope) -> Value:
    """`a.b` where the grammar expected a type."""
    target_node, name = child(node, "qualifier"), child(node, "name")
    if target_node is None or name is None:
        raise Refusal("member access", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    return member(session, session.eval(target_node, scope), text_of(name), name, scope)


HANDLERS = {
    "member_access_expression": member_access,
    "qualified_name": qualified,
    "conditional_access_expression": conditional_access,
    "member_binding_expression": member_binding,
    "element_access_expression": element_access,
    "parenthesized_expression": parenthesized,
    "await_expression": awaited,
    "checked_expression": checked,
}
