"""Java classes of the model: documents, embedded values, enums and result rows."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.mapping import FieldMapping
from uom.model.schema import ComplexProperty, NavigationKind, Property
from uom.model.types import ComplexType, EntityType, ScalarType, SequenceType, Type
from uom.write.java.classes import Member, class_file, model_imports
from uom.write.java.source import Imports, string_literal
from uom.write.java.types import JavaModel
from uom.write.mongodb.java.keys import CompositeKey, composite_key
from uom.write.mongodb.location import Locations
from uom.write.names import java_property_name

_MAPPING = "org.springframework.data.mongodb.core.mapping"


def record_mark(component: str, imports: Imports) -> str:
    """A component called `id` would be read from `_id`, so its field is named."""
    return f'@{imports.use(f"{_MAPPING}.Field")}("id") ' if component == "id" else ""


# -- documents -------------------------------------------------------------------------------------------------------


def entity_file(entity: str, model: JavaModel, locations: Locations, collection: str) -> str:
    """A document class: a getter and a setter per property; loaded navigations are filled by queries, never written."""
    name = model.entity(entity)
    imports = model_imports(model, name)
    base = locations.entity(entity).base
    inherited = {p.name for p in locations.properties(base)} if base else set()
    inherited |= {c.name for c in locations.complexes(base)} if base else set()
    members: list[Member] = []
    key = composite_key(entity, locations)
    parts = {prop.name for prop, _ in key.parts} if key else set()
    nested: list[str] = []
    if key is not None and not base:
        mark = imports.use("org.springframework.data.annotation.Id")
        members.append(Member(key.class_name(model), key.member, (f"@{mark}",)))
        nested = _key_record(key, model, imports)
    for prop in locations.properties(entity):
        if prop.name not in inherited and prop.name not in parts:
            members.append(_property(prop, entity, model, locations, imports))
    for part in locations.complexes(entity):
        if part.name not in inherited:
            members.append(_complex(part, locations.field(entity, part.name), model, imports))
    own = {n.name for n in locations.navigations(base)} if base else set()
    for navigation in locations.navigations(entity):
        if navigation.name not in own and (entity, navigation.name) in model.loaded:
            target: Type = EntityType(navigation.target)
            many = navigation.kind is not NavigationKind.REFERENCE
            java = model.java_type(SequenceType(target) if many else target, imports, name)
            mark = imports.use("org.springframework.data.annotation.ReadOnlyProperty")
            members.append(Member(java, java_property_name(navigation.name), (f"@{mark}",)))
    head = [f'@{imports.use(f"{_MAPPING}.Document")}("{collection}")', *_alias(entity, locations, imports)]
    abstract = locations.entity(entity).abstract
    return class_file(name, head, members, model, imports, base, abstract, nested)


def _key_record(key: CompositeKey, model: JavaModel, imports: Imports) -> list[str]:
    """The parts in the order of the mapping: `_id` documents are equal only when their fields have one order."""
    components = []
    for prop, path in key.parts:
        java = model.java_type(prop.type, imports, prop.name)
        components.append(" ".join((*_field_marks(prop.name, path, imports), java, java_property_name(prop.name))))
    return ["", f"    public record {key.class_name(model)}({', '.join(components)}) {{}}"]


def complex_file(name: str, members: tuple[FieldMapping, ...], model: JavaModel, locations: Locations) -> str:
    """A value that is embedded in a document."""
    java_name = model.complex(name)
    imports = model_imports(model, java_name)
    shape = locations.schema.complex(name)
    found: list[Member] = []
    for mapped in members:
        prop = shape.property(mapped.property)
        if prop is not None:
            java = model.java_type(prop.type, imports, java_name)
            found.append(Member(java, java_property_name(prop.name), _field_marks(prop.name, mapped.path, imports)))
        nested = next((c for c in shape.complexes if c.name == mapped.property), None)
        if nested is not None:
            found.append(_complex(nested, mapped, model, imports))
    return class_file(java_name, [], found, model, imports)


def _property(prop: Property, entity: str, model: JavaModel, locations: Locations, imports: Imports) -> Member:
    path = locations.field(entity, prop.name).path
    type_ = prop.type
    java = model.java_type(type_, imports, entity)
    name = java_property_name(prop.name)
    if path == "_id":
        is_text_key = isinstance(type_, ScalarType) and type_.kind.value == "string"
        # @Id would take a text of 24 hexadecimal digits for an ObjectId
        mark = f"{_MAPPING}.MongoId" if is_text_key else "org.springframework.data.annotation.Id"
        return Member(java, name, (f"@{imports.use(mark)}",))
    return Member(java, name, _field_marks(prop.name, path, imports))


def _field_marks(csharp: str, path: str, imports: Imports) -> tuple[str, ...]:
    name = java_property_name(csharp)
    if name == path and name != "id":
        return ()
    return (f'@{imports.use(f"{_MAPPING}.Field")}("{path}")',)


def _complex(part: ComplexProperty, mapped: FieldMapping, model: JavaModel, imports: Imports) -> Member:
    type_: Type = ComplexType(part.complex_name)
    java = model.java_type(SequenceType(type_) if part.collection else type_, imports, part.name)
    return Member(java, java_property_name(part.name), _field_marks(part.name, mapped.path, imports))


def type_key(locations: Locations) -> str:
    """The field from which Spring reads the type of a document: there is one for all collections."""
    found = {field for e in locations.mapping.entities if (field := e.discriminator)}
    return found.pop() if len(found) == 1 else "_class"


def _alias(entity: str, locations: Locations, imports: Imports) -> list[str]:
    """The stored name of a type of a hierarchy."""
    owner = next((e for e in locations.lineage(entity) if e.discriminator is not None), None)
    if owner is None or owner.discriminator is None:
        return []
    value = dict(owner.discriminator.values).get(entity)
    if value is None:
        return []
    type_field = next((m for e in locations.lineage(entity) if (m := locations.type_field(e.name))), None)
    if type_field != type_key(locations):
        raise Refusal(entity, "hierarchies that keep their types in different fields cannot be read into Java classes")
    if not isinstance(value, str):
        raise Refusal(entity, "a hierarchy whose types are told apart by numbers cannot be read into Java classes")
    return [f"@{imports.use('org.springframework.data.annotation.TypeAlias')}({string_literal(value)})"]
