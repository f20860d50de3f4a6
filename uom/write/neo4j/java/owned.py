"""Converters between an owned value and the properties of its node that hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from uom.model.diagnostics import Refusal
from uom.model.schema import ComplexProperty, Property
from uom.model.types import ComplexType
from uom.write.java.source import Imports, string_literal
from uom.write.java.types import JavaModel
from uom.write.names import java_property_name
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.java.readers import ReaderWriter
from uom.write.neo4j.layouts import ScalarLayout

_CLASSES = {
    "base": "org.springframework.data.neo4j.core.convert.Neo4jPersistentPropertyToMapConverter",
    "service": "org.springframework.data.neo4j.core.convert.Neo4jConversionService",
    "map": "java.util.Map",
    "hash": "java.util.HashMap",
    "value": "org.neo4j.driver.Value",
    "values": "org.neo4j.driver.Values",
}


def converter_name(entity: str, part: ComplexProperty) -> str:
    return f"Of{entity.rpartition('.')[2]}{part.name}"


def converter_lines(
    java_name: str, entity: str, part: ComplexProperty, model: JavaModel, graph: Graph, imports: Imports
) -> list[str]:
    """The nested class that Spring calls for this property of this entity."""
    uses = {name: imports.use(qualified) for name, qualified in _CLASSES.items()}
    writer = _Owned(entity, java_property_name(part.name), model, graph, imports, uses)
    made = writer.made(part, part.name, java_name)
    puts = list(writer.puts(part, part.name, "value"))
    nothing = f"{made.test} ? null : " if part.nullable else ""
    return [
        f"    /** Stored as properties of the node that begin with {{@code {writer.prefix}}}. */",
        f"    public static final class {converter_name(entity, part)} implements {uses['base']}<String, {java_name}> {{",
        "        @Override",
        f"        public {uses['map']}<String, {uses['value']}> decompose({java_name} value, {uses['service']} service) {{",
        f"            {uses['map']}<String, {uses['value']}> written = new {uses['hash']}<>();",
        *(f"            {line}" for line in puts),
        "            return written;",
        "        }",
        "",
        "        @Override",
        f"        public {java_name} compose({uses['map']}<String, {uses['value']}> source, {uses['service']} service) {{",
        f"            return {nothing}{made.text};",
        "        }",
        "    }",
    ]


@dataclass(frozen=True, slots=True)
class _Made:
    """An expression for an owned value, and the test that all of it is null."""

    text: str
    test: str


@dataclass(frozen=True, slots=True)
class _Owned:
    """One place where an owned type is used."""

    entity: str
    prefix: str
    model: JavaModel
    graph: Graph
    imports: Imports
    uses: dict[str, str]

    def _key(self, path: str) -> tuple[str, int | None]:
        """(what is left of the stored name behind the prefix, scale)."""
        stored = self.graph.stored(self.entity, path)
        if not stored.name.startswith(self.prefix):
            where = f"{self.entity}.{path}"
            raise Refusal(where, f"it must be stored under a name that begins with {self.prefix}")
        return stored.name.removeprefix(self.prefix), stored.scale

    def _value(self, path: str) -> str:
        return f"source.getOrDefault({string_literal(self._key(path)[0])}, {self.uses['values']}.NULL)"

    def made(self, part: ComplexProperty, path: str, java_name: str) -> _Made:
        shape = self.graph.schema.complex(part.complex_name)
        texts = [self._leaf(p, f"{path}.{p.name}") for p in shape.properties]
        tests = [f"{self._value(f'{path}.{p.name}')}.isNull()" for p in shape.properties]
        for nested in shape.complexes:
            if nested.collection:
                raise Refusal(nested.name, "a collection of owned values is not part of the graph")
            name = self.model.java_type(ComplexType(nested.complex_name), self.imports, java_name)
            inner = self.made(nested, f"{path}.{nested.name}", name)
            texts.append(f"{inner.test} ? null : {inner.text}" if nested.nullable else inner.text)
            tests.append(inner.test)
        indent = "\n                    "
        return _Made(f"new {java_name}({indent}{f',{indent}'.join(texts)})", " && ".join(tests) or "true")

    def _leaf(self, prop: Property, path: str) -> str:
        reader = ReaderWriter(self.imports, self.model, self.graph, set(), {"source", "service", "value"})
        return reader.read(ScalarLayout(prop.type, self._key(path)[1]), self._value(path), prop.name)

    def puts(self, part: ComplexProperty, path: str, owner: str) -> Iterator[str]:
        """Statements that store the members of a value that may be null."""
        shape = self.graph.schema.complex(part.complex_name)
        yield f"if ({owner} != null) {{"
        for prop in shape.properties:
            key, scale = self._key(f"{path}.{prop.name}")
            text = f"{owner}.{java_property_name(prop.name)}()"
            written = f"service.writeValue({text}, null, null)"
            if scale is not None:
                rounding = self.imports.use("java.math.RoundingMode")
                columns = self.imports.use(f"{self.model.base_package}.Columns")
                values = self.uses["values"]
                scaled = f"{values}.value({columns}.scaled({text}, {scale}, {rounding}.UNNECESSARY))"
                written = f"{text} == null ? {values}.NULL : {scaled}"
            yield f"    written.put({string_literal(key)}, {written});"
        for nested in shape.complexes:
            inner = self.puts(nested, f"{path}.{nested.name}", f"{owner}.{java_property_name(nested.name)}()")
            yield from (f"    {line}" for line in inner)
        yield "}"
