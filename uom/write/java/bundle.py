"""All translated methods of one schema as a Java project: what every target does alike."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from uom.model.bundle import JavaBundle, JavaMethod
from uom.model.diagnostics import Diagnostic, Refusal, Severity
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.model.types import EnumType, RecordType
from uom.write.java.draft import ClassDraft
from uom.write.java.flags import without_flags
from uom.write.java.methods import MethodText, MethodWriter, QueryWriter
from uom.write.java.source import Imports, java_file
from uom.write.java.types import JavaModel
from uom.write.members import Members
from uom.write.names import fresh_name

SOURCES = "src/main/java"


@dataclass(frozen=True, slots=True)
class JavaOptions:
    """`package` is the base package, `java` the release that the project compiles for."""

    package: str = "com.example.app"
    java: int = 25


class Target(ABC):
    """What one target writes in its own way. `configuration` is the simple name of its configuration class."""

    configuration: str
    reserved: frozenset[str]
    """Names of classes beside the query classes."""

    def __init__(self, schema: Schema, semantics: Semantics, options: JavaOptions) -> None:
        self.schema, self.semantics, self.options = schema, semantics, options
        self.model = JavaModel(options.package, schema)

    @abstractmethod
    def queries(self, draft: ClassDraft) -> QueryWriter:
        """A writer for the round trips of one method."""

    @abstractmethod
    def class_head(self, draft: ClassDraft) -> list[str]:
        """Annotations, fields and the constructor of a query class."""

    @abstractmethod
    def entity(self, entity: str) -> str:
        """The file of an entity's class."""

    @abstractmethod
    def complex(self, name: str) -> str:
        """The file of an owned or complex type."""

    @abstractmethod
    def record(self, name: str, type_: RecordType) -> str:
        """The file of a result row."""

    @abstractmethod
    def enum(self, name: str, type_: EnumType) -> str:
        """The file of an enum."""

    @abstractmethod
    def project(self, project: Project) -> dict[str, str]:
        """The files beside query and model classes, by path; those below the base package by simple name."""


@dataclass(frozen=True, slots=True)
class Project:
    """What is written so far: `files` by path, `model_files` by class name."""

    files: dict[str, str]
    model_files: dict[str, str]
    methods: list[JavaMethod]
    refusals: list[tuple[str, Diagnostic]]
    helpers: set[str]


@dataclass(slots=True)
class Drafted:
    """A query class and the methods written so far."""

    draft: ClassDraft
    methods: list[tuple[QueryMethod, MethodText]] = field(default_factory=list)


def write_methods(methods: Sequence[QueryMethod], schema: Schema, make: Callable[[Schema], Target]) -> JavaBundle:
    """The Java project for these methods. What cannot be translated is in `refusals`, method by method."""
    plain, schema = without_flags(methods, schema)
    writer = _BundleWriter(make(schema))
    for method in plain:
        writer.add(method)
    return writer.finish()


