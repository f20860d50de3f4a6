"""Query syntax: `from .. where .. join .. into .. let .. orderby .. group .. select .. into ..`.

Range variables live in a scope of values over one row variable. A `let`, and the group of a `join .. into`, are
substituted; a second `from` or a `join` makes rows of an anonymous record with the range variables as fields, unless
the `select` follows at once and can be built right there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Expr, LogicalOp, Property, Var
from uom.model.queries import Join, JoinKind
from uom.model.types import EntityType, RecordType, Type, same_ignoring_null
from uom.model.walk import substitute
from uom.read.csharp.syntax import MAX_DEPTH, descend, named, text_of
from uom.read.efcore.comparing import truth
from uom.read.efcore.folding import TRUE, logical
from uom.read.efcore.groups import grouped
from uom.read.efcore.join_keys import is_composite, join_keys, key_pairs, matching
from uom.read.efcore.joins import _same_side
from uom.read.efcore.lowering import as_rows, finished, rebound, shaped, to_scalar
from uom.read.efcore.memory import runs_in_memory
from uom.read.efcore.projections import _result, flatten, projected
from uom.read.efcore.rows import added_key, filtered, on_server, ordered, sort_key, without_groups
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Fetched, Position, Session
from uom.read.efcore.values import ClientOnly, GroupJoined, Rows, Scalar, Struct, Value, changed


@dataclass(frozen=True)
class Reading:
    """The query so far: rows, and the range variables as values over `var`."""

    rows: Rows
    var: Var
    names: tuple[tuple[str, Value], ...]
    needed: frozenset[str] = frozenset()
    """Identifiers that later clauses mention: other range variables need not be carried along."""

    def carried(self) -> list[tuple[str, Value]]:
        return [(n, v) for n, v in self.names if n in self.needed]


def query_expression(session: Session, node: Node, scope: Scope) -> Value:
    parts = [c for c in node.children if (c.is_named and c.type != "comment") or c.type == "into"]
    if not parts or parts[0].type != "from_clause":
        raise Refusal("query", f"'{text_of(node)[:60]}' is not understood", session.place(node, scope))
    if len(parts) > MAX_DEPTH:
        raise Refusal("query", f"it has more than {MAX_DEPTH} clauses", session.place(node, scope), "Split it.")
    reading = _first(session, parts[0], scope)
    index = 1
    result: Rows | None = None
    while index < len(parts):
        part = parts[index]
        reading = replace(reading, needed=_mentioned(parts[index + 1 :]))
        if part.type == "into":
            if result is None or index + 1 >= len(parts):
                raise Refusal("into", "it does not follow a select or group", session.place(part, scope))
            reading = _start(session, result, text_of(parts[index + 1]), session.place(part, scope))
            result = None
            index += 2
            continue
        following = parts[index + 1] if index + 1 < len(parts) else None
        if part.type in ("select_clause", "group_clause"):
            result = _ENDS[part.type](session, reading, part, scope)
        elif (
            part.type in ("from_clause", "join_clause") and following is not None and following.type == "select_clause"
        ):
            last = _last_step(session, reading, part, following, scope)
            if isinstance(last, Reading):
                reading = last
            else:
                result = last
                index += 1
        else:
            clause = _CLAUSES.get(part.type)
            if clause is None:
                raise Refusal(part.type, f"'{text_of(part)[:50]}' is not supported", session.place(part, scope))
            reading = clause(session, reading, part, scope)
        index += 1
    if result is None:
        raise Refusal("query", "it has no select or group", session.place(node, scope), "End it with a select.")
    return result


def _mentioned(nodes: list[Node]) -> frozenset[str]:
    return frozenset(text_of(n).removeprefix("@") for node in nodes for n, _ in descend(node) if n.type == "identifier")


def _start(session: Session, rows: Rows, name: str, place: Place) -> Reading:
    rows = shaped(rows, place)
    var = session.fresh(name, rows.query.element, place)
    return Reading(rows, var, ((name, Scalar(var, rows.static)),))


def _first(session: Session, clause: Node, scope: Scope) -> Reading:
    place = session.place(clause, scope)
    name, source, type_node = _from_parts(clause)
    rows = as_rows(session.eval(source, scope), place, "from")
    if type_node is not None:
        rows = _typed(session, rows, type_node, scope, place)
    return _start(session, rows, name, place)


def _from_parts(clause: Node) -> tuple[str, Node, Node | None]:
    name = clause.child_by_field_name("name")
    type_node = clause.child_by_field_name("type")
    known = {n.id for n in (name, type_node) if n is not None}
    rest = [c for c in named(clause) if c.id not in known]
    if name is None or not rest:
        raise Refusal("from", f"'{text_of(clause)[:50]}' is not understood")
    return text_of(name).removeprefix("@"), rest[-1], type_node


def _typed(session: Session, rows: Rows, type_node: Node, scope: Scope, place: Place) -> Rows:
    """`from Dog d in animals`."""
    target = session.resolve(type_node, scope)
    if target is None or same_ignoring_null(target, rows.static):
        return rows
    match target, rows.static:
        case EntityType(name=wanted), EntityType(name=actual) if actual in session.schema.descendants(wanted):
            return rows
    raise Refusal("from", f"casting rows to {text_of(type_node)} is not supported", place, "Use OfType.")


def _moved(session: Session, reading: Reading) -> Reading:
    """The same range variables over a fresh row variable, for the next lambda."""
    var = session.fresh(reading.var.name.rstrip("0123456789") or "row", reading.rows.query.element, reading.var.place)
    names = tuple((n, rebound(v, reading.var.name, var)) for n, v in reading.names)
    return replace(reading, var=var, names=names)


def _inside(_session: Session, reading: Reading, scope: Scope) -> Scope:
    inner = scope.inner(is_lambda=True)
    inner.names.update(dict(reading.names))
    return inner


def _evaluate(session: Session, reading: Reading, node: Node, scope: Scope, position: Position) -> Value:
    if session.position is Position.SERVER:
        position = Position.SERVER
    fetched = Fetched(reading.var.name, reading.rows.includes) if reading.rows.client else None
    with session.at(position, fetched):
        value = session.eval(node, _inside(session, reading, scope))
    if fetched is not None:
        runs_in_memory(session, value, session.place(node, scope))
    return value


def _where(session: Session, reading: Reading, clause: Node, scope: Scope) -> Reading:
    place = session.place(clause, scope)
    on_server(reading.rows, "where", place)
    value = _evaluate(session, reading, named(clause)[-1], scope, Position.SERVER)
    predicate = truth(session, to_scalar(value, place, "where"), place, "where")
    rows = filtered(session, reading.rows, reading.var, predicate, place)
    return _moved(session, replace(reading, rows=rows)) if rows is not reading.rows else reading


def _let(session: Session, reading: Reading, clause: Node, scope: Scope) -> Reading:
    parts = named(clause)
    without_groups(reading.rows, "let", session.place(clause, scope))
    value = _evaluate(session, reading, parts[-1], scope, Position.SERVER)
    name = text_of(parts[0]).removeprefix("@")
    return replace(reading, names=(*reading.names, (name, value)))


def _order_by(session: Session, reading: Reading, clause: Node, scope: Scope) -> Reading:
    place = session.place(clause, scope)
    on_server(reading.rows, "orderby", place)
    keys: list[tuple[Node, bool]] = []
    for part in clause.children:
        if part.type in ("ascending", "descending") and keys:
            keys[-1] = (keys[-1][0], part.type == "descending")
        elif part.is_named and part.type != "comment":
            keys.append((part, False))
    rows = reading.rows
    for index, (key, descending) in enumerate(keys):
        value = _evaluate(session, reading, key, scope, Position.SERVER)
        if index == 0:
            rows = ordered(session, rows, reading.var, value, descending, place, "orderby")
        else:
            expr = sort_key(session, rows, to_scalar(value, place, "orderby"), place, "orderby")
            rows = added_key(rows, reading.var, expr, descending)
    return _moved(session, replace(reading, rows=rows))


def _combined(
    session: Session, reading: Reading, name: str, combine: Callable[[Callable[[Value], Value]], Rows]
) -> Reading:
    """Rows of a record with all range variables, after a further `from` or `join`."""

    def result(item: Value) -> Value:
        return Struct(None, (*reading.carried(), (name, item)))

    rows = combine(result)
    element = rows.query.element
    assert isinstance(element, RecordType) and isinstance(rows.static, RecordType)
    var = session.fresh("row", element)
    names = tuple(
        (f.name, _field(var, f.name, f.type, s.type)) for f, s in zip(element.fields, rows.static.fields, strict=True)
    )
    return Reading(rows, var, names)


def _field(var: Var, name: str, type_: Type, static: Type) -> Scalar:
    return Scalar(Property(var, name, type_), static)


def _from(session: Session, reading: Reading, clause: Node, scope: Scope) -> Reading:
    place = session.place(clause, scope)
    name, source, _ = _from_parts(clause)
    without_groups(reading.rows, "from", place)
    inner = as_rows(_evaluate(session, reading, source, scope, Position.SERVER), place, "from")
    return _combined(
        session,
        reading,
        name,
        lambda result: flatten(session, reading.rows, reading.var, inner, result, name, place),
    )


@dataclass(frozen=True)
class JoinClause:
    name: str
    source: Node
    left: Node
    right: Node
    into: str | None


def _join_parts(session: Session, clause: Node, scope: Scope) -> JoinClause:
    into = next((c for c in named(clause) if c.type == "join_into_clause"), None)
    type_node = clause.child_by_field_name("type")
    parts = [c for c in named(clause) if c.type != "join_into_clause" and (type_node is None or c.id != type_node.id)]
    if len(parts) != 4:
        raise Refusal("join", f"'{text_of(clause)[:50]}' is not understood", session.place(clause, scope))
    group = text_of(named(into)[-1]) if into is not None else None
    return JoinClause(text_of(parts[0]), parts[1], parts[2], parts[3], group)


def _join(session: Session, reading: Reading, clause: Node, scope: Scope) -> Reading:
    """`join x in xs on a equals b [into g]`."""
    parts = _join_parts(session, clause, scope)
    if parts.into is None:
        return _combined(
            session, reading, parts.name, lambda result: _joined(session, reading, parts, clause, scope, result)
        )
    place = session.place(clause, scope)
    inner, var, keys, composite = _matched(session, reading, parts, clause, scope)
    group = _group(session, inner, var, reading.var, keys, composite, place)
    return replace(reading, names=(*reading.names, (parts.into, group)))


def _matched(
    session: Session, reading: Reading, parts: JoinClause, clause: Node, scope: Scope
) -> tuple[Rows, Var, tuple[tuple[Expr, Expr], ...], bool]:
    """(inner rows, their variable, key pairs, whether the key is an anonymous object)."""
    place = session.place(clause, scope)
    on_server(reading.rows, "join", place)
    without_groups(reading.rows, "join", place)
    inner = shaped(as_rows(session.eval(parts.source, scope), place, "join"), place)
    _same_side(reading.rows, inner, "join", place)
    var = session.fresh(parts.name, inner.query.element, place)
    left = _evaluate(session, reading, parts.left, scope, Position.SERVER)
    inner_scope = scope.inner(is_lambda=True)
    inner_scope.names[parts.name] = Scalar(var, inner.static)
    with session.at(Position.SERVER, Fetched(var.name, inner.includes) if inner.client else None):
        right = session.eval(parts.right, inner_scope)
    keys = key_pairs(to_scalar(left, place, "join"), to_scalar(right, place, "join"), place)
    return inner, var, keys, is_composite(left)


def _group(
    session: Session,
    inner: Rows,
    var: Var,
    outer: Var,
    keys: tuple[tuple[Expr, Expr], ...],
    composite: bool,
    place: Place,
) -> Rows:
    predicate: Expr = TRUE
    group_var = session.fresh(var.name, var.type, place)
    for left, right in keys:
        test = matching(left, substitute(right, {var.name: group_var}), place)
        predicate = logical(LogicalOp.AND, predicate, test)
    rows = filtered(session, replace(inner, joined=None), group_var, predicate, place)
    return replace(rows, joined=GroupJoined(inner, var, outer, keys, composite=composite))


def _joined(
    session: Session,
    reading: Reading,
    parts: JoinClause,
    clause: Node,
    scope: Scope,
    result: Callable[[Value], Value],
) -> Rows:
    place = session.place(clause, scope)
    inner, var, pairs, composite = _matched(session, reading, parts, clause, scope)
    keys = join_keys(pairs, composite)
    body = _result(session, reading.rows, result, Scalar(var, inner.static), place)
    query = Join(
        JoinKind.INNER, reading.rows.query, finished(inner), reading.var, var, keys, body.expr, body.expr.type, place
    )
    return changed(reading.rows, query, static=body.static, shape=None, includes=())


def _last_step(session: Session, reading: Reading, clause: Node, end: Node, scope: Scope) -> Rows | Reading:
    """A `from` or `join` right before the `select` builds the selected row itself."""
    if clause.type == "join_clause" and _join_parts(session, clause, scope).into is not None:
        return _join(session, reading, clause, scope)
    name = _from_parts(clause)[0] if clause.type == "from_clause" else _join_parts(session, clause, scope).name
    client: list[tuple[str, Place | None]] = []

    def result(item: Value) -> Value:
        inner = scope.inner(is_lambda=True)
        inner.names.update({**dict(reading.names), name: item})
        value = session.eval(named(end)[-1], inner)
        client.extend(session.client_marks)
        session.client_marks.clear()
        return value

    place = session.place(clause, scope)
    if clause.type == "join_clause":
        rows = _joined(session, reading, _join_parts(session, clause, scope), clause, scope, result)
    else:
        _, source, _ = _from_parts(clause)
        without_groups(reading.rows, "from", place)
        inner = as_rows(_evaluate(session, reading, source, scope, Position.SERVER), place, "from")
        rows = flatten(session, reading.rows, reading.var, inner, result, name, place)
    return replace(rows, client_only=ClientOnly(*client[0])) if client and not rows.client else rows


def _select(session: Session, reading: Reading, clause: Node, scope: Scope) -> Rows:
    place = session.place(clause, scope)
    on_server(reading.rows, "select", place)
    marks, session.client_marks = session.client_marks, []
    includes, session.row_includes = session.row_includes, reading.rows.includes
    try:
        value = _evaluate(session, reading, named(clause)[-1], scope, Position.PROJECTION)
        found = session.client_marks
    finally:
        session.client_marks, session.row_includes = marks, includes
    if found and session.position is Position.PROJECTION:
        session.client_marks.extend(found)
    rows = projected(session, reading.rows, reading.var, to_scalar(value, place, "select"), place)
    return replace(rows, client_only=ClientOnly(*found[0])) if found and not rows.client else rows


def _group_by(session: Session, reading: Reading, clause: Node, scope: Scope) -> Rows:
    place = session.place(clause, scope)
    parts = named(clause)
    on_server(reading.rows, "group", place)
    value = to_scalar(_evaluate(session, reading, parts[0], scope, Position.SERVER), place, "group")
    key = to_scalar(_evaluate(session, reading, parts[-1], scope, Position.SERVER), place, "group")
    return grouped(session, reading.rows, reading.var, key, value, place)


Clause = Callable[[Session, Reading, Node, Scope], Reading]
_CLAUSES: dict[str, Clause] = {
    "where_clause": _where,
    "let_clause": _let,
    "order_by_clause": _order_by,
    "from_clause": _from,
    "join_clause": _join,
}
_ENDS: dict[str, Callable[[Session, Reading, Node, Scope], Rows]] = {
    "select_clause": _select,
    "group_clause": _group_by,
}

HANDLERS = {"query_expression": query_expression}
