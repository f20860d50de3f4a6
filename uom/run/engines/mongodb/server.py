"""Which MongoDB runs: the user's own (`MONGODB_URI`), or the embedded one, behind a relay of ours."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pymongo
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from pymongo.errors import InvalidOperation, PyMongoError

from uom.data.content import Content
from uom.data.graph import GraphContent
from uom.run.engines.mongodb.addresses import read_address, reason_of, through, without_password
from uom.run.engines.mongodb.embedded import EmbeddedServer
from uom.run.engines.mongodb.identity import GENUINE, IMITATION, EngineInfo, identify
from uom.run.engines.mongodb.recording import RecordedCommand
from uom.run.engines.mongodb.relay import Relay
from uom.run.engines.mongodb.stand_ins import without_count
from uom.run.engines.target import Recorded
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

__all__ = ["GENUINE", "IMITATION", "EmbeddedServer", "EngineInfo", "MongoEngine", "client_for"]

_BATCH = 1000
_STORED: CodecOptions[dict[str, Any]] = CodecOptions(
    uuid_representation=UuidRepresentation.STANDARD, datetime_conversion=DatetimeConversion.DATETIME_AUTO
)


def client_for(uri: str) -> pymongo.MongoClient[dict[str, Any]]:
    return pymongo.MongoClient(
        uri, serverSelectionTimeoutMS=5000, uuidRepresentation="standard", datetime_conversion="DATETIME_AUTO"
    )


class MongoEngine:
    """A server behind our relay. `fresh_database` loads rows into a database that lives as long as the block.

    Loading goes to the server directly; translated code only ever gets `relay_uri`.
    """

    kind = "mongodb"
    remedy = "Name a real server in MONGODB_URI for full proof."

    def __init__(self, toolchain: Toolchain | None, uri: str = "") -> None:
        self._embedded: EmbeddedServer | None = None
        if not uri:
            if toolchain is None:
                raise EnvironmentFailure("MongoDB", "no server is named and none is set up", "Set MONGODB_URI.")
            self._embedded = EmbeddedServer(toolchain)
            uri = self._embedded.uri
        self.uri = uri
        try:
            address = read_address(uri)
            self.client = client_for(uri)
            self.info = identify(self.client)
            stand_in = without_count if self.info.grade == IMITATION else None
            self.relay = Relay(*_writable_host(self.client), address.tls, stand_in, address.login)
            self.relay.__enter__()
        except PyMongoError as error:
            self.stop()
            raise EnvironmentFailure(
                "MongoDB", f"{without_password(uri)}: {reason_of(error)}", "Check MONGODB_URI."
            ) from None
        except Exception:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The embedded server's process; 0 for a server of the user's."""
        return self._embedded.pid if self._embedded is not None else 0

    def check(self) -> None:
        """Raises EnvironmentFailure when the embedded server has ended: answers without it say nothing about code."""
        if self._embedded is not None and not self._embedded.is_running:
            why = "it ended during the run, perhaps killed for its memory"
            raise EnvironmentFailure("embedded MongoDB", why, "Run the command again, or with fewer rows.")

    def __enter__(self) -> MongoEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def relay_uri(self) -> str:
        """The URI for translated code: the relay, which logs in for it."""
        return through(self.relay.address)

    def take(self, label: str) -> Sequence[RecordedCommand]:
        """The reads recorded under a label since the last call."""
        return self.relay.take(label)

    def take_refused(self, label: str) -> Sequence[str]:
        """Names of commands that were not let through."""
        return self.relay.take_refused(label)

    def doubts(self, asked: Sequence[Recorded]) -> Sequence[str]:
        """What this server is known to get wrong, of what these commands rely on."""
        from uom.run.engines.mongodb.faults import faults_touched

        return faults_touched(self.info, [c for c in asked if isinstance(c, RecordedCommand)])

    @contextlib.contextmanager
    def fresh_database(self, content: Content) -> Iterator[str]:
        """A new database with these documents, dropped at the end; yields its name."""
        assert not isinstance(content, GraphContent)
        name = f"uom_{uuid.uuid4().hex[:12]}"
        try:
            self.load(name, content)
            yield name
        except PyMongoError as error:
            raise EnvironmentFailure(
                "MongoDB", f"loading rows failed: {reason_of(error)}", "Check the server."
            ) from error
        finally:
            self.relay.knowledge.forget(name)
            with contextlib.suppress(PyMongoError):
                self.client.drop_database(name)

    def load(self, database: str, collections: Mapping[str, Iterable[dict[str, Any]]]) -> None:
        """Stores documents, and remembers what they look like for judging the commands that read them."""
        self.relay.knowledge.expect(database)
        for name, documents in collections.items():
            collection = self.client[database].get_collection(name, codec_options=_STORED)
            self.relay.knowledge.learn(database, name, ())
            rest = iter(documents)
            while batch := list(islice(rest, _BATCH)):
                self.relay.knowledge.learn(database, name, batch)
                collection.insert_many(batch)

    def stop(self) -> None:
        for name in ("relay", "client", "_embedded"):
            part = getattr(self, name, None)
            if part is not None:
                part.close() if name == "client" else part.stop()


def _writable_host(client: pymongo.MongoClient[dict[str, Any]]) -> tuple[str, int]:
    """The server that rows are loaded into: the only one, the primary, or any router."""
    address: tuple[str, int | None] | None
    try:
        address = client.address
    except InvalidOperation:
        address = next(iter(client.nodes))
    if address is None:
        raise EnvironmentFailure("MongoDB", "no server takes writes", "Name a primary in MONGODB_URI.")
    return str(address[0]), int(address[1] or 27017)
