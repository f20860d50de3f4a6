"""What a resident worker is: a command that takes a socket, and what it needs to see and may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from uom.run.sandboxes.endpoints import Endpoint
from uom.run.sandboxes.protocol import Limits


@dataclass(frozen=True, slots=True)
class WorkerProgram:
    """`command` gives the command line for the path of a socket; `shown` are the paths that it reads in isolation.

    `reach`: servers that it may talk to from the start. `environment` is all that it sees of one.
    """

    name: str
    command: Callable[[Path], list[str]]
    environment: Mapping[str, str]
    shown: tuple[Path, ...]
    limits: Limits
    reach: tuple[Endpoint, ...] = ()
