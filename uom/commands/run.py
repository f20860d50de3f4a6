"""`uom run`: a conversation, or files, through the whole graph."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from uom.orchestrator.runner import Outcome, Runner

_TARGETS = {"mongodb": "JAVA_SPRING_DATA_MONGODB", "neo4j": "JAVA_SPRING_DATA_NEO4J"}
_MOST_BYTES = 16 * 1024 * 1024


@click.command("run")
@click.argument("files", nargs=-1, required=True, metavar="FILE...|-")
@click.option("--to", "target", type=click.Choice(sorted(_TARGETS)), help="Target; by default what the text says.")
@click.option("--data", type=click.Path(path_type=Path), help="JSON file with the rows of each table.")
@click.option("--translator", type=click.Choice(["hybrid", "compiler", "llm"]), help="Who translates.")
@click.option("--verdict", type=click.Choice(["rows", "samples"]), help="What decides; samples are no proof.")
@click.option("--model", help="Chat model, provider/name.")
@click.option("--sandbox", type=click.Choice(["local", "daytona"]), help="Where code runs that a model wrote.")
@click.option("--portable", is_flag=True, help="Build and run both sides with dotnet and Maven, as anybody could.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run a model's code even where nothing keeps it in.")
@click.option("--thread", default="", help="Name of the thread; by default a new one.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for project and evidence.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    files: tuple[str, ...],
    target: str | None,
    data: Path | None,
    thread: str,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Translate what a conversation asks for: FILE is chat text (fenced C#), C# files or folders, or - for stdin.

    Threads are kept in a file of ours, or where CHECKPOINT_URI says. Exit codes: 0 accepted, 1 rejected or waiting for
    a person, 2 the input is incomplete, 3 the environment.
    """
    from uom.commands.extras import require_orchestrator
    from uom.commands.project import check_output
    from uom.commands.running import check_rows, execute, finish, start_engines

    if output is not None:
        check_output(output)
    text = read_input(files)
    require_orchestrator()
    from uom.orchestrator.frameworks import FrameworkEnum

    if data is not None and not data.exists():
        raise click.UsageError(f"--data: {data} does not exist")
    chosen: dict[str, Any] = {n: v for n, v in settings.items() if v}
    if data is not None:
        chosen["data_file"] = str(data.resolve())
    framework = FrameworkEnum(_TARGETS[target]) if target else None
    start_engines(text, framework, chosen, quiet or as_json)

    from uom.orchestrator.runner import ThreadExists

    async def start(runner: Runner) -> Outcome:
        await asyncio.to_thread(check_rows, text, framework, runner.context.data_file)
        try:
            return await runner.start(text, framework, thread)
        except ThreadExists as error:
            raise click.UsageError(str(error)) from None

    return finish(execute(start, chosen, quiet or as_json), output, as_json)


def read_input(files: tuple[str, ...]) -> str:
    """One conversation: texts as they are, C# files in fences. Raises UsageError for what cannot be read."""
    parts = []
    for name in files:
        if name == "-":
            parts.append(sys.stdin.buffer.read(_MOST_BYTES + 1).decode("utf-8", "replace"))
            continue
        path = Path(name)
        if path.is_dir() or path.suffix in (".cs", ".csx"):
            parts.append(_fenced(name))
        elif not path.is_file():
            raise click.UsageError(f"{name}: there is no such file")
        else:
            parts.append(path.read_bytes()[: _MOST_BYTES + 1].decode("utf-8", "replace"))
    text = "\n\n".join(parts)
    if len(text) > _MOST_BYTES:
        raise click.UsageError(f"the input is larger than {_MOST_BYTES // 2**20} MB; pass fewer files")
    if not text.strip():
        raise click.UsageError("the input is empty")
    return text


def _fenced(name: str) -> str:
    from uom.read import load_sources

    return "\n\n".join(f"````csharp {s.name}\n{s.text.rstrip()}\n````" for s in load_sources((name,)))
