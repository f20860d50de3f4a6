"""Statements of a method, run step by step: what a block returns, and what its variables hold then.

A condition that is known picks its branch. One over parameters makes the rest of the method a choice: filters become
`Filter.when`, anything else a Conditional of two results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import Const
from uom.model.types import INT, EntityType, RecordType, SequenceType, Type
from uom.read.csharp.declarations import method_symbol
from uom.read.csharp.syntax import child, descend, first_of, named, text_of
from uom.read.efcore.branches import Outcome, if_statement, switch_statement
from uom.read.efcore.conditions import coalesced
from uom.read.efcore.loops import add_to_list, foreach
from uom.read.efcore.lowering import coerce, to_scalar
from uom.read.efcore.operators import apply_binary
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, Throws
from uom.read.efcore.values import NOTHING, Closure, Context, Instance, Opaque, Rows, Scalar, Struct, Value

Statement = Callable[[Session, Node, Scope], Value | None]


def run(session: Session, block: Node, scope: Scope) -> Value:
    """What the block of a method returns; Nothing when it falls off its end."""
    after, session.after = session.after, ()
    try:
        outcome = run_all(session, named(block), scope.inner())
    finally:
        session.after = after
    return outcome if outcome is not None else scope.find("yield") or NOTHING


def run_all(session: Session, statements: Sequence[Node], scope: Scope) -> Outcome:
    """Runs statements in order; None when none of them returns."""
    for statement in statements:
        if statement.type == "local_function_statement":
            symbol = method_symbol(scope.source, statement, scope.owner)
            scope.functions[symbol.name] = symbol
    after = session.after
    try:
        for index, statement in enumerate(statements):
            session.after = (*statements[index + 1 :], *after) if after is not None else None
            outcome = run_one(session, statement, scope)
            if outcome is not None:
                return outcome
    finally:
        session.after = after
    return None


def run_one(session: Session, statement: Node, scope: Scope) -> Outcome:
    handler = _STATEMENTS.get(statement.type)
    if handler is None:
        raise Refusal(
            statement.type.replace("_", " "),
            "this statement is not supported in a query method",
            session.place(statement, scope),
            "Move it out of the method.",
        )
    return handler(session, statement, scope)


def _block(session: Session, statement: Node, scope: Scope) -> Outcome:
    return run_all(session, named(statement), scope.inner())


def _return(session: Session, statement: Node, scope: Scope) -> Outcome:
    parts = named(statement)
    if not parts:
        return NOTHING
    return session.eval_as(parts[0], scope, _return_type(session, scope))


def _return_type(session: Session, _scope: Scope) -> Type | None:
    return session.return_types[-1] if session.return_types else None


def _declaration(session: Session, statement: Node, scope: Scope) -> Outcome:
    """`var q = ..;`, also `using var` and `const`."""
    declaration = first_of(statement, "variable_declaration")
    if declaration is None:
        return None
    type_node = child(declaration, "type")
    declared = session.resolve(type_node, scope)
    for declarator in named(declaration):
        if declarator.type == "variable_declarator":
            _declare(session, declarator, declared, type_node, scope)
    return None


def _declare(session: Session, declarator: Node, declared: Type | None, type_node: Node | None, scope: Scope) -> None:
    name = child(declarator, "name")
    pattern = first_of(declarator, "tuple_pattern")
    parts = [c for c in named(declarator) if (name is None or c.id != name.id) and c.type != "tuple_pattern"]
    if not parts:
        if name is not None:
            variable = text_of(name).removeprefix("@")
            scope.names[variable] = Opaque(variable, "it has no value yet", session.place(declarator, scope))
            if declared is not None:
                scope.declared[variable] = declared
        return
    value = lenient(session, parts[-1], scope, declared)
    if pattern is not None:
        deconstruct(session, pattern, value, scope)
        return
    if name is None:
        return
    variable = text_of(name).removeprefix("@")
    if isinstance(value, Closure) and type_node is not None and text_of(type_node).startswith(("Func<", "Predicate<")):
        value = Closure(value.parameters, value.body, value.scope, True)
    scope.names[variable] = coerce(value, declared)
    if declared is not None:
        scope.declared[variable] = declared


def lenient(session: Session, node: Node, scope: Scope, target: Type | None) -> Value:
    """The value of an initialiser. What only a later use can judge is refused there, not here.

    A method may compute things that its query does not need (a log text, a cache key).
    """
    try:
        return session.eval_as(node, scope, target)
    except Refusal as refusal:
        d = refusal.diagnostic
        if session.reads_rows(node, scope):
            raise
        return Opaque(d.construct, d.reason, d.place, d.remedy)


def deconstruct(session: Session, pattern: Node, value: Value, scope: Scope) -> None:
    """`var (a, b) = tuple`."""
    names = [c for c in pattern.named_children if c.type != "comment"]
    if not isinstance(value, Struct) or len(value.fields) != len(names):
        raise Refusal("deconstruction", "the value is not a tuple of this size", session.place(pattern, scope))
    for target, (_, part) in zip(names, value.fields, strict=True):
        if target.type == "tuple_pattern":
            deconstruct(session, target, part, scope)
        elif target.type == "identifier":
            scope.names[text_of(target)] = part


def _expression(session: Session, statement: Node, scope: Scope) -> Outcome:
    """An assignment, a call for its effect (`list.Add(x)`), or a call without effect on the query."""
    parts = named(statement)
    if not parts:
        return None
    inner = parts[0]
    while inner.type in ("await_expression", "parenthesized_expression") and named(inner):
        inner = named(inner)[-1]
    if inner.type == "assignment_expression":
        _assign(session, inner, scope)
    elif inner.type == "invocation_expression":
        _effect(session, inner, scope)
    elif inner.type in ("postfix_unary_expression", "prefix_unary_expression"):
        _increment(session, inner, scope)
    return None


def _assign(session: Session, node: Node, scope: Scope) -> None:
    left, right, operator = child(node, "left"), child(node, "right"), child(node, "operator")
    place = session.place(node, scope)
    if left is None or right is None:
        raise Refusal("assignment", f"'{text_of(node)[:60]}' is not understood", place)
    sign = text_of(operator) if operator is not None else "="
    if left.type in ("tuple_expression", "tuple_pattern"):
        value = session.eval(right, scope)
        if left.type == "tuple_expression":
            _assign_parts(session, left, value, scope)
        else:
            deconstruct(session, left, value, scope)
        return
    if left.type == "identifier" and text_of(left) == "_":
        return
    name = text_of(left).removeprefix("@")
    if left.type != "identifier" or scope.holder(name) is None:
        _assign_member(session, left, right, sign, scope)
        return
    target = scope.declared_type(name)
    value = lenient(session, right, scope, target) if sign == "=" else session.eval(right, scope)
    if sign == "??=":
        before = to_scalar(scope.names.get(name) or scope.find(name) or NOTHING, place, sign)
        value = coalesced(before, to_scalar(value, place, sign), place)
    elif sign != "=":
        before_value = scope.find(name)
        assert before_value is not None
        value = apply_binary(session, sign.removesuffix("="), before_value, value, place)
    assign(session, name, coerce(value, target), scope, place)


def assign(session: Session, name: str, value: Value, scope: Scope, place: Place | None) -> None:
    """Sets a variable; a lambda that already read it would see the new value, so that is refused."""
    if name in session.captured and not isinstance(value, Rows) and not isinstance(scope.find(name), Rows):
        raise Refusal(
            name,
            "the variable changes after a query has captured it",
            place,
            "Use a variable of its own for each value.",
        )
    scope.set(name, value)


def _assign_parts(session: Session, left: Node, value: Value, scope: Scope) -> None:
    targets = [named(a)[-1] for a in named(left) if named(a)]
    if not isinstance(value, Struct) or len(value.fields) != len(targets):
        raise Refusal("assignment", "the value is not a tuple of this size", session.place(left, scope))
    for target, (_, part) in zip(targets, value.fields, strict=True):
        if text_of(target) != "_":
            assign(session, text_of(target), part, scope, session.place(target, scope))


def _assign_member(session: Session, left: Node, right: Node, sign: str, scope: Scope) -> None:
    """`dto.Name = x` on an object the method made itself; anything else has no place in a query."""
    place = session.place(left, scope)
    if left.type == "member_access_expression" and sign == "=":
        owner, name = child(left, "expression"), child(left, "name")
        variable = text_of(owner) if owner is not None else ""
        target = scope.find(variable)
        if isinstance(target, Struct) and name is not None:
            _check_own(session, variable, target, scope, place)
            fields = dict(target.fields)
            fields[text_of(name)] = session.eval(right, scope)
            scope.set(variable, Struct(target.name, tuple(fields.items())))
            return
        if isinstance(target, Opaque):
            return
    if scope.this is not None and not isinstance(scope.this, Instance | Context):
        raise Refusal("assignment", f"'{text_of(left)[:40]}' changes the object", place, "Compute the value instead.")
    if text_of(left).split(".")[1:2] == ["ChangeTracker"]:
        return
    if not session.reads_rows(left, scope) and not session.reads_rows(right, scope):
        scope.stained(text_of(left).split(".")[0], place)
        return
    raise Refusal("assignment", f"'{text_of(left)[:40]}' cannot be assigned in a query method", place, "Return it.")


def _check_own(session: Session, variable: str, target: Struct, scope: Scope, place: Place) -> None:
    """Objects are read as values, so one that somebody else holds, too, must not change."""
    holder = scope.holder(variable)
    foreign = holder is not None and variable in holder.parameters
    others = [v for s in scope.chain() for n, v in s.names.items() if n != variable]
    shared = any(v is target or (isinstance(v, Struct) and any(f is target for _, f in v.fields)) for v in others)
    if foreign or shared or variable in session.captured:
        raise Refusal(
            "assignment", f"{variable} is used elsewhere and changes here", place, "Use an object initialiser."
        )


def _effect(session: Session, node: Node, scope: Scope) -> None:
    """A call whose result is not used."""
    function = child(node, "function")
    place = session.place(node, scope)
    if function is not None and function.type == "member_access_expression":
        owner, name_node = child(function, "expression"), child(function, "name")
        name = text_of(name_node) if name_node is not None else ""
        variable = text_of(owner) if owner is not None else ""
        target = scope.find(variable) if owner is not None and owner.type == "identifier" else None
        if isinstance(target, Rows) and name in ("Add", "AddRange", "Insert", "Remove", "Clear", "Sort", "Reverse"):
            add_to_list(session, variable, target, name, node, scope)
            return
    try:
        session.eval(node, scope)
    except Refusal:
        if session.reads_rows(node, scope):
            raise
        if not text_of(function if function is not None else node).split(".")[-1].startswith(_HARMLESS):
            _stain_all(node, scope, place)


_HARMLESS = ("Log", "Write", "Validate", "Ensure", "Guard", "Throw", "Assert", "Track", "Record", "Debug", "Trace")
"""Calls by these names look at their arguments and leave them as they are."""


def _stain_all(node: Node, scope: Scope, place: Place) -> None:
    """An unknown call may change the objects it is given."""
    for inner, _ in descend(node):
        if inner.type == "identifier":
            value = scope.find(text_of(inner))
            changeable = isinstance(value, Struct | Rows) or (
                isinstance(value, Scalar) and isinstance(value.static, RecordType | SequenceType | EntityType)
            )
            if changeable:
                scope.stained(text_of(inner), place)


def _increment(session: Session, node: Node, scope: Scope) -> None:
    """`count++`."""
    operand = named(node)[-1] if named(node) else None
    sign = next((text_of(c) for c in node.children if text_of(c) in ("++", "--")), None)
    if sign is None or operand is None or operand.type != "identifier":
        return
    before = scope.find(text_of(operand))
    if before is None:
        return
    place = session.place(node, scope)
    value = apply_binary(session, sign[0], before, Scalar(Const(1, INT, place), INT), place)
    assign(session, text_of(operand), value, scope, place)


def _skip(_session: Session, _statement: Node, _scope: Scope) -> Outcome:
    return None


def _throw(session: Session, statement: Node, scope: Scope) -> Outcome:
    raise Throws("throw", "the method throws here", session.place(statement, scope), "Return a value instead.")


def _using(session: Session, statement: Node, scope: Scope) -> Outcome:
    """`using (var db = ..) { .. }`."""
    inner = scope.inner()
    declaration = first_of(statement, "variable_declaration")
    if declaration is not None:
        for declarator in named(declaration):
            if declarator.type == "variable_declarator":
                _declare(session, declarator, None, child(declaration, "type"), inner)
    body = child(statement, "body")
    if body is None:
        return None
    return run_all(session, named(body), inner) if body.type == "block" else run_all(session, [body], inner)


def _try(session: Session, statement: Node, scope: Scope) -> Outcome:
    """The block itself: what happens after an exception is not part of the query."""
    body = child(statement, "body")
    if first_of(statement, "catch_clause") is not None:
        place = session.place(statement, scope)
        session.note(Severity.LOSS, "catch", "what the method does after an exception is dropped", place)
    return run_all(session, named(body), scope.inner()) if body is not None else None


def _lock(session: Session, statement: Node, scope: Scope) -> Outcome:
    body = named(statement)[-1]
    return run_all(session, named(body), scope.inner())


def _yield(session: Session, statement: Node, scope: Scope) -> Outcome:
    raise Refusal(
        "yield", "it is understood inside a foreach over rows only", session.place(statement, scope), "Return a list."
    )


def _checked(session: Session, statement: Node, scope: Scope) -> Outcome:
    """`checked { ... }`, `unchecked { ... }`."""
    with session.overflow(text_of(statement.children[0]) == "checked"):
        return run_all(session, named(named(statement)[-1]), scope.inner())


def _loop(session: Session, statement: Node, scope: Scope) -> Outcome:
    raise Refusal(
        statement.type.replace("_statement", ""),
        "loops other than foreach are not supported",
        session.place(statement, scope),
        "Use LINQ.",
    )


_STATEMENTS: dict[str, Statement] = {
    "block": _block,
    "if_statement": lambda session, node, scope: if_statement(session, node, scope, run_all),
    "switch_statement": lambda session, node, scope: switch_statement(session, node, scope, run_all),
    "return_statement": _return,
    "local_declaration_statement": _declaration,
    "expression_statement": _expression,
    "local_function_statement": _skip,
    "empty_statement": _skip,
    "comment": _skip,
    "preproc_region": _skip,
    "preproc_endregion": _skip,
    "preproc_pragma": _skip,
    "preproc_nullable": _skip,
    "throw_statement": _throw,
    "using_statement": _using,
    "try_statement": _try,
    "lock_statement": _lock,
    "yield_statement": _yield,
    "for_statement": _loop,
    "while_statement": _loop,
    "do_statement": _loop,
    "foreach_statement": lambda session, node, scope: foreach(session, node, scope, run_all),
    "checked_statement": _checked,
}
