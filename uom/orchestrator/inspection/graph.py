"""Labels, relationship types and their properties, by Neo4j's own schema procedures."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from uom.orchestrator.context import Context

_SECONDS = 3.0
_MOST = 200
_NODES = "CALL db.schema.nodeTypeProperties() YIELD nodeType, propertyName, propertyTypes RETURN * LIMIT $most"
_RELATIONSHIPS = "CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes RETURN * LIMIT $most"
_PATTERNS = (
    "MATCH (a)-[r]->(b) WITH a, r, b LIMIT 5000 "
    "RETURN DISTINCT labels(a)[0] AS from, type(r) AS type, labels(b)[0] AS to LIMIT $most"
)


async def describe_neo4j(context: Context) -> list[str]:
    """One line per kind of node and relationship. Raises what the driver raises."""
    return await asyncio.to_thread(_describe, context)


def _describe(context: Context) -> list[str]:
    from neo4j import READ_ACCESS, GraphDatabase

    from uom.orchestrator.engines import with_credentials
    from uom.run.engines.neo4j.addresses import read_address

    address = read_address(with_credentials(context))
    with (
        GraphDatabase.driver(
            address.uri,
            auth=address.credentials,
            connection_timeout=_SECONDS,
            max_transaction_retry_time=0,
            notifications_min_severity="OFF",
        ) as driver,
        driver.session(database=address.database or None, default_access_mode=READ_ACCESS) as session,
    ):
        nodes = [r.data() for r in session.run(_NODES, most=_MOST)]
        relationships = [r.data() for r in session.run(_RELATIONSHIPS, most=_MOST)]
        patterns = [r.data() for r in session.run(_PATTERNS, most=_MOST)]
    found = [f"node {n}" for n in _grouped(nodes, "nodeType")]
    found += [f"relationship {r}" for r in _grouped(relationships, "relType")]
    return [*found, *(f"pattern (:{p['from']})-[:{p['type']}]->(:{p['to']})" for p in patterns)]


def _grouped(rows: Iterable[Mapping[str, Any]], kind: str) -> list[str]:
    properties: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        named = [f"{row['propertyName']} {'|'.join(row['propertyTypes'] or [])}"] if row["propertyName"] else []
        properties[row[kind]] += named
    return [f"{name} {', '.join(found)}".rstrip() for name, found in properties.items()]
