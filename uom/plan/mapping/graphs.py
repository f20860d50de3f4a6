"""The default graph design: a node per row, a relationship per foreign key, values of owned types as properties.

Foreign keys stay properties, too: C# code reads them, and they may hold values that find no row. Decimals are stored
as integers of a fixed scale, because Neo4j has no decimals. Rows of a join table are relationships; with a payload,
relationships with properties. Weak entities (order lines) are nodes, because other rows may come to refer to them;
`storage: relationship` in mapping.yaml makes relationships of them where both ends are foreign keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from uom.model.mapping import (
    EntityRelationship,
    ForeignKeyRelationship,
    GraphMapping,
    GraphProperty,
    JoinRelationship,
    NodeMapping,
)
from uom.model.schema import (
    ComplexProperty,
    Entity,
    ForeignKey,
    JoinTable,
    Navigation,
    NavigationKind,
    Property,
    Schema,
)
from uom.model.types import Kind, ScalarType
from uom.plan.mapping.documents import camel_case
from uom.plan.mapping.relationship_names import relationship_name, upper_snake

_DEFAULT_SCALES = {"sqlserver": 2}
"""What EF Core declares for a decimal without a precision; elsewhere columns hold any scale."""
_OTHER_SCALE = 4
MOST_DIGITS = 18
"""Of a scale: more would leave nothing before the point of a 64-bit integer."""


def default_graph(schema: Schema) -> GraphMapping:
    """The design for a schema that nobody edited."""
    nodes = tuple(
        NodeMapping(e.name, _labels(schema, e), _properties(schema, e), _key(schema, e)) for e in schema.entities
    )
    design = GraphMapping(schema.context, nodes, _foreign_keys(schema), _joins(schema))
    for entity in schema.entities:
        if _is_payload(schema, entity) and may_be_relationship(schema, entity.name):
            design = as_relationship(design, schema, entity.name)
    return design


def foreign_keys(schema: Schema) -> list[tuple[ForeignKey, str | None]]:
    """Every foreign key once, with the dependent's navigation along it."""
    found: dict[ForeignKey, str | None] = {}
    for entity in schema.entities:
        for navigation in entity.navigations:
            key = navigation.foreign_key
            if key is not None and key.properties and navigation.kind is not NavigationKind.SKIP:
                name = navigation.name if navigation.on_dependent else navigation.inverse
                found[key] = name or found.get(key)
    return list(found.items())


def may_be_relationship(schema: Schema, entity: str) -> bool:
    """Whether its rows are just links: the key is made of two required foreign keys, and nothing refers to it."""
    found = schema.entity(entity)
    own = [key for key, _ in foreign_keys(schema) if key.dependent == entity]
    if len(own) != 2 or found.base or len(schema.descendants(entity)) > 1:
        return False
    if any(key.principal == entity for key, _ in foreign_keys(schema)):
        return False
    parts = [name for key in own for name in key.properties]
    return sorted(parts) == sorted(found.key) and all(key.required for key in own)


def as_relationship(design: GraphMapping, schema: Schema, entity: str) -> GraphMapping:
    """The design with the rows of an entity as relationships between the principals of its two foreign keys."""
    node = design.node(entity)
    assert node is not None and may_be_relationship(schema, entity)
    by_key = sorted(
        (r for r in design.foreign_keys if r.foreign_key.dependent == entity),
        key=lambda r: schema.entity(entity).key.index(r.foreign_key.properties[0]),
    )
    start, end = by_key[0].foreign_key, by_key[1].foreign_key
    role = upper_snake(entity)
    link = EntityRelationship(entity, role, start, end, node.properties)
    return replace(
        design,
        nodes=tuple(n for n in design.nodes if n.entity != entity),
        foreign_keys=tuple(r for r in design.foreign_keys if r.foreign_key.dependent != entity),
        entities=(*design.entities, link),
    )


# nodes --------------------------------------------------------------------------------------------------------------


def _labels(schema: Schema, entity: Entity) -> tuple[str, ...]:
    lineage = [entity]
    while (base := lineage[-1].base) is not None:
        lineage.append(schema.entity(base))
    return tuple(_label(e) for e in reversed(lineage))


def _label(entity: Entity) -> str:
    return entity.name.rpartition(".")[2]


