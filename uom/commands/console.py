"""What people see: progress while it runs, a table at the end. Colours obey NO_COLOR and pipes."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from uom.commands.printable import PlainConsole
from uom.model.diagnostics import Diagnostic, Severity, with_remedy
from uom.verify.report import PRODUCTS, Level, QueryReport, Report, sum_line

STYLES = {
    Level.EQUIVALENT: "green",
    Level.DIFFERENT: "bold red",
    Level.REFUSED: "yellow",
    Level.EXECUTED: "cyan",
    Level.COMPILED: "magenta",
    Level.TRANSLATED: "magenta",
}


_PIPE_WIDTH = 200
"""Columns where nobody's screen sets a limit: a query's name must stay on one line for grep."""


def output() -> Console:
    return PlainConsole(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def errors() -> Console:
    return PlainConsole(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _PIPE_WIDTH)


@contextmanager
def while_read() -> Iterator[None]:
    """Around what is printed last: when the reader has gone (`| head -1`), the verdict is still the exit code."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # rich makes one of the other
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(content: object) -> None:
    """One document on stdout, whatever the locale can show."""
    text = json.dumps(content, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(content, indent=2)
    click.echo(text)


def progress_printer(quiet: bool) -> Callable[[str, int, int], None]:
    """For set-up: one line per part, at most one update a second."""
    console = errors()
    last: dict[str, float] = {}

    def report(label: str, done: int, total: int) -> None:
        now = time.monotonic()
        if quiet or (done not in (0, total) and now - last.get(label, 0) < 1):
            return
        last[label] = now
        console.print(f"  set up: {label} {done}/{total}" if total else f"  set up: {label}", style="dim")

    return report


def query_line(report: QueryReport) -> Text:
    """One query as it is done."""
    line = Text(f"{report.level.value:>10}  ", style=STYLES[report.level])
    line.append(report.id, style="default")
    if report.reason:
        line.append(f"  {report.place}: {report.reason}", style="dim")
    return line


def summary_table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("query", no_wrap=True)
    table.add_column("result")
    table.add_column("rows", justify="right")
    table.add_column("source ms", justify="right")
    table.add_column("target ms", justify="right")
    table.add_column("where and why", overflow="fold")
    for q in report.queries:
        table.add_row(
            q.id,
            Text(q.level.value, style=STYLES[q.level]),
            str(q.rows) if q.calls else "",
            str(sum(c.source_millis for c in q.calls)) if q.calls else "",
            str(sum(c.target_millis for c in q.calls)) if q.calls else "",
            _why(q),
        )
    return table


def _why(query: QueryReport) -> str:
    if query.reason:
        return f"{query.place}: {with_remedy(query.reason, query.remedy)}"
    notes = [d for d in query.diagnostics if d.severity is Severity.CONVENTION]
    return f"convention: {notes[0].construct}: {notes[0].reason}" if notes else ""


def closing_lines(report: Report) -> list[str]:
    lines = [f"{count_of(len(report.queries))}: {sum_line(report)}", f"source: {report.source}"]
    problems = Counter(c.source_problem for q in report.queries for c in q.calls if c.source_problem)
    lines += [f"  {count} calls not by dotnet: {problem[:300]}" for problem, count in problems.most_common(3)]
    if report.engine is not None:
        lines.append(f"target: {PRODUCTS[report.target]} on {report.engine}")
    strength = report.strength()
    if strength.tried:
        lines.append(
            f"rows: would have told {strength.caught} of {strength.tried} wrong translations from the right ones "
            "(mutants in evidence.json)"
        )
    if report.timings.phases:
        phases = ", ".join(f"{name} {ms / 1000:.2f} s" for name, ms in report.timings.phases)
        lines.append(f"time: {report.timings.total / 1000:.2f} s ({phases})")
    return lines


def count_of(queries: int) -> str:
    return "1 query" if queries == 1 else f"{queries} queries"


def print_diagnostics(console: Console, diagnostics: Sequence[Diagnostic]) -> None:
    for d in dict.fromkeys(diagnostics):
        style = "red" if d.severity is Severity.INPUT else "yellow" if d.severity is Severity.REFUSAL else "dim"
        console.print(Text(str(d), style=style))
