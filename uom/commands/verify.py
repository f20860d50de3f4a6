"""`uom verify`: the main job."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from uom.commands.options import source_options, translation_options

if TYPE_CHECKING:
    from uom.data.rows import DataFile
    from uom.reference.values import Database
    from uom.run.sandboxes.bubblewrap import Bubblewrap
    from uom.run.toolchain import Toolchain
    from uom.translation import Translation, TranslationOptions, Unit
    from uom.verify.report import Report
    from uom.verify.session import SourceFactory
    from uom.verify.source import SourceEngine


@click.command("verify")
@source_options
@click.option("--data", type=click.Path(path_type=Path), required=True, help="JSON file with the rows of each table.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for project and evidence.")
@click.option(
    "--source",
    "source_choice",
    type=click.Choice(["auto", "dotnet", "reference"]),
    default="auto",
    show_default=True,
    help="What stands for the C# side: your dotnet with EF Core, or the reference interpreter. auto: dotnet if on PATH.",
)
@click.option(
    "--portable",
    is_flag=True,
    help="Build and run the Java with your own JDK and Maven instead of the built-in worker.",
)
@click.option(
    "--sandbox/--no-sandbox",
    default=True,
    show_default=True,
    help="Run the built-in worker without network and files of yours, where bubblewrap is installed.",
)
@click.option("--only", multiple=True, metavar="CLASS[.METHOD]", help="Verify only these.")
@click.option("--limit", type=click.FloatRange(1, 3600), default=30.0, show_default=True, help="Seconds per query.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    sources: tuple[str, ...],
    target: str,
    data: Path,
    output: Path,
    source_choice: str,
    portable: bool,
    sandbox: bool,
    only: tuple[str, ...],
    limit: float,
    as_json: bool,
    quiet: bool,
    **choices: Any,
) -> int:
    """Translate, compile and run both sides on the same rows, compare every row, and keep the evidence.

    MONGODB_URI names a MongoDB of yours, NEO4J_URI (with NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE) a Neo4j, which
    must be empty; without them an embedded one is started. With dotnet on PATH the C# runs on an
    embedded PostgreSQL, or on the server of MSSQL_CONNECTION_STRING, in a database of its own that is dropped again.
    """
    from uom.commands.project import check_output

    check_output(output)
    options = translation_options(**choices, output=output, target=target)
    if only:
        options = replace(options, only=lambda i: any(i == o or i.startswith(o + ".") for o in only))
    report = run_verification(sources, options, data, output, limit, quiet or as_json, source_choice, portable, sandbox)
    return finish(report, output, as_json)


def run_verification(
    sources: tuple[str, ...],
    options: TranslationOptions,
    data: Path,
    output: Path,
    limit: float,
    quiet: bool,
    source_choice: str = "auto",
    portable: bool = False,
    sandbox: bool = True,
) -> Report:
    """Everything from sources to the written output folder."""
    from uom.commands import console
    from uom.commands.project import project_files, require_queries, write_project
    from uom.data.rows import read_data_file
    from uom.read import load_sources
    from uom.run.engines.starting import StartingEngine, named_server
    from uom.run.java.portable import JavaRunner, PortableRunner
    from uom.run.java.worker import JavaWorker
    from uom.run.memory import peak_kb
    from uom.run.sandboxes.bubblewrap import usable
    from uom.run.toolchain import Part, ensure, parts_for
    from uom.translation import translate
    from uom.verify.report import to_json
    from uom.verify.session import Session

    started = time.perf_counter()
    parsed, rows = load_sources(sources), read_data_file(data)  # nothing is fetched or started for unreadable input
    reading = time.perf_counter() - started
    dotnet = uses_dotnet(source_choice)
    parts = [
        *parts_for(options.target, bool(named_server(options.target))),
        *([Part.POSTGRES] if dotnet and not os.environ.get("MSSQL_CONNECTION_STRING") else []),
    ]
    tools = ensure(console.progress_printer(quiet), parts)
    err = console.errors()
    phases: dict[str, int] = {}
    isolation = usable() if sandbox else None
    with ExitStack() as stack:
        coming = stack.enter_context(StartingEngine(options.target, tools))
        resident = JavaWorker(tools.serving(options.target), isolation)
        worker: JavaRunner = PortableRunner() if portable else stack.enter_context(resident)
        source_for = dotnet_sources(tools, stack, isolation, quiet) if dotnet else None
        started = time.perf_counter()
        translation = translate(parsed, options)
        phases["translate"] = round((reading + time.perf_counter() - started) * 1000)
        require_queries(translation)
        if not quiet:
            console.print_diagnostics(err, translation.program.diagnostics)
        started = time.perf_counter()
        engine = coming.ready()
        phases["wait for engine"] = round((time.perf_counter() - started) * 1000)
        session = Session(worker, engine, rows, limit_seconds=limit, phases=phases, strength_seconds=STRENGTH_SECONDS)
        if source_for is not None:
            session = replace(session, source_for=source_for(translation, rows))
        listen = (lambda _: None) if quiet else (lambda q: err.print(console.query_line(q)))
        report = session.verify(translation, listen)
        pids = {"uom": os.getpid(), "java": getattr(worker, "pid", 0), engine.kind: engine.pid}
        memory = {name: peak_kb(pid) for name, pid in pids.items() if pid}
        if not quiet:
            console.print_diagnostics(err, report.diagnostics)
        notes = tuple(dict.fromkeys((*translation.program.diagnostics, *report.diagnostics)))
        report = replace(report, data_sha256=rows.sha256, memory_kb=memory, diagnostics=notes)
    write_project(output, project_files(translation), to_json(report))
    return report


def uses_dotnet(choice: str) -> bool:
    """Raises EnvironmentFailure when dotnet is asked for and not there."""
    from uom.run.dotnet.sdk import find_dotnet
    from uom.run.failures import EnvironmentFailure

    if choice == "dotnet" and find_dotnet() is None:
        raise EnvironmentFailure("dotnet", "it is not on PATH", "Install .NET 10, or use --source reference.")
    return choice != "reference" and find_dotnet() is not None


STRENGTH_SECONDS = 4.0
"""At most, for finding out what the rows can tell; it goes on while Java and C# run."""


