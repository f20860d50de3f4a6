"""`uom translate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from uom.commands.options import source_options, translation_options


@click.command("translate")
@source_options
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the Maven project.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(sources: tuple[str, ...], target: str, output: Path, as_json: bool, **choices: Any) -> int:
    """Translate C# files, folders or stdin (-) without running anything."""
    from uom.commands import console
    from uom.commands.project import check_output, project_files, require_queries, unread, write_project
    from uom.read import load_sources
    from uom.translation import translate

    check_output(output)
    translation = translate(load_sources(sources), translation_options(**choices, output=output, target=target))
    require_queries(translation)
    write_project(output, project_files(translation))
    done = [m for u in translation.units for m in u.bundle.methods]
    with console.while_read():
        if as_json:
            content = {
                "output": str(output),
                "translated": {m.id: f"{m.file}:{m.first_line}-{m.last_line}" for m in done},
                "refused": {r.id: str(r.reason) for r in translation.refused},
                "diagnostics": [str(d) for d in dict.fromkeys(translation.program.diagnostics)],
            }
            console.print_json(content)
        else:
            out = console.output()
            console.print_diagnostics(console.errors(), translation.program.diagnostics)
            console.print_diagnostics(console.errors(), [r.reason for r in translation.refused])
            text = f"{console.count_of(len(done))} translated, {len(translation.refused)} refused; project in {output}"
            out.print(text, markup=False, soft_wrap=True)
    return 1 if translation.refused or unread(translation.program.diagnostics) else 0
