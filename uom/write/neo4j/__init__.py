"""Writes Spring Data Neo4j: Cypher from the algebra, and the Java around it."""

from uom.write.neo4j.compile import CompiledQuery, Finish, compile_query

__all__ = ["CompiledQuery", "Finish", "compile_query"]
