"""Who may run where: code that the compiler wrote in the warm worker, anything else only in a sandbox."""

from __future__ import annotations

from uom.orchestrator.context import Context
from uom.orchestrator.engines import Engines
from uom.run.java.portable import JavaRunner


class NoSandbox(Exception):
    """Foreign code was to be run, and there is nothing to keep it in."""


def java_runner(written_by_us: bool, context: Context, engines: Engines) -> JavaRunner:
    """Something that compiles and runs Java. Raises NoSandbox where foreign code has no sandbox."""
    if written_by_us:
        return engines.java()
    raise NoSandbox(
        f"code that the compiler did not write runs only in a sandbox, and the {context.sandbox} one is not there; "
        "use translator=compiler, or set up a sandbox"
    )
