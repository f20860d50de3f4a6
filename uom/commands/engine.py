"""`uom engine`: an embedded database alone, for looking at."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from uom.data.graph import GraphContent


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


@command.command("neo4j")
@click.argument("sources", nargs=-1, metavar="[SRC...]")
@click.option("--port", type=click.IntRange(1, 65535), default=7687, show_default=True)
@click.option("--data", type=click.Path(path_type=Path), help="JSON file with the rows of each table.")
@click.option("--json", "as_json", is_flag=True, help="Print where it listens as JSON.")
def neo4j(sources: tuple[str, ...], port: int, data: Path | None, as_json: bool) -> int:
    """Start the embedded Neo4j (GPL-3.0, fetched the first time); with --data, load rows.

    With C# sources the rows are loaded as their translation reads them: nodes, relationships, typed values. Without,
    each row becomes a node labelled with its table. It asks for no password.
    """
    from uom.commands.console import print_json, progress_printer
    from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
    from uom.run.engines.neo4j.server import Neo4jEngine
    from uom.run.toolchain import Part, ensure

    progress = progress_printer(as_json)
    content = _graph(sources, data)
    server = EmbeddedNeo4j(ensure(progress, [Part.NEO4J]), port)
    try:
        with Neo4jEngine(None, server.uri) as engine:
            engine.load(content, progress)
        counts = {":".join(s.labels): len(s.numbers) for s in content.nodes}
        links = {s.type: len(s.links) for s in content.relationships}
        if as_json:
            print_json({"uri": server.uri, "database": "neo4j", "nodes": counts, "relationships": links})
            sys.stdout.flush()
        else:
            click.echo(f"Neo4j listens at {server.uri} (no password); Ctrl-C ends it.")
            for name, count in counts.items():
                click.echo(f"  (:{name}) {count}")
            for name, count in links.items():
                click.echo(f"  [:{name}] {count}")
        _wait()
    finally:
        server.stop()
    return 0


def _graph(sources: tuple[str, ...], data: Path | None) -> GraphContent:
    from uom.data.graph import GraphContent, graph_content, plain_graph
    from uom.data.rows import build_database, read_data_file
    from uom.model.program import PROVIDER_SEMANTICS
    from uom.plan.mapping.graphs import default_graph
    from uom.read import load_sources, read_program

    if data is None:
        return GraphContent()
    file = read_data_file(data)
    if not sources:
        return plain_graph(file)
    schema = read_program(load_sources(sources)).schemas[0]
    semantics = PROVIDER_SEMANTICS[schema.provider]
    return graph_content(build_database(file, schema), schema, default_graph(schema), semantics, file.name)


def _wait() -> None:
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: done.set())
    try:
        while not done.wait(0.5):
            pass
    except KeyboardInterrupt:
        click.echo()
