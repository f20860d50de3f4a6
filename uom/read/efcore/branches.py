"""`if`, `switch`, early returns and `?? throw`: code that takes one way or another when the method runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, IsNull, LogicalOp, Subquery
from uom.read.csharp.syntax import child, named, text_of
from uom.read.efcore.comparing import truth
from uom.read.efcore.conditions import choose
from uom.read.efcore.folding import is_false, is_true, logical
from uom.read.efcore.lowering import to_scalar
from uom.read.efcore.patterns import test as pattern_test
from uom.read.efcore.requiring import _make_required
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, Throws
from uom.read.efcore.values import NOTHING, Value

Outcome = Value | None
"""What a statement returns from the method; None: it goes on."""
Run = Callable[[Session, Sequence[Node], Scope], Outcome]


def if_statement(session: Session, node: Node, scope: Scope, run_all: Run) -> Outcome:
    """What the method returns from here; where only one branch returns, the other goes on with the rest of the code."""
    place = session.place(node, scope)
    condition, then = child(node, "condition"), child(node, "consequence")
    otherwise = child(node, "alternative")
    if condition is None or then is None:
        raise Refusal("if", f"'{text_of(node)[:50]}' is not understood", place)
    if _only_guards(then) and otherwise is None:
        _guard(session, condition, scope)
        return None
    test = truth(session, to_scalar(session.eval(condition, scope), place, "if"), place, "if")
    return either_way(
        session,
        test,
        lambda: run_all(session, _statements(then), scope.inner()),
        lambda: run_all(session, _statements(otherwise), scope.inner()),
        scope,
        run_all,
        place,
    )


def either_way(
    session: Session,
    test: Expr,
    then: Callable[[], Outcome],
    otherwise: Callable[[], Outcome],
    scope: Scope,
    run_all: Run,
    place: Place,
) -> Outcome:
    """Runs the branch that the test chooses, or both when it decides only at run time."""
    if is_true(test) or is_false(test):
        return then() if is_true(test) else otherwise()
    before = scope.snapshot()
    try:
        first = then()
    except Throws as thrown:
        session.dropped_check(test, thrown.diagnostic.place)
        scope.restore(before)
        return otherwise()
    after_then = scope.snapshot()
    scope.restore(before)
    try:
        second = otherwise()
        if second is None and first is not None:
            second = _go_on(session, scope, run_all, place)
    except Throws as thrown:
        session.dropped_check(test, thrown.diagnostic.place)
        scope.restore(after_then)
        return first
    after_else = scope.snapshot()
    if first is None and second is None:
        scope.restore(_merged(session, test, before, after_then, after_else, place))
        return None
    if first is None:
        scope.restore(after_then)
        try:
            first = _go_on(session, scope, run_all, place)
        except Throws as thrown:
            session.dropped_check(test, thrown.diagnostic.place)
            return second
    return _either(session, test, first, second, place)


def _go_on(session: Session, scope: Scope, run_all: Run, place: Place) -> Outcome:
    """The rest of the method, for a branch that does not return while the other one does."""
    rest = session.after
    if rest is None:
        raise Refusal("return", "returning from inside a loop is not supported", place, "Use LINQ.")
    session.after = ()
    try:
        return run_all(session, rest, scope)
    finally:
        session.after = rest


def _either(session: Session, test: Expr, first: Outcome, second: Outcome, place: Place) -> Outcome:
    return choose(session, test, first or NOTHING, second or NOTHING, place)


def _statements(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return named(node) if node.type == "block" else [node]


def _only_guards(node: Node) -> bool:
    """`throw ..`, alone or with logging before it."""
    statements = _statements(node)
    return bool(statements) and statements[-1].type == "throw_statement"


def _guard(session: Session, condition: Node, scope: Scope) -> None:
    """A check that throws: of an argument it is dropped; of a missing row it makes the row required."""
    place = session.place(condition, scope)
    try:
        value = to_scalar(session.eval(condition, scope), place, "if")
    except Refusal:
        if session.reads_rows(condition, scope):
            raise
        return
    if is_false(value.expr):
        return
    if is_true(value.expr):
        raise Refusal("throw", "the method always throws here", place, "Return a value.")
    if isinstance(value.expr, IsNull) and isinstance(value.expr.operand, Subquery):
        _make_required(session, value.expr.operand, scope)
        return
    session.dropped_check(value.expr, place)


def _merged(
    session: Session,
    test: Expr,
    before: list[dict[str, Value]],
    then: list[dict[str, Value]],
    otherwise: list[dict[str, Value]],
    place: Place,
) -> list[dict[str, Value]]:
    """Variables after both branches: unchanged, filtered when the test holds, or a choice."""
    merged = []
    for old, first, second in zip(before, then, otherwise, strict=True):
        names = dict(old)
        for name in old:
            a, b = first[name], second[name]
            if a is not b and a != b:
                names[name] = merge(session, test, a, b, place)
            else:
                names[name] = a
        merged.append(names)
    return merged


def merge(session: Session, test: Expr, then: Value, otherwise: Value, place: Place) -> Value:
    return choose(session, test, then, otherwise, place)


def switch_statement(session: Session, node: Node, scope: Scope, run_all: Run) -> Outcome:
    """A switch over a value: sections become nested ifs; each must end with break, return or throw."""
    place = session.place(node, scope)
    subject_node, body = child(node, "value"), child(node, "body")
    if subject_node is None or body is None:
        raise Refusal("switch", f"'{text_of(node)[:50]}' is not understood", place)
    subject = session.eval(subject_node, scope)
    cases: list[tuple[list[Node], bool, list[Node]]] = []
    labels: list[Node] = []
    has_default = False
    for section in named(body):
        patterns = [c for c in named(section) if _is_label(c)]
        statements = [c for c in named(section) if not _is_label(c)]
        labels.extend(patterns)
        has_default = has_default or any(c.type == "default" for c in section.children)
        if statements:
            if statements[-1].type == "break_statement":
                statements = statements[:-1]
            elif statements[-1].type not in ("return_statement", "throw_statement", "block"):
                raise Refusal("switch", "a section does not end with break or return", session.place(section, scope))
            cases.append((labels, has_default, statements))
            labels, has_default = [], False
    ordered = [c for c in cases if not c[1]] + [c for c in cases if c[1]]
    return _cases(session, subject, ordered, scope, run_all, place)


def _is_label(node: Node) -> bool:
    return node.type.endswith("_pattern") or node.type in ("discard", "when_clause")


def _cases(
    session: Session,
    subject: Value,
    cases: Sequence[tuple[list[Node], bool, list[Node]]],
    scope: Scope,
    run_all: Run,
    place: Place,
) -> Outcome:
    if not cases:
        return None
    labels, is_default, statements = cases[0]
    statements = _without_break(statements)
    if is_default:
        return run_all(session, statements, scope.inner())
    if any(label.type == "when_clause" for label in labels):
        raise Refusal("when", "guards in a switch statement are not supported", place, "Use if.")
    test: Expr | None = None
    for label in labels:
        condition = pattern_test(session, subject, label, scope)
        test = condition if test is None else logical(LogicalOp.OR, test, condition)
    assert test is not None
    return either_way(
        session,
        test,
        lambda: run_all(session, statements, scope.inner()),
        lambda: _cases(session, subject, cases[1:], scope, run_all, place),
        scope,
        run_all,
        place,
    )


def _without_break(statements: list[Node]) -> list[Node]:
    if len(statements) == 1 and statements[0].type == "block":
        inner = named(statements[0])
        return inner[:-1] if inner and inner[-1].type == "break_statement" else inner
    return statements
