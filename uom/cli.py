"""The command line. Each command's code is imported only when it runs, so that `uom --help` is quick."""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import sys
from dataclasses import dataclass
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
    "run": ("uom.commands.run", "Chat text or files in: the whole graph, up to a verdict or a question to a person."),
    "resume": ("uom.commands.resume", "Answer a waiting thread, or go on with one whose process was ended."),
    "threads": ("uom.commands.threads", "List the threads of `uom run`."),
    "graph": ("uom.commands.graph", "Print the state machine as Mermaid."),
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
    _prepare_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    sys.exit(run(arguments))


def _prepare_streams() -> None:
    """A stream that was closed before we began becomes the null device; a character that a terminal lacks, an escape."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 (lives with us)
        elif isinstance(stream, io.TextIOWrapper) and name != "stdin":
            stream.reconfigure(errors="backslashreplace")


def _interrupt(*_: object) -> None:
    """The polite ways to end us are like Ctrl-C: what was started is stopped and nothing is left behind."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(arguments: list[str] | None = None) -> int:
    as_json = "--json" in (sys.argv[1:] if arguments is None else arguments)
    try:
        result: Any = group.main(args=arguments, prog_name="uom", standalone_mode=False)
        return result if isinstance(result, int) else EXIT_OK
    except SystemExit:  # click's answer to a broken pipe
        # The reader of our output has gone: nothing is left to say, and flushing at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_INPUT
    except (Exception, KeyboardInterrupt) as error:
        failure = _failure_of(error)
        if as_json:
            click.echo(json.dumps({"error": failure.content(), "exit_code": failure.code}, indent=2))
        elif isinstance(error, click.ClickException):
            error.show()
        else:
            from uom.commands.printable import printable

            click.echo(printable(failure.text), err=True)
        if failure.kind == "internal" and os.environ.get("UOM_DEBUG"):
            raise
        return failure.code


@dataclass(frozen=True)
class _Failure:
    """Why a command ended without a result: `kind` is input, usage, environment, interrupted or internal."""

    kind: str
    code: int
    text: str
    place: str = ""
    remedy: str = ""

    def content(self) -> dict[str, str]:
        return {"kind": self.kind, "message": self.text, "place": self.place, "remedy": self.remedy}


def _failure_of(error: BaseException) -> _Failure:
    """Our own exceptions carry what the user needs; anything else is a defect of ours and says so."""
    from uom.run.failures import EnvironmentFailure

    diagnostic = getattr(error, "diagnostic", None)
    if diagnostic is not None:
        place = str(diagnostic.place or "")
        return _Failure("input", EXIT_INPUT, str(diagnostic), place, diagnostic.remedy)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return _Failure("interrupted", EXIT_INTERRUPTED, "interrupted")
    if isinstance(error, click.ClickException):
        return _Failure("usage", EXIT_INPUT, error.format_message())
    if isinstance(error, EnvironmentFailure):
        return _Failure("environment", EXIT_ENVIRONMENT, f"uom: {error}", remedy=error.remedy)
    if isinstance(error, OSError):
        text = f"uom: {error.strerror or error}: {str(error.filename or '')[:200]}".rstrip(": ")
        return _Failure("environment", EXIT_ENVIRONMENT, text)
    if isinstance(error, RecursionError):
        return _Failure("input", EXIT_INPUT, "uom: the input is nested too deeply to be read", remedy="Take it apart.")
    if isinstance(error, MemoryError):
        return _Failure("environment", EXIT_ENVIRONMENT, "uom: there is not enough memory for this input")
    text = f"uom: internal error ({type(error).__name__}: {error}). Please report it; UOM_DEBUG=1 shows where."
    return _Failure("internal", EXIT_ENVIRONMENT, text)
