"""All translated methods of one schema as a Java project for Spring Data MongoDB."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from uom.model.bundle import JavaBundle
from uom.model.diagnostics import Refusal
from uom.model.mapping import DocumentMapping, FieldMapping
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.model.types import EnumType, RecordType
from uom.write.java.bundle import JavaOptions, Project, Target, converted_types, write_methods
from uom.write.java.classes import enum_file, record_file
from uom.write.java.draft import ClassDraft
from uom.write.java.project import pom
from uom.write.mongodb.java.classes import complex_file, entity_file, record_mark, type_key
from uom.write.mongodb.java.helpers import helper_files
from uom.write.mongodb.java.project import configuration_file, index_commands, readme
from uom.write.mongodb.java.queries import QueryWriter
from uom.write.mongodb.location import Locations


def write_bundle(
    program_methods: Sequence[QueryMethod],
    schema: Schema,
    mapping: DocumentMapping,
    semantics: Semantics,
    options: JavaOptions,
) -> JavaBundle:
    """The Java project for these methods. What cannot be translated is in `refusals`, method by method."""
    return write_methods(program_methods, schema, lambda plain: MongoTarget(plain, mapping, semantics, options))


_DEPENDENCIES = (
    ("org.springframework.data", "spring-data-mongodb"),
    ("org.mongodb", "mongodb-driver-sync"),
)


class MongoTarget(Target):
    """Documents, pipelines, `MongoTemplate`."""

    configuration = "MongoConfig"
    reserved = frozenset(
        {"MongoConfig", "StageParameters", "TextPatterns", "LetterCase", "Numbers", "WhiteSpace", "DotNetMath"}
    )

    def __init__(self, schema: Schema, mapping: DocumentMapping, semantics: Semantics, options: JavaOptions) -> None:
        super().__init__(schema, semantics, options)
        self.mapping = mapping
        self.locations = Locations(schema, mapping)

    def queries(self, draft: ClassDraft) -> QueryWriter:
        return QueryWriter(draft, self.model, self.schema, self.mapping, self.semantics)

    def class_head(self, draft: ClassDraft) -> list[str]:
        repository = draft.imports.use("org.springframework.stereotype.Repository")
        template = draft.imports.use("org.springframework.data.mongodb.core.MongoTemplate")
        return [
            f"@{repository}",
            f"public class {draft.name} {{",
            f"    private final {template} mongo;",
            "",
            f"    public {draft.name}({template} mongo) {{",
            "        this.mongo = mongo;",
            "    }",
        ]

    def entity(self, entity: str) -> str:
        return entity_file(entity, self.model, self.locations, self.locations.collection(entity))

    def complex(self, name: str) -> str:
        members = next(
            (m for e in self.mapping.entities for f in e.fields for m in _members_of(name, f, self, e.entity)), None
        )
        if members is None:
            raise Refusal(name, "the mapping does not say where its members are stored")
        return complex_file(name, members, self.model, self.locations)

    def record(self, name: str, type_: RecordType) -> str:
        return record_file(name, type_, self.model, record_mark)

    def enum(self, name: str, type_: EnumType) -> str:
        return enum_file(name, type_, self.model)

    def project(self, project: Project) -> dict[str, str]:
        package, java = self.options.package, self.options.java
        files = dict(helper_files(package, project.helpers))
        converted = converted_types([*project.files.values(), *files.values()])
        files["MongoConfig"] = configuration_file(
            package, self.model, self._hierarchies(project.model_files), type_key(self.locations), converted
        )
        files["pom.xml"] = pom(package, java, _DEPENDENCIES)
        files["README.md"] = readme(java, project.methods, project.refusals, index_commands(self.locations))
        return files

    def _hierarchies(self, written: Iterable[str]) -> list[str]:
        names = {self.model.names.get(("entity", e.name)) for e in self.schema.entities if e.discriminator is not None}
        return sorted(name for name in written if name in names)


def _members_of(name: str, field: FieldMapping, target: MongoTarget, entity: str) -> list[tuple[FieldMapping, ...]]:
    """The member mappings of a complex type, wherever it is used."""
    part = target.locations.complex(entity, field.property)
    if part is None:
        return []
    return _nested_members(name, part.complex_name, field, target)


def _nested_members(
    name: str, complex_name: str, field: FieldMapping, target: MongoTarget
) -> list[tuple[FieldMapping, ...]]:
    if complex_name == name:
        return [field.members]
    shape = target.schema.complex(complex_name)
    return [
        found
        for nested in shape.complexes
        for member in field.members
        if member.property == nested.name
        for found in _nested_members(name, nested.complex_name, member, target)
    ]
