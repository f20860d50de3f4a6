"""The compiler behind the graph: what state holds as text is compiled again where its meaning is needed.

The same text gives the same bytes, so nothing typed has to be kept in state or checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from uom.data.rows import DataFile, build_database, read_data_file
from uom.model.diagnostics import Severity
from uom.orchestrator.files import in_one, join_files, split_files
from uom.orchestrator.state import FrameworkEnum, State
from uom.orchestrator.validation import values
from uom.orchestrator.validation.values import Sets
from uom.plan.planner import Planned
from uom.read.csharp.syntax import InputProblem, parse
from uom.reference.values import Database, Value
from uom.translation import Translation, TranslationOptions, Unit, translate
from uom.verify.arguments import argument_sets
from uom.verify.defects import Defect, attempt
from uom.verify.shapes import Shape, shape_of
from uom.verify.target import Call

BUNDLED_SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "northwind" / "northwind.json"


TARGETS = {
    FrameworkEnum.JAVA_SPRING_DATA_MONGODB: "mongodb",
    FrameworkEnum.JAVA_SPRING_DATA_NEO4J: "neo4j",
}
"""What is translated to, and the compiler's name for it."""


def target_of(state: State) -> FrameworkEnum:
    """The target of a run; the gate before the translation makes sure that there is one."""
    return state.destination_target or FrameworkEnum.JAVA_SPRING_DATA_MONGODB


def source_code(state: State) -> str:
    """All C# of the input as one text; a file that holds schema and queries is there once."""
    files = split_files(state.source_schema_code or "", "schema.cs")
    queries = split_files(state.source_query_code or "", "queries.cs")
    return join_files(in_one([*files.items(), *((p, t) for p, t in queries.items() if t not in files.values())]))


@lru_cache(maxsize=16)
def compiled(code: str, target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB) -> Translation:
    """The compiler's translation. Raises InputProblem when nothing in the text can be read."""
    if target not in TARGETS:
        remedy = f"Ask for {' or '.join(t.value for t in TARGETS)}."
        raise InputProblem("target", f"{target.value} is not translated to", None, remedy)
    # where every query is refused, a model needs to know the project that it writes for
    options = TranslationOptions(target=TARGETS[target], also_without_queries=True)
    translation = translate([parse(name, text) for name, text in split_files(code).items()], options)
    if not any(schema.entities for schema in translation.program.schemas):
        problem = next((d for d in translation.program.diagnostics if d.severity is Severity.INPUT), None)
        reason = f"{problem.construct}: {problem.reason}" if problem else "there is no DbContext with entities in it"
        raise InputProblem("input", reason, problem.place if problem else None, "Pass the context and its entities.")
    return translation


@lru_cache(maxsize=4)
def _rows(path: Path, modified: int, size: int) -> DataFile:  # noqa: ARG001 (a changed file is another one)
    return read_data_file(path)


def absolute(path: str) -> str:
    """The same file from wherever a run is resumed; "" stays the bundled sample."""
    return str(Path(path).resolve()) if path else ""


def data_of(named: str) -> DataFile:
    """The rows that a run works on: the named file, or the bundled sample. Raises DataProblem."""
    path = Path(named) if named else BUNDLED_SAMPLE
    if not path.exists():
        return read_data_file(path)  # says so
    status = path.stat()
    return _rows(path.resolve(), status.st_mtime_ns, status.st_size)


@dataclass(frozen=True)
class Prepared:
    """One unit with rows and the calls that will be made on both sides."""

    unit: Unit
    database: Database
    planned: tuple[Planned, ...]
    sets: Mapping[str, list[dict[str, Value]]]
    shapes: Mapping[str, Shape]
    data_name: str = ""
    lost: Mapping[str, Defect] = field(default_factory=dict)
    """Why methods have no arguments."""

    def calls(self) -> list[Call]:
        return [
            Call(f"{p.method.id}-{i}", p.method.id, tuple(s[q.name] for q in p.method.parameters))
            for p in self.planned
            for i, s in enumerate(self.sets[p.method.id])
        ]


@lru_cache(maxsize=8)
def _databases(code: str, target: FrameworkEnum, path: Path, stamp: tuple[int, int]) -> tuple[Database, ...]:
    data = _rows(path, *stamp)
    return tuple(build_database(data, unit.schema, unit.entities()) for unit in compiled(code, target).units)


@lru_cache(maxsize=8)
def _prepared(
    code: str, target: FrameworkEnum, path: Path, stamp: tuple[int, int], arguments: str
) -> tuple[Prepared, ...]:
    chosen: Sets = values.loads(arguments) if arguments else {}
    databases = _databases(code, target, path, stamp)
    units = compiled(code, target).units
    return tuple(_prepare(unit, database, chosen, path.name) for unit, database in zip(units, databases, strict=True))


def prepared(
    code: str, data_file: str = "", arguments: str = "", target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB
) -> tuple[Prepared, ...]:
    """Every unit of the compiler's translation with its rows and calls.

    `arguments` is what `arguments_text` gave for the same code; without it values are chosen anew. Raises InputProblem
    and DataProblem.
    """
    path = Path(data_file) if data_file else BUNDLED_SAMPLE
    if not path.exists():
        read_data_file(path)  # says so
    status = path.stat()
    return _prepared(code, target, path.resolve(), (status.st_mtime_ns, status.st_size), arguments)


def arguments_text(units: Sequence[Prepared]) -> str:
    """The argument values of all calls: how they are chosen depends on time, so they are chosen once in a run."""
    return values.dumps({method: sets for unit in units for method, sets in unit.sets.items()})


def _prepare(unit: Unit, database: Database, chosen: Sets, data_name: str) -> Prepared:
    tried = {
        p.method.id: [dict(s) for s in chosen[p.method.id]]
        if p.method.id in chosen
        else attempt(partial(argument_sets, p.method, unit.schema, database, unit.semantics))
        for p in unit.planned
    }
    lost = {name: found for name, found in tried.items() if isinstance(found, Defect)}
    sets = {name: [] if isinstance(found, Defect) else found for name, found in tried.items()}
    shapes = {p.method.id: shape_of(p.method.body, unit.schema) for p in unit.planned}
    return Prepared(unit, database, unit.planned, sets, shapes, data_name, lost)
