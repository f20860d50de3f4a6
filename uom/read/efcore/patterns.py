"""`is` patterns and switch expressions: each pattern becomes a condition on the value it tests."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Comparison, Expr, IsOfType, LogicalOp
from uom.model.types import EntityType, NullType, Type, as_nullable, same_ignoring_null
from uom.read.csharp.precedence import Combined, Match, Member, Negated, Pattern, Relational, pattern_of, regrouped
from uom.read.csharp.syntax import child, named, text_of
from uom.read.efcore.casts import cast_entity
from uom.read.efcore.comparing import boolean, compare, is_null, negated, truth
from uom.read.efcore.conditions import choose, evaluate_operand
from uom.read.efcore.folding import FALSE, TRUE, is_false, is_true, logical, negate
from uom.read.efcore.lowering import coerce, evaluate_scalar, to_scalar
from uom.read.efcore.members import member
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session
from uom.read.efcore.values import Rows, Scalar, Struct, TypeName, Value

PatternHandler = Callable[[Session, Value, Node, Scope], Expr]


def is_pattern(session: Session, node: Node, scope: Scope) -> Value:
    grouped = regrouped(node)
    if grouped is None:
        raise Refusal("is", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    return evaluate_operand(session, grouped, scope)


def matches(session: Session, test: Match, scope: Scope) -> Value:
    """`subject is pattern`."""
    return boolean(matching(session, evaluate_operand(session, test.subject, scope), test.pattern, scope))


def matching(session: Session, subject: Value, pattern: Pattern, scope: Scope) -> Expr:
    """Whether the subject matches the pattern."""
    match pattern:
        case Combined(operator=word, left=left, right=right):
            op = LogicalOp.OR if word == "or" else LogicalOp.AND
            return logical(op, matching(session, subject, left, scope), matching(session, subject, right, scope))
        case Negated(pattern=inner):
            return negate(matching(session, subject, inner, scope))
        case Relational(operator=sign, value=node):
            place = session.place(node, scope)
            value = evaluate_scalar(session, node, scope)
            return compare(session, Comparison(sign), to_scalar(subject, place, "is"), value, place).expr
        case Member():
            return _qualified(session, subject, pattern, scope)
        case _:
            return _PATTERNS.get(pattern.type, _constant)(session, subject, pattern, scope)


def _qualified(session: Session, subject: Value, pattern: Member, scope: Scope) -> Expr:
    """`is Status.Open`."""
    value = _member_value(session, pattern, scope)
    place = session.place(pattern.name, scope)
    if isinstance(value, TypeName):
        raise Refusal("is", "a qualified type name is not supported here", place, "Add a using directive.")
    return compare(session, Comparison.EQ, to_scalar(subject, place, "is"), to_scalar(value, place, "is"), place).expr


def _member_value(session: Session, pattern: Node | Member, scope: Scope) -> Value:
    if not isinstance(pattern, Member):
        return session.eval(pattern, scope)
    return member(session, _member_value(session, pattern.owner, scope), text_of(pattern.name), pattern.name, scope)


def test(session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    """Whether the subject matches a pattern that stands alone: of a switch, in braces."""
    return matching(session, subject, pattern_of(pattern), scope)


def _constant(session: Session, subject: Value, inner: Node, scope: Scope) -> Expr:
    """A constant, or the name of a type."""
    place = session.place(inner, scope)
    if inner.type == "tuple_expression":
        return _tuple(session, subject, inner, scope)
    if inner.type in _TYPE_NODES:
        return _type_test(session, subject, inner, scope)
    value = session.eval(inner, scope)
    if isinstance(value, TypeName):
        return _type_test(session, subject, inner, scope)
    if isinstance(subject, Rows | Struct) and isinstance(value, Scalar) and isinstance(value.static, NullType):
        return FALSE
    left, right = to_scalar(subject, place, "is"), to_scalar(value, place, "is")
    return compare(session, Comparison.EQ, left, right, place).expr


_TYPE_NODES = ("predefined_type", "nullable_type", "generic_name", "array_type")


def _inner(session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    return test(session, subject, named(pattern)[0], scope)


def _anything(_session: Session, _subject: Value, _pattern: Node, _scope: Scope) -> Expr:
    return TRUE


def _variable(_session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    """`is var x`: always true, and gives the value a name."""
    name = child(pattern, "name")
    if name is not None:
        scope.names[text_of(name)] = subject
    return TRUE


def _declaration(session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    """`is Dog d`, `is int n`: a type test that names the value when it holds."""
    type_node, name = child(pattern, "type"), child(pattern, "name")
    if type_node is None:
        return _variable(session, subject, pattern, scope)
    if type_node.type == "implicit_type":
        return _variable(session, subject, pattern, scope)
    condition = _type_test(session, subject, type_node, scope)
    if name is not None:
        scope.names[text_of(name)] = _as_type(session, subject, type_node, scope)
    return condition


def _as_type(session: Session, subject: Value, type_node: Node, scope: Scope) -> Value:
    """The value after the test held."""
    target = session.resolve(type_node, scope)
    value = coerce_value(subject)
    if isinstance(value, Scalar) and isinstance(value.static, EntityType) and isinstance(target, EntityType):
        return cast_entity(session, value, target, session.place(type_node, scope))
    return value


def coerce_value(subject: Value) -> Value:
    if isinstance(subject, Scalar):
        return Scalar(subject.expr, as_nullable(subject.static, False))
    return subject


def _type_test(session: Session, subject: Value, type_node: Node, scope: Scope) -> Expr:
    place = session.place(type_node, scope)
    target = session.resolve(type_node, scope)
    value = to_scalar(subject, place, "is")
    if isinstance(value.static, EntityType):
        return _entity_type_test(session, subject, text_of(type_node), place)
    if target is not None and same_ignoring_null(target, value.static):
        return negated(is_null(value, place)).expr if value.static.nullable or value.expr.type.nullable else TRUE
    raise Refusal("is", f"the type test {text_of(type_node)} is not supported here", place, "Test a column instead.")


def _entity_type_test(session: Session, subject: Value, name: str, place: Place) -> Expr:
    """TPH: the discriminator holds a value of the entity or of one that derives from it."""
    value = to_scalar(subject, place, "is")
    if not isinstance(value.static, EntityType):
        raise Refusal("is", f"the type test {name} is not supported here", place, "Test a column instead.")
    wanted = session.entity(name, place)
    if value.static.name in session.schema.descendants(wanted.name):
        return negated(is_null(value, place)).expr if value.expr.type.nullable else TRUE
    return IsOfType(value.expr, wanted.name, place)


def _recursive(session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    """`is { Total: > 5, Customer.City: "Bern" } x`."""
    place = session.place(pattern, scope)
    type_node, name = child(pattern, "type"), child(pattern, "name")
    condition: Expr = TRUE
    if type_node is not None:
        condition = _type_test(session, subject, type_node, scope)
    elif isinstance(subject, Scalar) and (subject.static.nullable or subject.expr.type.nullable):
        condition = negated(is_null(subject, place)).expr
    for clause in named(pattern):
        if clause.type == "property_pattern_clause":
            for part in named(clause):
                condition = logical(LogicalOp.AND, condition, _subpattern(session, subject, part, scope))
        elif clause.type == "positional_pattern_clause":
            raise Refusal("positional pattern", "it is not supported", place, "Name the properties.")
    if name is not None:
        scope.names[text_of(name)] = coerce_value(subject)
    return condition


def _subpattern(session: Session, subject: Value, part: Node, scope: Scope) -> Expr:
    parts = named(part)
    if len(parts) < 2:
        raise Refusal("pattern", f"'{text_of(part)[:60]}' is not understood", session.place(part, scope))
    value = coerce_value(subject)
    with session.lifting(None):
        for step in text_of(parts[0]).split("."):
            value = member(session, value, step.strip(), parts[0], scope)
    return test(session, value, parts[1], scope)


def _tuple(session: Session, subject: Value, pattern: Node, scope: Scope) -> Expr:
    """`(1, _)` against a tuple."""
    place = session.place(pattern, scope)
    items = [named(a)[-1] for a in named(pattern) if named(a)]
    if not isinstance(subject, Struct) or len(subject.fields) != len(items):
        raise Refusal("tuple pattern", "the value is not a tuple of this size", place, "Test the parts one by one.")
    condition: Expr = TRUE
    for (_, value), item in zip(subject.fields, items, strict=True):
        if text_of(item) != "_":
            condition = logical(LogicalOp.AND, condition, test(session, value, item, scope))
    return condition


_PATTERNS: dict[str, PatternHandler] = {
    "parenthesized_pattern": _inner,
    "discard": _anything,
    "var_pattern": _variable,
    "declaration_pattern": _declaration,
    "recursive_pattern": _recursive,
    **dict.fromkeys(
        ["list_pattern", "positional_pattern_clause", "slice_pattern"],
        lambda session, _subject, pattern, scope: _unsupported(session, pattern, scope),
    ),
}


def _unsupported(session: Session, pattern: Node, scope: Scope) -> Expr:
    raise Refusal(
        pattern.type.replace("_", " "),
        f"'{text_of(pattern)[:60]}' is not supported",
        session.place(pattern, scope),
        "Write the test with == and &&.",
    )


def switch_expression(session: Session, node: Node, scope: Scope) -> Value:
    """Arms in order become nested conditionals; arms that cannot match are dropped."""
    place = session.place(node, scope)
    parts = named(node)
    subject = session.eval(parts[0], scope)
    arms = [p for p in parts[1:] if p.type == "switch_expression_arm"]
    return _arms(session, subject, arms, scope, place, session.target_of(node))


def _arms(session: Session, subject: Value, arms: list[Node], scope: Scope, place: Place, target: Type | None) -> Value:
    if not arms:
        raise Refusal(
            "switch", "no arm matches every value, so C# may throw here", place, "Add a `_` arm for the other values."
        )
    parts = named(arms[0])
    inner = scope.inner()
    condition = test(session, subject, parts[0], inner)
    when = next((p for p in parts if p.type == "when_clause"), None)
    if when is not None:
        guard = evaluate_scalar(session, named(when)[-1], inner, "when")
        condition = logical(LogicalOp.AND, condition, truth(session, guard, place, "when"))
    if is_false(condition):
        return _arms(session, subject, arms[1:], scope, place, target)
    if parts[-1].type == "throw_expression":
        session.dropped_check(condition, session.place(parts[-1], scope))
        return _arms(session, subject, arms[1:], scope, place, target)
    value = coerce(session.eval_as(parts[-1], inner, target), target)
    if is_true(condition):
        return value
    if arms[1:] and all(named(a)[-1].type == "throw_expression" for a in arms[1:]):
        session.dropped_check(condition, session.place(arms[1], scope))
        return value
    rest = _arms(session, subject, arms[1:], scope, place, target)
    return choose(session, condition, value, rest, place)


HANDLERS = {
    "is_pattern_expression": is_pattern,
    "is_expression": is_pattern,
    "switch_expression": switch_expression,
}