class _BundleWriter:
    """Collects methods, then writes files."""

    def __init__(self, target: Target) -> None:
        self.target, self.model, self.options = target, target.model, target.options
        self.members = Members(target.schema)
        self.classes: dict[str, Drafted] = {}
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
            text = MethodWriter(method, self.target.queries(drafted.draft)).write()
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

    def _undo(self, saved_model: JavaModel, drafted: Drafted, saved: ClassDraft) -> None:
        self.model.restore(saved_model)
        drafted.draft = saved
        # A name that is free again may come to mean another class.
        self._checked &= {*self.model.names.values(), *self.model.records, *self.model.enums}

    def _class_of(self, container: str) -> Drafted:
        if container not in self.classes:
            wanted = re.sub(r"\W", "", container.rpartition(".")[2]) or "Queries"
            taken = {c.draft.name for c in self.classes.values()} | self.target.reserved
            name = fresh_name(wanted, taken)
            imports = Imports(self.options.package, {name: f"{self.options.package}.{name}"})
            self.classes[container] = Drafted(ClassDraft(name, imports))
        return self.classes[container]

    # -- classes of the model ----------------------------------------------------------------------------------------

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

    def _wanted(self, known: Collection[str]) -> dict[str, Callable[[], str]]:
        model, target = self.model, self.target
        wanted: dict[str, Callable[[], str]] = {}
        for entity in sorted(model.entities):
            for member in self._family(entity):
                if model.entity(member) not in known:
                    wanted[model.entity(member)] = lambda m=member: target.entity(m)  # type: ignore[misc]
        for complex_name in sorted(model.complexes):
            if model.complex(complex_name) not in known:
                wanted[model.complex(complex_name)] = lambda n=complex_name: target.complex(n)  # type: ignore[misc]
        for name in sorted(set(model.records).difference(known)):
            wanted[name] = lambda n=name, r=model.records[name]: self._record(n, r)  # type: ignore[misc]
        for name in sorted(set(model.enums).difference(known)):
            wanted[name] = lambda n=name, e=model.enums[name]: target.enum(n, e)  # type: ignore[misc]
        return wanted

    def _record(self, name: str, record: RecordType) -> str:
        """Anonymous records inside it are named as the method that brought it in names them."""
        self.model.method = self.model.owners.get(name, self.model.method)
        return self.target.record(name, record)

    def _family(self, entity: str) -> list[str]:
        """The entity, its bases and all that may be read in its place."""
        return [e.name for e in self.members.lineage(entity)] + list(self.target.schema.descendants(entity))[1:]

    # -- files -------------------------------------------------------------------------------------------------------

    def finish(self) -> JavaBundle:
        files: dict[str, str] = {}
        methods: list[JavaMethod] = []
        helpers: set[str] = set()
        used = [c for c in self.classes.values() if c.methods]
        package = self.options.package
        root = f"{SOURCES}/{package.replace('.', '/')}"
        for drafted in used:
            path = f"{root}/{drafted.draft.name}.java"
            text, placed = self._query_class(drafted, path)
            files[path] = text
            methods.extend(placed)
            helpers |= drafted.draft.helpers
        model_files = self._model_files()
        files.update((f"{root}/model/{name}.java", text) for name, text in model_files.items())
        project = Project(files, model_files, methods, self.refusals, helpers)
        for name, text in self.target.project(project).items():
            files[name if "." in name else f"{root}/{name}.java"] = text
        return JavaBundle(
            tuple(sorted(files.items())),
            package,
            tuple(f"{package}.{c.draft.name}" for c in used),
            f"{package}.{self.target.configuration}",
            tuple(methods),
            tuple(self.refusals),
        )

    def _query_class(self, drafted: Drafted, path: str) -> tuple[str, list[JavaMethod]]:
        draft = drafted.draft
        body = self.target.class_head(draft)
        places: list[tuple[QueryMethod, MethodText, int]] = []
        for method, text in drafted.methods:
            body += ["", text.documentation]
            places.append((method, text, len(body)))
            body.extend(text.lines)
        for name, java in sorted(draft.values.items()):
            body += ["", f"    record {name}({java} value) {{}}"]
        body.append("}")
        source = java_file(self.options.package, draft.imports, body)
        offset = len(source.split("\n")) - 1 - len(body)
        return source, [_placed(m, t, draft.name, path, offset + start) for m, t, start in places]


def _placed(method: QueryMethod, text: MethodText, class_name: str, path: str, before: int) -> JavaMethod:
    return JavaMethod(
        method.id,
        class_name,
        text.name,
        text.parameters,
        text.return_type,
        path,
        before + 1,
        before + len(text.lines),
        (*method.diagnostics, *text.diagnostics),
        text.records,
    )


def _copy(draft: ClassDraft) -> ClassDraft:
    imports = replace(draft.imports, taken=dict(draft.imports.taken), static=set(draft.imports.static))
    return ClassDraft(draft.name, imports, dict(draft.values), set(draft.helpers), set(draft.method_names))


def converted_types(files: Iterable[str]) -> list[str]:
    """The Java classes that need converters among those that any file mentions."""
    texts = list(files)
    return [name for name in ("java.time.Duration", "java.math.BigDecimal") if any(name in text for text in texts)]
