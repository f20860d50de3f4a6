"""Operators that do not change rows, or move on to memory: `AsNoTracking`, `ToList`, `ToDictionary`..."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from uom.model.diagnostics import Refusal, Severity
from uom.model.expressions import Const, Lambda, New
from uom.model.keys import keys_are_certain
from uom.model.queries import Distinct, Map, Values
from uom.model.types import EntityType, Field, RecordType
from uom.model.walk import substitute
from uom.read.csharp.syntax import text_of
from uom.read.csharp.types import type_arguments
from uom.read.efcore.binding import evaluated
from uom.read.efcore.casts import cast_value
from uom.read.efcore.lowering import shaped, to_scalar
from uom.read.efcore.memory import tells_apart
from uom.read.efcore.owned import check_owned
from uom.read.efcore.projections import projected
from uom.read.efcore.rows import Arguments, lambda_of, of_type, over_row, row_value, without_tokens
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Position, QueryOperator, Session
from uom.read.efcore.values import NOTHING, Rows, Scalar, Value, changed


def dropped(name: str, reason: str = "") -> QueryOperator:
    """A hint to EF Core without effect on rows."""

    def operator(session: Session, rows: Rows, _arguments: Arguments, node: Node, scope: Scope) -> Value:
        if reason:
            session.note(Severity.LOSS, name, reason, session.place(node, scope))
        return rows

    return operator


def ignore_query_filters(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`IgnoreQueryFilters()` holds for the whole query."""
    if arguments:
        names = to_names(session, arguments, node, scope)
        all_names = {n for e in session.schema.entities for n, _ in e.query_filters}
        if not all_names <= names:
            raise Refusal(
                "IgnoreQueryFilters(names)",
                "lifting some of several query filters is not supported",
                session.place(node, scope),
                "Lift all, or write the others as Where.",
            )
    return replace(rows, lifted_filters=True)


def to_names(session: Session, arguments: Arguments, _node: Node, _scope: Scope) -> set[str]:
    value = evaluated(session, arguments[0])
    names: set[str] = set()
    if isinstance(value, Rows) and isinstance(value.query, Values):
        names = {str(i.value) for i in value.query.items if isinstance(i, Const)}
    return names


