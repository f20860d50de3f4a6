"""`uom resume`: a person's answer, or the rest of a run whose process was ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from uom.orchestrator.runner import Outcome, Runner


@click.command("resume")
@click.argument("thread")
@click.option("--accept", is_flag=True, help="Take the translation as it is; that proves nothing.")
@click.option("--reject", metavar="FEEDBACK", help="Try again, with these words for the translator.")
@click.option("--translator", type=click.Choice(["hybrid", "compiler", "llm"]), help="Who translates from now on.")
@click.option("--model", help="Chat model from now on, provider/name.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for project and evidence.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    thread: str,
    accept: bool,
    reject: str | None,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    **settings: str | None,
) -> int:
    """Answer THREAD, which waits for a person; without an answer, go on where its process was ended."""
    from uom.commands.extras import require_orchestrator
    from uom.commands.project import check_output
    from uom.commands.running import execute, finish

    if accept and reject is not None:
        raise click.UsageError("--accept and --reject exclude each other")
    if output is not None:
        check_output(output)
    require_orchestrator()
    from uom.orchestrator.runner import NotWaiting
    from uom.orchestrator.threads import UnknownThread

    async def resume(runner: Runner) -> Outcome:
        decision = {"decision": "accept"} if accept else {"decision": "reject", "feedback": reject or ""}
        try:
            if not accept and reject is None:
                return await runner.go_on(thread)
            return await runner.answer(thread, decision)
        except (NotWaiting, UnknownThread) as error:
            raise click.UsageError(str(error)) from None

    return finish(execute(resume, {n: v for n, v in settings.items() if v}, quiet or as_json), output, as_json)
