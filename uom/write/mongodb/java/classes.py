"""Java classes of the model: documents, embedded values, enums and result rows."""

from __future__ import annotations

from collections.abc import Sequence

from uom.model.diagnostics import Refusal
from uom.model.mapping import FieldMapping
from uom.model.schema import ComplexProperty, NavigationKind, Property
from uom.model.types import ComplexType, EntityType, EnumType, RecordType, ScalarType, SequenceType, Type
from uom.write.java.source import Imports, java_file, string_literal
from uom.write.java.types import JavaModel, is_primitive
from uom.write.mongodb.java.keys import CompositeKey, composite_key
from uom.write.mongodb.location import Locations
from uom.write.names import java_property_name

_MAPPING = "org.springframework.data.mongodb.core.mapping"


def record_file(name: str, type_: RecordType, model: JavaModel) -> str:
    """A row as a record. A component called `id` would be read from `_id`, so its field is named."""
    imports = _imports(model, name)
    components = []
    for one in type_.fields:
        component = java_property_name(one.name)
        java = model.java_type(one.type, imports, name + one.name)
        mark = f'@{imports.use(f"{_MAPPING}.Field")}("id") ' if component == "id" else ""
        components.append(f"{mark}{java} {component}")
    body = _checks(name, type_, imports)
    text = f"public record {name}({', '.join(components)}) {body}"
    if len(text.split("\n")[0]) > 120:
        joined = ",\n".join(f"        {component}" for component in components)
        text = f"public record {name}(\n{joined}) {body}"
    return java_file(model.package, imports, text.split("\n"))


def _checks(name: str, type_: RecordType, imports: Imports) -> str:
    """The body: a null where C# has no place for one is an error there, too. Primitives need no check."""
    checked = [f for f in type_.fields if f.required and not is_primitive(f.type)]
    if not checked:
        return "{}"
    lines = []
    for one in checked:
        component = java_property_name(one.name)
        if isinstance(one.type, SequenceType):
            lines.append(f"        {component} = {imports.use('java.util.List')}.copyOf({component});")
        else:
            lines.append(f'        {imports.use("java.util.Objects")}.requireNonNull({component}, "{component}");')
    return "\n".join(["{", f"    public {name} {{", *lines, "    }", "}"])


def enum_file(name: str, type_: EnumType, model: JavaModel) -> str:
    """An enum with the C# member names and numbers, and what the database stores for each."""
    members = [f"    {member}({number}, {_stored(type_, number)})" for member, number in type_.members]
    text_stored = is_text(type_)
    java = "String" if text_stored else "int"
    test = "value.stored.equals(stored)" if text_stored else "value.stored == stored"
    body = [
        f"public enum {name} {{",
        ",\n".join(members) + ";",
        "",
        "    private final int number;",
        f"    private final {java} stored;",
        "",
        f"    {name}(int number, {java} stored) {{",
        "        this.number = number;",
        "        this.stored = stored;",
        "    }",
        "",
        "    /** The number behind the member. */",
        "    public int number() {",
        "        return number;",
        "    }",
        "",
        "    /** What the database holds. */",
        f"    public {java} stored() {{",
        "        return stored;",
        "    }",
        "",
        f"    public static {name} ofStored({java} stored) {{",
        f"        for ({name} value : values()) {{",
        f"            if ({test}) {{",
        "                return value;",
        "            }",
        "        }",
        f'        throw new IllegalArgumentException("no {name} is stored as " + stored);',
        "    }",
        "",
        f"    public static {name} ofNumber(int number) {{",
        f"        for ({name} value : values()) {{",
        "            if (value.number == number) {",
        "                return value;",
        "            }",
        "        }",
        f'        throw new IllegalArgumentException("no {name} has the number " + number);',
        "    }",
        "}",
    ]
    return java_file(model.package, _imports(model, name), "\n".join(body).split("\n"))


def is_text(type_: EnumType) -> bool:
    return any(isinstance(value, str) for _, value in type_.stored)


def _stored(type_: EnumType, number: int) -> str:
    stored = type_.stored_value(number)
    if stored is None or isinstance(stored, str) != is_text(type_):
        raise Refusal(type_.name, "not every member has a stored value of one type")
    return string_literal(stored) if isinstance(stored, str) else str(stored)


# -- documents -------------------------------------------------------------------------------------------------------


