"""`uom engine`: an embedded database alone, for looking at."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path

import click


@click.group("engine")
def command() -> None:
    """Run an embedded database in the foreground."""


@command.command("mongodb")
@click.argument("sources", nargs=-1, metavar="[SRC...]")
@click.option("--port", type=click.IntRange(1, 65535), default=27017, show_default=True)
@click.option("--data", type=click.Path(path_type=Path), help="JSON file with the rows of each table.")
@click.option("--database", default="uom", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print where it listens as JSON.")
def mongodb(sources: tuple[str, ...], port: int, data: Path | None, database: str, as_json: bool) -> int:
    """Start the embedded MongoDB; with --data, load rows.

    With C# sources the rows are loaded as their translation reads them (typed, by mapping); without, each table
    becomes a collection as it is.
    """
    from uom.commands.console import print_json, progress_printer
    from uom.run.engines.mongodb.server import EmbeddedServer, MongoEngine
    from uom.run.toolchain import Part, ensure

    tools = ensure(progress_printer(as_json), [Part.SECANTUS])
    content = _content(sources, data) if data is not None else {}
    server = EmbeddedServer(tools, port)
    try:
        engine = MongoEngine(None, server.uri)
        engine.load(database, content)
        counts = {name: len(rows) for name, rows in content.items()}
        if as_json:
            print_json({"uri": server.uri, "database": database, "collections": counts})
            sys.stdout.flush()
        else:
            click.echo(f"SecantusDB listens at {server.uri} (database {database}); Ctrl-C ends it.")
            for name, count in counts.items():
                click.echo(f"  {name}: {count}")
        engine.stop()
        _wait()
    finally:
        server.stop()
    return 0


def _content(sources: tuple[str, ...], data: Path) -> dict[str, list[dict[str, object]]]:
    from uom.data.documents import documents
    from uom.data.rows import build_database, read_data_file
    from uom.plan.mapping.documents import default_mapping
    from uom.read import load_sources, read_program

    file = read_data_file(data)
    if not sources:
        return {
            name: json.loads(json.dumps([dict(r) for r in rows], default=str)) for name, rows in file.tables.items()
        }
    schema = read_program(load_sources(sources)).schemas[0]
    return documents(build_database(file, schema), schema, default_mapping(schema))


def _wait() -> None:
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: done.set())
    try:
        while not done.wait(0.5):
            pass
    except KeyboardInterrupt:
        click.echo()
