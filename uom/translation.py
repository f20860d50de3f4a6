"""From C# text to a Java project: read, plan, write. What cannot be translated is refused, method by method."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from uom.model.bundle import JavaBundle, JavaMethod
from uom.model.diagnostics import Diagnostic, Place, Refusal, Severity
from uom.model.expressions import Navigate, Property
from uom.model.mapping import DocumentMapping, GraphMapping
from uom.model.program import PROVIDER_SEMANTICS, Program, QueryMethod, RefusedMethod, Semantics
from uom.model.queries import Include, IncludeNode, Related, Scan
from uom.model.schema import Schema
from uom.model.types import EntityType, SequenceType
from uom.model.walk import walk
from uom.plan.mapping import graph_file, yaml_file
from uom.plan.mapping.documents import default_mapping
from uom.plan.mapping.graphs import default_graph
from uom.plan.planner import Planned, plan
from uom.read import read_program
from uom.read.csharp.syntax import SourceFile
from uom.write import mongodb, neo4j
from uom.write.java.bundle import JavaOptions

Mapping = DocumentMapping | GraphMapping


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """`semantics` None: as the provider in the code implies. `mapping_file` is obeyed when it exists."""

    java: int = 25
    package: str = "com.example.app"
    semantics: Semantics | None = None
    mapping_file: Path | None = None
    target: str = "mongodb"
    """`mongodb` or `neo4j`."""
    only: Callable[[str], bool] = field(default=lambda _: True)
    also_without_queries: bool = False
    """A unit too for a context whose queries are all refused."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One context of the input and its share of the Java project."""

    schema: Schema
    mapping: Mapping
    planned: tuple[Planned, ...]
    bundle: JavaBundle
    options: JavaOptions
    semantics: Semantics

    @property
    def target(self) -> str:
        return self.bundle.target

    def without(self, method_ids: Collection[str]) -> Unit:
        """The unit written again without some methods (those that do not compile)."""
        return self.rewritten(tuple(p for p in self.planned if p.method.id not in method_ids))

    def rewritten(self, planned: tuple[Planned, ...]) -> Unit:
        """The unit with these methods in place of its own."""
        bundle = _write(planned, self.schema, self.mapping, self.semantics, self.options)
        return replace(self, planned=planned, bundle=bundle)

    def entities(self) -> frozenset[str]:
        """What the unit's queries read: names of entities, and `Entity.Member` of owned collections."""
        found: set[str] = set()
        for node in (n for p in self.planned for n in walk(p.method.body)):
            if isinstance(node, Scan | Related):
                found.add(node.element.name)
            elif isinstance(node, Navigate) and isinstance(node.type, EntityType):
                found.add(node.type.name)
            elif isinstance(node, Include):
                found |= self.included(node.element.name, node.tree)
            elif isinstance(node, Property) and isinstance(node.type, SequenceType):
                owner = node.target.type
                found |= {f"{owner.name}.{node.name}"} if isinstance(owner, EntityType) else set()
        return frozenset(found)

    def included(self, entity: str, tree: Sequence[IncludeNode]) -> set[str]:
        found: set[str] = set()
        for node in tree:
            navigation = self.schema.entity(entity).navigation(node.navigation)
            if navigation is not None:
                found |= {navigation.target} | self.included(navigation.target, node.children)
        return found

    def java_method(self, method_id: str) -> JavaMethod | None:
        return next((m for m in self.bundle.methods if m.id == method_id), None)


@dataclass(frozen=True, slots=True)
class RefusedQuery:
    """A method without an artifact, and why."""

    id: str
    place: Place
    diagnostics: tuple[Diagnostic, ...]

    @property
    def reason(self) -> Diagnostic:
        refusals = [d for d in self.diagnostics if d.severity is Severity.REFUSAL]
        return (refusals or list(self.diagnostics))[0]


