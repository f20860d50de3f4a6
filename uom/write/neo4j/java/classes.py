"""Java classes of the model: nodes, relationships with properties, owned values."""

from __future__ import annotations

from uom.model.mapping import GraphProperty
from uom.model.schema import ComplexProperty, Navigation, NavigationKind, Property
from uom.model.types import ComplexType, EntityType, Kind, ScalarType, SequenceType, Type
from uom.write.java.classes import Member, class_file, model_imports
from uom.write.java.source import Imports, java_file, string_literal
from uom.write.java.types import JavaModel
from uom.write.names import java_property_name
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.java.owned import converter_lines, converter_name

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
    if link is None and not key:
        generated = f"@{imports.use(f'{_SCHEMA}.GeneratedValue')}"  # Spring wants an id, and the row has none
        members.append(Member("String", "elementId", (f"@{imports.use(f'{_SCHEMA}.Id')}", generated)))
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
    """How a decimal of this scale is kept, and what Spring would keep otherwise than the graph does."""
    if stored.scale is not None:
        helper = f"Scaled{stored.scale}"
        helpers.add(helper)
        converter = imports.use(f"{model.base_package}.Decimals")
        return (f"@{imports.use(_CONVERT)}(converter = {converter}.{helper}.class)",)
    special = _CONVERTERS.get(type_.kind) if isinstance(type_, ScalarType) else None
    if special is None:
        return ()
    helpers.add(special)
    converter = imports.use(f"{model.base_package}.{special}")
    return (f"@{imports.use(_CONVERT)}(converter = {converter}.class)",)


_CONVERTERS = {Kind.DATETIMEOFFSET: "ZonedInstants", Kind.FLOAT: "Singles"}
"""Left alone, Spring keeps an Instant without its zone, and a float as text."""


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
    """The id that Spring wants of a relationship, the node at its end, and the one at its start where it is loaded."""
    link = graph.link(entity)
    assert link is not None
    found = [Member("String", "relationshipId", (f"@{imports.use(f'{_SCHEMA}.RelationshipId')}",))]
    ways = {n.foreign_key: n.name for n in graph.navigations(entity) if n.foreign_key is not None}
    target = model.java_type(EntityType(link.end), imports, entity)
    name = java_property_name(ways.get(link.end_key, link.end))
    found.append(Member(target, name, (f"@{imports.use(f'{_SCHEMA}.TargetNode')}",)))
    start = ways.get(link.start_key)
    if start is not None and (entity, start) in model.loaded:
        source = model.java_type(EntityType(link.start), imports, entity)
        mark = imports.use("org.springframework.data.annotation.Transient")
        found.append(Member(source, java_property_name(start), (f"@{mark}",)))
    return found


def _complex(part: ComplexProperty, entity: str, model: JavaModel, imports: Imports) -> Member:
    """An owned value: its members are properties of the node; a converter of its own puts them together."""
    java = model.java_type(ComplexType(part.complex_name), imports, entity)
    composite = imports.use(f"{_SCHEMA}.CompositeProperty")
    converter = f"{java}.{converter_name(entity, part)}"
    prefix = string_literal(f"{java_property_name(part.name)}")
    mark = f'@{composite}(prefix = {prefix}, delimiter = "", converter = {converter}.class)'
    return Member(java, java_property_name(part.name), (mark,))


def complex_file(name: str, model: JavaModel, graph: Graph) -> str:
    """An owned value as a record, with one converter per place where it is used."""
    java_name = model.complex(name)
    imports = model_imports(model, java_name)
    shape = graph.schema.complex(name)
    components = [
        f"{model.java_type(p.type, imports, java_name)} {java_property_name(p.name)}" for p in shape.properties
    ]
    components += [
        f"{model.java_type(ComplexType(c.complex_name), imports, java_name)} {java_property_name(c.name)}"
        for c in shape.complexes
    ]
    head = f"public record {java_name}({', '.join(components)}) {{"
    if len(head) > 120:
        joined = ",\n".join(f"        {component}" for component in components)
        head = f"public record {java_name}(\n{joined}) {{"
    body = head.split("\n")
    for entity in graph.schema.entities:
        for part in entity.complexes:
            inherited = entity.base is not None and graph.complex(entity.base, part.name) is not None
            if part.complex_name == name and entity.name in model.entities and not inherited:
                body += ["", *converter_lines(java_name, entity.name, part, model, graph, imports)]
    return java_file(model.package, imports, [*body, "}"])
