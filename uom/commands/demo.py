"""`uom demo`."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "northwind"


@click.command("demo")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("out/northwind"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(output: Path, as_json: bool, quiet: bool) -> int:
    """Verify the bundled example: entities, 15 EF Core queries and the Northwind rows."""
    from uom.commands.options import translation_options
    from uom.commands.project import check_output
    from uom.commands.verify import finish, run_verification

    if not EXAMPLE.is_dir():
        raise click.UsageError(f"the example is not there: {EXAMPLE}; run from a checkout of the project")
    check_output(output)
    options = translation_options("25", "com.example.northwind", None, None, None, output)
    report = run_verification((str(EXAMPLE),), options, EXAMPLE / "northwind.json", output, 30.0, quiet or as_json)
    return finish(report, output, as_json)
