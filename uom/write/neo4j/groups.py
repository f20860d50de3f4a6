"""GroupBy: keys and aggregates become one WITH. Aggregates join it as they are asked for by what follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from uom.model.diagnostics import Refusal
from uom.model.expressions import Not, Property, Var
from uom.model.queries import (
    Aggregate,
    AggregateKind,
    Contains,
    Distinct,
    Elements,
    Exists,
    Filter,
    Forall,
    GroupBy,
    Map,
    OrderBy,
    Query,
)
from uom.model.types import Field, GroupingType, RecordType, SequenceType, is_integer, is_number
from uom.plan.mapping.documents import camel_case
from uom.write.neo4j.clauses import Clause, With
from uom.write.neo4j.expressions import evaluate, truth
from uom.write.neo4j.operators import check_equality, compile_rows, operator
from uom.write.neo4j.packing import columns, pack
from uom.write.neo4j.rows import Rows, sort_texts
from uom.write.neo4j.scope import Scope
from uom.write.neo4j.text import Level, Text, binary, both, call, case, integer, is_null, is_text_type, quoted
from uom.write.neo4j.values import Group, Items, Node, Record, Scalar, Value


@dataclass(eq=False, slots=True)
class OpenGroup:
    """A grouping in the making: `scope` is that of the rows that are grouped, `element` what one of them is."""

    scope: Scope
    key: Value
    element: Value
    type: GroupingType
    columns: list[tuple[Text, str]]
    """The WITH's items: keys first. The list is the clause's own, so aggregates may still join it."""
    clause: With | None = None
    collected: Items | None = None
    sums: dict[str, str] = field(default_factory=dict)

    @property
    def written(self) -> bool:
        return self.clause is not None

    def write(self, clauses: list[Clause]) -> None:
        self.clause = With(self.columns, keys=len(self.columns) - len(self.sums))
        clauses.insert(0, self.clause)

    def column(self, text: Text, hint: str) -> Text:
        """The name under which the value of an aggregate is carried on; equal ones share it."""
        name = self.sums.get(text.cypher)
        if name is None:
            name = self.sums[text.cypher] = self.scope.rows.names.fresh(camel_case(hint))
            self.columns.append((text, name))
        return Text(quoted(name))

    def items(self) -> Items:
        """All rows of the group as a list, in the order that they had before."""
        if self.collected is None:
            before = self.scope.rows
            before.settle_page()
            if before.sort and not self._is_sorted(before):
                before.clauses.append(With(sort=sort_texts(before.sort)))
            text, layout = pack(self.element, self.scope)
            self.collected = Items(self.column(call("collect", text), "items"), layout)
        return self.collected

    @staticmethod
    def _is_sorted(before: Rows) -> bool:
        last = before.clauses[-1] if before.clauses else None
        return isinstance(last, With) and last.sort == sort_texts(before.sort)

    def whole(self) -> Record:
        """The group itself as a row: its key and its items."""
        fields = (Field("Key", self.type.key), Field("Items", SequenceType(self.type.element)))
        return Record((("Key", self.key), ("Items", self.items())), RecordType(None, fields))


@operator(GroupBy)
def _group_by(query: GroupBy, scope: Scope) -> Value:
    row = compile_rows(query.source, scope)
    rows = scope.rows
    before = Rows(rows.names, rows.outer, rows.clauses, rows.row, rows.sort, rows.skip, rows.limit, rows.bound)
    before.group, before.before = rows.group, rows.before
    inner = scope.on(before)
    key = evaluate(query.key.body, inner.bind(query.key.var, row), "key")
    element = evaluate(query.value.body, inner.bind(query.value.var, row))
    before.settle_page()
    items, settled = columns(key, inner, _key_hint(query))
    rows.clauses, rows.sort, rows.skip, rows.limit, rows.bound = [], (), None, None, {}
    rows.before = before
    rows.group = OpenGroup(inner, settled, element, query.element, [])
    _add_keys(rows.group, items, scope)
    return Group(rows.group, settled)


def _add_keys(group: OpenGroup, items: Sequence[tuple[Text, str]], scope: Scope) -> None:
    """Where case does not count, text is grouped without it, and the group's key is spelt as in its first row."""
    texts = set() if scope.semantics.case_sensitive else _texts(group.key)
    spelt = [(text, name) for text, name in items if quoted(name) in texts]
    group.columns.extend((text, name) for text, name in items if quoted(name) not in texts)
    for text, name in spelt:
        trimmed = call("rtrim", text, "' '") if scope.semantics.ignore_trailing_blanks else text
        group.columns.append((call("toLower", trimmed), scope.rows.names.fresh(f"{name}Folded")))
    for text, name in spelt:
        first = call("head", call("collect", text))
        group.sums[f"{first.cypher} AS {name}"] = name
        group.columns.append((first, name))


