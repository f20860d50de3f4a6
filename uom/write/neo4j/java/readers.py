"""Java that reads a column, or an entry of a map, as the value that it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from uom.model.diagnostics import Refusal
from uom.model.types import EnumType, Kind, RecordType, ScalarType, Type, describe, element_of
from uom.write.java.classes import is_text
from uom.write.java.client import call
from uom.write.java.source import Imports, string_literal
from uom.write.java.types import JavaModel
from uom.write.names import fresh_name, java_property_name
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.layouts import Layout, ListLayout, NodeLayout, PartLayout, RecordLayout, ScalarLayout

COLUMNS = "Columns"
ENTITIES = "entities"

_PLAIN = {
    Kind.BOOL: "asBoolean", Kind.SBYTE: "asInt", Kind.BYTE: "asInt", Kind.SHORT: "asInt", Kind.USHORT: "asInt",
    Kind.INT: "asInt", Kind.UINT: "asLong", Kind.LONG: "asLong", Kind.DOUBLE: "asDouble",
}  # fmt: skip
"""Accessors of the driver's Value; of a null they throw, as C# does for a value type."""
_TAKING_NULL = {
    Kind.STRING: "asString",
    Kind.DATEONLY: "asLocalDate",
    Kind.TIMEONLY: "asLocalTime",
    Kind.BYTES: "asByteArray",
}
"""Accessors that have a default for null."""
_CONVERTED = {
    Kind.FLOAT: "single",
    Kind.CHAR: "character",
    Kind.DATETIME: "instant",
    Kind.DATETIMEOFFSET: "zonedInstant",
    Kind.TIMESPAN: "span",
    Kind.GUID: "uuid",
}
"""Methods of our Columns."""


