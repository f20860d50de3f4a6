"""Objects, lists, tuples and text made by an expression."""

from __future__ import annotations

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Const
from uom.model.queries import Values
from uom.model.types import STRING, Kind, NullType, ScalarType, SequenceType, Type, element_of
from uom.read.csharp.constants import unescape
from uom.read.csharp.symbols import TypeSymbol, simple_name
from uom.read.csharp.syntax import child, first_of, named, text_of
from uom.read.csharp.types import SEQUENCES
from uom.read.efcore.folding import default_of
from uom.read.efcore.formats import formatted
from uom.read.efcore.lowering import as_rows, coerce, make_list, to_scalar
from uom.read.efcore.objects import construct, member_targets
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, Throws, depends_on_row, unknown
from uom.read.efcore.texts import concat
from uom.read.efcore.values import Argument, Opaque, Scalar, Struct, Value

_LISTS = SEQUENCES - {"DbSet", "IQueryable"}


def anonymous_object(session: Session, node: Node, scope: Scope) -> Value:
    """`new { o.Id, Name = x }`."""
    fields: list[tuple[str, Value]] = []
    parts = named(node)
    index = 0
    while index < len(parts):
        part = parts[index]
        following = part.next_sibling
        while following is not None and following.type == "comment":
            following = following.next_sibling
        if part.type == "identifier" and following is not None and following.type == "=" and index + 1 < len(parts):
            fields.append((text_of(part), session.eval(parts[index + 1], scope)))
            index += 2
        else:
            fields.append((_inferred_name(session, part, scope), session.eval(part, scope)))
            index += 1
    return Struct(None, tuple(fields))


def _inferred_name(session: Session, node: Node, scope: Scope) -> str:
    """The member name that C# derives from `o.Id`, `id` or `o.Customer!.Name`."""
    current = node
    while current.type in ("postfix_unary_expression", "parenthesized_expression") and named(current):
        current = named(current)[0]
    if current.type == "identifier":
        return text_of(current).removeprefix("@")
    if current.type == "member_access_expression":
        name = child(current, "name")
        if name is not None:
            return text_of(name)
    if current.type == "conditional_access_expression":
        return _inferred_name(session, named(current)[-1], scope)
    if current.type == "member_binding_expression":
        name = child(current, "name")
        return text_of(name) if name is not None else ""
    raise Refusal(
        "anonymous type", f"'{text_of(node)[:40]}' has no name", session.place(node, scope), "Write `Name = ...`."
    )


