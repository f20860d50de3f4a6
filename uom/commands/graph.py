"""`uom graph`."""

from __future__ import annotations

import click


@click.command("graph")
def command() -> int:
    """Print the compiled state machine as a Mermaid diagram."""
    from uom.commands.extras import require_orchestrator

    require_orchestrator()
    from uom.orchestrator.drawing import mermaid

    click.echo(mermaid())
    return 0
