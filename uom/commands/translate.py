"""`uom translate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from uom.commands.options import source_options, translation_options


@click.command("translate")
@source_options
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the Maven project.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(sources: tuple[str, ...], target: str, output: Path, as_json: bool, **choices: Any) -> int:  # noqa: ARG001
    """Translate C# files, folders or stdin (-) without running anything."""
    from uom.commands import console
    from uom.commands.project import check_output, project_files, write_project
    from uom.read import load_sources
    from uom.translation import translate

    check_output(output)
    translation = translate(load_sources(sources), translation_options(**choices, output=output))
    write_project(output, project_files(translation))
    done = [m for u in translation.units for m in u.bundle.methods]
    if as_json:
        content = {
            "output": str(output),
            "translated": {m.id: f"{m.file}:{m.first_line}-{m.last_line}" for m in done},
            "refused": {r.id: str(r.reason) for r in translation.refused},
            "diagnostics": [str(d) for d in translation.program.diagnostics],
        }
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        out = console.output()
        console.print_diagnostics(console.errors(), translation.program.diagnostics)
        console.print_diagnostics(console.errors(), [r.reason for r in translation.refused])
        out.print(f"{len(done)} queries translated, {len(translation.refused)} refused; project in {output}")
    if not done and not translation.refused:
        click.echo("No query methods were found in the input.", err=True)
        return 2
    return 1 if translation.refused else 0
