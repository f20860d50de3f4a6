"""`foreach` over rows that filters and collects, and lists that grow step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, Lambda, LogicalOp, Var
from uom.model.queries import Elements, Filter, Values
from uom.model.types import NullType
from uom.model.walk import substitute
from uom.read.csharp.syntax import child, first_of, named, text_of
from uom.read.efcore.comparing import truth
from uom.read.efcore.folding import TRUE, is_true, logical, negate
from uom.read.efcore.lowering import as_rows, coerce, make_list, shaped, to_scalar
from uom.read.efcore.memory import assume, runs_in_memory
from uom.read.efcore.projections import projected
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, Session
from uom.read.efcore.values import Rows, Scalar, Value

Run = Callable[[Session, Sequence[Node], Scope], Value | None]
MAX_UNROLLED = 64


@dataclass
class Collected:
    """What the body of a loop adds to which list, under which condition."""

    condition: Expr = TRUE
    target: str | None = None
    value: Scalar | None = None
    added_when: Expr = TRUE
    stopped: bool = field(default=False)


def foreach(session: Session, node: Node, scope: Scope, run_all: Run) -> Value | None:
    place = session.place(node, scope)
    left, right, body = child(node, "left"), child(node, "right"), child(node, "body")
    if left is None or right is None or body is None:
        raise Refusal("foreach", f"'{text_of(node)[:50]}' is not understood", place)
    source = session.eval(right, scope)
    rows = shaped(as_rows(source, place, "foreach"), place)
    statements = named(body) if body.type == "block" else [body]
    if isinstance(rows.query, Values):
        return _unrolled(session, rows, rows.query, left, statements, scope, run_all, place)
    if isinstance(rows.query, Elements) and rows.local:
        raise Refusal(
            "foreach", "a loop over a parameter runs a number of times not known here", place, "Use Any or All."
        )
    if left.type != "identifier":
        raise Refusal("foreach", "deconstruction is not supported here", place, "Use one variable.")
    _collect(session, rows, text_of(left), statements, scope, run_all, place)
    return None


def _unrolled(
    session: Session,
    rows: Rows,
    values: Values,
    left: Node,
    statements: Sequence[Node],
    scope: Scope,
    run_all: Run,
    place: Place,
) -> Value | None:
    """A loop over constants is run once for each."""
    if len(values.items) > MAX_UNROLLED:
        raise Refusal("foreach", "the list is too long to unroll", place, "Use Contains or Any.")
    after, session.after = session.after, None
    try:
        for item in values.items:
            inner = scope.inner()
            inner.names[text_of(left)] = Scalar(item, rows.static)
            outcome = run_all(session, statements, inner)
            if outcome is not None:
                return outcome
    finally:
        session.after = after
    return None


def _collect(
    session: Session, rows: Rows, name: str, statements: Sequence[Node], scope: Scope, run_all: Run, place: Place
) -> None:
    var = session.fresh(name, rows.query.element, place)
    inner = scope.inner(is_lambda=True)
    inner.names[name] = Scalar(var, rows.static)
    collected = Collected()
    with session.at(Position.PROJECTION, Fetched(var.name, rows.includes)):
        _body(session, statements, inner, run_all, collected)
    assume(session, collected.added_when, place)
    if collected.value is not None:
        runs_in_memory(session, collected.value, place)
    if collected.target is None or collected.value is None:
        raise Refusal("foreach", "the loop adds nothing to a list", place, "Use LINQ.")
    target = scope.find(collected.target)
    if collected.target != "yield":
        if not (isinstance(target, Rows) and isinstance(target.query, Values) and not target.query.items):
            raise Refusal("foreach", f"{collected.target} is not an empty list before the loop", place, "Use LINQ.")
        declared = target.static if not isinstance(target.static, NullType) else None
        value = coerce(collected.value, declared)
        assert isinstance(value, Scalar)
        collected.value = value
    elif target is not None:
        raise Refusal("foreach", "there are several loops with yield", place, "Return one query.")
    result = _query(session, rows, var, collected, place)
    if collected.target == "yield":
        outermost = [s for s in scope.chain() if not s.is_lambda][-1]
        outermost.names["yield"] = result
    else:
        scope.set(collected.target, result)


def _query(session: Session, rows: Rows, var: Var, collected: Collected, place: Place) -> Rows:
    assert collected.value is not None
    source = replace(rows, client=True, ordered=False, include_path=(), joined=None)
    if not is_true(collected.added_when):
        query = Filter(source.query, Lambda(var, collected.added_when), source.query.element, None, place)
        source = replace(source, query=query)
    row = session.fresh(var.name, var.type, place)
    body = Scalar(substitute(collected.value.expr, {var.name: row}), collected.value.static)
    return projected(session, source, row, body, place)


def _body(session: Session, statements: Sequence[Node], scope: Scope, run_all: Run, collected: Collected) -> None:
    for statement in statements:
        if collected.stopped:
            raise Refusal("foreach", "code after an Add is not understood", session.place(statement, scope))
        _step(session, statement, scope, run_all, collected)


def _step(session: Session, statement: Node, scope: Scope, run_all: Run, collected: Collected) -> None:
    """One statement of the loop: a condition, a local, or the Add."""
    place = session.place(statement, scope)
    if statement.type == "if_statement":
        _conditional(session, statement, scope, run_all, collected)
        return
    if statement.type == "block":
        _body(session, named(statement), scope.inner(), run_all, collected)
        return
    if statement.type == "local_declaration_statement":
        run_all(session, [statement], scope)
        return
    if statement.type == "yield_statement" and named(statement):
        _add(session, "yield", session.eval(named(statement)[-1], scope), collected, place)
        return
    call = _list_call(statement)
    if call is not None:
        name, argument = call
        _add(session, name, session.eval(argument, scope), collected, place)
        return
    raise Refusal("foreach", f"'{text_of(statement)[:50]}' is not understood in a loop over rows", place, "Use LINQ.")


def _add(_session: Session, name: str, value: Value, collected: Collected, place: Place) -> None:
    if collected.target is not None:
        raise Refusal("foreach", "the loop adds more than once for a row", place, "Use LINQ.")
    collected.target = name
    collected.value = to_scalar(value, place, "Add")
    collected.added_when = collected.condition


def _list_call(statement: Node) -> tuple[str, Node] | None:
    """`names.Add(x)`."""
    call = first_of(statement, "invocation_expression") if statement.type == "expression_statement" else None
    function = child(call, "function") if call is not None else None
    arguments = child(call, "arguments") if call is not None else None
    if function is None or arguments is None or function.type != "member_access_expression":
        return None
    owner, name = child(function, "expression"), child(function, "name")
    items = [a for a in named(arguments) if a.type == "argument"]
    if owner is None or owner.type != "identifier" or name is None or text_of(name) != "Add" or len(items) != 1:
        return None
    return text_of(owner), named(items[0])[-1]


def _conditional(session: Session, statement: Node, scope: Scope, run_all: Run, collected: Collected) -> None:
    place = session.place(statement, scope)
    condition, then = child(statement, "condition"), child(statement, "consequence")
    otherwise = child(statement, "alternative")
    if condition is None or then is None:
        raise Refusal("if", f"'{text_of(statement)[:50]}' is not understood", place)
    test = truth(session, to_scalar(session.eval(condition, scope), place, "if"), place, "if")
    body = named(then) if then.type == "block" else [then]
    if otherwise is not None:
        raise Refusal("if", "else inside a loop over rows is not supported", place, "Use LINQ.")
    if len(body) == 1 and body[0].type == "continue_statement":
        collected.condition = logical(LogicalOp.AND, collected.condition, negate(test))
        return
    if any(s.type in ("break_statement", "return_statement") for s in body):
        raise Refusal("break", "leaving a loop over rows early is not supported", place, "Use Take or First.")
    outside = collected.condition
    collected.condition = logical(LogicalOp.AND, outside, test)
    _body(session, body, scope.inner(), run_all, collected)
    collected.condition = outside


def add_to_list(session: Session, variable: str, target: Rows, name: str, node: Node, scope: Scope) -> None:
    """`list.Add(x)` outside of loops: the list has one more constant."""
    place = session.place(node, scope)
    arguments = child(node, "arguments")
    items = [named(a)[-1] for a in named(arguments) if named(a)] if arguments is not None else []
    if not isinstance(target.query, Values) or name not in ("Add", "AddRange") or len(items) != 1:
        raise Refusal(f"{name}()", "changing a list of rows is not supported", place, "Use LINQ.")
    aliases = [n for s in scope.chain() for n, v in s.names.items() if v is target and n != variable]
    if aliases or variable in session.captured:
        raise Refusal(f"{name}()", f"{variable} is already used elsewhere", place, "Fill the list before using it.")
    declared = target.static if not isinstance(target.static, NullType) else None
    known = [Scalar(i, target.static) for i in target.query.items]
    value = session.eval_as(items[0], scope, declared)
    if items[0].type == "identifier":
        session.captured.add(text_of(items[0]))
    more: list[Value] = [value]
    if name == "AddRange":
        added = as_rows(value, place, name)
        if not isinstance(added.query, Values):
            raise Refusal("AddRange()", "only constants can be added", place, "Use Concat.")
        more = [Scalar(i, added.static) for i in added.query.items]
    scope.set(variable, make_list([*known, *more], declared, place))