@dataclass(slots=True)
class ReaderWriter:
    """Writes readers for one query class. `variables` are the names in use in the method."""

    imports: Imports
    model: JavaModel
    graph: Graph
    helpers: set[str]
    variables: set[str] = field(default_factory=set)
    reads_entities: bool = False

    def columns(self) -> str:
        self.helpers.add(COLUMNS)
        return self.imports.use(f"{self.model.base_package}.{COLUMNS}")

    def read(self, layout: Layout, value: str, hint: str, declared: Type | None = None) -> str:
        """An expression for the value that `value` (a driver Value) holds.

        `declared` is the type of the place that it goes to, which may take more nulls than the value has.
        """
        match layout:
            case ScalarLayout():
                return self._scalar(layout, value)
            case RecordLayout(nullable=nullable):
                if not nullable:
                    return self.record(layout, value, hint, declared)
                return self._or_null(value, hint, lambda source: self.record(layout, source, hint, declared))
            case PartLayout(nullable=nullable):
                if not nullable:
                    return self._part(layout, value)
                return self._or_null(value, hint, lambda source: self._part(layout, source))
            case ListLayout(item=item):
                return self._list(item, value, hint, element_of(declared) if declared is not None else None)
            case NodeLayout():
                return self.node(layout, value)

    # -- scalars -----------------------------------------------------------------------------------------------------

    def _scalar(self, layout: ScalarLayout, value: str) -> str:
        type_ = layout.type
        if isinstance(type_, EnumType):
            return self._enum(type_, value)
        if not isinstance(type_, ScalarType):
            raise Refusal(describe(type_), "cannot be read from Neo4j")
        kind, nullable = type_.kind, type_.nullable
        if kind in (Kind.DECIMAL, Kind.ULONG):
            method = "average" if layout.counted else "quotient" if layout.ratio else "decimal"
            method += "OrNull" if nullable and method == "decimal" else ""
            return f"{self.columns()}.{method}({value}, {layout.scale or 0})"
        if kind in _PLAIN:
            accessor = _PLAIN[kind]
            if not nullable:
                return f"{value}.{accessor}()"
            owner = self.imports.use("org.neo4j.driver.Value")
            return f"{self.columns()}.orNull({value}, {owner}::{accessor})"
        if kind in _TAKING_NULL:
            may_be_null = nullable or kind in (Kind.STRING, Kind.BYTES)
            return f"{value}.{_TAKING_NULL[kind]}({'null' if may_be_null else ''})"
        method = f"{self.columns()}.{_CONVERTED[kind]}"
        if nullable:
            return f"{self.columns()}.orNull({value}, {self.columns()}::{_CONVERTED[kind]})"
        return f"{method}({value})"

    def _enum(self, type_: EnumType, value: str) -> str:
        name = self.imports.use(f"{self.model.package}.{self.model.enum(type_)}")
        accessor = "asString" if is_text(type_) else "asInt"
        if not type_.nullable:
            return f"{name}.ofStored({value}.{accessor}())"
        variable = self._variable("stored")
        return f"{self.columns()}.orNull({value}, {variable} -> {name}.ofStored({variable}.{accessor}()))"

    # -- composites --------------------------------------------------------------------------------------------------

    def _variable(self, hint: str) -> str:
        name = fresh_name(hint[:1].lower() + hint[1:], self.variables)
        self.variables.add(name)
        return name

    def _or_null(self, value: str, hint: str, made: Callable[[str], str]) -> str:
        variable = self._variable(java_property_name(hint))
        return f"{self.columns()}.orNull({value}, {variable} -> {made(variable)})"

    def record(self, layout: RecordLayout, source: str, hint: str, declared: Type | None = None) -> str:
        """`new Row(...)` with a component per field."""
        type_ = declared if isinstance(declared, RecordType) else layout.type
        name = self.model.java_type(type_, self.imports, hint)
        types = {f.name: f.type for f in type_.fields}
        parts = [self.read(inner, get(source, key), hint + n, types.get(n)) for n, key, inner in layout.fields]
        return call(f"new {name}", parts)

    def _part(self, layout: PartLayout, source: str) -> str:
        name = self.imports.use(f"{self.model.package}.{self.model.complex(layout.complex_name)}")
        parts = [self.read(inner, get(source, key), field_name) for field_name, key, inner in layout.fields]
        return call(f"new {name}", parts)

    def _list(self, item: Layout, value: str, hint: str, declared: Type | None) -> str:
        variable = self._variable("item")
        return f"{value}.asList({variable} -> {self.read(item, variable, hint, declared)})"

    def node(self, layout: NodeLayout, value: str) -> str:
        """An entity; loaded navigations are set after it is read."""
        entity = self.graph.entity(layout.entity)
        name = self.imports.use(f"{self.model.package}.{self.model.entity(entity.name)}")
        if self.graph.link(layout.entity) is None and not layout.key:
            self.reads_entities = True
            return f"{ENTITIES}.read({name}.class, {value})"
        source = self._variable("found")
        lines = "\n    ".join(self.loaded(layout, source))
        return f"{self.columns()}.orNull({value}, {source} -> {{\n    {lines}\n}})"

    def loaded(self, layout: NodeLayout, source: str) -> list[str]:
        """Statements that read an entity and what it brings along, and return it."""
        name = self.imports.use(f"{self.model.package}.{self.model.entity(layout.entity)}")
        variable = self._variable(self.graph.hint(layout.entity))
        row = get(source, layout.key) if layout.key else source
        if self.graph.link(layout.entity) is not None:
            lines = [f"{name} {variable} = new {name}();", *self._link_setters(layout.entity, variable, row)]
        else:
            self.reads_entities = True
            lines = [f"{name} {variable} = {ENTITIES}.read({name}.class, {row});"]
        for navigation, key, inner in layout.loaded:
            member = java_property_name(navigation)
            read = self.read(inner, get(source, key), navigation)
            setter = f"{variable}.set{member[:1].upper()}{member[1:]}({read});"
            lines.extend(setter.split("\n"))
        lines.append(f"return {variable};")
        return lines

    def _link_setters(self, entity: str, variable: str, row: str) -> list[str]:
        """Spring maps no relationship that comes without its nodes: its properties are set one by one."""
        if self.graph.complexes(entity):
            raise Refusal(entity, "its rows are relationships with owned values: they can be projected only")
        lines: list[str] = []
        for prop in self.graph.properties(entity):
            stored = self.graph.stored(entity, prop.name)
            read = self.read(ScalarLayout(prop.type, stored.scale), get(row, stored.name), prop.name)
            member = java_property_name(prop.name)
            lines.append(f"{variable}.set{member[:1].upper()}{member[1:]}({read});")
        return lines


def get(source: str, key: str) -> str:
    return f"{source}.get({string_literal(key)})"
