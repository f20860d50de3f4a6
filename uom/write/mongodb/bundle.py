"""All translated methods of one schema as a Java project."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from uom.model.bundle import JavaBundle, JavaMethod
from uom.model.diagnostics import Diagnostic, Refusal, Severity
from uom.model.mapping import DocumentMapping, FieldMapping
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.model.types import Kind, RecordType
from uom.write.java.draft import ClassDraft
from uom.write.java.flags import without_flags
from uom.write.java.literals import float_text, scalar_literal
from uom.write.java.methods import MethodText, MethodWriter
from uom.write.java.source import Imports, java_file
from uom.write.java.types import JavaModel
from uom.write.mongodb.java.classes import complex_file, entity_file, enum_file, record_file, type_key
from uom.write.mongodb.java.helpers import helper_files
from uom.write.mongodb.java.project import configuration_file, index_commands, pom, readme
from uom.write.mongodb.java.queries import QueryWriter
from uom.write.mongodb.location import Locations
from uom.write.names import fresh_name

SOURCES = "src/main/java"


@dataclass(frozen=True, slots=True)
class JavaOptions:
    """`package` is the base package, `java` the release that the project compiles for."""

    package: str = "com.example.app"
    java: int = 25


def write_bundle(
    program_methods: Sequence[QueryMethod],
    schema: Schema,
    mapping: DocumentMapping,
    semantics: Semantics,
    options: JavaOptions,
) -> JavaBundle:
    """The Java project for these methods. What cannot be translated is in `refusals`, method by method."""
    methods, schema = without_flags(program_methods, schema)
    model = JavaModel(options.package, schema)
    writer = _BundleWriter(schema, mapping, semantics, options, model)
    for method in methods:
        writer.add(method)
    return writer.finish()


@dataclass(slots=True)
class _Drafted:
    """A query class and the methods written so far."""

    draft: ClassDraft
    methods: list[tuple[QueryMethod, MethodText]]


class _BundleWriter:
    """Collects methods, then writes files."""

    def __init__(
        self, schema: Schema, mapping: DocumentMapping, semantics: Semantics, options: JavaOptions, model: JavaModel
    ) -> None:
        self.schema, self.mapping, self.semantics, self.options, self.model = schema, mapping, semantics, options, model
        self.locations = Locations(schema, mapping)
        self.classes: dict[str, _Drafted] = {}
        self.refusals: list[tuple[str, Diagnostic]] = []
        self._checked: set[str] = set()
        """Classes that are known to be writable, so that each is tried once and not once per method."""

    def add(self, method: QueryMethod) -> None:
        """One method; when it must be refused, nothing of it stays behind."""
        drafted = self._class_of(method.container)
        self.model.method = method.id
        saved_model = self.model.snapshot()
        saved = _copy(drafted.draft)
        try:
            loaded = len(self.model.loaded)
            queries = QueryWriter(drafted.draft, self.model, self.schema, self.mapping, self.semantics)
            text = MethodWriter(method, queries).write()
            if len(self.model.loaded) > loaded:
                self._checked.clear()  # classes have new members
            self._check_classes()
        except Refusal as refusal:
            self._undo(saved_model, drafted, saved)
            self.refusals.append((method.id, refusal.at(method.place).diagnostic))
        except (RecursionError, AssertionError, KeyError, StopIteration, TypeError, AttributeError) as error:
            self._undo(saved_model, drafted, saved)
            reason = f"the translator failed ({type(error).__name__}: {error})"
            diagnostic = Diagnostic(Severity.REFUSAL, method.name, reason, method.place, "Please report this query.")
            self.refusals.append((method.id, diagnostic))
        else:
            drafted.methods.append((method, text))

    def _undo(self, saved_model: JavaModel, drafted: _Drafted, saved: ClassDraft) -> None:
        self.model.restore(saved_model)
        drafted.draft = saved
        # A name that is free again may come to mean another class.
        self._checked &= {*self.model.names.values(), *self.model.records, *self.model.enums}

    def _class_of(self, container: str) -> _Drafted:
        if container not in self.classes:
            wanted = re.sub(r"\W", "", container.rpartition(".")[2]) or "Queries"
            taken = {c.draft.name for c in self.classes.values()} | {
                "MongoConfig",
                "StageParameters",
                "TextPatterns",
                "LetterCase",
                "Numbers",
                "WhiteSpace",
            }
            name = fresh_name(wanted, taken)
            imports = Imports(self.options.package, {name: f"{self.options.package}.{name}"})
            self.classes[container] = _Drafted(ClassDraft(name, imports), [])
        return self.classes[container]

    def _check_classes(self) -> None:
        """Writes new classes of the model, so that one that cannot be written refuses the method that needs it."""
        self._checked |= set(self._model_files(self._checked))

    def _model_files(self, known: Collection[str] = ()) -> dict[str, str]:
        """The classes that methods need, without those already known; writing one may bring in others."""
        files: dict[str, str] = {}
        while True:
            todo = self._wanted({*known, *files})
            if not todo:
                return files
            for name, write in todo.items():
                files[name] = write()

    def _wanted(self, known: Collection[str]) -> dict[str, _FileWriter]:
        model = self.model
        wanted: dict[str, _FileWriter] = {}
        for entity in sorted(model.entities):
            for member in self._family(entity):
                if model.entity(member) not in known:
                    wanted[model.entity(member)] = _FileWriter(self._entity, member)
        for complex_name in sorted(model.complexes):
            if model.complex(complex_name) not in known:
                wanted[model.complex(complex_name)] = _FileWriter(self._complex, complex_name)
        for name in sorted(set(model.records).difference(known)):
            record = model.records[name]
            wanted[name] = _FileWriter(lambda n, r=record: self._record(n, r), name)
        for name in sorted(set(model.enums).difference(known)):
            enum = model.enums[name]
            wanted[name] = _FileWriter(lambda n, e=enum: enum_file(n, e, model), name)
        return wanted

    def _record(self, name: str, record: RecordType) -> str:
        """Anonymous records inside it are named as the method that brought it in names them."""
        self.model.method = self.model.owners.get(name, self.model.method)
        return record_file(name, record, self.model)

    def _family(self, entity: str) -> list[str]:
        """The entity, its bases and all that may be read in its place."""
        return [e.name for e in self.locations.lineage(entity)] + list(self.schema.descendants(entity))[1:]

    def _entity(self, entity: str) -> str:
        return entity_file(entity, self.model, self.locations, self.locations.collection(entity))

    def _complex(self, name: str) -> str:
        members = next(
            (m for e in self.mapping.entities for f in e.fields for m in _members_of(name, f, self, e.entity)), None
        )
        if members is None:
            raise Refusal(name, "the mapping does not say where its members are stored")
        return complex_file(name, members, self.model, self.locations)

    # -- files -------------------------------------------------------------------------------------------------------

    def finish(self) -> JavaBundle:
        files: dict[str, str] = {}
        methods: list[JavaMethod] = []
        helpers: set[str] = set()
        used = [c for c in self.classes.values() if c.methods]
        root = f"{SOURCES}/{self.options.package.replace('.', '/')}"
        for drafted in used:
            path = f"{root}/{drafted.draft.name}.java"
            text, placed = _query_class(drafted, self.options.package, path)
            files[path] = text
            methods.extend(placed)
            helpers |= drafted.draft.helpers
        model_files = self._model_files()
        for name, text in sorted(model_files.items()):
            files[f"{root}/model/{name}.java"] = text
        for name, text in sorted(helper_files(self.options.package, helpers).items()):
            files[f"{root}/{name}.java"] = text
        converted = [
            name
            for name in ("java.time.Duration", "java.math.BigDecimal")
            if any(name in text for text in files.values())
        ]
        files[f"{root}/MongoConfig.java"] = configuration_file(
            self.options.package, self.model, self._hierarchies(model_files), type_key(self.locations), converted
        )
        files["pom.xml"] = pom(self.options.package, self.options.java)
        files["README.md"] = readme(self.options.java, methods, self.refusals, index_commands(self.locations))
        return JavaBundle(
            tuple(sorted(files.items())),
            self.options.package,
            tuple(f"{self.options.package}.{c.draft.name}" for c in used),
            f"{self.options.package}.MongoConfig",
            tuple(methods),
            tuple(self.refusals),
        )

    def _hierarchies(self, written: Iterable[str]) -> list[str]:
        names = {self.model.names.get(("entity", e.name)) for e in self.schema.entities if e.discriminator is not None}
        return sorted(name for name in written if name in names)


class _FileWriter:
    """A file that is written when its turn comes."""

    def __init__(self, write: object, name: str) -> None:
        self._write, self._name = write, name

    def __call__(self) -> str:
        return str(self._write(self._name))  # type: ignore[operator]


def _members_of(name: str, field: FieldMapping, writer: _BundleWriter, entity: str) -> list[tuple[FieldMapping, ...]]:
    """The member mappings of a complex type, wherever it is used."""
    part = writer.locations.complex(entity, field.property)
    if part is None:
        return []
    return _nested_members(name, part.complex_name, field, writer)


def _nested_members(
    name: str, complex_name: str, field: FieldMapping, writer: _BundleWriter
) -> list[tuple[FieldMapping, ...]]:
    if complex_name == name:
        return [field.members]
    shape = writer.schema.complex(complex_name)
    return [
        found
        for nested in shape.complexes
        for member in field.members
        if member.property == nested.name
        for found in _nested_members(name, nested.complex_name, member, writer)
    ]


def _copy(draft: ClassDraft) -> ClassDraft:
    imports = replace(draft.imports, taken=dict(draft.imports.taken), static=set(draft.imports.static))
    return ClassDraft(draft.name, imports, dict(draft.values), set(draft.helpers), set(draft.method_names))


def _query_class(drafted: _Drafted, package: str, path: str) -> tuple[str, list[JavaMethod]]:
    draft = drafted.draft
    repository = draft.imports.use("org.springframework.stereotype.Repository")
    template = draft.imports.use("org.springframework.data.mongodb.core.MongoTemplate")
    body = [
        f"@{repository}",
        f"public class {draft.name} {{",
        f"    private final {template} mongo;",
        "",
        f"    public {draft.name}({template} mongo) {{",
        "        this.mongo = mongo;",
        "    }",
    ]
    places: list[tuple[QueryMethod, MethodText, int]] = []
    for method, text in drafted.methods:
        body += ["", text.documentation]
        places.append((method, text, len(body)))
        body.extend(text.lines)
    for name, java in sorted(draft.values.items()):
        body += ["", f"    record {name}({java} value) {{}}"]
    body.append("}")
    source = java_file(package, draft.imports, body)
    offset = len(source.split("\n")) - 1 - len(body)
    methods = [
        JavaMethod(
            method.id,
            draft.name,
            text.name,
            text.parameters,
            text.return_type,
            path,
            offset + start + 1,
            offset + start + len(text.lines),
            (*method.diagnostics, *text.diagnostics),
        )
        for method, text, start in places
    ]
    return source, methods


# -- calls -----------------------------------------------------------------------------------------------------------


def java_call(method: JavaMethod, arguments: tuple[object, ...]) -> str:
    """The Java text of a call on a variable named like the class (`filters.byCountry("UK")`).

    Arguments are C# values as `Const` holds them; classes are written with their package. Raises ValueError for a
    value that has no literal.
    """
    variable = method.class_name[0].lower() + method.class_name[1:]
    package = method.file.removeprefix(SOURCES + "/").rpartition("/")[0].replace("/", ".")
    texts = [_argument(java, value, package) for (java, _), value in zip(method.parameters, arguments, strict=True)]
    return f"{variable}.{method.name}({', '.join(texts)})"


_QUALIFIED = Imports(
    "", dict.fromkeys(("BigDecimal", "Instant", "LocalDate", "LocalTime", "Duration", "UUID"), "taken")
)


def _argument(java: str, value: object, package: str) -> str:
    java = java.rpartition(".")[2] if "<" not in java else java
    if value is None:
        return "null"
    if "<" in java:
        element = java[java.index("<") + 1 : -1]
        items = ", ".join(_argument(element, item, package) for item in value)  # type: ignore[attr-defined]
        return f"java.util.Arrays.<{_qualified(element, package)}>asList({items})"
    if java in _KINDS:
        return scalar_literal(value, _KINDS[java], _QUALIFIED)
    if java in ("float", "Float"):
        return float_text(value)
    if isinstance(value, int):
        return f"{package}.model.{java}.ofNumber({value})"
    raise ValueError(f"no literal for {java}")


_KINDS = {
    "boolean": Kind.BOOL, "Boolean": Kind.BOOL, "int": Kind.INT, "Integer": Kind.INT, "long": Kind.LONG,
    "Long": Kind.LONG, "double": Kind.DOUBLE, "Double": Kind.DOUBLE, "BigDecimal": Kind.DECIMAL,
    "String": Kind.STRING, "Character": Kind.CHAR, "Instant": Kind.DATETIME, "LocalDate": Kind.DATEONLY,
    "LocalTime": Kind.TIMEONLY, "Duration": Kind.TIMESPAN, "UUID": Kind.GUID, "byte[]": Kind.BYTES,
}  # fmt: skip
_PACKAGES = {
    "BigDecimal": "java.math",
    "Instant": "java.time",
    "LocalDate": "java.time",
    "LocalTime": "java.time",
    "Duration": "java.time",
    "UUID": "java.util",
}


def _qualified(java: str, package: str) -> str:
    if java in _PACKAGES:
        return f"{_PACKAGES[java]}.{java}"
    return java if java in _KINDS or java == "Float" else f"{package}.model.{java}"
