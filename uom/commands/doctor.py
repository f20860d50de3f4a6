"""`uom doctor`: what is there, what is missing, how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass

import click


@dataclass(frozen=True)
class Finding:
    part: str
    state: str
    remedy: str = ""


@click.command("doctor")
@click.option("--setup", is_flag=True, help="Fetch what is missing now.")
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(["neo4j", "secantus", "postgres"]),
    help="Leave a part out of --setup, e.g. Neo4j, which is GPL-3.0.",
)
@click.option(
    "--engine",
    "engine_uri",
    metavar="URI",
    help="Check a MongoDB server against MongoDB 8's documented meaning, or that a Neo4j is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(setup: bool, without: tuple[str, ...], engine_uri: str | None, as_json: bool) -> int:
    """Show the parts that UOM uses, and check an engine with --engine."""
    from uom.commands.console import print_json, progress_printer
    from uom.run.toolchain import EVERYTHING, ensure, inspect

    if engine_uri is not None:
        if engine_uri.startswith(("bolt", "neo4j")):
            return _check_neo4j(engine_uri, as_json)
        from uom.commands.conformance import check_engine

        return check_engine(engine_uri, as_json)
    if setup:
        ensure(progress_printer(as_json), [part for part in EVERYTHING if part.value not in without])
    findings = [Finding("Python", platform.python_version())]
    findings += [Finding(s.part, s.state, s.remedy) for s in inspect()]
    findings += [_isolation(), _tool("dotnet", ["--version"], "Optional: with it the C# side runs for real. https://dot.net"),
                 _tool("mvn", ["-v"], "Optional: only for the portable mode."),
                 _tool("javac", ["-version"], "Optional: only for the portable mode.")]  # fmt: skip
    for name in ("MONGODB_URI", "NEO4J_URI", "MSSQL_CONNECTION_STRING"):
        findings.append(Finding(name, "set" if os.environ.get(name) else "not set", "Optional: a server of yours."))
    if as_json:
        print_json([asdict(f) for f in findings])
        return 0
    width = max(len(f.part) for f in findings)
    for f in findings:
        remedy = f"  {f.remedy}" if f.remedy and f.state.startswith(("not ", "none")) else ""
        click.echo(f"{f.part:{width}}  {f.state}{remedy}")
    return 0


def _isolation() -> Finding:
    from uom.run.sandboxes.bubblewrap import bubblewrap

    found = bubblewrap()
    if found.works:
        return Finding("sandbox", f"bubblewrap {found.version}")
    return Finding("sandbox", f"none: {found.reason}", f"{found.remedy} Until then code that a model wrote is refused.")


def _check_neo4j(uri: str, as_json: bool) -> int:
    """Exit code 0 for a real Neo4j that can be used, 1 for what only says so. Raises EnvironmentFailure."""
    from uom.commands.console import print_json
    from uom.run.engines.neo4j.identity import GENUINE
    from uom.run.engines.neo4j.server import Neo4jEngine

    with Neo4jEngine(None, uri) as engine:
        info = engine.info
        if as_json:
            print_json({"engine": {"name": info.name, "version": info.version, "grade": info.grade}})
        else:
            click.echo(f"{info}, database {engine.database}")
        return 0 if info.grade == GENUINE else 1


def _tool(name: str, arguments: list[str], remedy: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "not found", remedy)
    try:
        done = subprocess.run(
            [path, *arguments], capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL
        )
        lines = (done.stdout or done.stderr).strip().splitlines()
        return Finding(name, lines[0] if lines else "found", remedy)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, f"does not run: {error}", remedy)


if __name__ == "__main__":
    sys.exit(command())
