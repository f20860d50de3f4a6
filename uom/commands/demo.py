"""`uom demo`."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "northwind"


@click.command("demo")
@click.option("--to", "target", type=click.Choice(["mongodb", "neo4j", "both"]), default="both", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("out/northwind"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(target: str, output: Path, as_json: bool, quiet: bool) -> int:
    """Verify the bundled example: entities, 15 EF Core queries and the Northwind rows.

    With both targets each gets a folder of its own in the output folder, and --json has a report for each.
    """
    from uom.commands import console
    from uom.commands.options import translation_options
    from uom.commands.project import check_output
    from uom.commands.verify import exit_code, print_report, run_verification
    from uom.verify.report import to_json

    if not EXAMPLE.is_dir():
        raise click.UsageError(f"the example is not there: {EXAMPLE}; run from a checkout of the project")
    folders = {t: output / t for t in ("mongodb", "neo4j")} if target == "both" else {target: output}
    for folder in folders.values():
        check_output(folder)
    reports = {}
    for name, folder in folders.items():
        options = translation_options("25", "com.example.northwind", None, None, None, folder, name)
        report = run_verification((str(EXAMPLE),), options, EXAMPLE / "northwind.json", folder, 30.0, quiet or as_json)
        reports[name] = report
        if not as_json:
            print_report(report, folder)
    if as_json:
        content = {name: to_json(report) for name, report in reports.items()}
        with console.while_read():
            console.print_json(content if target == "both" else content[target])
    return max(exit_code(report) for report in reports.values())
