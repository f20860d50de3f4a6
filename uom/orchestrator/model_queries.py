"""Java that a model writes for a query: one class per query, with a name, constructor and method that we give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from uom.model.bundle import JavaBundle, JavaMethod, JavaRecord
from uom.model.program import QueryMethod, RefusedMethod
from uom.model.types import EnumType, SequenceType, Type
from uom.orchestrator.compiling import Prepared
from uom.orchestrator.files import split_files
from uom.translation import Translation, Unit
from uom.write.java.source import Imports
from uom.write.java.types import scalar_type
from uom.write.names import java_method_name, java_parameter_name

SOURCES = "src/main/java"
_PACKAGE = re.compile(r"^\s*package\s+[\w.]+\s*;", re.M)


@dataclass(frozen=True, slots=True)
class Contract:
    """What the Java of one query must be called; the entry point, which is ours, calls exactly that."""

    query: str
    package: str
    class_name: str
    method: str
    parameters: tuple[tuple[str, str], ...] | None
    """None where nobody knows their types: then the model reads them out of the C#, and nothing is called."""
    records: tuple[tuple[str, JavaRecord], ...] = ()
    """The compiler's records among these types, which are the model's to use."""

    @property
    def signature(self) -> str:
        if self.parameters is None:
            return f"public Object {self.method} with the parameters of the C#"
        listed = ", ".join(f"{java} {name}" for java, name in self.parameters)
        return f"public Object {self.method}({listed})"

    @property
    def path(self) -> str:
        return f"{SOURCES}/{self.package.replace('.', '/')}/{self.class_name}.java"

    def problem(self, code: str) -> str:
        """Why the code cannot be used as it is; "" when it can."""
        if not re.search(rf"\bclass\s+{self.class_name}\b", code):
            return f"there is no class {self.class_name}"
        if not re.search(rf"\b{self.method}\s*\(", code):
            return f"there is no method {self.method}"
        return ""

    def placed(self, code: str) -> str:
        """The code in its package."""
        line = f"package {self.package};"
        found = _PACKAGE.search(code)
        return code.replace(found[0], line, 1) if found is not None else f"{line}\n\n{code}"


def class_name_of(query: str) -> str:
    """`ShopQueries.Ranking` -> `ShopQueriesRankingQuery`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", query) if part) + "Query"


AnyMethod = QueryMethod | RefusedMethod


def unproven_methods(translation: Translation, unit: Unit) -> tuple[AnyMethod, ...]:
    """Methods of the unit's context that the compiler could not read or plan: nothing can prove a model's Java."""
    planned = {p.method.id for p in unit.planned}
    return tuple(m for m in translation.program.methods if m.id not in planned and m.context == unit.schema.context)


def contract_of(method: AnyMethod, unit: Unit) -> Contract:
    """The compiler's own parameter types where it translated the method, else the plain ones."""
    if not any(p.method.id == method.id for p in unit.planned) or isinstance(method, RefusedMethod):
        name = java_method_name(method.name)
        return Contract(method.id, unit.options.package, class_name_of(method.id), name, None)
    written = unit.java_method(method.id)
    parameters = (
        written.parameters
        if written is not None
        else tuple((_java_type(p.type), java_parameter_name(p.name)) for p in method.parameters)
    )
    name = java_method_name(method.name)
    records = written.records if written is not None else ()
    return Contract(method.id, unit.options.package, class_name_of(method.id), name, parameters, records)


def _java_type(type_: Type, boxed: bool = False) -> str:
    """Written with packages: the class around it is the model's."""
    if isinstance(type_, SequenceType):
        return f"List<{_java_type(type_.element, True)}>"
    if isinstance(type_, EnumType):
        return "Integer" if boxed or type_.nullable else "int"
    return scalar_type(type_, Imports("", {}), boxed)  # type: ignore[arg-type]


def with_model_queries(
    prepared: Prepared, queries: Mapping[str, str], translation: Translation, alone: bool = False
) -> Prepared:
    """The unit with a model's classes in place of the compiler's methods. Entity classes stay those of the compiler.

    `alone`: the compiler's other methods are left out too, so that none of them passes for the model's.
    """
    unit = prepared.unit
    own = {p.method.id: p.method for p in prepared.planned if p.method.id in queries}
    left_out = {p.method.id for p in prepared.planned} if alone else set(own)
    unproven = {m.id: m for m in unproven_methods(translation, unit) if m.id in queries}
    if not left_out and not unproven:
        return prepared
    contracts = {query: contract_of(method, unit) for query, method in {**own, **unproven}.items()}
    kept = unit.without(left_out).bundle
    files = {path: text for path, text in unit.bundle.files if _belongs_to_all(path)} | dict(kept.files)
    files |= {c.path: c.placed(queries[query]) for query, c in contracts.items()}
    methods = [*kept.methods, *(_method(contracts[q], queries[q]) for q in own)]
    classes = [*kept.query_classes, *(f"{contracts[q].package}.{contracts[q].class_name}" for q in own)]
    bundle = JavaBundle(
        tuple(sorted(files.items())),
        unit.bundle.package,
        tuple(classes),
        unit.bundle.configuration,
        tuple(methods),
        tuple(r for r in unit.bundle.refusals if r[0] not in own),
        target=unit.bundle.target,
    )
    return replace(prepared, unit=replace(unit, bundle=bundle))


def with_all(
    units: Sequence[Prepared], queries: Mapping[str, str], translation: Translation, alone: bool
) -> tuple[Prepared, ...]:
    return tuple(with_model_queries(unit, queries, translation, alone) for unit in units)


def with_model_schema(units: Sequence[Prepared], schema: str) -> tuple[Prepared, ...]:
    """A model's entity classes in place of the compiler's, where it wrote any."""
    files = split_files(schema, "Schema.java")
    return tuple(_with_files(unit, files) for unit in units) if files else tuple(units)


def _with_files(prepared: Prepared, files: Mapping[str, str]) -> Prepared:
    bundle = prepared.unit.bundle
    own = tuple((path, files.get(path, text)) for path, text in bundle.files)
    return replace(prepared, unit=replace(prepared.unit, bundle=replace(bundle, files=own)))


def _belongs_to_all(path: str) -> bool:
    """Classes of entities and records, and the configuration that knows their hierarchies."""
    return "/model/" in path or path.endswith(("/MongoConfig.java", "/GraphConfig.java"))


def _method(contract: Contract, code: str) -> JavaMethod:
    assert contract.parameters is not None
    lines = contract.placed(code).count("\n") + 1
    return JavaMethod(
        contract.query,
        contract.class_name,
        contract.method,
        contract.parameters,
        "Object",
        contract.path,
        1,
        lines,
        records=contract.records,
    )
