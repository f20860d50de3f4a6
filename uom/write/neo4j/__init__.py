"""Writes Spring Data Neo4j: Cypher from the algebra, and the Java around it.

`write_bundle` is the way in; `compile_query` gives a single statement to those who run it themselves.
"""

from uom.write.neo4j.bundle import write_bundle
from uom.write.neo4j.compile import CompiledQuery, Finish, compile_query

__all__ = ["CompiledQuery", "Finish", "compile_query", "write_bundle"]
