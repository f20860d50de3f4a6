"""Clauses of a statement, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from uom.write.neo4j.text import Level, Text, joined, quoted

_WIDTH = 100
INDENT = "  "


@dataclass(slots=True)
class Match:
    """`pattern` is text; `binds` are the variables that it introduces."""

    pattern: str
    binds: tuple[str, ...]
    optional: bool = False
    where: list[Text] = field(default_factory=list)


@dataclass(slots=True)
class Unwind:
    source: Text
    variable: str


@dataclass(slots=True)
class With:
    """`items` None carries everything on. Items are (expression, alias). `sort` are finished sort items."""

    items: list[tuple[Text, str]] | None = None
    distinct: bool = False
    added: list[tuple[Text, str]] = field(default_factory=list)
    """Beside everything: `WITH *, x AS y`."""
    sort: tuple[Text, ...] = ()
    skip: Text | None = None
    limit: Text | None = None
    where: list[Text] = field(default_factory=list)
    keys: int | None = None
    """Of a grouping: how many of the first items are keys. Without an aggregate beside them they are made distinct."""


@dataclass(slots=True)
class Call:
    """A sub-query per row; several bodies are united. `imports` are the variables that it may see."""

    imports: tuple[str, ...]
    bodies: tuple[tuple[Clause, ...], ...]
    binds: tuple[str, ...]
    optional: bool = False
    union: str = "UNION ALL"


@dataclass(slots=True)
class Return:
    items: list[tuple[Text, str]]
    distinct: bool = False
    sort: tuple[Text, ...] = ()
    skip: Text | None = None
    limit: Text | None = None


Clause = Match | Unwind | With | Call | Return


def statement(clauses: Sequence[Clause]) -> str:
    """The text, one clause per line, long ones broken."""
    return "\n".join(line for clause in clauses for line in lines_of(clause))


def lines_of(clause: Clause) -> Iterator[str]:
    match clause:
        case Match():
            yield f"{'OPTIONAL ' if clause.optional else ''}MATCH {clause.pattern}"
            yield from _where(clause.where)
        case Unwind():
            yield f"UNWIND {clause.source} AS {quoted(clause.variable)}"
        case With():
            only_keys = clause.items is not None and clause.keys == len(clause.items)
            yield from _projection("WITH", clause.items, clause.distinct or only_keys, clause.added)
            yield from _page(clause.sort, clause.skip, clause.limit)
            yield from _where(clause.where)
        case Return():
            yield from _projection("RETURN", clause.items, clause.distinct, ())
            yield from _page(clause.sort, clause.skip, clause.limit)
        case Call():
            head = f"{'OPTIONAL ' if clause.optional else ''}CALL ({', '.join(quoted(v) for v in clause.imports)}) {{"
            yield head
            for number, body in enumerate(clause.bodies):
                if number:
                    yield f"{INDENT}{clause.union}"
                yield from (INDENT + line for part in body for line in lines_of(part))
            yield "}"


def _projection(
    keyword: str, items: Sequence[tuple[Text, str]] | None, distinct: bool, added: Sequence[tuple[Text, str]]
) -> Iterator[str]:
    texts = ["*"] if items is None else []
    texts += [_aliased(text, alias) for text, alias in (*(items or ()), *added)]
    head = f"{keyword} {'DISTINCT ' if distinct else ''}"
    flat = head + ", ".join(texts)
    if len(flat) <= _WIDTH and "\n" not in flat:
        yield flat
        return
    for number, text in enumerate(texts):
        comma = "," if number < len(texts) - 1 else ""
        lead = head if number == 0 else " " * len(keyword + " ")
        yield from (lead + text + comma).replace("\n", "\n" + " " * len(keyword + " ")).split("\n")


def _aliased(text: Text, alias: str) -> str:
    name = quoted(alias)
    return name if text.cypher == name else f"{text} AS {name}"


def _page(sort: Sequence[Text], skip: Text | None, limit: Text | None) -> Iterator[str]:
    if sort:
        yield "ORDER BY " + ", ".join(str(item) for item in sort)
    if skip is not None:
        yield f"SKIP {skip}"
    if limit is not None:
        yield f"LIMIT {limit}"


def _where(conditions: Sequence[Text]) -> Iterator[str]:
    if not conditions:
        return
    flat = f"WHERE {joined('AND', Level.AND, conditions)}"
    if len(flat) <= _WIDTH or len(conditions) == 1:
        yield from flat.split("\n")
        return
    for number, condition in enumerate(conditions):
        yield from (("WHERE " if number == 0 else "  AND ") + condition.at(Level.AND)).split("\n")


def braced(keyword: str, clauses: Sequence[Clause]) -> Text:
    """`EXISTS { ... }` and its kin, on one line where they are short."""
    if keyword != "COLLECT" and len(clauses) == 1 and isinstance(clauses[0], Match) and not clauses[0].where:
        return Text(f"{keyword} {{ {clauses[0].pattern} }}")
    lines = [line for clause in clauses for line in lines_of(clause)]
    flat = f"{keyword} {{ {' '.join(lines)} }}"
    if len(flat) <= _WIDTH - 20 and len(lines) <= 3:
        return Text(flat)
    return Text("\n".join([f"{keyword} {{", *(INDENT + line for line in lines), "}"]))
