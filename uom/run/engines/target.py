"""What verification asks of a target database, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, Self

from uom.data.content import Content

IMITATION = "imitation"


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What ran: product, version, and `grade`, the product's name when it is the real thing, else `imitation`."""

    name: str
    version: str
    grade: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.grade})"


class Recorded(Protocol):
    """Something that the Java asked the server. `error` is the server's message or ""."""

    @property
    def returned(self) -> int: ...

    @property
    def error(self) -> str: ...

    def evidence(self) -> dict[str, Any]:
        """As plain JSON values."""


class TargetEngine(Protocol):
    """A server behind a relay of ours. Loading goes to it directly; translated code only gets `relay_uri`."""

    @property
    def kind(self) -> str:
        """`mongodb` or `neo4j`."""

    @property
    def info(self) -> EngineInfo: ...

    @property
    def pid(self) -> int:
        """The embedded server's process; 0 for a server of the user's."""

    @property
    def relay_uri(self) -> str: ...

    def check(self) -> None:
        """Raises EnvironmentFailure when the server has gone: answers without it say nothing about code."""

    def take(self, label: str) -> Sequence[Recorded]:
        """The reads recorded under a label since the last call."""

    def take_refused(self, label: str) -> Sequence[str]:
        """What was not let through."""

    def doubts(self, asked: Sequence[Recorded]) -> Sequence[str]:
        """Why agreeing rows prove nothing yet: what this engine is known to get wrong and what was asked relies on."""

    @property
    def remedy(self) -> str:
        """What a user can do about doubts."""

    def fresh_database(self, content: Content) -> AbstractContextManager[str]:
        """A database with just this content, for the block; yields its name. Raises EnvironmentFailure."""

    def stop(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