@dataclass(frozen=True, slots=True)
class Translation:
    program: Program
    units: tuple[Unit, ...]
    refused: tuple[RefusedQuery, ...]
    semantics: Semantics
    mappings: tuple[Mapping, ...]
    """Of every context, also those without a translated query: the file must not lose what was edited for them."""

    def method_ids(self) -> list[str]:
        """All query methods of the input, in source order."""
        return [m.id for m in self.program.methods]

    def csharp(self, method_id: str) -> str:
        """The C# of a method, as it stands in the input."""
        method = next((m for m in self.program.methods if m.id == method_id), None)
        if method is None:
            return ""
        text = next((t for name, t in self.program.sources if name == method.place.file), "")
        return "\n".join(text.split("\n")[method.place.line - 1 : method.end_line])

    def java(self, method_id: str) -> str:
        """The Java of a method with the statement in it; "" when it was refused."""
        unit = self.unit_of(method_id)
        method = unit.java_method(method_id) if unit is not None else None
        if unit is None or method is None:
            return ""
        return "\n".join(unit.bundle.file(method.file).split("\n")[method.first_line - 1 : method.last_line])

    def mapping_text(self) -> str:
        """What `mapping.yaml` is to hold."""
        graphs = [m for m in self.mappings if isinstance(m, GraphMapping)]
        if graphs:
            return graph_file.to_yaml(graphs, self.program.schemas)
        return yaml_file.to_yaml(tuple(m for m in self.mappings if isinstance(m, DocumentMapping)))

    def unit_of(self, method_id: str) -> Unit | None:
        return next((u for u in self.units if any(p.method.id == method_id for p in u.planned)), None)

    def planned(self, method_id: str) -> Planned | None:
        return next((p for u in self.units for p in u.planned if p.method.id == method_id), None)


def translate(sources: Sequence[SourceFile], options: TranslationOptions) -> Translation:
    """Translates everything in the sources. Raises MappingProblem for an unusable mapping file."""
    return translate_program(read_program(sources), options)


def translate_program(program: Program, options: TranslationOptions) -> Translation:
    """Translates the methods of a program that `options.only` lets through."""
    schemas = {s.context: s for s in program.schemas}
    mappings = _mappings(program, options)
    provider = next((s.provider for s in program.schemas if s.provider), "")
    semantics = options.semantics or PROVIDER_SEMANTICS[provider]
    refused = [_refused(m) for m in program.methods if isinstance(m, RefusedMethod) and options.only(m.id)]
    planned: dict[str, list[Planned]] = {}
    for method in program.methods:
        if not isinstance(method, QueryMethod) or not options.only(method.id):
            continue
        try:
            result = plan(method, schemas[method.context], semantics)
        except Refusal as refusal:
            refused.append(RefusedQuery(method.id, method.place, (refusal.diagnostic,)))
            continue
        planned.setdefault(method.context, []).append(result)
    if options.also_without_queries:
        for method in program.methods:
            planned.setdefault(method.context, [])
    units = []
    for mapping in mappings:
        if mapping.context in planned:
            found = tuple(planned[mapping.context])
            unit = _unit(found, schemas[mapping.context], mapping, semantics, options, single=len(planned) == 1)
            places = {p.method.id: p.method.place for p in found}
            refused.extend(RefusedQuery(i, places[i], (d,)) for i, d in unit.bundle.refusals)
            units.append(unit)
    return Translation(program, tuple(units), tuple(refused), semantics, mappings)


def _mappings(program: Program, options: TranslationOptions) -> tuple[Mapping, ...]:
    """The designs of all contexts: the defaults, with what the file changes."""
    file = options.mapping_file if options.mapping_file is not None and options.mapping_file.exists() else None
    if options.target == "neo4j":
        graphs = tuple(default_graph(s) for s in program.schemas)
        return graph_file.read_graphs(file, graphs, program.schemas) if file is not None else graphs
    documents = tuple(default_mapping(s) for s in program.schemas)
    return yaml_file.read_yaml(file, documents) if file is not None else documents


def _unit(
    planned: tuple[Planned, ...],
    schema: Schema,
    mapping: Mapping,
    semantics: Semantics,
    options: TranslationOptions,
    single: bool,
) -> Unit:
    package = options.package if single else f"{options.package}.{(schema.context or 'model').lower()}"
    java = JavaOptions(package=package, java=options.java)
    return Unit(schema, mapping, planned, _write(planned, schema, mapping, semantics, java), java, semantics)


def _write(
    planned: Sequence[Planned], schema: Schema, mapping: Mapping, semantics: Semantics, options: JavaOptions
) -> JavaBundle:
    methods = [p.method for p in planned]
    if isinstance(mapping, GraphMapping):
        return neo4j.write_bundle(methods, schema, mapping, semantics, options)
    return mongodb.write_bundle(methods, schema, mapping, semantics, options)


def _refused(method: RefusedMethod) -> RefusedQuery:
    return RefusedQuery(method.id, method.place, method.diagnostics)
