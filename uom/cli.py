"""The command line. Each command's code is imported only when it runs, so that `uom --help` is quick."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from uom import __version__

EXIT_OK, EXIT_NOT_ALL, EXIT_INPUT, EXIT_ENVIRONMENT, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = {
    "translate": ("uom.commands.translate", "C# in, a Maven project with Spring Data MongoDB out."),
    "verify": ("uom.commands.verify", "Translate, compile, run both sides, compare every row: the main job."),
    "explain": ("uom.commands.explain", "Show a query's C#, its algebra after each pass, and the target."),
    "demo": ("uom.commands.demo", "Verify the bundled example: 15 EF Core queries on Northwind."),
    "engine": ("uom.commands.engine", "Run an embedded database alone, with rows loaded."),
    "doctor": ("uom.commands.doctor", "What is installed, what is missing, how to get it."),
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry[0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="uom")
def group() -> None:
    """Translates C# data-access code (EF Core) to Spring Data MongoDB and proves each query by running both sides.

    Exit codes: 0 all equivalent (or translated), 1 something was refused or differs, 2 bad input or usage,
    3 the environment (network, disk, a port), 130 interrupted.
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs a command; every expected failure becomes a message and an exit code, never a traceback."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    try:
        result: Any = group.main(args=arguments, prog_name="uom", standalone_mode=False)
        return result if isinstance(result, int) else EXIT_OK
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_INPUT
    except click.ClickException as error:
        error.show()
        return EXIT_INPUT
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone: nothing is left to say, and flushing at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except Exception as error:
        return _failure(error)


def _failure(error: Exception) -> int:
    """Our own exceptions carry what the user needs; anything else is a defect of ours and says so."""
    from uom.run.failures import EnvironmentFailure

    diagnostic = getattr(error, "diagnostic", None)
    if diagnostic is not None:
        click.echo(str(diagnostic), err=True)
        return EXIT_INPUT
    if isinstance(error, EnvironmentFailure):
        click.echo(f"uom: {error}", err=True)
        return EXIT_ENVIRONMENT
    if isinstance(error, OSError):
        click.echo(f"uom: {error.strerror or error}: {error.filename or ''}".rstrip(": "), err=True)
        return EXIT_ENVIRONMENT
    if os.environ.get("UOM_DEBUG"):
        raise error
    click.echo(
        f"uom: internal error ({type(error).__name__}: {error}). Please report it; UOM_DEBUG=1 shows where.", err=True
    )
    return EXIT_ENVIRONMENT
