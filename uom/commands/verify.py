"""`uom verify`: the main job."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from uom.commands.options import source_options, translation_options

if TYPE_CHECKING:
    from uom.translation import TranslationOptions
    from uom.verify.report import Report


@click.command("verify")
@source_options
@click.option("--data", type=click.Path(path_type=Path), required=True, help="JSON file with the rows of each table.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for project and evidence.")
@click.option("--only", multiple=True, metavar="CLASS[.METHOD]", help="Verify only these.")
@click.option("--limit", type=click.FloatRange(1, 3600), default=30.0, show_default=True, help="Seconds per query.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    sources: tuple[str, ...],
    target: str,  # noqa: ARG001
    data: Path,
    output: Path,
    only: tuple[str, ...],
    limit: float,
    as_json: bool,
    quiet: bool,
    **choices: Any,
) -> int:
    """Translate, compile and run both sides on the same rows, compare every row, and keep the evidence.

    MONGODB_URI names a server of yours; without it an embedded one is started.
    """
    from uom.commands.project import check_output

    check_output(output)
    options = translation_options(**choices, output=output)
    if only:
        options = replace(options, only=lambda i: any(i == o or i.startswith(o + ".") for o in only))
    report = run_verification(sources, options, data, output, limit, quiet or as_json)
    return finish(report, output, as_json)


def run_verification(
    sources: tuple[str, ...], options: TranslationOptions, data: Path, output: Path, limit: float, quiet: bool
) -> Report:
    """Everything from sources to the written output folder."""
    from uom.commands import console
    from uom.commands.project import project_files, write_project
    from uom.data.rows import read_data_file
    from uom.read import load_sources
    from uom.run.engines.mongodb.server import MongoEngine
    from uom.run.java.worker import JavaWorker
    from uom.run.toolchain import Part, ensure
    from uom.translation import translate
    from uom.verify.report import to_json
    from uom.verify.session import Session, data_digest

    uri = os.environ.get("MONGODB_URI", "")
    parts = [Part.JAVA] if uri else [Part.JAVA, Part.SECANTUS]
    tools = ensure(console.progress_printer(quiet), parts)
    err = console.errors()
    phases: dict[str, int] = {}
    with ExitStack() as stack:
        worker = stack.enter_context(JavaWorker(tools))
        started = time.perf_counter()
        translation = translate(load_sources(sources), options)
        rows = read_data_file(data)
        phases["translate"] = round((time.perf_counter() - started) * 1000)
        if not quiet:
            console.print_diagnostics(err, translation.program.diagnostics)
        started = time.perf_counter()
        engine = stack.enter_context(MongoEngine(tools, uri))
        phases["start engine"] = round((time.perf_counter() - started) * 1000)
        session = Session(worker, engine, rows, limit_seconds=limit, phases=phases)
        listen = (lambda _: None) if quiet else (lambda q: err.print(console.query_line(q)))
        report = session.verify(translation, listen)
        report = replace(report, data_sha256=data_digest(data))
    write_project(output, project_files(translation), to_json(report))
    return report


def finish(report: Report, output: Path, as_json: bool) -> int:
    """Prints the result and says with which code to exit."""
    from uom.commands import console
    from uom.verify.report import to_json

    if as_json:
        click.echo(json.dumps(to_json(report), indent=2, ensure_ascii=False))
    else:
        out = console.output()
        out.print()
        out.print(console.summary_table(report))
        out.print()
        for line in console.closing_lines(report):
            out.print(line)
        out.print(f"project and evidence.json in {output}")
    if not report.queries:
        click.echo("No query methods were found in the input.", err=True)
        return 2
    return 0 if report.all_equivalent else 1