def _texts(key: Value) -> set[str]:
    """The variables that hold text in a key."""
    if isinstance(key, Record):
        return {name for _, part in key.fields for name in _texts(part)}
    return {key.text.cypher} if isinstance(key, Scalar) and is_text_type(key.type) else set()


def _key_hint(query: GroupBy) -> str:
    body = query.key.body
    return body.name if isinstance(body, Property) else "key"


# aggregates of a group ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an aggregate runs over: the value per row, and the condition that a row must meet."""

    value: Value
    tests: tuple[Text, ...]
    distinct: bool = False


def group_of(query: Query, scope: Scope) -> OpenGroup | None:
    """The group whose elements a query starts from, if it is one that can still take aggregates."""
    current: Query | None = query
    while current is not None and not isinstance(current, Elements):
        current = getattr(current, "source", None)
    if current is None or not isinstance(current.source, Var):
        return None
    value = scope.env.get(current.source.name)
    found = value.group if isinstance(value, Group) else None
    return found if isinstance(found, OpenGroup) and found is scope.rows.group else None


def grouped_value(query: Query, group: OpenGroup, scope: Scope, hint: str) -> Scalar | None:
    """The value of a terminal over a group's elements, as a column of its WITH; None when it needs them one by one."""
    if isinstance(query, Exists | Forall | Contains):
        return None if isinstance(query, Contains) else _test(query, group, scope)
    if not isinstance(query, Aggregate):
        return None
    chosen = _chosen(query.source, group, scope)
    if chosen is None:
        return None
    name = hint if hint != "value" else query.kind.value
    if query.kind is AggregateKind.COUNT:
        return Scalar(group.column(_count(chosen), name), query.element, None)
    value = chosen.value
    if query.selector is not None:
        value = evaluate(query.selector.body, _over(group, scope).bind(query.selector.var, value))
    if not isinstance(value, Scalar):
        raise Refusal(query.kind.value, "of rows that are no single values")
    if value.over is not None:
        raise Refusal(query.kind.value, "of quotients of decimals")
    return aggregate(
        query, value, chosen, lambda text, suffix: group.column(text, name + suffix), not scope.semantics.case_sensitive
    )


def _over(group: OpenGroup, scope: Scope) -> Scope:
    """The scope of the grouped rows, with the variables of the query around them."""
    return Scope(scope.writing, group.scope.rows, {**scope.env, **group.scope.env})


def _chosen(query: Query, group: OpenGroup, scope: Scope) -> Chosen | None:
    match query:
        case Elements():
            return Chosen(group.element, ())
        case OrderBy(source=source):
            return _chosen(source, group, scope)
        case Filter(source=source, predicate=predicate, when=None):
            inner = _chosen(source, group, scope)
            if inner is None or inner.distinct:
                return None
            test = truth(predicate.body, _over(group, scope).bind(predicate.var, inner.value))
            return Chosen(inner.value, (*inner.tests, test))
        case Map(source=source, selector=selector):
            inner = _chosen(source, group, scope)
            if inner is None or inner.distinct:
                return None
            return Chosen(evaluate(selector.body, _over(group, scope).bind(selector.var, inner.value)), inner.tests)
        case Distinct(source=source):
            inner = _chosen(source, group, scope)
            if inner is None:
                return None
            check_equality(query.element, "Distinct", scope)
            return Chosen(inner.value, inner.tests, True)
    return None


