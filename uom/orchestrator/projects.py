"""The programs of both sides as text: what goes into state, and what the validators take apart again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from uom.model.schema import Schema
from uom.orchestrator.compiling import Prepared
from uom.orchestrator.context import Context
from uom.orchestrator.engines import source_server
from uom.orchestrator.files import join_files, split_files
from uom.orchestrator.validation.source import dotnet_of, pending
from uom.run.dotnet.project import Server
from uom.run.java.harness import MAIN_CLASS, Invocation, harness
from uom.translation import Unit
from uom.write.java.calls import java_call

SOURCE_ENTRY = "Program"
TARGET_ENTRY = MAIN_CLASS
QUERY_SECONDS = 30.0
PROBE = "SchemaProbe"
_PROBED = 3
_OURS_ONLY = frozenset({"README.md"})
_SCHEMA_OF_CSHARP = ("Input/", "UomSource.csproj", "Usings.cs")


@dataclass(frozen=True, slots=True)
class Programs:
    """All code of one translation, each text as `files.join_files` writes it."""

    translated_schema: str
    translated_query: str
    target_schema: str
    target_harness: str
    source_schema: str
    source_harness: str


def prefix_of(prepared: Prepared, units: Sequence[Prepared]) -> str:
    """With several contexts each has a project, and so a folder, of its own."""
    return prefix_of_unit(prepared.unit, units)


def prefix_of_unit(unit: Unit, units: Sequence[object]) -> str:
    return f"{unit.schema.context or 'model'}/" if len(units) > 1 else ""


def java_files(prepared: Prepared) -> dict[str, str]:
    """Everything to compile for one unit, entry point included."""
    unit = prepared.unit
    calls = [(c, unit.java_method(c.method_id)) for c in prepared.calls()]
    invocations = [Invocation(c.label, java_call(m, c.arguments)) for c, m in calls if m is not None]
    files = harness(unit.bundle, invocations, QUERY_SECONDS).files
    return {path: text for path, text in files.items() if path not in _OURS_ONLY}


def csharp_files(prepared: Prepared, code: str, data_file: str, context: Context) -> dict[str, str]:
    """The console program for `dotnet`, whether or not there is one here."""
    server = source_server(context) or Server.POSTGRES
    return dict(dotnet_of(prepared, code, data_file, server).program(pending(prepared)).files)


def programs_of(units: Sequence[Prepared], code: str, data_file: str, context: Context) -> Programs:
    """The texts for state. Raises what reading rows raises."""
    java: list[tuple[str, str]] = []
    csharp: list[tuple[str, str]] = []
    for prepared in units:
        prefix = prefix_of(prepared, units)
        java += [(prefix + path, text) for path, text in java_files(prepared).items()]
        csharp += [(prefix + p, t) for p, t in csharp_files(prepared, code, data_file, context).items()]
    return Programs(
        translated_schema=_joined(java, _is_schema),
        translated_query=_joined(java, _is_query),
        target_schema=_joined(java, lambda path: not _is_model(path)),
        target_harness=_joined(java, lambda path: not _is_schema(path) and not _is_query(path)),
        source_schema=_joined(csharp, _is_csharp_schema),
        source_harness=_joined(csharp, lambda path: not _is_csharp_schema(path)),
    )


def files_of_unit(texts: Iterable[str], prefix: str) -> dict[str, str]:
    """The files of one unit out of all texts."""
    files = {path: text for code in texts for path, text in split_files(code, "Main.java").items()}
    return {path.removeprefix(prefix): text for path, text in files.items() if path.startswith(prefix)}


def has_queries(files: Mapping[str, str]) -> bool:
    """Whether there is anything beside entity classes and our own services."""
    return any(_is_query(path) for path in files)


def is_ours(files: Mapping[str, str], prepared: Prepared) -> bool:
    """Whether the compiler writes exactly these bytes for the C#: then no model had a hand in them."""
    return dict(files) == java_files(prepared)


def _joined(files: Sequence[tuple[str, str]], wanted: object) -> str:
    assert callable(wanted)
    return join_files((path, text) for path, text in files if wanted(path))


def with_probe(code: str, schemas: Sequence[Schema]) -> str:
    """The C# with a query per entity, so that each class is written, compiled and filled with documents."""
    lines = ["using System.Linq;", f"public static class {PROBE} {{"]
    for schema in schemas:
        for entity in schema.entities:
            if not entity.unsupported:
                name = f"{entity.name.replace('.', '')}Documents"
                query = f"db.Set<{entity.name}>().Take({_PROBED}).ToList()"
                lines.append(f"    public static object {name}({schema.context} db) => {query};")
    return join_files({**split_files(code), f"{PROBE}.cs": "\n".join([*lines, "}"])})


def _is_schema(path: str) -> bool:
    return path.endswith(".java") and (_is_model(path) or path.endswith(("/MongoConfig.java", "/GraphConfig.java")))


def _is_model(path: str) -> bool:
    return "/model/" in path


def _is_query(path: str) -> bool:
    return path.endswith(".java") and not _is_schema(path) and "/uom/services/" not in path


def _is_csharp_schema(path: str) -> bool:
    return any(part in path for part in _SCHEMA_OF_CSHARP)
