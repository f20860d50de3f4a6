"""Who may run where: code that the compiler wrote in the warm worker, anything else in a sandbox made for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from uom.orchestrator.context import Context
from uom.orchestrator.engines import Engines
from uom.orchestrator.state import FrameworkEnum
from uom.run.java.portable import JavaRunner
from uom.run.java.worker import JavaWorker
from uom.run.sandboxes.bubblewrap import usable
from uom.run.sandboxes.pool import ValidationSandbox
from uom.run.sandboxes.protocol import Sandbox, SandboxType
from uom.run.validators.runner import SandboxRunner

_URI_VARIABLES = {
    FrameworkEnum.JAVA_SPRING_DATA_MONGODB: "MONGODB_URI",
    FrameworkEnum.JAVA_SPRING_DATA_NEO4J: "NEO4J_URI",
}


class NoSandbox(Exception):
    """Foreign code was to be run, and there is nothing to keep it in."""


@contextmanager
def java_runner(written_by_us: bool, target: FrameworkEnum, context: Context, engines: Engines) -> Iterator[JavaRunner]:
    """Something that compiles and runs Java. Call it from a thread without an event loop.

    Foreign code gets a JVM of its own, which ends with it: nothing that it leaves there can meet the next run. Raises
    NoSandbox where foreign code has no sandbox, EnvironmentFailure where a sandbox that was named cannot be had.
    """
    if context.sandbox == "daytona" or context.portable:
        yield SandboxRunner(asyncio.run(_sandbox(context, engines)), _URI_VARIABLES[target], written_by_us)
    elif written_by_us:
        yield engines.java(target)
    else:
        found = usable()
        if found is None and not context.unsafe_no_sandbox:
            raise NoSandbox(
                "code that the compiler did not write runs only in a sandbox, and bubblewrap does not work here; "
                "install it (`uom doctor` says how), use translator=compiler, or say --unsafe-no-sandbox"
            )
        with JavaWorker(engines.java_tools(target), found) as worker:
            yield worker


async def _sandbox(context: Context, engines: Engines) -> Sandbox:
    """With the toolchain's own commands: the warm one of this process."""
    return await ValidationSandbox.get_sandbox(engines.provider(context), SandboxType.JAVA_25_SANDBOX)
