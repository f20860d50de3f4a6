"""The default document design: a collection per entity, owned and complex values embedded, keys in `_id`.

Stored names are the C# property names in camelCase. A key of one column is `_id` itself; a composite key is a
sub-document `_id`. Pure join tables keep a collection of their own.
"""

from __future__ import annotations

from uom.model.mapping import DocumentMapping, EntityMapping, FieldMapping, JoinMapping
from uom.model.schema import ComplexProperty, Entity, NavigationKind, Schema


def camel_case(name: str) -> str:
    """`CustomerID` -> `customerID`, `URL` -> `url`, `IPAddress` -> `ipAddress`, `_x` -> `_x`."""
    head = len(name) - len(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if head == 0:
        return name
    if head == 1 or head == len(name):
        return name[:head].lower() + name[head:]
    return name[: head - 1].lower() + name[head - 1 :]


def default_mapping(schema: Schema) -> DocumentMapping:
    """The design for a schema that nobody edited."""
    collections = {e.name: _collection(schema, e) for e in schema.entities}
    entities = tuple(
        EntityMapping(e.name, collections[e.name], _fields(schema, e), discriminator=_discriminator(e))
        for e in schema.entities
    )
    return DocumentMapping(schema.context, entities, _joins(schema))


def _collection(schema: Schema, entity: Entity) -> str:
    """The root's set name, or its table's, in camelCase."""
    while entity.base is not None:
        entity = schema.entity(entity.base)
    return camel_case(entity.set_names[0] if entity.set_names else entity.table or entity.name)


def _fields(schema: Schema, entity: Entity) -> tuple[FieldMapping, ...]:
    fields = []
    taken = {"_id"} if entity.key else set()
    for property_ in entity.properties:
        if property_.name in entity.key:
            path = "_id" if len(entity.key) == 1 else f"_id.{camel_case(property_.name)}"
        else:
            path = _free(property_.name, taken)
        fields.append(FieldMapping(property_.name, path))
    fields.extend(_complex(schema, c) for c in entity.complexes)
    return tuple(fields)


def _free(name: str, taken: set[str]) -> str:
    """A field of its own for each property: `Id` and `id` differ in C#, and `_id` is the key's."""
    candidates = (camel_case(name), name, *(f"{name}_{n}" for n in range(2, len(taken) + 3)))
    path = next(c for c in candidates if c not in taken)
    taken.add(path)
    return path


def _complex(schema: Schema, complex_: ComplexProperty) -> FieldMapping:
    shape = schema.complex(complex_.complex_name)
    members = [FieldMapping(p.name, camel_case(p.name)) for p in shape.properties]
    members.extend(_complex(schema, c) for c in shape.complexes)
    return FieldMapping(complex_.name, camel_case(complex_.name), tuple(members))


def _discriminator(entity: Entity) -> str | None:
    """A discriminator that is also a property keeps that property's field; else Spring's `_class`."""
    if entity.discriminator is None:
        return None
    for property_ in entity.properties:
        if property_.column == entity.discriminator.column:
            return camel_case(property_.name)
    return "_class"


def _joins(schema: Schema) -> tuple[JoinMapping, ...]:
    joins: dict[str, JoinMapping] = {}
    for entity in schema.entities:
        for navigation in entity.navigations:
            table = navigation.join_table
            if navigation.kind is not NavigationKind.SKIP or table is None or table.entity is not None:
                continue
            columns = [c for c, _ in (*table.source_columns, *table.target_columns)]
            joins.setdefault(
                table.table,
                JoinMapping(table.table, camel_case(table.table), tuple((c, camel_case(c)) for c in sorted(columns))),
            )
    return tuple(joins.values())
