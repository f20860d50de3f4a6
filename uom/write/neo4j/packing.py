"""Values on their way through a boundary: as columns of a WITH or RETURN, or packed into one value of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from uom.model.diagnostics import Refusal
from uom.model.queries import IncludeNode
from uom.model.types import as_nullable
from uom.plan.mapping.documents import camel_case
from uom.write.neo4j.expressions import member_of
from uom.write.neo4j.layouts import Layout, ListLayout, NodeLayout, PartLayout, RecordLayout, ScalarLayout
from uom.write.neo4j.logic import part_present
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import Text, case, coalesced, member, quoted
from uom.write.neo4j.values import Group, Items, Node, Part, Record, Scalar, Value

Column = tuple[Text, str]


Loader = Callable[[Node, Scope, set[str]], list[tuple[str, str, Text, Layout]]]
_LOADERS: list[Loader] = []


def loader(function: Loader) -> Loader:
    """Registers what finds the rows that an entity brings along: it compiles queries, whose rows are packed here."""
    _LOADERS.append(function)
    return function


def pack(value: Value, scope: Scope) -> tuple[Text, Layout]:
    """One expression that holds the whole value, and how to read it."""
    match value:
        case Scalar(over=None):
            return value.text, ScalarLayout(value.type, value.scale)
        case Scalar(over=over):
            return Text(f"[{value.text}, {over}]"), ScalarLayout(
                value.type, value.scale, ratio=True, counted=value.counted
            )
        case Node(includes=()):
            return value.text, NodeLayout(value.entity, value.nullable)
        case Node():
            return _pack_loaded(value, scope)
        case Part():
            entries, fields = _pack_all(part_members(value, scope), scope)
            text = _map(entries)
            if value.nullable:
                text = case([(part_present(value, scope), text)], None)
            return text, PartLayout(value.complex_name, fields, value.nullable)
        case Record():
            entries, fields = _pack_all(value.fields, scope)
            text = _map(entries)
            if value.present is not None:
                text = case([(value.present, text)], None)
            return text, RecordLayout(value.type, fields, value.present is not None)  # type: ignore[arg-type]
        case Items():
            return value.text, ListLayout(value.layout)
        case Group(group=group):
            return pack(group.whole(), scope)


def _pack_all(
    fields: Sequence[tuple[str, Value]], scope: Scope
) -> tuple[list[tuple[str, Text]], tuple[tuple[str, str, Layout], ...]]:
    entries, layouts = [], []
    taken: set[str] = set()
    for name, value in fields:
        key = free_key(name, taken)
        text, layout = pack(value, scope)
        entries.append((key, text))
        layouts.append((name, key, layout))
    return entries, tuple(layouts)


def free_key(name: str, taken: set[str]) -> str:
    key = camel_case(name)
    if key in taken:
        key = next(c for c in (name, *(f"{name}_{n}" for n in range(2, 99))) if c not in taken)
    taken.add(key)
    return key


def _map(entries: Sequence[tuple[str, Text]]) -> Text:
    return Text("{" + ", ".join(f"{quoted(key)}: {text}" for key, text in entries) + "}")


def _pack_loaded(value: Node, scope: Scope) -> tuple[Text, Layout]:
    """An entity with navigations: a map with the node and what belongs to it."""
    key = scope.graph.hint(value.entity)
    columns = _LOADERS[0](value, scope, {key})
    text = _map([(key, value.text), *((k, t) for _, k, t, _ in columns)])
    if value.nullable:
        text = case([(Text(f"{value.text} IS NOT NULL"), text)], None)
    return text, NodeLayout(value.entity, value.nullable, key, tuple((n, k, lay) for n, k, _, lay in columns))


def part_members(value: Part, scope: Scope) -> list[tuple[str, Value]]:
    """The members of an owned or complex value."""
    shape = scope.graph.schema.complex(value.complex_name)
    found = [(p.name, member_of(value, p.name, p.type, scope)) for p in shape.properties]
    for nested in shape.complexes:
        inner = Part(value.owner, f"{value.path}.{nested.name}", nested.complex_name, value.nullable or nested.nullable)
        found.append((nested.name, inner))
    return found


def unpack(layout: Layout, text: Text) -> Value:
    """A packed value as it was, in terms of the expression that holds it."""
    match layout:
        case ScalarLayout(type=type_, scale=scale, ratio=False):
            return Scalar(text, type_, scale)
        case ScalarLayout(type=type_, scale=scale):
            return Scalar(Text(f"{text}[0]"), type_, scale, Text(f"{text}[1]"), counted=layout.counted)
        case NodeLayout(entity=entity, nullable=nullable, key=""):
            return Node(text.cypher.strip("`"), entity, nullable)
        case NodeLayout(entity=entity, nullable=nullable, key=key):
            return Node(member(text, key).cypher, entity, nullable)
        case RecordLayout(type=type_, fields=fields, nullable=nullable):
            inner = tuple((name, unpack(lay, member(text, key))) for name, key, lay in fields)
            return Record(inner, type_, Text(f"{text} IS NOT NULL") if nullable else None)
        case ListLayout(item=item):
            return Items(text, item)
    raise Refusal("list", "owned values that went through a list cannot be taken apart")


def columns(value: Value, scope: Scope, hint: str) -> tuple[list[Column], Value]:
    """The value as columns with fresh names, and the value in terms of these names."""
    found: list[Column] = []
    return found, _spread(value, scope, hint, found)


def columns_or_none(row: Value, scope: Scope, hint: str) -> tuple[list[Column], Value]:
    """Columns of a row that may not be there: for a record one more says that it is."""
    items, settled = columns(row, scope, hint)
    if isinstance(settled, Record):
        found = scope.rows.names.fresh("found")
        items.append((Text("true"), found))
        settled = Record(settled.fields, settled.type, coalesced(Text(found), "false"))
    return items, settled


def _spread(value: Value, scope: Scope, hint: str, found: list[Column]) -> Value:
    names = scope.rows.names
    match value:
        case Scalar(over=None):
            alias = names.fresh(camel_case(hint))
            found.append((value.text, alias))
            return replace(value, text=Text(quoted(alias)))
        case Scalar(over=over) if over is not None:
            alias, divisor = names.fresh(camel_case(hint)), names.fresh(camel_case(hint) + "Divisor")
            found += [(value.text, alias), (over, divisor)]
            return replace(value, text=Text(quoted(alias)), over=Text(quoted(divisor)))
        case Node():
            text = value.text
            if any(t == text for t, _ in found):
                return replace(value, variable=next(a for t, a in found if t == text))
            plain = value.variable in scope.rows.variables()
            alias = value.variable if plain else names.fresh(scope.graph.hint(value.entity))
            found.append((text, alias))
            return replace(value, variable=alias)
        case Part():
            record = Record(tuple(part_members(value, scope)), None, part_present(value, scope))  # type: ignore[arg-type]
            raise Refusal(value.complex_name, f"an owned value cannot be carried on alone ({len(record.fields)} parts)")
        case Record():
            inner = tuple((n, _spread(v, scope, n, found)) for n, v in value.fields)
            present = value.present
            if present is not None and present.cypher not in ("true", "false"):
                alias = names.fresh("has" + hint[:1].upper() + hint[1:])
                found.append((coalesced(present, "false"), alias))
                present = Text(quoted(alias))
            return Record(inner, value.type, present)
        case Items():
            alias = names.fresh(camel_case(hint))
            found.append((value.text, alias))
            return replace(value, text=Text(quoted(alias)))
        case Group(group=group):
            return _spread(group.whole(), scope, hint, found)
    raise Refusal("value", "it cannot be carried on")


def optional(value: Value) -> Value:
    """The value where its row may be missing: all of it may be null."""
    match value:
        case Scalar():
            return value.as_nullable()
        case Node():
            return replace(value, nullable=True)
        case Part():
            return replace(value, owner=replace(value.owner, nullable=True), nullable=True)
        case Record():
            fields = tuple((n, optional(v)) for n, v in value.fields)
            return Record(fields, as_nullable(value.type), value.present)
    return value


def include_tree(value: Node, tree: Sequence[IncludeNode]) -> Node:
    return replace(value, includes=(*value.includes, *tree))
