"""`uom explain`: one query through all rooms, readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from uom.commands.options import source_options, translation_options

if TYPE_CHECKING:
    from uom.plan.planner import Planned
    from uom.translation import Translation


@click.command("explain")
@source_options
@click.option("--method", metavar="[CLASS.]METHOD", help="Only this method.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(sources: tuple[str, ...], target: str, method: str | None, as_json: bool, **choices: Any) -> int:
    """Show each query's C# source, its algebra as read and after each pass, and the Java that comes out."""
    from uom.commands.console import print_json, while_read
    from uom.read import load_sources
    from uom.translation import translate

    translation = translate(load_sources(sources), translation_options(**choices, target=target))
    wanted = [i for i in translation.method_ids() if method is None or i == method or i.endswith("." + method)]
    if not wanted:
        known = ", ".join(translation.method_ids()[:20]) or "none"
        raise click.UsageError(f"there is no query method {method or ''} in the input (found: {known})")
    sections = {i: explanation(translation, i) for i in wanted}
    with while_read():
        if as_json:
            print_json(sections)
        else:
            for method_id, parts in sections.items():
                click.echo(click.style(f"=== {method_id}", bold=True))
                for title, text in parts.items():
                    click.echo(click.style(f"--- {title}", fg="cyan"))
                    click.echo(text)
                click.echo()
    return 1 if any("refused" in s for s in sections.values()) else 0


def explanation(translation: Translation, method_id: str) -> dict[str, str]:
    """Titles and texts, in order."""
    parts: dict[str, str] = {}
    method = next(m for m in translation.program.methods if m.id == method_id)
    parts[f"C# ({method.place})"] = translation.csharp(method_id)
    planned = translation.planned(method_id)
    if planned is not None:
        parts |= _algebra(translation, planned)
        unit = translation.unit_of(method_id)
        java = unit.java_method(method_id) if unit is not None else None
        if unit is not None and java is not None:
            parts[f"Java ({java.file}:{java.first_line})"] = translation.java(method_id)
    refused = next((r for r in translation.refused if r.id == method_id), None)
    if refused is not None:
        parts["refused"] = "\n".join(str(d) for d in refused.diagnostics)
    notes = planned.method.diagnostics if planned is not None else ()
    if notes:
        parts["notes"] = "\n".join(str(d) for d in notes)
    return parts


def _algebra(translation: Translation, planned: Planned) -> dict[str, str]:
    from uom.model.printing import print_expr

    read = next(m for m in translation.program.methods if m.id == planned.method.id)
    parts = {"algebra as read": print_expr(read.body)} if hasattr(read, "body") else {}
    for name, body in planned.trace:
        parts[f"after '{name}'"] = print_expr(body)
    return parts
