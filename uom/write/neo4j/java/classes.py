"""Java classes of the model: nodes, relationships with properties, owned values."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.mapping import GraphProperty
from uom.model.schema import ComplexProperty, Navigation, NavigationKind, Property
from uom.model.types import ComplexType, EntityType, Kind, ScalarType, SequenceType, Type
from uom.write.java.classes import Member, class_file, model_imports
from uom.write.java.source import Imports, java_file, string_literal
from uom.write.java.types import JavaModel
from uom.write.names import java_property_name
from uom.write.neo4j.graph import Graph

_SCHEMA = "org.springframework.data.neo4j.core.schema"
_CONVERT = "org.springframework.data.neo4j.core.convert.ConvertWith"


def entity_file(entity: str, model: JavaModel, graph: Graph, helpers: set[str]) -> str:
    """A node class: a getter and a setter per property; loaded navigations are relationships."""
    name = model.entity(entity)
    imports = model_imports(model, name)
    base = graph.entity(entity).base
    inherited = {p.name for p in graph.properties(base)} if base else set()
    inherited |= {c.name for c in graph.complexes(base)} if base else set()
    members: list[Member] = []
    link, node = graph.link(entity), graph.node(entity)
    key = graph.key(entity)
    if link is not None:
        members += _link_members(entity, model, graph, imports)
        head = [f"@{imports.use(f'{_SCHEMA}.RelationshipProperties')}"]
    else:
        assert node is not None
        head = [f"@{imports.use(f'{_SCHEMA}.Node')}({string_literal(node.label)})"]
        if node.key is not None and not base:
            marks = (f"@{imports.use(f'{_SCHEMA}.Id')}", *_stored_as(node.key, node.key, imports))
            members.append(Member("String", java_property_name(node.key), marks))
    for prop in graph.properties(entity):
        if prop.name not in inherited:
            is_id = link is None and key == (prop.name,)
            members.append(_property(prop, graph.stored(entity, prop.name), is_id, model, imports, helpers, name))
    for part in graph.complexes(entity):
        if part.name not in inherited and not part.collection:
            members.append(_complex(part, entity, model, imports))
    own = {n.name for n in graph.navigations(base)} if base else set()
    for navigation in graph.navigations(entity):
        if navigation.name not in own and (entity, navigation.name) in model.loaded and link is None:
            members.append(_navigation(navigation, entity, model, graph, imports, name))
    return class_file(name, head, members, model, imports, base, graph.entity(entity).abstract)


def _property(
    prop: Property,
    stored: GraphProperty,
    is_id: bool,
    model: JavaModel,
    imports: Imports,
    helpers: set[str],
    owner: str,
) -> Member:
    java, name = model.java_type(prop.type, imports, owner), java_property_name(prop.name)
    marks: tuple[str, ...] = (f"@{imports.use(f'{_SCHEMA}.Id')}",) if is_id else ()
    marks += _converter(prop.type, stored, model, imports, helpers)
    return Member(java, name, (*marks, *_stored_as(name, stored.name, imports)))


def _converter(
    type_: Type, stored: GraphProperty, model: JavaModel, imports: Imports, helpers: set[str]
) -> tuple[str, ...]:
    """How a decimal of this scale, or an instant with a zone, is kept."""
    if stored.scale is not None:
        helper = f"Scaled{stored.scale}"
        helpers.add(helper)
        converter = imports.use(f"{model.base_package}.Decimals")
        return (f"@{imports.use(_CONVERT)}(converter = {converter}.{helper}.class)",)
    if isinstance(type_, ScalarType) and type_.kind is Kind.DATETIMEOFFSET:
        helpers.add("ZonedInstants")
        converter = imports.use(f"{model.base_package}.ZonedInstants")
        return (f"@{imports.use(_CONVERT)}(converter = {converter}.class)",)
    return ()


def _stored_as(member: str, name: str, imports: Imports) -> tuple[str, ...]:
    if member == name:
        return ()
    return (f"@{imports.use(f'{_SCHEMA}.Property')}({string_literal(name)})",)


def _navigation(
    navigation: Navigation, entity: str, model: JavaModel, graph: Graph, imports: Imports, owner: str
) -> Member:
    many = navigation.kind is not NavigationKind.REFERENCE
    target: Type = EntityType(navigation.target)
    java = model.java_type(SequenceType(target) if many else target, imports, owner)
    type_, outgoing = graph.relationship(entity, navigation)
    relationship = imports.use(f"{_SCHEMA}.Relationship")
    direction = "" if outgoing else f", direction = {relationship}.Direction.INCOMING"
    text = f"type = {string_literal(type_)}{direction}" if direction else string_literal(type_)
    return Member(java, java_property_name(navigation.name), (f"@{relationship}({text})",))


def _link_members(entity: str, model: JavaModel, graph: Graph, imports: Imports) -> list[Member]:
    """The id that Spring wants of a relationship, and the node at its end."""
    link = graph.link(entity)
    assert link is not None
    target = model.java_type(EntityType(link.end), imports, entity)
    return [
        Member("String", "relationshipId", (f"@{imports.use(f'{_SCHEMA}.RelationshipId')}",)),
        Member(target, graph.hint(link.end) + "Node", (f"@{imports.use(f'{_SCHEMA}.TargetNode')}",)),
    ]


def _complex(part: ComplexProperty, entity: str, model: JavaModel, imports: Imports) -> Member:
    """An owned value: its members are properties of the node; a converter of its own puts them together."""
    java = model.java_type(ComplexType(part.complex_name), imports, entity)
    composite = imports.use(f"{_SCHEMA}.CompositeProperty")
    converter = f"{java}.{converter_name(entity, part)}"
    prefix = string_literal(f"{java_property_name(part.name)}")
    mark = f'@{composite}(prefix = {prefix}, delimiter = "", converter = {converter}.class)'
    return Member(java, java_property_name(part.name), (mark,))


def converter_name(entity: str, part: ComplexProperty) -> str:
    return f"Of{entity.rpartition('.')[2]}{part.name}"


def complex_file(name: str, model: JavaModel, graph: Graph) -> str:
    """An owned value as a record, with one converter per place where it is used."""
    java_name = model.complex(name)
    imports = model_imports(model, java_name)
    shape = graph.schema.complex(name)
    components = [
        f"{model.java_type(p.type, imports, java_name)} {java_property_name(p.name)}" for p in shape.properties
    ]
    if shape.complexes:
        raise Refusal(name, "an owned value inside an owned value has no class for Neo4j yet")
    head = f"public record {java_name}({', '.join(components)}) {{"
    if len(head) > 120:
        joined = ",\n".join(f"        {component}" for component in components)
        head = f"public record {java_name}(\n{joined}) {{"
    body = head.split("\n")
    for entity in graph.schema.entities:
        for part in entity.complexes:
            if part.complex_name == name and ("entity", entity.name) in model.names and entity.name in model.entities:
                body += ["", *_converter_lines(java_name, entity.name, part, model, graph, imports)]
    return java_file(model.package, imports, [*body, "}"])


def _converter_lines(
    java_name: str, entity: str, part: ComplexProperty, model: JavaModel, graph: Graph, imports: Imports
) -> list[str]:
    from uom.write.neo4j.java.readers import ReaderWriter
    from uom.write.neo4j.layouts import ScalarLayout

    shape = graph.schema.complex(part.complex_name)
    uses = {
        n: imports.use(q)
        for n, q in {
            "base": "org.springframework.data.neo4j.core.convert.Neo4jPersistentPropertyToMapConverter",
            "service": "org.springframework.data.neo4j.core.convert.Neo4jConversionService",
            "map": "java.util.Map",
            "hash": "java.util.HashMap",
            "value": "org.neo4j.driver.Value",
            "values": "org.neo4j.driver.Values",
        }.items()
    }
    prefix = java_property_name(part.name)
    helpers: set[str] = set()
    reader = ReaderWriter(imports, model, graph, helpers, {"source", "service", "value"})
    reads, writes = [], []
    for prop in shape.properties:
        stored = graph.stored(entity, f"{part.name}.{prop.name}")
        if not stored.name.startswith(prefix):
            raise Refusal(f"{entity}.{part.name}", f"its members must be stored under names that begin with {prefix}")
        key = stored.name.removeprefix(prefix)
        value = f"source.getOrDefault({string_literal(key)}, {uses['values']}.NULL)"
        reads.append(reader.read(ScalarLayout(prop.type, stored.scale), value, prop.name))
        getter = f"value.{java_property_name(prop.name)}()"
        writes.append(f"            written.put({string_literal(key)}, service.writeValue({getter}, null, null));")
        if stored.scale is not None:
            raise Refusal(f"{entity}.{part.name}", "decimals inside owned values are not read into classes yet")
    joined = ",\n                    ".join(reads)
    return [
        f"    /** Stored as properties of the node that begin with {{@code {prefix}}}. */",
        f"    public static final class {converter_name(entity, part)} implements {uses['base']}<String, {java_name}> {{",
        "        @Override",
        f"        public {uses['map']}<String, {uses['value']}> decompose({java_name} value, {uses['service']} service) {{",
        f"            {uses['map']}<String, {uses['value']}> written = new {uses['hash']}<>();",
        "            if (value == null) {",
        "                return written;",
        "            }",
        *writes,
        "            return written;",
        "        }",
        "",
        "        @Override",
        f"        public {java_name} compose({uses['map']}<String, {uses['value']}> source, {uses['service']} service) {{",
        *(
            ["            if (source.isEmpty()) {", "                return null;", "            }"]
            if part.nullable
            else []
        ),
        f"            return new {java_name}(",
        f"                    {joined});",
        "        }",
        "    }",
    ]