def dotnet_sources(
    tools: Toolchain, stack: ExitStack, isolation: Bubblewrap | None, quiet: bool
) -> Callable[[Translation, DataFile], SourceFactory]:
    """Sources that run the C#. Worker and database start now, once, and are stopped with the stack."""
    from uom.commands import console
    from uom.run.dotnet.project import Server
    from uom.run.dotnet.worker import DotnetWorker
    from uom.run.engines.postgres import EmbeddedPostgres
    from uom.verify.dotnet_source import DotnetSource
    from uom.verify.source import ReferenceSource

    connection, server = os.environ.get("MSSQL_CONNECTION_STRING", ""), Server.SQL_SERVER
    embedded = None
    if not connection:
        embedded = EmbeddedPostgres(tools)
        stack.callback(embedded.stop)
        connection, server = embedded.connection("uom"), Server.POSTGRES
    worker = stack.enter_context(DotnetWorker(server, connection, isolation, console.progress_printer(quiet)))
    worker.start()

    def sources(translation: Translation, rows: DataFile) -> SourceFactory:
        def make(unit: Unit, database: Database) -> SourceEngine:
            if embedded is not None:
                _ = embedded.uri  # waits
            reference = ReferenceSource(unit.schema, database, unit.semantics)
            return DotnetSource(unit.schema, rows, translation.program.sources, reference, worker, server)

        return make

    return sources


def finish(report: Report, output: Path, as_json: bool) -> int:
    """Prints the result and says with which code to exit."""
    from uom.commands import console
    from uom.verify.report import to_json

    if as_json:
        with console.while_read():
            console.print_json(to_json(report))
    else:
        print_report(report, output)
    return exit_code(report)


def print_report(report: Report, output: Path) -> None:
    """The table and what stands behind it."""
    from uom.commands import console

    with console.while_read():
        out = console.output()
        out.print()
        out.print(console.summary_table(report))
        out.print()
        for line in (*console.closing_lines(report), f"project and evidence.json in {output}"):
            out.print(line, markup=False, soft_wrap=True)


def exit_code(report: Report) -> int:
    """0 when all are equivalent and all of the input could be read."""
    from uom.commands.project import unread

    return 0 if report.all_equivalent and not unread(report.diagnostics) else 1
