"""Stores a graph in a server, checks that it is all there, and takes it away again."""

from __future__ import annotations

from collections import Counter
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


def difference(session: Session, content: GraphContent) -> str:
    """Counts of nodes, relationships and values, and sums of integers, on both sides; "" when they agree."""
    for nodes in content.nodes:
        labels = "".join(f":{quoted(label)}" for label in nodes.labels)
        match = f"MATCH (x{labels}) WHERE size(labels(x)) = {len(nodes.labels)}"
        if problem := _compare(session, match, nodes.properties):
            return f"{':'.join(nodes.labels)}: {problem}"
    by_type: dict[str, list[Mapping[str, Any]]] = {}
    for relationships in content.relationships:
        by_type.setdefault(relationships.type, []).extend(p for _, _, p in relationships.links)
    for type_, properties in by_type.items():
        if problem := _compare(session, f"MATCH ()-[x:{quoted(type_)}]->()", properties):
            return f"{type_}: {problem}"
    return ""


def _compare(session: Session, match: str, rows: Sequence[Mapping[str, Any]]) -> str:
    counts: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for row in rows:
        for name, value in row.items():
            counts[name] += 1
            if isinstance(value, int) and not isinstance(value, bool):
                sums[name] += value % _PRIME
    wanted = ["count(x)", *(f"count(x.{quoted(n)})" for n in counts)]
    wanted += [f"sum((x.{quoted(n)} % {_PRIME} + {_PRIME}) % {_PRIME})" for n in sums]
    expected = [len(rows), *counts.values(), *sums.values()]
    columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(wanted))
    found = session.run(f"{match} RETURN {columns}").single(strict=True).values()
    differing = next((i for i, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1]), None)
    return "" if differing is None else f"{wanted[differing]} is {found[differing]}, not {expected[differing]}"


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
