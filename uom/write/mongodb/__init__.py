"""Writes Spring Data MongoDB: pipelines from the algebra, and the Java around them."""

from uom.write.mongodb.compile import CompiledQuery, Finish, compile_query

__all__ = ["CompiledQuery", "Finish", "compile_query"]