def entity_file(entity: str, model: JavaModel, locations: Locations, collection: str) -> str:
    """A document class: a getter and a setter per property; loaded navigations are filled by queries, never written."""
    name = model.entity(entity)
    imports = _imports(model, name)
    base = locations.entity(entity).base
    inherited = {p.name for p in locations.properties(base)} if base else set()
    inherited |= {c.name for c in locations.complexes(base)} if base else set()
    members: list[_Member] = []
    key = composite_key(entity, locations)
    parts = {prop.name for prop, _ in key.parts} if key else set()
    nested: list[str] = []
    if key is not None and not base:
        mark = imports.use("org.springframework.data.annotation.Id")
        members.append(_Member(key.class_name(model), key.member, (f"@{mark}",)))
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
            members.append(_Member(java, java_property_name(navigation.name), (f"@{mark}",)))
    head = [f'@{imports.use(f"{_MAPPING}.Document")}("{collection}")', *_alias(entity, locations, imports)]
    return _class_file(name, head, members, model, imports, entity, base, locations, nested)


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
    imports = _imports(model, java_name)
    shape = locations.schema.complex(name)
    found: list[_Member] = []
    for mapped in members:
        prop = shape.property(mapped.property)
        if prop is not None:
            java = model.java_type(prop.type, imports, java_name)
            found.append(_Member(java, java_property_name(prop.name), _field_marks(prop.name, mapped.path, imports)))
        nested = next((c for c in shape.complexes if c.name == mapped.property), None)
        if nested is not None:
            found.append(_complex(nested, mapped, model, imports))
    return _class_file(java_name, [], found, model, imports)


class _Member:
    """One field of a class."""

    def __init__(self, java_type: str, name: str, marks: tuple[str, ...] = ()) -> None:
        self.java_type, self.name, self.marks = java_type, name, marks


def _property(prop: Property, entity: str, model: JavaModel, locations: Locations, imports: Imports) -> _Member:
    path = locations.field(entity, prop.name).path
    type_ = prop.type
    java = model.java_type(type_, imports, entity)
    name = java_property_name(prop.name)
    if path == "_id":
        is_text_key = isinstance(type_, ScalarType) and type_.kind.value == "string"
        # @Id would take a text of 24 hexadecimal digits for an ObjectId
        mark = f"{_MAPPING}.MongoId" if is_text_key else "org.springframework.data.annotation.Id"
        return _Member(java, name, (f"@{imports.use(mark)}",))
    return _Member(java, name, _field_marks(prop.name, path, imports))


def _field_marks(csharp: str, path: str, imports: Imports) -> tuple[str, ...]:
    name = java_property_name(csharp)
    if name == path and name != "id":
        return ()
    return (f'@{imports.use(f"{_MAPPING}.Field")}("{path}")',)


def _complex(part: ComplexProperty, mapped: FieldMapping, model: JavaModel, imports: Imports) -> _Member:
    type_: Type = ComplexType(part.complex_name)
    java = model.java_type(SequenceType(type_) if part.collection else type_, imports, part.name)
    return _Member(java, java_property_name(part.name), _field_marks(part.name, mapped.path, imports))


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


def _class_file(
    name: str,
    head: list[str],
    members: list[_Member],
    model: JavaModel,
    imports: Imports,
    entity: str | None = None,
    base: str | None = None,
    locations: Locations | None = None,
    nested: Sequence[str] = (),
) -> str:
    names = [member.name for member in members]
    if len(set(names)) != len(names):
        raise Refusal(name, "two members get the same name in Java")
    abstract = "abstract " if entity and locations and locations.entity(entity).abstract else ""
    extends = f" extends {model.entity(base)}" if base else ""
    body = [*head, f"public {abstract}class {name}{extends} {{"]
    for member in members:
        body += [f"    {mark}" for mark in member.marks]
        body.append(f"    private {member.java_type} {member.name};")
        if member.marks:
            body.append("")
    for member in members:
        suffix = member.name[0].upper() + member.name[1:]
        getter = "is" if member.java_type == "boolean" else "get"
        body += [
            "" if body[-1] else None,  # type: ignore[list-item]
            f"    public {member.java_type} {getter}{suffix}() {{",
            f"        return {member.name};",
            "    }",
            "",
            f"    public void set{suffix}({member.java_type} {member.name}) {{",
            f"        this.{member.name} = {member.name};",
            "    }",
        ]
    body += [*nested, "}"]
    return java_file(model.package, imports, [line for line in body if line is not None])


def _imports(model: JavaModel, own: str) -> Imports:
    imports = Imports(model.package, neighbours=model.taken)
    imports.taken[own] = f"{model.package}.{own}"
    return imports
