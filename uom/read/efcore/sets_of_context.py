"""Methods of a DbContext: `Set<T>()`, `Find`; writes are refused by name."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from uom.model.diagnostics import Place, Refusal
from uom.model.expressions import Comparison, Expr, LogicalOp
from uom.model.queries import PickKind, Values
from uom.model.types import EntityType, as_nullable
from uom.read.csharp.syntax import text_of
from uom.read.csharp.types import type_arguments
from uom.read.efcore.binding import evaluated
from uom.read.efcore.comparing import compare, key_property
from uom.read.efcore.folding import TRUE, logical
from uom.read.efcore.lowering import scan, to_scalar
from uom.read.efcore.refused import UNTRANSLATABLE, WRITES
from uom.read.efcore.rows import Arguments, filtered, without_tokens
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import ContextCall, Session
from uom.read.efcore.terminals import picked
from uom.read.efcore.values import NOTHING, Argument, Context, Rows, Scalar, Value


def set_of(session: Session, name_node: Node, arguments: Sequence[Argument], _node: Node, scope: Scope) -> Value:
    """`context.Set<Order>()`."""
    place = session.place(name_node, scope)
    parts = type_arguments(name_node)
    if not parts or arguments:
        raise Refusal("Set()", "only Set<Entity>() is supported", place, "Name the entity class.")
    target = session.resolve(parts[0], scope)
    if isinstance(target, EntityType):
        return scan(session, target.name, place)
    owner = scope.owner
    if target is None and owner is not None and text_of(parts[0]) in owner.type_parameters:
        raise Refusal(
            f"Set<{text_of(parts[0])}>()",
            f"{owner.name} is generic, and no class of the input says which entity it is for",
            place,
            f"Add a class that derives from {owner.name}<..>.",
        )
    session.entity(getattr(target, "name", None) or text_of(parts[0]), place)
    raise Refusal(f"Set<{text_of(parts[0])}>()", "it is not an entity of the model", place, "Map the class.")


def find(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`Find(key)`: the row with this key, or null; query filters hold."""
    place = session.place(node, scope)
    if not isinstance(rows.static, EntityType):
        raise Refusal("Find()", "only sets of entities have it", place, "Use FirstOrDefault.")
    values = _keys(session, without_tokens(session, arguments), place)
    entity = session.entity(rows.static.name, place)
    if len(values) != len(entity.key):
        raise Refusal("Find()", f"the key of {entity.name} has {len(entity.key)} parts", place, "Pass all parts.")
    var = session.fresh(entity.name[0].lower(), rows.query.element, place)
    predicate: Expr = TRUE
    for name, value in zip(entity.key, values, strict=True):
        column = key_property(session, Scalar(var, rows.static), name, place)
        predicate = logical(LogicalOp.AND, predicate, compare(session, Comparison.EQ, column, value, place).expr)
    found = picked(session, filtered(session, rows, var, predicate, place), PickKind.FIRST, True, None, place)
    return Scalar(found.expr, as_nullable(found.static))


def _keys(session: Session, arguments: Arguments, place: Place) -> list[Scalar]:
    """Key values one by one, or as `new object[] { a, b }`."""
    values = [evaluated(session, a) for a in arguments]
    if len(values) == 1 and isinstance(values[0], Rows) and isinstance(values[0].query, Values):
        return [Scalar(i, i.type) for i in values[0].query.items]
    return [to_scalar(v, place, "Find") for v in values]


def context_find(session: Session, name_node: Node, arguments: Sequence[Argument], node: Node, scope: Scope) -> Value:
    """`context.Find<Order>(1)`."""
    target = set_of(session, name_node, (), node, scope)
    assert isinstance(target, Rows)
    return find(session, target, arguments, name_node, scope)


def refused(session: Session, name_node: Node, _arguments: Sequence[Argument], _node: Node, scope: Scope) -> Value:
    name = text_of(name_node.named_children[0] if name_node.type == "generic_name" else name_node)
    reason, remedy = UNTRANSLATABLE.get(
        name, ("it changes data, and only queries are translated", "Translate the update by hand.")
    )
    raise Refusal(f"{name}()", reason, session.place(name_node, scope), remedy)


def created(session: Session, _name_node: Node, _arguments: Sequence[Argument], _node: Node, _scope: Scope) -> Value:
    """`factory.CreateDbContext()`."""
    return Context(session.schema, None)


def nothing(_session: Session, _name_node: Node, _arguments: Sequence[Argument], _node: Node, _scope: Scope) -> Value:
    return NOTHING


CONTEXT_CALLS: dict[str, ContextCall] = {
    "Set": set_of,
    "Find": context_find,
    "FindAsync": context_find,
    "CreateDbContext": created,
    "CreateDbContextAsync": created,
    "Dispose": nothing,
    "DisposeAsync": nothing,
    **dict.fromkeys(WRITES, refused),
}
OPERATORS = {"Find": find, "FindAsync": find}
