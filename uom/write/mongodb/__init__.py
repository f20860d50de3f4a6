"""Writes Spring Data MongoDB: pipelines from the algebra, and the Java around them.

`write_bundle` is the way in; `compile_query` gives a single pipeline to those who run it themselves.
"""

from uom.write.java.bundle import JavaOptions
from uom.write.java.calls import java_call
from uom.write.mongodb.bundle import write_bundle
from uom.write.mongodb.compile import CompiledQuery, Finish, compile_query
from uom.write.names import java_property_name

__all__ = [
    "CompiledQuery",
    "Finish",
    "JavaOptions",
    "compile_query",
    "java_call",
    "java_property_name",
    "write_bundle",
]