def _if(tests: tuple[Text, ...], value: Text) -> Text:
    return case([(both(*tests), value)], None) if tests else value


def _count(chosen: Chosen) -> Text:
    if not chosen.distinct:
        return call("count", _if(chosen.tests, integer(1))) if chosen.tests else Text("count(*)")
    value = chosen.value
    if isinstance(value, Node):
        return Text(f"count(DISTINCT {_if(chosen.tests, value.text)})")
    if not isinstance(value, Scalar) or value.over is not None:
        raise Refusal("Count", "of distinct rows that are no single values")
    counted = Text(f"count(DISTINCT {_if(chosen.tests, value.text)})")
    if not value.nullable:
        return counted
    # null is a value like any other, which count() does not see
    nothing = _if((*chosen.tests, is_null(value.text)), integer(1))
    return binary(counted, "+", call("coalesce", call("max", nothing), integer(0)), Level.ADD)


def _test(query: Exists | Forall, group: OpenGroup, scope: Scope) -> Scalar | None:
    source: Query = query.source
    if isinstance(query, Forall):
        source = Filter(source, type(query.predicate)(query.predicate.var, Not(query.predicate.body)), source.element)
    chosen = _chosen(source, group, scope)
    if chosen is None:
        return None
    counted = group.column(_count(Chosen(chosen.value, chosen.tests)), "count")
    operator_ = "=" if isinstance(query, Forall) else ">"
    return Scalar(binary(counted, operator_, integer(0), Level.COMPARE), query.element)


def aggregate(
    query: Aggregate, value: Scalar, chosen: Chosen, column: Callable[[Text, str], Text], ignores_case: bool
) -> Scalar:
    """Sum, Average, Min or Max. `column(text, suffix)` gives an aggregate a name."""
    distinct = "DISTINCT " if chosen.distinct else ""
    text = _if(chosen.tests, value.text)
    scale = value.scale
    if query.kind in (AggregateKind.SUM, AggregateKind.AVERAGE) and not is_number(value.type):
        raise Refusal(query.kind.value, "of values that are no numbers")
    if query.kind is AggregateKind.SUM:
        return Scalar(column(Text(f"sum({distinct}{text})"), ""), query.element, scale)
    if query.kind is not AggregateKind.AVERAGE:
        _check_extreme(query, value, ignores_case)
        return Scalar(column(Text(f"{query.kind.value.lower()}({text})"), ""), query.element, scale)
    total, number = Text(f"sum({distinct}{text})"), Text(f"count({distinct}{text})")
    if scale is not None:
        return Scalar(column(total, "Total"), query.element, scale, column(number, "Count"), counted=True)
    if is_integer(value.type):
        # avg() is a running mean, which loses the last digits; this is rounded once
        divided = binary(call("toFloat", total), "/", number, Level.MULTIPLY)
        kept = case([(binary(number, "<>", integer(0), Level.COMPARE), divided)], None)
        return Scalar(column(kept, ""), query.element)
    return Scalar(column(Text(f"avg({distinct}{text})"), ""), query.element)


def _check_extreme(query: Aggregate, value: Scalar, ignores_case: bool) -> None:
    if getattr(getattr(value.type, "kind", None), "value", "") in ("Guid", "bool"):
        raise Refusal(query.kind.value, "of values without a natural order")
    if ignores_case and is_text_type(value.type):
        raise Refusal(query.kind.value, "of text, where the source's database ignores case")
