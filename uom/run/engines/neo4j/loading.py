"""Stores a graph in a server, checks that it is all there, and takes it away again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from neo4j import Driver, Session

from uom.data.graph import GraphContent, NodeSet
from uom.run.cache import Progress, silent
from uom.run.engines.neo4j.bulk import BulkConnection, packable
from uom.run.failures import EnvironmentFailure

BATCH = 10_000
_LABEL = "rows into Neo4j"
_PRIME = 1_000_003
"""Sums of integers are taken modulo this, so that they do not overflow."""

Tally = dict[tuple[tuple[str, ...], str], list[int]]


def load(
    driver: Driver, bulk: BulkConnection, database: str, content: GraphContent, progress: Progress = silent
) -> None:
    """Constraints first, then nodes, then relationships, in batches; `progress(label, done, total)` after each.

    Raises EnvironmentFailure when the server then holds something else than was sent.
    """
    total, done = content.size, 0
    with driver.session(database=database) as session:
        for number, (label, name) in enumerate(content.unique):
            which = f"FOR (n:{quoted(label)}) REQUIRE n.{quoted(name)} IS UNIQUE"
            session.run(f"CREATE CONSTRAINT uom_{number} IF NOT EXISTS {which}").consume()
        ids: dict[int, str] = {}
        for nodes in content.nodes:
            for batch in _batches(list(zip(nodes.numbers, nodes.properties, strict=True))):
                ids.update(_create_nodes(bulk, nodes.labels, batch))
                done += len(batch)
                progress(_LABEL, done, total)
        for relationships in content.relationships:
            for links in _batches(relationships.links):
                _create_relationships(bulk, relationships.type, [(ids[s], ids[e], p) for s, e, p in links])
                done += len(links)
                progress(_LABEL, done, total)
        problem = difference(session, content)
    if problem:
        raise EnvironmentFailure("Neo4j", f"what was loaded is not what is there: {problem}", "Run it again.")


def quoted(name: str) -> str:
    """A label, type or property, whatever it is called."""
    return f"`{name.replace('`', '``')}`"


def _batches(rows: Sequence[Any]) -> Iterator[list[Any]]:
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        yield batch


def _create_nodes(bulk: BulkConnection, labels: Sequence[str], rows: Sequence[tuple[int, Any]]) -> Iterator[Any]:
    """(number, element id) pairs."""
    names = "".join(f":{quoted(label)}" for label in labels)
    statement = f"UNWIND $rows AS row CREATE (n{names}) SET n = row[1] RETURN row[0], elementId(n)"
    found = bulk.run(statement, [[number, _packable(properties)] for number, properties in rows])
    return ((number, element) for number, element in found)


def _create_relationships(bulk: BulkConnection, type_: str, rows: Sequence[tuple[str, str, Any]]) -> None:
    statement = (
        "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row[0] MATCH (b) WHERE elementId(b) = row[1] "
        f"CREATE (a)-[r:{quoted(type_)}]->(b)"
    )
    if any(properties for _, _, properties in rows):
        statement += " SET r = row[2]"
    bulk.run(statement, [[start, end, _packable(properties)] for start, end, properties in rows])


def _packable(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: packable(value) for name, value in properties.items()}


_SUMS = (
    "UNWIND keys(x) + [''] AS name "
    "WITH kind, name, CASE WHEN x[name] IS :: INTEGER NOT NULL THEN (x[name] % $prime + $prime) % $prime ELSE 0 END AS part "
    "RETURN kind, name, count(*) AS values, sum(part) AS sum"
)
_NODES = f"MATCH (x) WITH x, labels(x) AS kind {_SUMS}"
_RELATIONSHIPS = f"MATCH ()-[x]->() WITH x, [type(x)] AS kind {_SUMS}"
"""Per labels or type and property: how many values there are, and the sum of the integers. The name "" counts all."""


def difference(session: Session, content: GraphContent) -> str:
    """Counts of nodes, relationships and values, and sums of integers, on both sides; "" when they agree."""
    nodes: Tally = {}
    for one in content.nodes:
        _count(nodes, tuple(sorted(one.labels)), one.properties)
    links: Tally = {}
    for relationships in content.relationships:
        _count(links, (relationships.type,), [p for _, _, p in relationships.links])
    return _compare(session, _NODES, nodes) or _compare(session, _RELATIONSHIPS, links)


def _count(tally: Tally, kind: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> None:
    counts = tally.setdefault((kind, ""), [0, 0])
    counts[0] += len(rows)
    for row in rows:
        for name, value in row.items():
            counts = tally.setdefault((kind, name), [0, 0])
            counts[0] += 1
            if isinstance(value, int) and not isinstance(value, bool):
                counts[1] += value % _PRIME


def _compare(session: Session, statement: str, expected: Tally) -> str:
    found = {
        (tuple(sorted(kind)), name): [count, total] for kind, name, count, total in session.run(statement, prime=_PRIME)
    }
    for (kind, name), counts in expected.items():
        there = found.get((kind, name), [0, 0])
        if there != counts:
            number = 0 if there[0] != counts[0] else 1
            what = ("number", "sum")[number] + (f" of {name}" if name else "")
            return f"{':'.join(kind)}: the {what} is {there[number]}, not {counts[number]}"
    return ""


def clear(driver: Driver, database: str, labels: Sequence[str] = ()) -> None:
    """Takes away nodes with any of these labels (none named: all nodes), and the constraints made by `load`."""
    which = f"n:{'|'.join(map(quoted, labels))}" if labels else "n"
    with driver.session(database=database) as session:
        # of its own accord: such a statement takes care of its transactions
        session.run(f"MATCH ({which}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF {BATCH} ROWS").consume()
        names = session.run("SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'uom_' RETURN name").value()
        for name in names:
            session.run(f"DROP CONSTRAINT {quoted(name)} IF EXISTS").consume()


def labels_of(sets: Sequence[NodeSet]) -> list[str]:
    return list(dict.fromkeys(label for nodes in sets for label in nodes.labels))