def to_memory(name: str) -> QueryOperator:
    """`ToList` and its kin: what follows runs as C#."""

    def operator(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
        if without_tokens(session, arguments):
            raise Refusal(f"{name}()", "this overload is not supported", session.place(node, scope), "Leave it out.")
        if rows.local:
            return rows
        rows = shaped(rows, session.place(node, scope)) if rows.shape is not None else rows
        if session.position is Position.STATEMENT:
            check_owned(session, rows)
        return replace(rows, client=True, client_only=None, joined=None)

    return operator


def to_hash_set(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    place = session.place(node, scope)
    if without_tokens(session, arguments):
        raise Refusal("ToHashSet()", "a comparer is not supported", place, "Leave the comparer out.")
    if rows.local:
        return rows
    rows = shaped(rows, place)
    tells_apart(session, replace(rows, client=True), rows.query.element, "ToHashSet", place)
    query = rows.query if isinstance(rows.static, EntityType) else Distinct(rows.query, rows.query.element, place)
    return changed(rows, query, client=True, client_only=None)


def to_dictionary(session: Session, rows: Rows, arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`ToDictionary(key[, value])`: rows with Key and Value."""
    place = session.place(node, scope)
    kept = without_tokens(session, arguments)
    if len(kept) not in (1, 2):
        raise Refusal("ToDictionary()", "this overload is not supported", place, "Pass a key and a value lambda.")
    rows = shaped(rows, place)
    functions = [lambda_of(session, a, rows, 1, place, "ToDictionary") for a in kept]
    memory = replace(rows, client=True, client_only=None)
    var, key_value = over_row(session, memory, functions[0], Position.PROJECTION, place)
    key = to_scalar(key_value, place, "ToDictionary")
    value = to_scalar(row_value(rows, var), place, "ToDictionary")
    includes = rows.includes
    if len(functions) == 2:
        other, chosen = over_row(session, memory, functions[1], Position.PROJECTION, place)
        scalar = to_scalar(chosen, place, "ToDictionary")
        value = Scalar(substitute(scalar.expr, {other.name: var}), scalar.static)
    record = RecordType("KeyValuePair", (Field("Key", key.expr.type), Field("Value", value.expr.type)))
    static = RecordType("KeyValuePair", (Field("Key", key.static), Field("Value", value.static)))
    body = Scalar(New(record, (key.expr, value.expr), place), static)
    result = projected(session, replace(memory, includes=includes), var, body, place)
    if not keys_are_certain(result.query, session.schema):
        session.dictionaries[result.query] = place
    return replace(result, dictionary=True)


def cast(session: Session, rows: Rows, _arguments: Arguments, node: Node, scope: Scope) -> Value:
    """`Cast<T>()` and `OfType<T>()`: the type stands in the call's name."""
    place = session.place(node, scope)
    name = text_of(node.named_children[0]) if node.named_children else text_of(node)
    parts = type_arguments(node)
    if not parts:
        raise Refusal(name, "its type is missing", place, "Name the type.")
    target = session.resolve(parts[0], scope)
    if name == "OfType" and isinstance(target, EntityType):
        return of_type(session, rows, node, scope, target.name, place)
    if isinstance(rows.static, EntityType) and not isinstance(target, EntityType):
        raise Refusal(
            f"{name}<{text_of(parts[0])}>",
            "it is not an entity of the model",
            place,
            "Add a DbSet or Entity<..>() for it: EF Core does not find derived classes by itself.",
        )
    if isinstance(target, EntityType) and isinstance(rows.static, EntityType):
        if rows.static.name in session.schema.descendants(target.name):
            return rows
        raise Refusal(f"Cast<{target.name}>", "casting rows down is not supported", place, "Use OfType.")
    rows = shaped(rows, place)
    var = session.fresh("x", rows.query.element, place)
    value = cast_value(session, Scalar(var, rows.static), target, f"Cast<{text_of(parts[0])}>", place)
    body = to_scalar(value, place, name)
    if body.expr == var:
        return replace(rows, static=body.static)
    return changed(rows, Map(rows.query, Lambda(var, body.expr), body.expr.type, place), static=body.static)


def nothing(_session: Session, _rows: Rows, _arguments: Arguments, _node: Node, _scope: Scope) -> Value:
    return NOTHING


def tracking(name: str, tracked: bool) -> QueryOperator:
    """`AsNoTracking`: matters only where tracked entities find each other."""

    def operator(session: Session, rows: Rows, _arguments: Arguments, node: Node, scope: Scope) -> Value:
        session.note(Severity.LOSS, name, _TRACKING, session.place(node, scope))
        return replace(rows, tracked=tracked)

    return operator


_TRACKING = "how EF Core tracks entities has no effect on rows"
OPERATORS: dict[str, QueryOperator] = {
    "AsNoTracking": tracking("AsNoTracking", False),
    "AsNoTrackingWithIdentityResolution": tracking("AsNoTrackingWithIdentityResolution", True),
    "AsTracking": tracking("AsTracking", True),
    "AsSplitQuery": dropped("AsSplitQuery", "how many SQL statements are sent has no effect on rows"),
    "AsSingleQuery": dropped("AsSingleQuery", "how many SQL statements are sent has no effect on rows"),
    "TagWith": dropped("TagWith", "a comment in SQL has no effect on rows"),
    "TagWithCallSite": dropped("TagWithCallSite", "a comment in SQL has no effect on rows"),
    "IgnoreAutoIncludes": dropped("IgnoreAutoIncludes", "automatic Includes are not read"),
    "AsQueryable": dropped("AsQueryable"),
    "IgnoreQueryFilters": ignore_query_filters,
    "AsEnumerable": to_memory("AsEnumerable"),
    "AsAsyncEnumerable": to_memory("AsAsyncEnumerable"),
    "ToList": to_memory("ToList"),
    "ToListAsync": to_memory("ToListAsync"),
    "ToArray": to_memory("ToArray"),
    "ToArrayAsync": to_memory("ToArrayAsync"),
    "ToImmutableList": to_memory("ToImmutableList"),
    "ToImmutableArray": to_memory("ToImmutableArray"),
    "AsReadOnly": to_memory("AsReadOnly"),
    "ToHashSet": to_hash_set,
    "ToHashSetAsync": to_hash_set,
    "ToDictionary": to_dictionary,
    "ToDictionaryAsync": to_dictionary,
    "OfType": cast,
    "Cast": cast,
    "Load": nothing,
    "LoadAsync": nothing,
}
