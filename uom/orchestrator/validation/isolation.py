"""Who may run where: code that the compiler wrote in the warm worker, anything else in a sandbox made for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from uom.orchestrator.context import Context
from uom.orchestrator.engines import Engines
from uom.run.java.portable import JavaRunner
from uom.run.java.worker import JavaWorker
from uom.run.sandboxes.bubblewrap import usable
from uom.run.toolchain import Part


class NoSandbox(Exception):
    """Foreign code was to be run, and there is nothing to keep it in."""


@contextmanager
def java_runner(written_by_us: bool, context: Context, engines: Engines) -> Iterator[JavaRunner]:
    """Something that compiles and runs Java. Raises NoSandbox where foreign code has no sandbox.

    Foreign code gets a JVM of its own, which ends with it: nothing that it leaves there can meet the next run.
    """
    if written_by_us:
        yield engines.java()
        return
    found = usable()
    if found is None and not context.unsafe_no_sandbox:
        raise NoSandbox(
            "code that the compiler did not write runs only in a sandbox, and bubblewrap does not work here; "
            "install it (`uom doctor` says how), use translator=compiler, or say --unsafe-no-sandbox"
        )
    with JavaWorker(engines.tools(Part.JAVA), found) as worker:
        yield worker
