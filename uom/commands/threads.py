"""`uom threads`."""

from __future__ import annotations

import asyncio
from typing import Any

import click


@click.command("threads")
@click.option("--forget", metavar="THREAD", multiple=True, help="Remove a thread with its rows; may be given again.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(forget: tuple[str, ...], as_json: bool) -> int:
    """List the threads of `uom run`, the latest first: name, where it stands, and what was said last."""
    from uom.commands import console
    from uom.commands.extras import require_orchestrator

    require_orchestrator()
    from uom.orchestrator.checkpointer import open_threads
    from uom.orchestrator.context import Context
    from uom.orchestrator.runner import Outcome, Runner
    from uom.orchestrator.threads import UnknownThread
    from uom.orchestrator.validation.evidence import forget_thread

    async def look() -> list[Outcome]:
        async with open_threads() as threads:
            for thread in forget:
                await forget_thread(threads, thread)
            runner = Runner(threads, Context())
            return [await runner.look(thread) for thread in await threads.ids()]

    try:
        found = asyncio.run(look())
    except UnknownThread as unknown:
        raise click.UsageError(str(unknown)) from None
    rows: list[dict[str, Any]] = [
        {"thread": o.thread, "status": o.status, "explanation": o.explanation.partition("\n")[0]} for o in found
    ]
    with console.while_read():
        if as_json:
            console.print_json(rows)
        else:
            out = console.output()
            for row in rows:
                line = f"{row['thread']}  {row['status']:<10}  {row['explanation']}"
                out.print(line, markup=False, soft_wrap=True)
    return 0