def object_creation(session: Session, node: Node, scope: Scope) -> Value:
    """`new Dto(a) { B = c }`, `new List<int> { 1 }`, `new DateTime(1998, 1, 1)`."""
    type_node = child(node, "type")
    if type_node is None:
        raise Refusal("new", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    name = simple_name(type_node)
    arguments = arguments_of(first_of(node, "argument_list"), scope)
    initializer = first_of(node, "initializer_expression")
    return create(session, name, type_node, arguments, initializer, node, scope)


def implicit_creation(session: Session, node: Node, scope: Scope) -> Value:
    """`new()` and `new() { .. }`: the type comes from what is expected."""
    target = session.target_of(node)
    arguments = arguments_of(first_of(node, "argument_list"), scope)
    initializer = first_of(node, "initializer_expression")
    place = session.place(node, scope)
    if target is None:
        return unknown("new()", place, "its type is not known from the input")
    if isinstance(target, SequenceType):
        return list_of(session, initializer, target.element, scope, place)
    name = getattr(target, "name", None)
    if isinstance(target, ScalarType):
        name = target.kind.value
    if not isinstance(name, str):
        return unknown("new()", place, "its type is not known from the input")
    return create(session, name, None, arguments, initializer, node, scope, target)


def create(
    session: Session,
    name: str,
    type_node: Node | None,
    arguments: list[Argument],
    initializer: Node | None,
    node: Node,
    scope: Scope,
    known: Type | None = None,
) -> Value:
    place = session.place(node, scope)
    static = session.tables.statics.get((name, ".ctor"))
    if static is not None:
        return static(session, arguments, node, scope)
    if name in _LISTS:
        target = session.resolve(type_node, scope) if type_node is not None else known
        element = element_of(target) if target is not None else None
        if arguments:
            return _copied_list(session, name, arguments, initializer, element, scope, place)
        return list_of(session, initializer, element, scope, place)
    if name in session.world.contexts:
        return session.context_called(name, scope, place)
    symbol = session.find_type(name, scope)
    if symbol is None:
        return _undeclared(session, name, arguments, initializer, node, scope)
    if session.compilation.is_ambiguous(name):
        raise Refusal(f"class {name}", "it is declared more than once", place, "Remove or rename one of them.")
    target = session.resolve(type_node, scope) if type_node is not None else known
    values = construct(session, symbol, arguments, target, node, scope)
    if not isinstance(values, Struct):
        return values
    if initializer is not None:
        values = _initialised(session, values, symbol, initializer, scope)
    return _with_defaults(session, values, symbol)


def _copied_list(
    session: Session,
    name: str,
    arguments: list[Argument],
    initializer: Node | None,
    element: Type | None,
    scope: Scope,
    place: Place,
) -> Value:
    """`new HashSet<int>(ids)`: the same items; `new List<int>(10)`: a capacity."""
    value = session.eval(arguments[0].node, scope)
    number = isinstance(value, Scalar) and isinstance(value.static, ScalarType) and value.static.kind is Kind.INT
    if len(arguments) > 1 or (initializer is not None and not number):
        raise Refusal(f"new {name}()", "this constructor is not supported", place, "Pass the items only.")
    return list_of(session, initializer, element, scope, place) if number else as_rows(value, place, f"new {name}")


def _undeclared(
    session: Session, name: str, arguments: list[Argument], initializer: Node | None, node: Node, scope: Scope
) -> Value:
    """A DTO whose class is not in the input can still be read when it is built by naming its members."""
    place = session.place(node, scope)
    if arguments or initializer is None:
        return unknown(f"new {name}", place, "the class is not in the input, so its members are not known")
    return _initialised(session, Struct(name, ()), None, initializer, scope)


def _initialised(
    session: Session, values: Struct, symbol: TypeSymbol | None, initializer: Node, scope: Scope
) -> Struct:
    fields = dict(values.fields)
    targets = member_targets(session, symbol) if symbol is not None else {}
    for item in named(initializer):
        left, right = child(item, "left"), child(item, "right")
        if item.type != "assignment_expression" or left is None or right is None or left.type != "identifier":
            raise Refusal(
                "object initialiser",
                f"'{text_of(item)[:60]}' is not supported",
                session.place(item, scope),
                "Assign members by name.",
            )
        name = text_of(left)
        if symbol is not None and session.compilation.member(symbol, name) is None:
            raise Refusal(f"{symbol.name}.{name}", "the class has no such member", session.place(item, scope))
        target = targets.get(name)
        if right.type == "initializer_expression":
            value: Value = list_of(session, right, element_of(target) if target else None, scope, None)
        else:
            value = session.eval_as(right, scope, target)
        fields[name] = coerce(value, target)
    return Struct(values.name, tuple(fields.items()))


def _with_defaults(session: Session, values: Struct, symbol: TypeSymbol) -> Struct:
    """Members that nothing assigned keep the default that the class gives them; order as declared."""
    given = dict(values.fields)
    complete: dict[str, Value] = {}
    targets = member_targets(session, symbol)
    for declared in reversed(session.compilation.ancestry(symbol)):
        for member in declared.members.values():
            if member.name in given:
                complete[member.name] = given[member.name]
            elif member.is_public and not member.is_static and (member.has_setter or member.getter is None):
                value = _default(session, member.initializer, targets.get(member.name), declared)
                if value is not None:
                    complete[member.name] = value
    complete.update({n: v for n, v in given.items() if n not in complete})
    return Struct(values.name, tuple(complete.items()))


def _default(session: Session, initializer: Node | None, target: Type | None, owner: TypeSymbol) -> Value | None:
    if initializer is not None:
        scope = Scope(owner.source, owner)
        value = coerce(session.eval_as(initializer, scope, target), target)
        if isinstance(value, Scalar) and isinstance(value.static, NullType) and target is not None:
            return Scalar(default_of(target), target)
        return None if isinstance(value, Opaque) else value
    if target is None:
        return None
    if isinstance(target, SequenceType):
        return Scalar(Const(None, SequenceType(target.element, True)), SequenceType(target.element, True))
    return Scalar(default_of(target), target)


def arguments_of(node: Node | None, scope: Scope) -> list[Argument]:
    found = []
    for item in named(node) if node is not None else []:
        if item.type != "argument":
            continue
        label = child(item, "name")
        parts = [c for c in named(item) if label is None or c.id != label.id]
        if parts:
            found.append(Argument(text_of(label) if label is not None else None, parts[-1], scope))
    return found


def array_creation(session: Session, node: Node, scope: Scope) -> Value:
    """`new[] { 1, 2 }`, `new int[] { 1 }`, `new int[0]`."""
    type_node = child(node, "type")
    target = session.resolve(type_node, scope) if type_node is not None else None
    initializer = first_of(node, "initializer_expression")
    place = session.place(node, scope)
    return list_of(session, initializer, element_of(target) if target is not None else None, scope, place)


def bare_initializer(session: Session, node: Node, scope: Scope) -> Value:
    """`int[] x = { 1, 2 }`."""
    target = session.target_of(node)
    return list_of(session, node, element_of(target) if target else None, scope, session.place(node, scope))


def collection_expression(session: Session, node: Node, scope: Scope) -> Value:
    """`[1, 2, ..others]`."""
    target = session.target_of(node)
    place = session.place(node, scope)
    items: list[Value] = []
    for element in named(node):
        inner = named(element)[0] if element.type == "collection_element" and named(element) else element
        if inner.type == "spread_element":
            rows = as_rows(session.eval(named(inner)[-1], scope), place, "..")
            if not isinstance(rows.query, Values):
                raise Refusal("..", "only lists of constants can be spread", place, "Use Concat.")
            items.extend(Scalar(i, rows.static) for i in rows.query.items)
        else:
            value_node = named(inner)[0] if inner.type == "expression_element" and named(inner) else inner
            items.append(session.eval(value_node, scope))
    return make_list(items, element_of(target) if target else None, place)


def list_of(
    session: Session, initializer: Node | None, element: Type | None, scope: Scope, place: Place | None
) -> Value:
    items = [session.eval_as(item, scope, element) for item in named(initializer)] if initializer is not None else []
    return make_list(items, element, place)


def tuple_expression(session: Session, node: Node, scope: Scope) -> Value:
    fields = []
    for index, item in enumerate(named(node)):
        label = child(item, "name")
        parts = [c for c in named(item) if label is None or c.id != label.id]
        if item.type != "argument" or not parts:
            raise Refusal("tuple", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
        name = text_of(label) if label is not None else _tuple_name(parts[-1], index)
        fields.append((name, session.eval(parts[-1], scope)))
    return Struct(None, tuple(fields))


def _tuple_name(node: Node, index: int) -> str:
    if node.type == "identifier":
        return text_of(node)
    if node.type == "member_access_expression":
        name = child(node, "name")
        if name is not None:
            return text_of(name)
    return f"Item{index + 1}"


def interpolated(session: Session, node: Node, scope: Scope) -> Value:
    """`$"{a} {b}"`: concatenation; a format is refused unless it can be spelled out."""
    place = session.place(node, scope)
    start = text_of(node.children[0]) if node.children else "$"
    verbatim = "@" in start or any(c.type == "interpolation_quote" for c in node.children)
    parts: list[Scalar] = []
    for item in node.children:
        if item.type == "string_content":
            text = text_of(item).replace("{{", "{").replace("}}", "}")
            text = text if verbatim else unescape(text)
            parts.append(Scalar(Const(text, STRING, place), STRING))
        elif item.type == "escape_sequence":
            parts.append(Scalar(Const(unescape(text_of(item)), STRING, place), STRING))
        elif item.type == "interpolation":
            hole = _hole(session, item, scope)
            if depends_on_row(hole.expr):
                session.client_only('$"{..}"', place, "Use + instead, or compare the values themselves.")
            parts.append(hole)
    return concat(parts, place)


def _hole(session: Session, item: Node, scope: Scope) -> Scalar:
    place = session.place(item, scope)
    inner = [c for c in named(item) if c.type not in ("interpolation_brace",)]
    clauses = [c for c in inner if c.type.endswith("_clause")]
    expressions = [c for c in inner if not c.type.endswith("_clause")]
    if not expressions:
        raise Refusal("interpolation", f"'{text_of(item)[:40]}' is not understood", place)
    value = to_scalar(session.eval(expressions[0], scope), place, "interpolation")
    for clause in clauses:
        if clause.type == "interpolation_alignment_clause":
            raise Refusal("interpolation", "alignment is not supported", place, "Use PadLeft or PadRight.")
        return formatted(session, value, text_of(clause).lstrip(":"), place)
    return value


def throw(session: Session, node: Node, scope: Scope) -> Value:
    raise Throws("throw", "the expression throws here", session.place(node, scope), "Return a value instead.")


HANDLERS = {
    "anonymous_object_creation_expression": anonymous_object,
    "object_creation_expression": object_creation,
    "implicit_object_creation_expression": implicit_creation,
    "array_creation_expression": array_creation,
    "implicit_array_creation_expression": array_creation,
    "initializer_expression": bare_initializer,
    "collection_expression": collection_expression,
    "tuple_expression": tuple_expression,
    "interpolated_string_expression": interpolated,
    "throw_expression": throw,
}
