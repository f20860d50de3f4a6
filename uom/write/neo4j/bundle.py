"""All translated methods of one schema as a Java project for Spring Data Neo4j."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from uom.model.bundle import JavaBundle
from uom.model.mapping import GraphMapping
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.model.types import EnumType, RecordType
from uom.write.java.bundle import JavaOptions, Project, Target, converted_types, write_methods
from uom.write.java.classes import enum_file, record_file
from uom.write.java.draft import ClassDraft
from uom.write.java.project import pom
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.java.classes import complex_file, entity_file
from uom.write.neo4j.java.helpers import helper_files
from uom.write.neo4j.java.project import configuration_file, readme, schema_script
from uom.write.neo4j.java.queries import QueryWriter
from uom.write.neo4j.java.readers import ENTITIES

_DEPENDENCIES = (("org.springframework.data", "spring-data-neo4j"),)


def write_bundle(
    program_methods: Sequence[QueryMethod],
    schema: Schema,
    mapping: GraphMapping,
    semantics: Semantics,
    options: JavaOptions,
) -> JavaBundle:
    """The Java project for these methods. What cannot be translated is in `refusals`, method by method."""
    bundle = write_methods(program_methods, schema, lambda plain: Neo4jTarget(plain, mapping, semantics, options))
    return replace(bundle, target="neo4j")


class Neo4jTarget(Target):
    """Nodes, Cypher, `Neo4jClient`."""

    configuration = "GraphConfig"
    reserved = frozenset(
        {
            "GraphConfig",
            "Columns",
            "Entities",
            "Decimals",
            "ZonedInstants",
            "Singles",
            "LetterCase",
            "Numbers",
            "WhiteSpace",
            "DotNetMath",
        }
    )

    def __init__(self, schema: Schema, mapping: GraphMapping, semantics: Semantics, options: JavaOptions) -> None:
        super().__init__(schema, semantics, options)
        self.mapping = mapping
        self.graph = Graph(schema, mapping)
        self.helpers: set[str] = set()
        """Classes that node classes call."""

    def queries(self, draft: ClassDraft) -> QueryWriter:
        return QueryWriter(draft, self.model, self.schema, self.mapping, self.semantics)

    def class_head(self, draft: ClassDraft) -> list[str]:
        repository = draft.imports.use("org.springframework.stereotype.Repository")
        client = draft.imports.use("org.springframework.data.neo4j.core.Neo4jClient")
        context = draft.imports.use("org.springframework.data.neo4j.core.mapping.Neo4jMappingContext")
        entities = "Entities" in draft.helpers
        return [
            f"@{repository}",
            f"public class {draft.name} {{",
            f"    private final {client} neo4j;",
            *([f"    private final Entities {ENTITIES};"] if entities else []),
            "",
            f"    public {draft.name}({client} neo4j, {context} mapping) {{",
            "        this.neo4j = neo4j;",
            *([f"        this.{ENTITIES} = new Entities(mapping);"] if entities else []),
            "    }",
        ]

    def entity(self, entity: str) -> str:
        return entity_file(entity, self.model, self.graph, self.helpers)

    def complex(self, name: str) -> str:
        self.helpers.add("Columns")
        return complex_file(name, self.model, self.graph)

    def record(self, name: str, type_: RecordType) -> str:
        return record_file(name, type_, self.model, lambda *_: "")

    def enum(self, name: str, type_: EnumType) -> str:
        return enum_file(name, type_, self.model)

    def project(self, project: Project) -> dict[str, str]:
        package, java = self.options.package, self.options.java
        files = dict(helper_files(package, project.helpers | self.helpers))
        converted = converted_types([*project.files.values(), *files.values()])
        nodes = [self.model.names[("entity", n.entity)] for n in self.mapping.nodes]
        files["GraphConfig"] = configuration_file(
            package, self.model, sorted(n for n in nodes if n in project.model_files), converted
        )
        files["schema.cypher"] = schema_script(self.graph)
        files["pom.xml"] = pom(package, java, _DEPENDENCIES)
        files["README.md"] = readme(java, project.methods, project.refusals)
        return files
