"""What a server is, by what it says and by what it does."""

from __future__ import annotations

import re

from neo4j import Driver
from neo4j.exceptions import Neo4jError, ResultError

from uom.run.engines.target import IMITATION, EngineInfo
from uom.run.failures import EnvironmentFailure

GENUINE = "Neo4j"
_OLDEST = (5, 23)
_TELLING = (
    ("UNWIND [1, 2, 3] AS x WITH x ORDER BY x LIMIT 1 WHERE x > 1 RETURN count(*) AS v", 0),
    ("UNWIND [1, 2] AS x WITH {p: x} AS x RETURN head(collect(x)).p AS v", 1),
    ("RETURN duration('P1D') < duration('P2D') AS v", None),
    ("RETURN 9007199254740993 = 9007199254740992.0 AS v", True),
    ("OPTIONAL MATCH (a:UomNothing) RETURN size([(a)--(b) | b]) AS v", 0),
    ("UNWIND [1, 2] AS x CALL (x) { RETURN COUNT { UNWIND [x] AS y RETURN y } AS n } RETURN sum(n) AS v", 2),
)
"""Facts that imitations get wrong; nothing is stored."""


def identify(driver: Driver, database: str) -> EngineInfo:
    """Only a server that says it is Neo4j and behaves like it is graded so. Raises EnvironmentFailure for an old one."""
    try:
        found = driver.execute_query(
            "CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0] AS version, edition",
            database_=database,
        ).records
    except Neo4jError:
        return EngineInfo("unknown server", "?", IMITATION)
    kernel = next((r for r in found if r["name"] == "Neo4j Kernel"), None)
    if kernel is None:
        return EngineInfo("unknown server", "?", IMITATION)
    version = str(kernel["version"])
    if _numbers(version) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise EnvironmentFailure(
            "Neo4j", f"the server is of version {version}", f"Name a server of version {oldest} or later in NEO4J_URI."
        )
    shown = f"{version} {kernel['edition']}"
    if not _behaves(driver, database):
        return EngineInfo("a server that says it is Neo4j", shown, IMITATION)
    return EngineInfo(GENUINE, shown, GENUINE)


def _behaves(driver: Driver, database: str) -> bool:
    try:
        with driver.session(database=database, default_access_mode="READ") as session:
            return all(_same(session.run(question).single(strict=True)["v"], answer) for question, answer in _TELLING)
    except (Neo4jError, ResultError):
        return False


def _same(found: object, expected: object) -> bool:
    return found == expected and type(found) is type(expected)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