def _properties(schema: Schema, entity: Entity) -> tuple[GraphProperty, ...]:
    found: list[GraphProperty] = []
    taken: set[str] = set()
    lineage = [entity]
    while (base := lineage[-1].base) is not None:
        lineage.append(schema.entity(base))
    for one in reversed(lineage):
        for path, property_ in _leaves(schema, one):
            if all(f.property != path for f in found):
                found.append(GraphProperty(path, _free(path, taken), scale_of(property_, schema.provider)))
    return tuple(found)


def _leaves(schema: Schema, entity: Entity) -> Iterator[tuple[str, Property]]:
    """(C# path, property) of all that is stored in a row."""
    yield from ((p.name, p) for p in entity.properties)
    for part in entity.complexes:
        yield from _inside(schema, part, part.name)


def _inside(schema: Schema, part: ComplexProperty, path: str) -> Iterator[tuple[str, Property]]:
    if part.collection:
        return
    shape = schema.complex(part.complex_name)
    yield from ((f"{path}.{p.name}", p) for p in shape.properties)
    for nested in shape.complexes:
        yield from _inside(schema, nested, f"{path}.{nested.name}")


def _free(path: str, taken: set[str]) -> str:
    head, *rest = path.split(".")
    plain = camel_case(head) + "".join(part[:1].upper() + part[1:] for part in rest)
    candidates = (plain, path.replace(".", "_"), *(f"{plain}_{n}" for n in range(2, len(taken) + 3)))
    name = next(c for c in candidates if c not in taken)
    taken.add(name)
    return name


def scale_of(property_: Property, provider: str) -> int | None:
    """Digits after the point that a decimal column keeps; None for other types."""
    if not isinstance(property_.type, ScalarType):
        return None
    if property_.type.kind is Kind.ULONG:
        return 0
    if property_.type.kind is not Kind.DECIMAL:
        return None
    if property_.scale is not None:
        return property_.scale
    if property_.precision is not None:
        return 0
    return _DEFAULT_SCALES.get(provider, _OTHER_SCALE)


def _key(schema: Schema, entity: Entity) -> str | None:
    """The property for a composite key, next to its parts."""
    root = entity
    while root.base is not None:
        root = schema.entity(root.base)
    if len(root.key) < 2:
        return None
    return _free("key", {camel_case(p.name) for p in entity.properties})


# relationships ------------------------------------------------------------------------------------------------------


def _foreign_keys(schema: Schema) -> tuple[ForeignKeyRelationship, ...]:
    links: list[ForeignKeyRelationship] = []
    for key, navigation in foreign_keys(schema):
        name = relationship_name(key, navigation, schema.entity(key.dependent))
        link = ForeignKeyRelationship(name.type, key, name.from_principal)
        if any(_clash(schema, link, other) for other in links):
            link = replace(link, type=f"{link.type}_{upper_snake(navigation or '_'.join(key.properties))}")
        links.append(link)
    return tuple(links)


def _clash(schema: Schema, link: ForeignKeyRelationship, other: ForeignKeyRelationship) -> bool:
    """Whether a pattern of one could find the other: the same type between rows of the same hierarchies."""
    ends = {_root(schema, link.start), _root(schema, link.end)}
    return link.type == other.type and ends == {_root(schema, other.start), _root(schema, other.end)}


def _root(schema: Schema, entity: str) -> str:
    while (base := schema.entity(entity).base) is not None:
        entity = base
    return entity


def _joins(schema: Schema) -> tuple[JoinRelationship, ...]:
    found: dict[str, JoinRelationship] = {}
    for entity in schema.entities:
        for navigation in entity.navigations:
            table = navigation.join_table
            if table is not None and table.entity is None and table.table not in found:
                found[table.table] = _join(entity, navigation, table)
    return tuple(found.values())


def _join(entity: Entity, navigation: Navigation, table: JoinTable) -> JoinRelationship:
    role = upper_snake(navigation.target if navigation.name.startswith(navigation.target) else navigation.name)
    return JoinRelationship(
        f"HAS_{role}", table.table, entity.name, navigation.target, table.source_columns, table.target_columns
    )


def _is_payload(schema: Schema, entity: Entity) -> bool:
    """Whether it is the table behind a many-to-many navigation."""
    return any(
        n.join_table is not None and n.join_table.entity == entity.name for e in schema.entities for n in e.navigations
    )
