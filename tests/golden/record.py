"""`python -m tests.golden.record DIR`: runs the C# of a corpus folder with real EF Core and writes `expected/`.

Needs `dotnet` on PATH. What the framework returned is written as it is; nothing of ours decides on a value. Whether a
result is ordered is taken from the query.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.golden.cases import load_code, to_json
from uom.data.rows import build_database, read_data_file
from uom.model.program import PROVIDER_SEMANTICS, QueryMethod, RefusedMethod
from uom.model.schema import Schema
from uom.model.types import EnumType, ScalarType
from uom.read import read_program
from uom.run.dotnet.project import Server
from uom.run.dotnet.results import DotnetRunner
from uom.run.dotnet.worker import DotnetWorker
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.sandboxes.bubblewrap import usable
from uom.run.toolchain import ensure
from uom.verify.canonical import Rows
from uom.verify.dotnet_source import DotnetSource
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, ScalarShape, Shape, shape_of
from uom.verify.source import PendingCall, ReferenceSource


def columns(shape: Shape) -> Any:
    match shape:
        case ScalarShape(type=type_):
            name = type_.kind.value if isinstance(type_, ScalarType) else type_.name
            return name + ("?" if type_.nullable else "")
        case ListShape(element=element):
            return [columns(element)]
        case HierarchyShape(members=members):
            return {n: columns(s) for _, m in members for n, s in m.fields}
        case ObjectShape(fields=fields):
            return {n: columns(s) for n, s in fields}


def nested_ordered(value: Any, path: str) -> set[str]:
    """Paths of nested lists that the query orders totally."""
    found: set[str] = set()
    if isinstance(value, Rows):
        if path and value.ties is not None and len(value) > 1 and all(size == 1 for size in value.ties):
            found.add(path)
        for item in value:
            found |= nested_ordered(item, path)
    elif isinstance(value, dict):
        for name, inner in value.items():
            found |= nested_ordered(inner, f"{path}.{name}".lstrip("."))
    return found


def case_of(method: QueryMethod, schema: Schema, source: DotnetSource) -> dict[str, Any]:
    shape = shape_of(method.body, schema)
    result = source.call(method.id, method, {}, shape)
    if result.problem:
        raise SystemExit(f"{method.id}: {result.problem}")
    if result.exception:
        return {"kind": "throws", "ordered": False, "error": result.exception}
    value = result.value
    enums = {t.name: dict(t.stored or t.members) for t in _enums(shape)}
    extra = {"enums": enums} if enums else {}
    if isinstance(shape, ListShape):
        ordered = value.ties is not None and all(size == 1 for size in value.ties)
        case = {"kind": "rows", "ordered": ordered, "columns": _plain(columns(shape.element)), **extra}
        nested = sorted({path for row in value for path in nested_ordered(row, "")})
        return {**case, **({"nested_ordered": nested} if nested else {}), "rows": [to_json(v) for v in value]}
    if isinstance(shape, ScalarShape):
        return {"kind": "scalar", "ordered": False, "columns": _plain(columns(shape)), **extra, "value": to_json(value)}
    nested = sorted(nested_ordered(value, ""))
    return {
        "kind": "single",
        "ordered": False,
        "columns": columns(shape),
        **extra,
        **({"nested_ordered": nested} if nested else {}),
        "rows": [] if value is None else [to_json(value)],
    }


def _plain(described: Any) -> Any:
    return {"": described} if isinstance(described, str) else described


def _enums(shape: Shape) -> list[EnumType]:
    match shape:
        case ScalarShape(type=EnumType() as type_):
            return [type_]
        case ListShape(element=element):
            return _enums(element)
        case ObjectShape(fields=fields):
            return [e for _, s in fields for e in _enums(s)]
        case HierarchyShape(members=members):
            return [e for _, m in members for e in _enums(m)]
    return []


@contextmanager
def ef_core() -> Iterator[DotnetRunner]:
    """The user's dotnet with EF Core on a PostgreSQL of its own."""
    server = EmbeddedPostgres(ensure())
    try:
        _ = server.uri  # waits
        with DotnetWorker(Server.POSTGRES, server.connection("record"), usable()) as worker:
            yield worker
    finally:
        server.stop()


def record(folder: Path, runner: DotnetRunner) -> dict[str, dict[str, Any]]:
    """Cases by theme and method, as EF Core returns them now. Methods that cannot be read are named on stderr."""
    program = read_program(load_code(folder))
    data = read_data_file(folder / "data.json")
    expected: dict[str, dict[str, Any]] = {}
    for schema in program.schemas:
        methods = [m for m in program.methods if isinstance(m, QueryMethod) and m.context == schema.context]
        if not methods:
            continue
        reference = ReferenceSource(schema, build_database(data, schema), PROVIDER_SEMANTICS["postgres"])
        source = DotnetSource(schema, data, program.sources, reference, runner)
        source.prepare([PendingCall(m.id, m, {}, shape_of(m.body, schema)) for m in methods])
        for method in methods:
            expected.setdefault(method.container, {})[method.name] = case_of(method, schema, source)
    for refused in program.methods:
        if isinstance(refused, RefusedMethod):
            print(f"not recorded, because it cannot be read: {refused.id}: {refused.diagnostics[0]}", file=sys.stderr)
    return expected


def main(folder: Path) -> None:
    with ef_core() as runner:
        expected = record(folder, runner)
    (folder / "expected").mkdir(exist_ok=True)
    for theme, cases in expected.items():
        text = json.dumps(cases, ensure_ascii=False, indent=1)
        (folder / "expected" / f"{theme}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{theme}: {len(cases)} cases")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
